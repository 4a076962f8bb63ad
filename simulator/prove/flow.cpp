#include "prove/flow.hpp"

#include <algorithm>
#include <functional>
#include <string_view>

namespace warpgrade::prove {
namespace {

using ptx::Instruction;
using ptx::Operand;

bool starts(const std::string &opcode, std::string_view base) {
  return opcode.starts_with(base) && (opcode.size() == base.size() || opcode[base.size()] == '.');
}
bool is_branch(const Instruction &i) {
  return starts(i.opcode, "bra");
}
bool is_end(const Instruction &i) {
  return starts(i.opcode, "ret") || starts(i.opcode, "exit") || starts(i.opcode, "trap");
}
/// A barrier that also gives all threads what they say together, such as bar.red.popc.
bool is_reduction(const Instruction &i) {
  return (starts(i.opcode, "bar") || starts(i.opcode, "barrier")) &&
         i.opcode.find(".red.") != std::string::npos;
}
/// Whether the first operand is read rather than written.
bool writes_nothing(const Instruction &i) {
  if (is_reduction(i)) return false;
  for (const std::string_view base :
       {"st", "red", "bar", "barrier", "bra", "ret", "exit", "trap", "membar", "fence", "prefetch",
        "prefetchu", "discard", "pmevent", "nanosleep", "brkpt"})
    if (starts(i.opcode, base)) return true;
  return false;
}

void registers_of(const Operand &operand, std::set<int> &into) {
  if (operand.reg >= 0) into.insert(operand.reg);
  if (operand.second >= 0) into.insert(operand.second);
  for (const Operand &one : operand.elements) registers_of(one, into);
}

std::vector<std::uint32_t> leaders(const ptx::Function &f) {
  std::set<std::uint32_t> found{0};
  for (const ptx::Label &label : f.labels) found.insert(label.instruction);
  for (std::uint32_t i = 0; i < f.instructions.size(); ++i) {
    if (starts(f.instructions[i].opcode, "brx"))
      throw NotUnderstood(f.instructions[i].location, "a jump through a table");
    if (is_branch(f.instructions[i]) || is_end(f.instructions[i])) found.insert(i + 1);
  }
  found.erase(found.lower_bound(static_cast<std::uint32_t>(f.instructions.size())), found.end());
  return {found.begin(), found.end()};
}

void connect(const ptx::Function &f, Flow &flow) {
  std::map<std::uint32_t, int> at;
  for (std::size_t b = 0; b < flow.blocks.size(); ++b) at[flow.blocks[b].begin] = static_cast<int>(b);
  const auto block_at = [&](std::uint32_t instruction) {
    const auto found = at.find(instruction);
    return found == at.end() ? no_block : found->second;
  };
  for (FlowBlock &block : flow.blocks) {
    if (block.begin == block.end) continue;
    const Instruction &last = f.instructions[block.end - 1];
    block.branches = is_branch(last) || is_end(last);
    block.conditional = block.branches && last.guard >= 0;
    if (!block.branches || block.conditional) block.next = block_at(block.end);
    if (!is_branch(last)) continue;
    const auto label = std::find_if(f.labels.begin(), f.labels.end(),
                                    [&](const auto &one) { return one.name == last.operands.front().name; });
    if (label == f.labels.end()) throw NotUnderstood(last.location, "a branch to an unknown label");
    block.taken = block_at(label->instruction);
  }
}

void put_in_order(Flow &flow) {
  const std::size_t count = flow.blocks.size();
  flow.position.assign(count, -1);
  std::vector<int> order;
  std::vector<bool> seen(count);
  const std::function<void(int)> visit = [&](int b) {
    if (b == no_block || seen[static_cast<std::size_t>(b)]) return;
    seen[static_cast<std::size_t>(b)] = true;
    visit(flow.blocks[static_cast<std::size_t>(b)].taken);
    visit(flow.blocks[static_cast<std::size_t>(b)].next);
    order.push_back(b);
  };
  visit(0);
  for (std::size_t i = 0; i < order.size(); ++i)
    flow.position[static_cast<std::size_t>(order[order.size() - 1 - i])] = static_cast<int>(i);
}

std::vector<int> successors(const FlowBlock &block) {
  std::vector<int> result;
  if (block.taken != no_block) result.push_back(block.taken);
  if (block.next != no_block && block.next != block.taken) result.push_back(block.next);
  return result;
}

/// Whether every way from the entry to `block` goes through `gate`.
bool dominates(const Flow &flow, int gate, int block) {
  if (gate == block) return true;
  std::vector<bool> seen(flow.blocks.size());
  std::vector<int> open{0};
  if (gate == 0) return true;
  while (!open.empty()) {
    const int b = open.back();
    open.pop_back();
    if (b == block) return false;
    if (seen[static_cast<std::size_t>(b)] || b == gate) continue;
    seen[static_cast<std::size_t>(b)] = true;
    for (const int s : successors(flow.blocks[static_cast<std::size_t>(b)])) open.push_back(s);
  }
  return true;
}

void find_loops(const ptx::Function &f, Flow &flow) {
  std::vector<std::vector<int>> before(flow.blocks.size());
  for (std::size_t b = 0; b < flow.blocks.size(); ++b)
    for (const int s : successors(flow.blocks[b]))
      before[static_cast<std::size_t>(s)].push_back(static_cast<int>(b));
  for (std::size_t b = 0; b < flow.blocks.size(); ++b) {
    if (flow.position[b] < 0) continue;
    for (const int header : successors(flow.blocks[b])) {
      if (flow.position[static_cast<std::size_t>(header)] > flow.position[b]) continue;
      if (!dominates(flow, header, static_cast<int>(b)))
        throw NotUnderstood(f.instructions[flow.blocks[b].end - 1].location, "a loop with several entries");
      FlowLoop &loop = flow.loops[header];
      loop.header = header;
      loop.blocks.insert(header);
      std::vector<int> open{static_cast<int>(b)};
      while (!open.empty()) {
        const int one = open.back();
        open.pop_back();
        if (flow.position[static_cast<std::size_t>(one)] < 0 || !loop.blocks.insert(one).second) continue;
        const std::vector<int> &more = before[static_cast<std::size_t>(one)];
        open.insert(open.end(), more.begin(), more.end());
      }
    }
  }
}

void find_live(const ptx::Function &f, Flow &flow) {
  std::vector<std::set<int>> read(flow.blocks.size()), written(flow.blocks.size());
  for (std::size_t b = 0; b < flow.blocks.size(); ++b)
    for (std::uint32_t i = flow.blocks[b].begin; i < flow.blocks[b].end; ++i) {
      for (const int r : read_by(f.instructions[i]))
        if (written[b].count(r) == 0) read[b].insert(r);
      if (f.instructions[i].guard < 0) written[b].merge(written_by(f.instructions[i]));
    }
  flow.live = read;
  for (bool again = true; again;) {
    again = false;
    for (std::size_t b = flow.blocks.size(); b-- > 0;)
      for (const int s : successors(flow.blocks[b]))
        for (const int r : flow.live[static_cast<std::size_t>(s)])
          if (written[b].count(r) == 0 && flow.live[b].insert(r).second) again = true;
  }
}

}  // namespace

std::set<int> written_by(const Instruction &i) {
  std::set<int> result;
  if (!i.operands.empty() && !writes_nothing(i)) registers_of(i.operands.front(), result);
  return result;
}

std::set<int> read_by(const Instruction &i) {
  std::set<int> result;
  for (std::size_t n = writes_nothing(i) ? 0 : 1; n < i.operands.size(); ++n)
    registers_of(i.operands[n], result);
  if (i.guard >= 0) result.insert(i.guard);
  return result;
}

Flow flow_of(const ptx::Function &f) {
  Flow flow;
  const std::vector<std::uint32_t> starts_at = leaders(f);
  for (std::size_t i = 0; i < starts_at.size(); ++i) {
    FlowBlock block;
    block.begin = starts_at[i];
    block.end =
        i + 1 < starts_at.size() ? starts_at[i + 1] : static_cast<std::uint32_t>(f.instructions.size());
    flow.blocks.push_back(block);
  }
  connect(f, flow);
  put_in_order(flow);
  find_loops(f, flow);
  find_live(f, flow);
  return flow;
}

}  // namespace warpgrade::prove
