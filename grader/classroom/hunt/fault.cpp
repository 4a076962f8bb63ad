#include "hunt/fault.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "judge/hunt.hpp"

namespace warpgrade::hunt {

namespace {

using judge::Verdict;

constexpr std::array difficulties = {std::string_view("every-size"), std::string_view("ragged"),
                                     std::string_view("race-only")};

/// What a mistake of some kinds is, if it shows as this verdict.
struct Rule {
  std::string_view kind;  ///< the beginning of the kind's name
  Verdict verdict;
  std::string_view cause;
};
constexpr std::array rules = {
    Rule{"comparison: lets one", Verdict::out_of_bounds, "bounds"},
    Rule{"comparison: lets one", Verdict::wrong_answer, "tail"},
    Rule{"comparison: lets one", Verdict::uninitialized_read, "tail"},
    Rule{"guard: left out", Verdict::out_of_bounds, "bounds"},
    Rule{"guard: one side left out", Verdict::out_of_bounds, "bounds"},
    Rule{"guard: always", Verdict::out_of_bounds, "bounds"},
    Rule{"guard: and, or", Verdict::out_of_bounds, "bounds"},
    Rule{"bound:", Verdict::out_of_bounds, "bounds"},
    Rule{"bound:", Verdict::wrong_answer, "tail"},
    Rule{"bound:", Verdict::uninitialized_read, "tail"},
    Rule{"stride:", Verdict::wrong_answer, "stride"},
    Rule{"stride:", Verdict::out_of_bounds, "stride"},
    Rule{"stride:", Verdict::uninitialized_read, "stride"},
    Rule{"tail:", Verdict::wrong_answer, "tail"},
    Rule{"tail:", Verdict::out_of_bounds, "tail"},
    Rule{"tail:", Verdict::uninitialized_read, "tail"},
    Rule{"index: another size", Verdict::wrong_answer, "stride"},
    Rule{"index: another size", Verdict::out_of_bounds, "stride"},
    Rule{"barrier:", Verdict::race, "race"},
    Rule{"barrier: not for all", Verdict::barrier_error, "barrier"},
    Rule{"mask:", Verdict::wrong_answer, "shuffle mask"},
    Rule{"mask:", Verdict::barrier_error, "shuffle mask"},
    Rule{"mask:", Verdict::uninitialized_read, "shuffle mask"},
    Rule{"atomic:", Verdict::race, "atomic"},
    Rule{"constant:", Verdict::wrong_answer, "wrong constant"},
    Rule{"statement: left out", Verdict::uninitialized_read, "uninitialised"},
};
/// Verdicts that name a cause themselves, whatever the kind of the mistake is.
constexpr std::array by_themselves = {
    std::pair{Verdict::out_of_bounds, std::string_view("bounds")},
    std::pair{Verdict::race, std::string_view("race")},
    std::pair{Verdict::uninitialized_read, std::string_view("uninitialised")},
};

bool seen(const std::vector<Seen> &all, Verdict v) {
  return std::any_of(all.begin(), all.end(), [&](const Seen &s) { return s.verdict == v; });
}

std::string_view without_indent(std::string_view line) {
  return line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
}

constexpr std::string_view head =
    "// A bug hunt: this file has one fault. Lines are counted in the file as you got it; where something "
    "is\n"
    "// missing, name the line before or after it.\n"
    "//\n"
    "// TODO(1): find the fault, fix it below, and write here where it was and what it was.\n";
constexpr int head_lines = 6;  // with the two answers

std::string marked(const std::vector<std::string> &lines, std::size_t first, std::size_t last,
                   const std::string &before) {
  std::string text;
  for (std::size_t i = first; i < last; ++i) {
    const std::string_view code = without_indent(lines[i]);
    text += lines[i].substr(0, lines[i].size() - code.size()) + before + std::string(code) + '\n';
  }
  return text;
}

}  // namespace

std::string_view name_of(Difficulty d) {
  return difficulties[static_cast<std::size_t>(d)];
}

std::vector<std::string> difficulty_names() {
  return {difficulties.begin(), difficulties.end()};
}

std::optional<Difficulty> difficulty_of(const std::vector<Seen> &all) {
  constexpr std::array telling = {Verdict::accepted,           Verdict::wrong_answer,  Verdict::race,
                                  Verdict::uninitialized_read, Verdict::barrier_error, Verdict::out_of_bounds,
                                  Verdict::input_changed};
  std::size_t wrong = 0, raced = 0;
  for (const Seen &s : all) {
    if (std::find(telling.begin(), telling.end(), s.verdict) == telling.end()) return std::nullopt;
    wrong += s.verdict != Verdict::accepted;
    raced += s.verdict == Verdict::race && s.right;
  }
  if (wrong == 0) return std::nullopt;
  if (raced == wrong) return Difficulty::race_only;
  return wrong == all.size() ? Difficulty::every_size : Difficulty::ragged;
}

std::vector<std::string> causes_of(std::string_view kind, const std::vector<Seen> &all) {
  std::vector<std::string> causes;
  const auto add = [&](std::string_view cause) {
    if (std::find(causes.begin(), causes.end(), cause) == causes.end()) causes.emplace_back(cause);
  };
  for (const Rule &r : rules)
    if (kind.starts_with(r.kind) && seen(all, r.verdict)) add(r.cause);
  if (causes.empty()) return {};
  for (const auto &[verdict, cause] : by_themselves)
    if (seen(all, verdict)) add(cause);
  return causes;
}

std::string without_marks(const std::string &solution) {
  std::string text;
  bool announced = false;  // comments after a TODO belong to it
  for (const std::string &line : lines_of(solution)) {
    const std::string_view code = without_indent(line);
    const bool todo = code.starts_with("// TODO("), begins = code == "// BEGIN SOLUTION";
    const bool dropped = todo || begins || code == "// END SOLUTION" || code.starts_with("// STUB:") ||
                         (announced && code.starts_with("//"));
    announced = (announced || todo) && !begins;
    if (!dropped) text += line + '\n';
  }
  return text;
}

std::optional<Files> files_of(const std::string &source, const std::string &mutant,
                              const std::string &cause) {
  const std::vector<std::string> right = lines_of(source), wrong = lines_of(mutant);
  std::size_t first = 0, last = 0;  // lines that are alike, from the beginning and from the end
  const std::size_t fewer = std::min(right.size(), wrong.size());
  while (first < fewer && right[first] == wrong[first]) ++first;
  while (last < fewer - first && right[right.size() - 1 - last] == wrong[wrong.size() - 1 - last]) ++last;
  const std::size_t right_end = right.size() - last, wrong_end = wrong.size() - last;
  for (std::size_t i = first; i < wrong_end; ++i)
    if (without_indent(wrong[i]).empty()) return std::nullopt;
  Files files;
  const int at = head_lines + static_cast<int>(first) + 1, gone = static_cast<int>(wrong_end - first);
  files.first_line = gone > 0 ? at : at - 1;
  files.last_line = gone > 0 ? at + gone - 1 : at;
  constexpr std::size_t any = 1'000'000;
  constexpr std::size_t least = 2;  // where one does, a guard may be written in another way
  files.changes = std::max(judge::changed_statements(mutant, source, any), least);
  files.solution = std::string(head) +
                   fmt::format(
                       "// STUB: // answer line:\n// STUB: // answer cause:\n// BEGIN SOLUTION\n"
                       "// answer line: {}\n// answer cause: {}\n// END SOLUTION\n",
                       files.first_line, cause) +
                   marked(right, 0, first, "") + "// BEGIN FIX\n" +
                   marked(wrong, first, wrong_end, "// FAULT: ") + marked(right, first, right_end, "") +
                   "// END FIX\n" + marked(right, right_end, right.size(), "");
  return files;
}

}  // namespace warpgrade::hunt
