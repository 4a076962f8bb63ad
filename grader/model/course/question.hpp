// Questions that a student answers in a file before a kernel of the course is run: its behaviour, in figures
// or words. The simulator counts the correct answers in the solutions (facts.yaml), so that answers can be
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

/// What a question asks about a kernel, or about some of its accesses to memory.
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

/// Some accesses of a kernel; a field that is not given matches any.
struct AccessFilter {
  std::string mark;    ///< words in the source line
  std::string buffer;  ///< argument or shared variable
  std::optional<bool> store;
  bool operator==(const AccessFilter &) const = default;
};

/// The correct answer for one case: a number, or a word.
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
  std::vector<problem::Case> on;  ///< where a formula is compared with the correct values
  std::vector<Fact> facts;        ///< one for each of `on`; empty if facts.yaml has none yet
  bool checked_in_kit = false;    ///< a kit checks the answer; else it leaves the answer to the course
  bool left_to_course = false;    ///< this is a kit, which does not know the answer
  std::string sealed;             ///< this is a kit, which knows this hash of the answer (judge/seal.hpp)
  bool operator==(const Question &) const = default;
};

/// A student's file: answers by question, each one line of text, "" if none is given. Throws ConfigError with
/// the line. The file may be hostile.
std::map<std::string, std::string> read_answers(const std::string &text, const std::string &file,
                                                const std::vector<Question> &questions);

}  // namespace warpgrade::course
