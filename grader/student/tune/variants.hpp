// Variants of a source file in which named constants have other values: what `grade tune` builds.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace warpgrade::tune {

/// A name with the values to try, as given on the command line: BM=64,128.
struct Choice {
  std::string name;
  std::vector<std::string> values;
  bool operator==(const Choice &) const = default;
};
/// Throws UsageError with what is accepted.
Choice parse_choice(const std::string &text);

using Setting =
    std::vector<std::pair<std::string, std::string>>;  ///< name and value, in the order of the choices
/// "BM=64 BN=128", parted by spaces or commas. Throws UsageError with what is accepted.
Setting parse_setting(const std::string &text);
/// Every combination, the last choice changing fastest.
std::vector<Setting> combinations(const std::vector<Choice> &);
/// "BM=64 BN=128"
std::string name_of(const Setting &);

/// The text with the constant's value replaced: in `constexpr int NAME = 8`, also in a list of them, or
/// `#define NAME 8`. None where it has no such constant.
std::optional<std::string> with_value(const std::string &source, const std::string &name,
                                      const std::string &value);
/// Every `constexpr int NAME = number`, also in lists of them, in order; those that are computed are left
/// out.
Setting constants_of(const std::string &source);

}  // namespace warpgrade::tune
