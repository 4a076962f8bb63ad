// The cases of a step in its page: what failed, alike failures together; then each case by itself.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "report/figures.hpp"
#include "report/fixes.hpp"
#include "report/html_parts.hpp"
#include "report/text.hpp"

namespace warpgrade::report {

namespace {

constexpr std::size_t most_maps = 3, most_other_names = 24;

/// What a reader may know of a case.
struct Row {
  const judge::CaseVerdict *verdict = nullptr;
  std::string name, result, reason, printed;
  std::vector<std::string> values;
  bool failed = false, compared = false;
  double error = 0;           ///< in units of the tolerance
  const Row *like = nullptr;  ///< the first of those that failed alike, where that is another one
};

Row row_of(const Report &r, const judge::CaseVerdict &c, const std::string &name) {
  Row row;
  row.verdict = &c;
  row.name = name;
  row.result = outcome_of(r, c);
  row.failed = c.ran() && !c.advisory && c.verdict != judge::Verdict::accepted;
  if (secret(r, c)) return row;
  row.reason = c.reason;
  row.printed = c.printed;
  if (!c.comparison) return row;
  row.compared = true;
  row.error = c.comparison->max_error;
  for (const problem::Mismatch &m : c.comparison->first)
    row.values.push_back(fmt::format("{} is {}, should be {}", m.where, problem::number_in_words(m.got, 7),
                                     problem::number_in_words(m.want, 7)));
  return row;
}

/// Wrong ones first, what did not run last.
int rank_of(const Row &row) {
  return row.failed ? 0 : row.verdict->ran() ? 1 : 2;
}

std::string without_numbers(const std::string &text) {
  std::string out;
  for (const char c : text)
    if (c < '0' || c > '9')
      out += c;
    else if (out.empty() || out.back() != '#')
      out += '#';
  return out;
}

/// The same verdict for the same reason, whatever the numbers in it.
bool alike(const Row &a, const Row &b) {
  return a.result == b.result && without_numbers(a.reason) == without_numbers(b.reason);
}

std::string error_of(bool compared, double error) {
  return !compared ? "" : std::isfinite(error) ? figure(error) : "not finite";
}

Fields case_fields(const Row &row) {
  Fields f;
  f.set("name", row.name);
  f.set("verdict", row.result);
  f.set("bad", row.failed);
  f.set("error", error_of(row.compared, row.error));
  const bool repeats = row.like && !row.reason.empty() && row.reason == row.like->reason;
  f.set("reason", repeats ? "The same as at " + row.like->name : row.reason);
  Fields values(Fields::type::list);
  for (const std::string &value : row.values) values << Fields("text", value);
  f.set("values", values);
  f.set("printed", text_or_nothing(row.printed));
  return f;
}

/// Failures that are alike, as the first of them with the names of the others.
Fields group_fields(const Row &first, const std::vector<const Row *> &others) {
  Fields f = case_fields(first);
  std::string names;
  bool compared = first.compared;
  double error = first.error;
  for (std::size_t i = 0; i < others.size(); ++i) {
    if (i < most_other_names) names += (i == 0 ? "" : ", ") + others[i]->name;
    compared |= others[i]->compared;
    if (!(others[i]->error <= error)) error = others[i]->error;  // NaN counts as the largest
  }
  if (others.size() > most_other_names)
    names += fmt::format(" and {} more", others.size() - most_other_names);
  f.set("error", error_of(compared, error));
  f.set("others", text_or_nothing(names));
  f.set("more", text_or_nothing(others.empty() ? "" : std::to_string(others.size())));
  return f;
}

std::string summary_of(const CaseCount &n) {
  if (n.left_to_course > 0) return answers_in_words(n) + ".";
  std::string text = fmt::format("{} of {} cases are right{}", n.right, n.ran, n.hidden);
  if (n.right == n.ran && n.ran > 0)
    text += fmt::format(", largest error {:.2f} of the tolerance", n.largest_error);
  if (n.wait_for_gpu > 0) text += fmt::format("; {} wait for a GPU", n.wait_for_gpu);
  if (n.skipped > 0) text += fmt::format("; {} not run after these failures", n.skipped);
  return text + ".";
}

}  // namespace

void put_cases(Fields &f, const Report &r, const grading::StepRecord &s) {
  const std::vector<std::string> names = case_names(r, s);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < s.cases.size(); ++i) rows.push_back(row_of(r, s.cases[i], names[i]));
  for (const judge::CaseVerdict &answer : s.answers) rows.push_back(row_of(r, answer, answer.name));
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row &a, const Row &b) { return rank_of(a) < rank_of(b); });
  Fields failed(Fields::type::list), cases(Fields::type::list), maps(Fields::type::list);
  std::size_t drawn = 0;
  for (Row &row : rows) {
    if (row.failed && !row.like) {
      std::vector<const Row *> others;
      for (Row &other : rows)
        if (&other > &row && other.failed && !other.like && alike(row, other)) {
          other.like = &row;
          others.push_back(&other);
        }
      failed << group_fields(row, others);
    }
    cases << case_fields(row);
    const judge::CaseVerdict &c = *row.verdict;
    if (secret(r, c) || !c.comparison || c.comparison->map.empty() || drawn == most_maps) continue;
    ++drawn;
    Fields map;
    const std::string words = judge::describe(*c.comparison);
    map.set("picture", map_to_svg(c.comparison->map, words));
    map.set("name", row.name);
    map.set("words", words);
    maps << map;
  }
  const CaseCount n = count_cases(s);
  f.set("cases_there", !rows.empty());
  const CaseCount found = count_cases(s.answers);
  f.set("cases_summary",
        (s.cases.empty() ? "" : summary_of(n)) +
            (s.answers.empty() ? "" : fmt::format(" Answers: {}.", answers_in_words(found))));
  f.set("failed_there", !failed.list_value().empty());
  f.set("failed", failed);
  f.set("cases_count", std::to_string(rows.size()));
  f.set("cases", cases);
  f.set("maps_there", drawn > 0);
  f.set("maps", maps);
}

}  // namespace warpgrade::report
