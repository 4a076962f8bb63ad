// What somebody who mistyped a word or the name of a file probably meant.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace warpgrade {

/// The one of `known` that differs by a letter or two, at most a third of the word; empty when none does, or
/// several are equally near.
std::string nearest(std::string_view word, const std::vector<std::string> &known);

/// "; did you mean X?" with the nearest of `known`; empty when there is none.
std::string did_you_mean(std::string_view word, const std::vector<std::string> &known);

/// In lower case, with only letters, digits and dots: names that differ in nothing else
/// are easily confused.
std::string plain_name(std::string_view);

/// The file in `folder` that this name probably means: other letter case, hyphens for underscores,
/// "(1)" or "copy" from a download, an extra ending, a letter or two. Its digits are the same: step1 is not
/// a misspelt step2. Empty when there is none, or more than one.
std::string misnamed_file(const std::filesystem::path &folder, const std::string &name);

}  // namespace warpgrade
