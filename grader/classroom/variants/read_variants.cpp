#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <sstream>

#include "course/yaml.hpp"
#include "variants/variants.hpp"

namespace warpgrade::variants {

namespace {

using course::Yaml;

constexpr std::size_t most_variants = 100'000;

/// A name of a parameter or a value: it stands in commands and file names.
std::string read_name(const Yaml &y, const std::string &name) {
  const bool plain = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
  if (!plain) y.fail_at_key(fmt::format("'{}' is not a lower-case word", name));
  return name;
}

/// {in: ["*.cu"], words: {float: double}}, {in: ["*.cu"], code: {row: col, col: row}} or
/// {in: [assignment.yaml], texts: {"problem: sum": "problem: other"}}
Edit read_edit(const Yaml &y, const std::string &file) {
  y.expect_keys({"in", "words", "texts", "code", "optional"});
  if (y.has("words") + y.has("texts") + y.has("code") != 1)
    y.fail("an edit needs 'texts', 'words' or 'code', and only one of them");
  Edit edit;
  edit.place = fmt::format("{}:{}", file, y.line());
  for (const Yaml &pattern : y.at("in").items()) edit.in.push_back(pattern.text());
  edit.words = y.has("words");
  if (const auto optional = y.find("optional")) edit.optional = optional->boolean();
  for (const auto &[from, to] : y.at(edit.words ? "words" : y.has("code") ? "code" : "texts").entries()) {
    if (from.empty()) to.fail_at_key("an empty text is everywhere");
    if (y.has("code"))
      edit.code[from] = to.text();
    else
      edit.texts.emplace_back(from, to.text_or_empty());
  }
  return edit;
}

Value read_value(const std::string &name, const Yaml &y, const std::string &file, bool first) {
  y.expect_keys({"says", "edits"});
  Value value{read_name(y, name), y.at("says").text(), {}};
  if (first && y.has("edits"))
    y.fail_at_key(
        fmt::format("'{}' is the first value: the files as they are are its own, so it has no edits", name));
  if (first) return value;
  for (const Yaml &edit : y.at("edits").items()) value.edits.push_back(read_edit(edit, file));
  return value;
}

}  // namespace

std::optional<Variants> read_variants(const std::filesystem::path &folder) {
  const auto named = Yaml::read(folder / "assignment.yaml").find("variants");
  if (!named) return std::nullopt;
  const std::filesystem::path file = folder / named->text();
  if (!std::filesystem::is_regular_file(file))
    named->fail(fmt::format("there is no {}, which says what differs", file.string()));
  const Yaml y = Yaml::read(file);
  y.expect_keys({"assignment", "variants"});
  Variants all;
  all.assignment = y.at("assignment").text();
  all.file = named->text();
  const std::string name = std::filesystem::weakly_canonical(folder).filename().string();
  if (all.assignment != name)
    y.at("assignment").fail(fmt::format("this is '{}', but the folder is '{}'", all.assignment, name));
  const Yaml list = y.at("variants");
  std::size_t count = 1;
  for (const auto &[parameter, values] : list.entries()) {
    Parameter p{read_name(values, parameter), {}};
    for (const auto &[value, item] : values.entries())
      p.values.push_back(read_value(value, item, file.string(), p.values.empty()));
    if (p.values.size() < 2) values.fail_at_key(fmt::format("'{}' needs at least two values", parameter));
    count *= p.values.size();
    if (count > most_variants) values.fail_at_key(fmt::format("more than {} variants", most_variants));
    all.parameters.push_back(std::move(p));
  }
  if (all.parameters.empty()) list.fail("'variants' has no parameter");
  return all;
}

std::string without_key(const std::string &yaml) {
  std::istringstream lines(yaml);
  std::string kept;
  static const std::regex key(R"(^["']?variants["']?\s*:)");
  for (std::string line; std::getline(lines, line);)
    if (!std::regex_search(line, key)) kept += line + (lines.eof() ? "" : "\n");
  return kept;
}

}  // namespace warpgrade::variants
