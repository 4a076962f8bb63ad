#include "apps/variants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "apps/course_root.hpp"

namespace warpgrade::apps {

Choice parse_choice(const std::string &text) {
  std::smatch found;
  if (!std::regex_match(text, found, std::regex("([A-Za-z_][A-Za-z0-9_]*)=([0-9]{1,6}(,[0-9]{1,6})*)")))
    throw UsageError(fmt::format("-D {}: say NAME=NUMBER,NUMBER..., such as -D BM=64,128", text));
  Choice choice{found[1], {}};
  const std::string values = found[2];
  for (std::size_t at = 0; at <= values.size();) {
    const std::size_t end = std::min(values.find(',', at), values.size());
    const std::string value = values.substr(at, end - at);
    if (std::find(choice.values.begin(), choice.values.end(), value) == choice.values.end())
      choice.values.push_back(value);
    at = end + 1;
  }
  return choice;
}

std::vector<Setting> combinations(const std::vector<Choice> &choices) {
  std::vector<Setting> all = {{}};
  for (const Choice &choice : choices) {
    std::vector<Setting> longer;
    for (const Setting &setting : all)
      for (const std::string &value : choice.values) {
        longer.push_back(setting);
        longer.back().emplace_back(choice.name, value);
      }
    all = std::move(longer);
  }
  return all;
}

std::string name_of(const Setting &setting) {
  std::string text;
  for (const auto &[name, value] : setting)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text;
}

std::optional<std::string> with_value(const std::string &source, const std::string &name,
                                      const std::string &value) {
  // A definition is followed by a value that ends the list item or the line; `x == BM` and `BM = 8` elsewhere
  // are none.
  const std::regex constant(
      fmt::format("(\\bconstexpr\\s+[A-Za-z_][A-Za-z0-9_ ]*\\b(?:[^;]*?,\\s*)?{}\\s*=\\s*)([^,;]+)", name));
  const std::regex macro(fmt::format("(#[ \\t]*define[ \\t]+{}[ \\t]+)([^\\n]*)", name));
  for (const std::regex &pattern : {constant, macro}) {
    std::smatch found;
    if (!std::regex_search(source, found, pattern)) continue;
    return found.prefix().str() + found[1].str() + value + found.suffix().str();
  }
  return std::nullopt;
}

}  // namespace warpgrade::apps
