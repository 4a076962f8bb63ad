#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include "base/csv.hpp"
#include "base/encoding.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "gradebook/class_files.hpp"
#include "gradebook/class_run.hpp"
#include "gradebook/points_file.hpp"
#include "gradebook/variant_rules.hpp"
#include "setup/selection.hpp"

namespace warpgrade::gradebook {

namespace {

/// Throws UsageError unless these points may be given.
const course::Step &check(const batch::Store &store, const course::Assignment &a, const OverrideOptions &w) {
  const course::Step &step = find_step(a, w.step);
  if (step.beyond) throw UsageError(fmt::format("{} carries no points", step.id));
  const std::vector<std::string> known = store.students();
  if (!std::binary_search(known.begin(), known.end(), w.student))
    throw UsageError(fmt::format("there is no student '{}' in {}", w.student, w.folder));
  if (w.withdraw) {
    if (w.points || !w.reason.empty()) throw UsageError("--withdraw takes neither points nor a reason");
    return step;
  }
  if (!w.points) throw UsageError("how many points?");
  if (!(*w.points >= 0 && *w.points <= step.points.total()))
    throw UsageError(
        fmt::format("{} has from 0 to {} points", step.id, warpgrade::points(step.points.total())));
  if (w.reason.empty()) throw UsageError("say why: --reason \"...\"");
  return step;
}

/// Nothing unless the whole text is a number.
std::optional<double> number_in(const std::string &text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Columns of a file with points, by name.
class PointsColumns {
 public:
  PointsColumns(const CsvTable &table, const std::string &file) : file_(file) {
    for (std::size_t c = 0; table.rows() > 0 && c < table.columns(0); ++c)
      places_.emplace(table.cell(0, c), c);
    student = place("student", "id"), step = place("step", ""), points = place("points", "");
    if (const auto found = places_.find("reason"); found != places_.end()) reason = found->second;
  }
  std::size_t student = 0, step = 0, points = 0;
  std::optional<std::size_t> reason;

 private:
  std::size_t place(const std::string &name, const std::string &or_else) const {
    for (const std::string &one : {name, or_else})
      if (const auto found = places_.find(one); found != places_.end()) return found->second;
    throw UsageError(fmt::format(
        "{}:1: there is no column '{}'; the columns are student, step, points, reason", file_, name));
  }
  std::string file_;
  std::map<std::string, std::size_t> places_;
};

}  // namespace

std::vector<OverrideOptions> points_in_file(const std::string &class_folder, const std::string &file,
                                            const std::string &reason) try {
  const batch::Store store(class_folder, batch::Store::Access::read);
  const ClassCourse course = course_of(store);
  std::vector<OverrideOptions> all;
  std::set<std::pair<std::string, std::string>> given;
  const CsvTable table(utf8_of(read_whole(file)), {.trimmed = true});
  const PointsColumns columns(table, file);
  for (std::size_t row = 1; row < table.rows(); ++row) try {
      const std::vector<std::string> cells = table.cells(row);
      if (std::all_of(cells.begin(), cells.end(), [](const std::string &cell) { return cell.empty(); }))
        continue;
      OverrideOptions w{
          class_folder, table.cell(row, columns.student), table.cell(row, columns.step), reason, {}, false};
      if (columns.reason && !table.cell(row, *columns.reason).empty())
        w.reason = table.cell(row, *columns.reason);
      w.points = number_in(table.cell(row, columns.points));
      if (!w.points)
        throw UsageError(fmt::format("points must be a number, not '{}'", table.cell(row, columns.points)));
      (void)check(store, course.assignment, w);
      if (!given.emplace(w.student, w.step).second)
        throw UsageError(fmt::format("{} has points for {} in another row", w.student, w.step));
      all.push_back(std::move(w));
    } catch (const UsageError &e) {
      throw UsageError(fmt::format("{}:{}: {}", file, table.line(row), e.what()));
    }
  if (all.empty()) throw UsageError(fmt::format("{} has no points in it", file));
  return all;
} catch (const CsvError &e) {
  throw UsageError(fmt::format("{}:{}: {}", file, e.line(), e.what()));
}

int override_points(const OverrideOptions &w) {
  batch::Store store(w.folder, batch::Store::Access::change);
  const ClassCourse course = course_of(store);
  const course::Step &step = check(store, course.assignment, w);
  if (w.withdraw) {
    if (!store.withdraw_override(w.student, step.id))
      throw UsageError(fmt::format("{} has no points by hand for {}", w.student, step.id));
  } else {
    store.override_points(w.student, {step.id, *w.points, w.reason});
  }
  const batch::RulesOf rules = rules_of(store, course);
  const batch::Scored scored = batch::score_student(store, rules, w.student);
  if (!scored.complete) {
    fmt::print("Noted; it counts as soon as the other steps of {} are graded.\n", for_terminal(w.student));
    return full_score;
  }
  const std::optional<batch::ScoreRow> before = store.score(w.student);
  store.keep_score(scored.row);
  write_report(store, scored);
  write_grades(store, course.assignment);
  fmt::print("{}: {} -> {}\n", for_terminal(w.student), before ? warpgrade::points(before->points) : "-",
             warpgrade::points(scored.row.points));
  return full_score;
}

}  // namespace warpgrade::gradebook
