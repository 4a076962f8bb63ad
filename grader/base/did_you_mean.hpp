// What somebody probably meant who mistyped a word or the name of a file.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace warpgrade {

/// The one of `known` that differs by a letter or two, at most a third of the word; empty when none does, or
/// several do alike.
std::string nearest(std::string_view word, const std::vector<std::string> &known);

/// "; did you mean X?" with the nearest of `known`; empty when there is none.
std::string did_you_mean(std::string_view word, const std::vector<std::string> &known);

/// In lower case and without anything but letters, digits and dots: names that differ in what is left out are
/// easily confused.
std::string plain_name(std::string_view);

/// A file in `folder` that was probably meant to have this name: other letter case, hyphens for underscores,
/// "(1)" or "copy" from a download, an ending too many, a letter or two. Its digits are the same, as step1
/// is no misspelt step2. Empty when there is none, or more than one.
std::string misnamed_file(const std::filesystem::path &folder, const std::string &name);

}  // namespace warpgrade
