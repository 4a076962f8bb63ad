#include "decode/fragment_origins.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "decode/opcode.hpp"

namespace warpgrade::simt {
namespace {

using Operand = ptx::Operand;

constexpr std::string_view of_mma = "the result of an mma", of_ldmatrix = "a matrix of ldmatrix";
constexpr std::size_t most_registers = 4096;  // a search that meets more of them gives up

template <class Take>
void each_register(const Operand &operand, const Take &take) {
  if (operand.reg >= 0) take(operand.reg);
  if (operand.second >= 0) take(operand.second);
  for (const Operand &element : operand.elements) each_register(element, take);
}

std::string_view shape_of(const Opcode &o) {
  const auto found = std::ranges::find_if(o.parts, [](std::string_view part) {
    return part.size() > 2 && part.starts_with('m') && part[1] >= '0' && part[1] <= '9';
  });
  return found == o.parts.end() ? std::string_view{} : *found;
}

std::string kind(std::string_view operand, std::string_view layout, std::string_view shape) {
  if (operand == "c" || operand == "d") return fmt::format("an accumulator of {}", shape);
  return fmt::format("a fragment of {} ({}, {})", operand == "a" ? "A" : "B",
                     layout == "col" ? "column-major" : "row-major", shape);
}

/// What an instruction makes of a fragment's elements: empty if it makes none.
std::string kind_of_result(const Opcode &o) {
  if (o.base == "wmma")
    return o.has("mma")
               ? kind("d", {}, shape_of(o))
               : kind(o.parts.size() > 1 ? o.parts[1] : "", o.has("col") ? "col" : "row", shape_of(o));
  if (o.base == "mma") return std::string(of_mma);
  if (o.base == "ldmatrix") return std::string(of_ldmatrix);
  return {};
}

/// Results that do not depend on their operands element by element, or not within the lane.
bool ends_search(const Opcode &o) {
  return o.is(Family::load, Family::atomic, Family::texture, Family::warp, Family::call, Family::barrier,
              Family::tensor);
}

}  // namespace

FragmentOrigins::FragmentOrigins(const ptx::Function &function) : function_(function) {
  has_wmma_ = std::ranges::any_of(function.instructions,
                                  [](const auto &one) { return one.opcode.starts_with("wmma."); });
  if (!has_wmma_) return;
  writers_.resize(function.registers.size());
  for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
    const ptx::Instruction &one = function.instructions[i];
    if (one.operands.empty() || one.operands[0].kind == Operand::Kind::memory) continue;
    each_register(one.operands[0],
                  [&](std::int32_t reg) { writers_[static_cast<std::size_t>(reg)].push_back(i); });
  }
}

std::vector<std::string> FragmentOrigins::kinds_of(std::int32_t of) const {
  std::vector<std::string> kinds;
  std::vector<bool> seen(writers_.size());
  std::vector<std::int32_t> open;
  const auto visit = [&](std::int32_t reg) {
    if (seen[static_cast<std::size_t>(reg)]) return;
    seen[static_cast<std::size_t>(reg)] = true;
    open.push_back(reg);
  };
  visit(of);
  for (std::size_t next = 0; next < open.size(); ++next) {
    if (open.size() > most_registers) return {};
    for (const std::uint32_t writer : writers_[static_cast<std::size_t>(open[next])]) {
      const ptx::Instruction &instruction = function_.instructions[writer];
      const Opcode o(instruction.opcode);
      if (std::string made = kind_of_result(o); !made.empty()) {
        if (std::ranges::find(kinds, made) == kinds.end()) kinds.push_back(std::move(made));
      } else if (!ends_search(o)) {
        for (std::size_t i = 1; i < instruction.operands.size(); ++i)
          each_register(instruction.operands[i], visit);
      }
    }
  }
  return kinds;
}

std::optional<std::string> FragmentOrigins::why_misplaced(const ptx::Instruction &instruction) const {
  if (!has_wmma_) return std::nullopt;
  const Opcode o(instruction.opcode);
  const bool product = o.has("mma") || o.base == "mma", stores = o.base == "wmma" && o.has("store");
  if (!product && !stores) return std::nullopt;
  const std::string_view shape = shape_of(o);
  // wmma.mma.sync.aligned.alayout.blayout.shape...
  std::vector<std::string_view> layouts;
  for (const std::string_view part : o.parts)
    if (part == "row" || part == "col") layouts.push_back(part);
  if (product && layouts.size() != 2) return std::nullopt;
  struct Read {
    std::size_t operand;
    std::string_view name;
    std::string kind;
  };
  std::vector<Read> reads;
  if (stores)
    reads = {{1, "the stored fragment", kind("d", {}, shape)}};
  else if (o.base == "mma")
    reads = {{1, "A of this mma", ""}, {2, "B of this mma", ""}, {3, "C of this mma", ""}};
  else
    reads = {{1, "A of this product", kind("a", layouts[0], shape)},
             {2, "B of this product", kind("b", layouts[1], shape)},
             {3, "C of this product", kind("c", {}, shape)}};
  for (const Read &read : reads) {
    if (read.operand >= instruction.operands.size()) continue;
    const Operand &operand = instruction.operands[read.operand];
    std::vector<std::int32_t> registers;
    each_register(operand, [&](std::int32_t reg) { registers.push_back(reg); });
    for (const std::int32_t reg : registers) {
      std::vector<std::string> kinds = kinds_of(reg);
      // mma.sync says where its elements are, so only those of wmma are out of place there.
      if (read.kind.empty())
        std::erase_if(kinds, [](const std::string &one) { return one == of_mma || one == of_ldmatrix; });
      if (kinds.empty() || std::ranges::find(kinds, read.kind) != kinds.end()) continue;
      return fmt::format(
          "{} has elements of {}{}: which lane holds which element of a wmma fragment is not specified, so "
          "this works on some GPUs only; move the elements through memory (store_matrix_sync, "
          "load_matrix_sync)",
          read.name, kinds.front(), read.kind.empty() ? "" : " in place of those of " + read.kind);
    }
  }
  return std::nullopt;
}

}  // namespace warpgrade::simt
