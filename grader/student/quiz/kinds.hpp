// The kinds of questions: what each is about, and the function that asks it. Internal to quiz/.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "quiz/question.hpp"
#include "quiz/subject.hpp"

namespace warpgrade::quiz {

inline constexpr int lanes = 32;             ///< of a warp
inline constexpr std::uint64_t sector = 32;  ///< bytes
inline constexpr std::int64_t word = 4;      ///< bytes

struct Kind {
  std::string_view name, topic;
  int difficulty = 1;
  bool builds = false;  ///< changes the source and compiles it, which takes seconds
  /// Nothing where the kernel has nothing of the kind, or fewer than three wrong answers suggest themselves.
  std::optional<Question> (*ask)(Subject &, Dice &);
};
extern const std::vector<Kind> address_kinds, request_kinds, count_kinds, resource_kinds, wait_kinds,
    change_kinds;
/// All of them.
std::vector<Kind> all_kinds();

}  // namespace warpgrade::quiz
