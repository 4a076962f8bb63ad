#include "mutants/equivalent.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "course/yaml.hpp"

namespace warpgrade::mutants {

namespace {

using course::Yaml;

std::string text_at(const Yaml &y, std::string_view key) {
  const auto found = y.find(key);
  return found ? found->text() : "";
}

Equivalent read_one(const Yaml &y) {
  y.expect_keys({"step", "kind", "line", "becomes", "because"});
  Equivalent e{text_at(y, "step"),    text_at(y, "kind"),     text_at(y, "line"),
               text_at(y, "becomes"), y.at("because").text(), y.line()};
  if (e.kind.empty() && e.line.empty())
    y.fail("an entry needs a 'kind' or a 'line', or it fits every change");
  if (e.line.empty() && !e.becomes.empty()) y.at("becomes").fail_at_key("'becomes' needs a 'line'");
  const std::vector<std::string_view> known = kinds();
  if (!e.kind.empty() && std::find(known.begin(), known.end(), e.kind) == known.end())
    y.at("kind").fail_at_key(fmt::format("no change is of the kind '{}'", e.kind));
  return e;
}

}  // namespace

bool Equivalent::fits(const std::string &step_id, const std::string &source, const Mutant &m) const {
  if (!step.empty() && step != step_id) return false;
  if (!kind.empty() && kind != m.kind) return false;
  if (line.empty()) return true;
  const ChangedLines lines = changed_lines(source, m);
  return lines.before == line && (becomes.empty() || lines.after == becomes);
}

std::vector<Equivalent> read_equivalents(const std::filesystem::path &folder, const std::string &assignment) {
  const std::filesystem::path file = folder / equivalents_file;
  if (!std::filesystem::exists(file)) return {};
  const Yaml y = Yaml::read(file);
  y.expect_keys({"assignment", "equivalent"});
  if (const Yaml name = y.at("assignment"); name.text() != assignment)
    name.fail_at_key(fmt::format("it belongs to '{}', and its folder to '{}'", name.text(), assignment));
  std::vector<Equivalent> all;
  for (const Yaml &one : y.at("equivalent").items()) all.push_back(read_one(one));
  return all;
}

}  // namespace warpgrade::mutants
