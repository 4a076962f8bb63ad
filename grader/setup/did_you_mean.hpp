// What somebody probably meant who mistyped a word.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "course/assignment.hpp"

namespace warpgrade {

/// The one of `known` that differs by a letter or two, at most a third of the word; empty when none does, or
/// several do alike.
std::string nearest(std::string_view word, const std::vector<std::string> &known);

/// The step that was meant by its file ("step0_naive.cu", with or without folder and ending) or by a mistyped
/// id; empty when none is near.
std::string nearest_step(const std::string &word, const course::Assignment &);

}  // namespace warpgrade
