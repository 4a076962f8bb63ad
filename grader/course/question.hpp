// Questions that a student answers in a file: what a kernel of the course does, in figures or words, before
// it is run. What is true is counted by the simulator in the solutions (facts.yaml), so that answers can be
// judged without them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "problem/problem.hpp"

namespace warpgrade::course {

/// What is asked of a kernel, or of some of its accesses to memory.
enum class Count : std::uint8_t {
  flops_per_thread,            ///< single precision; a fused multiply-add is two
  global_accesses_per_thread,  ///< loads and stores of 4 bytes
  flops_per_global_access,     ///< the ratio of these two
  global_accesses_per_flop,    ///< and its inverse
  sectors_per_request,         ///< of the accesses to global memory in question
  coalescing,                  ///< "coalesced", "uncoalesced" or, of shared memory, "not applicable"
  bank_conflicts,              ///< n for n-way, 1 for none; of global memory "not applicable"
};
std::string_view name_of(Count);
std::optional<Count> count_of(std::string_view);
std::vector<std::string> count_names();

/// Some accesses of a kernel; what is not given is any.
struct AccessFilter {
  std::string mark;    ///< words in the source line
  std::string buffer;  ///< argument or shared variable
  std::optional<bool> store;
  bool operator==(const AccessFilter &) const = default;
};

/// What is true of one case: a number, or a word.
struct Fact {
  problem::Case on;
  std::string value;
  bool operator==(const Fact &) const = default;
};

struct Question {
  std::string id, ask;
  std::string kernel;  ///< the step whose solution is counted
  Count count = Count::flops_per_thread;
  AccessFilter access;
  double points = 0;
  std::vector<problem::Case> on;  ///< where a formula is held against the truth
  std::vector<Fact> facts;        ///< one for each of `on`; empty where facts.yaml has none yet
  bool checked_in_kit = false;    ///< a kit tells right from wrong; else it leaves the answer to the course
  bool left_to_course = false;    ///< this is a kit, which knows nothing of the answer
  std::string sealed;             ///< this is a kit, which knows this hash of the answer (judge/seal.hpp)
  bool operator==(const Question &) const = default;
};

/// What a student's file says: answers by question, each one line of text, "" where none is given. Throws
/// ConfigError with the line. The file may be hostile.
std::map<std::string, std::string> read_answers(const std::string &text, const std::string &file,
                                                const std::vector<Question> &questions);

}  // namespace warpgrade::course
