// The control flow of a kernel: blocks, natural loops, and which registers are still read.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "ptx/module.hpp"

namespace warpgrade::prove {

/// Something in a kernel that is not modelled; nothing is decided about it then.
class NotUnderstood : public std::runtime_error {
 public:
  NotUnderstood(std::int32_t location, const std::string &what)
      : std::runtime_error(what), location_(location) {}
  std::int32_t location() const { return location_; }  ///< in Module::locations

 private:
  std::int32_t location_;
};

constexpr int no_block = -1;  ///< the end of the kernel

struct FlowBlock {
  std::uint32_t begin = 0, end = 0;  ///< instructions; a branch is the last one
  int taken = no_block;              ///< of a branch
  int next = no_block;               ///< without a branch, or where its guard does not hold
  bool branches = false;             ///< ends in a branch or an exit, whose guard chooses
  bool conditional = false;
};

struct FlowLoop {
  int header = 0;
  std::set<int> blocks;
};

struct Flow {
  std::vector<FlowBlock> blocks;
  std::vector<int> position;        ///< of a block in an order in which only back edges go back
  std::map<int, FlowLoop> loops;    ///< by header
  std::vector<std::set<int>> live;  ///< by block: registers that are read before they are written
};

/// throws NotUnderstood: jumps through tables, and loops with several entries
Flow flow_of(const ptx::Function &);

/// Registers that an instruction reads and writes.
std::set<int> read_by(const ptx::Instruction &);
std::set<int> written_by(const ptx::Instruction &);

}  // namespace warpgrade::prove
