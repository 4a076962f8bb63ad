#include "mutants/mutants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "mutants/code.hpp"

namespace warpgrade::mutants {

namespace {

std::vector<Kind> all_kinds() {
  std::vector<Kind> all;
  for (const std::vector<Kind> *some :
       {&condition_kinds, &loop_kinds, &index_kinds, &value_kinds, &thread_kinds, &launch_kinds})
    all.insert(all.end(), some->begin(), some->end());
  return all;
}

int line_at(const std::string &text, std::size_t at) {
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

bool device_at(const Code &code, std::size_t at) {
  for (std::size_t i = 0; i < code.size(); ++i)
    if (code.at(i).at + code.at(i).length > at) return code.on_device(i);
  return false;
}

std::vector<Mutant> made_of(const std::string &source, const std::vector<Kind> &kinds) {
  const Code code(source);
  std::set<std::string> seen = {source};
  std::vector<Mutant> all;
  for (const Kind &kind : kinds)
    kind.find(code, [&](const Edit &e) {
      std::string text = source.substr(0, e.at) + e.instead + source.substr(e.at + e.length);
      if (!seen.insert(text).second) return;
      all.push_back({kind.name, line_at(source, e.at), device_at(code, e.at), source.substr(e.at, e.length),
                     e.instead, std::move(text)});
    });
  return all;
}

}  // namespace

std::vector<std::string_view> kinds() {
  std::vector<std::string_view> names;
  for (const Kind &kind : all_kinds()) names.push_back(kind.name);
  return names;
}

std::vector<Mutant> mutants_of(const std::string &source) {
  return made_of(source, all_kinds());
}

std::vector<Mutant> mutants_of(const std::string &source, std::span<const std::string_view> wanted) {
  std::vector<Kind> some;
  for (const Kind &kind : all_kinds())
    if (std::find(wanted.begin(), wanted.end(), kind.name) != wanted.end()) some.push_back(kind);
  return made_of(source, some);
}

namespace {

struct Difference {
  std::vector<std::string> before, after;  ///< the lines that differ
  std::size_t first = 0;                   ///< how many come before them
};

Difference difference(const std::string &source, const std::string &text) {
  const std::vector<std::string> before = lines_of(source), after = lines_of(text);
  std::size_t first = 0, same = 0;
  while (first < before.size() && first < after.size() && before[first] == after[first]) ++first;
  while (same < before.size() - first && same < after.size() - first &&
         before[before.size() - 1 - same] == after[after.size() - 1 - same])
    ++same;
  const auto part = [&](const std::vector<std::string> &all) {
    return std::vector(all.begin() + static_cast<std::ptrdiff_t>(first),
                       all.end() - static_cast<std::ptrdiff_t>(same));
  };
  return {part(before), part(after), first};
}

std::string joined(const std::vector<std::string> &lines) {
  std::string all;
  for (const std::string &line : lines) {
    const std::string text = trimmed(line);
    if (!text.empty()) all += (all.empty() ? "" : " ") + text;
  }
  return all;
}

}  // namespace

ChangedLines changed_lines(const std::string &source, const Mutant &m) {
  const Difference d = difference(source, m.text);
  return {joined(d.before), joined(d.after)};
}

std::string diff_of(const std::string &source, const Mutant &m, const std::string &file) {
  const Difference d = difference(source, m.text);
  std::string text = fmt::format("--- {0}\n+++ {0}\n@@ -{1},{2} +{1},{3} @@\n", file, d.first + 1,
                                 d.before.size(), d.after.size());
  for (const std::string &line : d.before) text += "-" + line + "\n";
  for (const std::string &line : d.after) text += "+" + line + "\n";
  return text;
}

}  // namespace warpgrade::mutants
