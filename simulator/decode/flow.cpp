#include "decode/flow.hpp"

#include <unordered_map>

namespace warpgrade::simt {

Flow::Flow(const ptx::Function &function, const std::vector<bool> &leads)
    : end(function.instructions.size()) {
  block_of.resize(end + 1);
  for (std::size_t i = 0; i < end; ++i) {
    if (leads[i]) starts.push_back(i);
    block_of[i] = starts.size() - 1;
  }
  block_of[end] = starts.size();
  std::unordered_map<std::string, std::size_t> labels;
  for (const ptx::Label &label : function.labels) labels[label.name] = block_of[label.instruction];
  next.resize(blocks());
  for (std::size_t block = 0; block < blocks(); ++block) {
    const ptx::Instruction &last = function.instructions[end_of(block) - 1];
    const Opcode o(last.opcode);
    std::vector<std::size_t> &to = next[block];
    const auto add_label = [&](const std::string &name) {
      if (const auto found = labels.find(name); found != labels.end()) to.push_back(found->second);
    };
    if (o.is(Family::jump) && !last.operands.empty()) add_label(last.operands[0].name);
    if (o.is(Family::jump_by_table))
      for (const auto &targets : function.branch_targets)
        for (const std::string &name : targets) add_label(name);
    if (last.guard >= 0 || !leaves(o)) to.push_back(block + 1);
  }
}

bool has_result(const Opcode &o) {
  return has_result(o.row->family) || (o.is(Family::barrier) && o.has("red"));
}

}  // namespace warpgrade::simt
