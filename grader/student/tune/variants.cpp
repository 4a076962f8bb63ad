#include "tune/variants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "base/source_text.hpp"
#include "setup/course_root.hpp"

namespace warpgrade::tune {

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

Setting parse_setting(const std::string &text) {
  static const std::regex one("([A-Za-z_][A-Za-z0-9_]*)=([0-9]{1,6})"), gap("[\\s,]+");
  Setting setting;
  std::sregex_token_iterator word(text.begin(), text.end(), gap, -1), end;
  for (; word != end; ++word) {
    const std::string part = *word;
    std::smatch found;
    if (part.empty()) continue;
    if (!std::regex_match(part, found, one))
      throw UsageError(fmt::format("'{}': say NAME=NUMBER NAME=NUMBER, such as BX=32 BY=8", text));
    setting.emplace_back(found[1], found[2]);
  }
  if (setting.empty()) throw UsageError("an empty setting: say NAME=NUMBER NAME=NUMBER, such as BX=32 BY=8");
  return setting;
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
  const std::string code = without_comments(source);
  for (const std::regex &pattern : {constant, macro}) {
    std::smatch found;
    if (!std::regex_search(code, found, pattern)) continue;
    const auto at = static_cast<std::size_t>(found.position(2));
    return source.substr(0, at) + value + source.substr(at + static_cast<std::size_t>(found.length(2)));
  }
  return std::nullopt;
}

Setting constants_of(const std::string &source) {
  static const std::regex statement("\\bconstexpr\\s+(?:unsigned\\s+|int\\s+)+([^;]*);"),
      definition("([A-Za-z_][A-Za-z0-9_]*)\\s*=\\s*([0-9]{1,6})\\s*(?=,|$)");
  const std::string code = without_comments(source);
  Setting all;
  for (std::sregex_iterator s(code.begin(), code.end(), statement), none; s != none; ++s) {
    const std::string list = (*s)[1];
    for (std::sregex_iterator d(list.begin(), list.end(), definition); d != none; ++d)
      all.emplace_back((*d)[1], (*d)[2]);
  }
  return all;
}

}  // namespace warpgrade::tune
