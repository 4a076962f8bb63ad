// Which registers of a function share a row: those that are never needed at the same time. PTX names a
// register for every result; without this the rows of a block's warps do not fit into the cache.
#include "decode/row_layout.hpp"

#include <algorithm>
#include <numeric>

#include "decode/flow.hpp"

namespace warpgrade::simt {
namespace {

/// First and last instruction at which a register holds something that is needed. A lane goes its own way
/// through the blocks, and what other lanes write meanwhile does not touch its part of a row.
struct Life {
  std::size_t first = SIZE_MAX, last = 0;
  void reach(std::size_t at) {
    first = std::min(first, at);
    last = std::max(last, at);
  }
};

/// Registers that are needed at the start of each block; empty if that takes too long.
std::vector<RegisterSet> find_needed(const ptx::Function &function, const Flow &flow,
                                     const std::vector<Opcode> &opcodes) {
  const std::size_t registers = function.registers.size();
  std::vector<RegisterSet> needed(flow.blocks() + 1, RegisterSet(registers));
  bool changed = true;
  for (int round = 0; changed; ++round) {
    if (round == most_flow_rounds) return {};
    changed = false;
    for (std::size_t block = flow.blocks(); block-- > 0;) {
      RegisterSet now(registers);
      for (const std::size_t next : flow.next[block]) now.add(needed[next]);
      for (std::size_t i = flow.end_of(block); i-- > flow.starts[block];) {
        const ptx::Instruction &instruction = function.instructions[i];
        for_results(instruction, opcodes[i], [&](std::int32_t reg) { now.remove(reg); });
        for_sources(instruction, opcodes[i], [&](std::int32_t reg) { now.add(reg); });
      }
      if (now != needed[block]) needed[block] = std::move(now), changed = true;
    }
  }
  return needed;
}

std::vector<Life> find_lives(const ptx::Function &function, const Flow &flow,
                             const std::vector<Opcode> &opcodes, const std::vector<RegisterSet> &needed) {
  std::vector<Life> lives(function.registers.size());
  const auto reach = [&](std::size_t at) {
    return [&lives, at](std::int32_t reg) { lives[static_cast<std::size_t>(reg)].reach(at); };
  };
  for (std::size_t block = 0; block < flow.blocks(); ++block) {
    for (std::size_t i = flow.starts[block]; i < flow.end_of(block); ++i) {
      for_results(function.instructions[i], opcodes[i], reach(i));
      for_sources(function.instructions[i], opcodes[i], reach(i));
    }
    needed[block].for_each([&](std::size_t reg) { lives[reg].reach(flow.starts[block]); });
    for (const std::size_t next : flow.next[block])
      needed[next].for_each([&](std::size_t reg) { lives[reg].reach(flow.end_of(block) - 1); });
  }
  return lives;
}

constexpr std::uint32_t max_warp_bytes = 8u << 20, max_uniform_bytes = 8u << 20;

}  // namespace

Ref WarpRowSpace::add(Width width) {
  if (width == Width::predicate) {
    if (predicates_left_ == 0) {
      predicate_ = bytes_;
      predicates_left_ = 16;
      bytes_ += 64;
    }
    --predicates_left_;
    const std::uint32_t slot = predicate_;
    predicate_ += 4;
    return slot;
  }
  const std::uint32_t at = bytes_;
  bytes_ += width == Width::wide ? 256 : 128;
  if (bytes_ > max_warp_bytes) throw Unsupported("the kernel uses too many registers");
  return at;
}

Ref UniformRowSpace::add(UniformRow row) {
  std::uint32_t end = 0;
  if (!rows_.empty()) {
    const UniformRow &last = rows_.back();
    end = last.offset + (last.wide ? 256 : 128);
  }
  if (end > max_uniform_bytes) throw Unsupported("too many constants");
  row.offset = end;
  rows_.push_back(std::move(row));
  return end | 1;
}

Ref UniformRowSpace::constant(std::uint64_t bits, bool wide) {
  if (!wide) bits &= UINT32_MAX;
  const auto [at, fresh] = constants_.try_emplace({bits, wide}, 0);
  if (fresh) {
    UniformRow row;
    row.wide = wide;
    row.bits = bits;
    at->second = add(std::move(row));
  }
  return at->second;
}

Ref UniformRowSpace::named(const std::string &key, UniformRow row) {
  const auto [at, fresh] = named_.try_emplace(key, 0);
  if (fresh) at->second = add(std::move(row));
  return at->second;
}

/// The row of each register. Results never share one with sources of the same instruction: it may become
/// several operations.
RegisterRows lay_out_registers(const ptx::Function &function, const std::vector<bool> &leads, bool share,
                               Ref unused, WarpRowSpace &space) {
  RegisterRows made;
  std::vector<Ref> &rows = made.rows;
  const Flow flow(function, leads);
  std::vector<Opcode> opcodes;
  for (const ptx::Instruction &instruction : function.instructions) opcodes.emplace_back(instruction.opcode);
  std::vector<RegisterSet> needed;
  if (flow.blocks() * function.registers.size() <= most_flow_bits)
    needed = find_needed(function, flow, opcodes);
  // What is needed at the start has no value yet. Without an answer that may be any register.
  std::vector<std::size_t> &unset = made.unset;
  if (needed.empty())
    for (std::size_t reg = 0; reg < function.registers.size(); ++reg) unset.push_back(reg);
  else
    needed.front().for_each([&unset](std::size_t reg) { unset.push_back(reg); });
  std::vector<Life> lives;
  if (share && !needed.empty()) lives = find_lives(function, flow, opcodes, needed);
  const auto width_of = [&](std::size_t reg) {
    const ptx::Type type = function.registers[reg].type;
    if (type == ptx::Type::b128) throw Unsupported("128-bit registers are not supported");
    return type == ptx::Type::pred ? Width::predicate : ptx::size_of(type) >= 8 ? Width::wide : Width::word;
  };
  if (lives.empty()) {
    for (std::size_t reg = 0; reg < function.registers.size(); ++reg)
      rows.push_back(space.add(width_of(reg)));
    return made;
  }
  std::vector<std::size_t> order(lives.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return lives[a].first < lives[b].first; });
  using Busy = std::pair<std::size_t, Ref>;  // until after which instruction, which row
  std::vector<Busy> busy[2];
  std::vector<Ref> idle[2];
  rows.resize(lives.size());
  for (const std::size_t reg : order) {
    const Width width = width_of(reg);
    if (width == Width::predicate || lives[reg].first == SIZE_MAX) {
      rows[reg] = width == Width::predicate ? space.add(width) : unused;
      continue;
    }
    std::vector<Busy> &now = busy[width == Width::wide];
    std::vector<Ref> &free = idle[width == Width::wide];
    while (!now.empty() && now.front().first < lives[reg].first) {
      std::pop_heap(now.begin(), now.end(), std::greater<>());
      free.push_back(now.back().second);
      now.pop_back();
    }
    if (free.empty()) free.push_back(space.add(width));
    rows[reg] = free.back();
    free.pop_back();
    now.emplace_back(lives[reg].last, rows[reg]);
    std::push_heap(now.begin(), now.end(), std::greater<>());
  }
  return made;
}

}  // namespace warpgrade::simt
