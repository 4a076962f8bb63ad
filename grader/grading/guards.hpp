// Which conditions let a thread through to an access outside its buffer. Internal to grading/.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "counters/diagnostic.hpp"
#include "ptx/conditions.hpp"

namespace warpgrade::grading {

class Guards {
 public:
  /// source: the text of the student's file, which is named `file`. The module must outlive this.
  Guards(const ptx::Module &module, std::string file, const std::string &source);

  /// "; `<=` in line 7 lets the thread through", or "; is a guard missing?". Empty: not known, or not about
  /// guards.
  std::string words(const simt::Diagnostic &);
  /// "; the condition in line 12 decides which lanes return", of a shuffle that reads from a lane that did.
  /// Empty: not known, or not about that.
  std::string returns(const simt::Diagnostic &);
  /// What a compiler knows to be an error in the line where it put a trap: "integer division by zero". Empty:
  /// the line shows none, or traps by itself.
  std::string known_error(int line) const;
  /// The variable whose address a cudaMalloc in the line is given: "dT". Empty: it is not plain to see.
  std::string allocated_in(int line) const;

 private:
  bool is_loop(int line) const;
  bool has_equal(int line) const;
  const std::vector<ptx::Condition> &conditions(const simt::Diagnostic &);
  std::string text(int line) const;

  const ptx::Module &module_;
  std::string file_;
  std::vector<std::string> lines_;  ///< without comments at their ends
  std::map<std::pair<std::string, ptx::SourceLine>, std::vector<ptx::Condition>> known_;
};

}  // namespace warpgrade::grading
