#include "exercise_yaml.hpp"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "batch/layout.hpp"
#include "batch/names.hpp"
#include "batch/roster.hpp"
#include "course/assignment.hpp"
#include "course/name_pattern.hpp"

namespace warpgrade::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_names = 24;
constexpr double most_seconds = 1;  // of one name and one pattern, sanitizers included

void expect(bool holds, const char *what) {
  if (holds) return;
  std::fprintf(stderr, "a course's file breaks a promise: %s\n", what);
  std::abort();
}

/// The smallest assignment: what rosters, patterns and thresholds are tried against when there is no other.
constexpr std::string_view smallest = R"(assignment: hw6
title: A product
problem: sgemm
points: 20
seed: 42
arch: compute_80
tolerance: 2.0e-6
limits:
  compile: {wall_seconds: 60, cpu_seconds: 60, memory_mib: 4096, file_mib: 64, log_kib: 64}
  record: {wall_seconds: 5, cpu_seconds: 2, memory_mib: 512, output_kib: 64}
  plan: {plan_mib: 32, operations: 100, launches: 10, buffers: 10, scratch_mib: 64, threads: 1.0e+6}
  simulate: {warp_instructions: 1.0e+8, printed_kib: 64}
  gpu: {wall_seconds: 10}
  archive: {packed_mib: 16, unpacked_mib: 64, source_kib: 1024, ratio: 100, ratio_from_kib: 1024,
            entries: 2000, depth: 2, name_bytes: 512, memory_mib: 1024, wall_seconds: 20}
timing: {least_samples: 20, most_samples: 60, interval: 0.005, seconds: 30}
counters: {m: 16, n: 16, k: 16}
case_sets: {square: [{m: 1, n: 1, k: 1}, {m: 65, n: 65, k: 65, alpha: 0.5, beta: 2, on: gpu}]}
steps:
  - {id: step1, title: One, file: step1.cu, entry: step1, points: {correct: 10, fast: 10}, cases: square}
)";

/// assignments/hw6 in memory, as far as there is any.
class Folder {
 public:
  Folder() {
    std::error_code none;
    const fs::path base = fs::is_directory("/dev/shm", none) ? "/dev/shm" : fs::temp_directory_path();
    std::string name = (base / "fuzz-yaml-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    base_ = name;
    fs::create_directories(path() / "thresholds");
  }
  ~Folder() {
    std::error_code none;
    fs::remove_all(base_, none);
  }
  Folder(const Folder &) = delete;
  Folder &operator=(const Folder &) = delete;
  fs::path path() const { return base_ / "hw6"; }

 private:
  fs::path base_;
};

using Files = std::map<std::string, std::string, std::less<>>;
constexpr std::array<std::string_view, 7> known = {
    "assignment.yaml", "hidden.yaml", "default.yaml", "gpu.yaml", "roster.csv", "pattern", "names"};

Files files_of(std::string_view text) {
  Files files;
  std::string *into = nullptr;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end);
    if (line.starts_with("@@ ")) {
      line.remove_prefix(3);
      const std::string_view name = line.substr(0, line.find_last_not_of(" \r\n") + 1);
      into = std::find(known.begin(), known.end(), name) == known.end() ? nullptr : &files[std::string(name)];
    } else if (into != nullptr) {
      *into += line;
    }
  }
  return files;
}

/// "file:line: what" about a line that the file has.
void check_error(const std::string &error, const Files &files) {
  for (const auto &[name, text] : files) {
    const std::size_t at = error.find(name + ":");
    if (at == std::string::npos) continue;
    const char *const begin = error.data() + at + name.size() + 1;
    long line = 0;
    const auto [end, bad] = std::from_chars(begin, error.data() + error.size(), line);
    if (bad != std::errc()) continue;
    expect(std::string_view(end).starts_with(": ") && std::string_view(end).size() > 2,
           "an error says what is wrong");
    const auto lines = std::count_if(text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; });
    if (line < 1 || line > lines + 1) std::fprintf(stderr, "%s\n", error.c_str());
    expect(line >= 1 && line <= lines + 1, "an error names a line that is there");
    return;
  }
  std::fprintf(stderr, "%s\n", error.c_str());
  expect(false, "an error begins with file and line");
}

bool positive(double value) {
  return std::isfinite(value) && value > 0;
}
bool is_word(std::string_view text, std::string_view more) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           more.find(c) != std::string_view::npos;
  });
}

void check_values(const problem::Case &c, const problem::Problem &problem) {
  expect(c.integers.size() == problem.integers().size() && c.reals.size() == problem.reals().size(),
         "a case has every size and factor");
  for (std::size_t i = 0; i < c.integers.size(); ++i)
    expect(c.integers[i] >= problem.integers()[i].least && c.integers[i] <= problem.integers()[i].most,
           "sizes are within their range");
  for (const double real : c.reals) expect(std::isfinite(real), "factors are finite");
  expect(!problem.case_name(c).empty(), "a case has a name");
}

void check_step(const course::Step &s) {
  expect(s.problem != nullptr, "a step has a problem");
  expect(is_word(s.id, "_") && is_word(s.entry, "_"), "ids and entries are words");
  expect(s.file.ends_with(".cu") && is_word(s.file.substr(0, s.file.size() - 3), "_"),
         "a file is a plain name");
  expect(!s.title.empty() && !s.cases.empty(), "a step has a title and cases");
  expect(std::any_of(s.cases.begin(), s.cases.end(), [](const course::Case &c) { return !c.gpu_only; }),
         "a step has a case for the simulator");
  std::set<std::string> names;
  for (const course::Case &c : s.cases) {
    check_values(c.values, *s.problem);
    expect(c.name == s.problem->case_name(c.values) && names.insert(c.name).second, "cases differ");
  }
  expect(s.beyond ? s.points.total() == 0 : positive(s.points.total()), "a step gives points or is beyond");
  double counted = 0;
  for (const course::CounterCheck &check : s.counter_checks) counted += check.points;
  expect(std::fabs(counted - s.points.counters) < 1e-6, "a step's counters add up");
  if (s.rules.outputs_per_thread) check_values(s.rules.outputs_per_thread->on, *s.problem);
  check_values(s.counters_on, *s.problem);
}

void check(const course::Assignment &a) {
  expect(a.name == "hw6" && !a.title.empty(), "it has a name");
  expect(a.arch.starts_with("compute_") && positive(a.tolerance), "it has an architecture and a tolerance");
  const course::Limits &l = a.limits;
  for (const double limit : {l.compile.wall_seconds, l.compile.cpu_seconds, l.record.wall_seconds,
                             l.record.cpu_seconds, l.gpu_wall_seconds, a.archive_limits.wall_seconds,
                             a.archive_limits.ratio, a.timing.interval, a.timing.seconds})
    expect(positive(limit), "limits are positive");
  for (const std::uint64_t limit :
       {l.compile.memory_bytes, l.record.memory_bytes, l.plan.plan_bytes, l.plan.operations, l.plan.launches,
        l.plan.buffers, l.plan.scratch_bytes, l.plan.threads, l.simulate.warp_instructions,
        a.archive_limits.entries, a.archive_limits.depth, a.archive_limits.unpacked_bytes})
    expect(limit > 0, "limits are not 0");
  for (const std::uint64_t limit : {l.plan.operations, l.plan.launches, l.plan.buffers})
    expect(limit <= UINT32_MAX, "what a plan counts fits its counters");
  expect(a.timing.least_samples >= 1 && a.timing.least_samples <= a.timing.most_samples,
         "samples are ordered");
  expect(a.calibration.pass < a.calibration.full, "a calibration is ordered");
  expect(!a.steps.empty(), "it has steps");
  std::set<std::string> ids;
  double points = 0, extra = 0;
  for (const course::Step &s : a.steps) {
    check_step(s);
    expect(ids.insert(s.id).second, "ids differ");
    (s.extra_credit ? extra : points) += s.points.total();
  }
  expect(std::fabs(points - a.points) < 1e-6 && std::fabs(extra - a.extra_credit) < 1e-6, "points add up");
  const auto layouts = course::layout_names();
  expect(a.submissions.layout == "pattern" ||
             std::find(layouts.begin(), layouts.end(), a.submissions.layout) != layouts.end(),
         "a layout is known");
}

void check(const course::Thresholds &t, const course::Assignment &a) {
  expect(!t.match.empty() && !t.file.empty(), "thresholds say for which GPU");
  for (const course::StepThresholds &s : t.steps) {
    expect(positive(s.pass.value) && s.pass.value < s.full.value && s.pass.of_library == s.full.of_library,
           "thresholds are ordered");
    check_values(s.size, a.problem_of(s.step));
  }
  for (const course::Step &s : a.steps)
    expect(s.points.fast == 0 || t.find(s.id) != nullptr, "points for speed have a threshold");
}

void write(const Folder &folder, const Files &files) {
  const auto put = [&](const char *name, const fs::path &to, std::string_view otherwise) {
    const auto found = files.find(name);
    const std::string_view text = found == files.end() ? otherwise : found->second;
    std::error_code none;
    if (text.empty() && found == files.end())
      fs::remove(to, none);
    else
      std::ofstream(to, std::ios::binary) << text;
  };
  put("assignment.yaml", folder.path() / "assignment.yaml", smallest);
  put("hidden.yaml", folder.path() / "hidden.yaml", "");
  put("default.yaml", folder.path() / "thresholds" / "default.yaml",
      "gpu: {match: '*'}\nsteps:\n  step1: {size: 2048, pass: 0.05 cublas, full: 0.09 cublas}\n");
  put("gpu.yaml", folder.path() / "thresholds" / "gpu.yaml", "");
}

/// What is there besides the input's own files has no mistakes, so that every error is about one of those.
std::optional<course::Assignment> read_course(const Files &files) {
  static const Folder folder;
  write(folder, files);
  Files named = files;
  for (const char *name : {"assignment.yaml", "default.yaml"}) named.emplace(name, smallest);
  std::optional<course::Assignment> a;
  try {
    a = course::read_assignment(folder.path());
    check(*a);
    for (const course::Thresholds &t : course::read_all_thresholds(folder.path(), *a)) check(t, *a);
    check(course::read_thresholds(folder.path(), *a, "NVIDIA H200"), *a);
  } catch (const course::ConfigError &e) {
    check_error(e.what(), named);
  }
  return a;
}

/// What the input names, and, for an input's own pattern, a few that cost it most.
std::vector<std::string> names_of(const Files &files, std::vector<std::string> names) {
  const auto given = files.find("names");
  std::string_view text = given == files.end() ? std::string_view() : given->second;
  while (!text.empty() && names.size() < most_names) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    names.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return names;
}

void check_student(const std::string &student) {
  expect(!student.empty() && student.size() <= 255 && student.find('/') == std::string::npos &&
             student[0] != '.' && student[0] != '-' && is_utf8(student),
         "a student can name a file");
  for (const char c : student)
    expect(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f, "a student has no controls");
}

double now() {
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

void try_pattern(const std::string &pattern, const std::vector<std::string> &names,
                 const course::Assignment &a) {
  try {
    double start = now();
    const course::NamePattern plain(pattern), any_case(pattern, true);
    expect(now() - start < most_seconds, "a pattern is read in time");
    for (const std::string &name : names) {
      start = now();
      for (const course::NamePattern *p : {&plain, &any_case})
        if (const auto match = p->match(name)) {
          expect(!match->student.empty(), "a match has a student");
          for (const std::string &part : {match->student, match->attempt, match->file})
            expect(name.find(part) != std::string::npos, "a match is part of the name");
        }
      expect(now() - start < most_seconds, "a name is matched in time");
    }
    const batch::Layout own = batch::Layout::own(pattern, a);
    for (const std::string &name : names) {
      const batch::Named named = own.read(name);
      expect(!named.owners.empty(), "a name has an owner");
      for (const auto &owner : named.owners) check_student(owner.student);
    }
  } catch (const course::PatternError &e) {
    expect(*e.what() != '\0', "an error says what is wrong");
  }
}

void try_roster(const std::string &csv, const std::vector<std::string> &names, const Files &files) {
  try {
    batch::Roster roster = batch::Roster::parse(csv, "roster.csv");
    expect(!roster.rows().empty() && !roster.columns().empty(), "a roster has students");
    for (const auto &row : roster.rows()) {
      expect(row.ids.size() == roster.columns().size() && row.line >= 1, "a row has every id");
      for (const std::string &id : row.ids) {
        expect(id.empty() || roster.has_id(row, id), "a row knows its ids");
        if (const auto *found = roster.find(id)) expect(found->line >= 1, "a row is found by its id");
      }
    }
    roster.choose_key(names);
    std::set<std::string> students;
    for (const auto &row : roster.rows()) {
      check_student(roster.student(row));
      expect(students.insert(roster.student(row)).second, "students differ");
    }
  } catch (const course::ConfigError &e) {
    check_error(e.what(), files);
  }
}

const course::Assignment &assignment_of_the_harness() {
  static const course::Assignment a = *read_course({});
  return a;
}

}  // namespace

void exercise_yaml(std::span<const std::byte> bytes) {
  const Files files = files_of({reinterpret_cast<const char *>(bytes.data()), bytes.size()});
  const course::Assignment &plain = assignment_of_the_harness();
  const std::vector<std::string> names = names_of(files, {});
  const auto long_names = [&files] {
    return names_of(files, {std::string(255, 'a'), std::string(254, '1') + "_", "20261234_hw6.zip"});
  };
  for (const char *layout : {"plain", "id", "canvas", "moodle", "autolab"})
    for (const std::string &name : names)
      for (const auto &owner : batch::Layout(layout, plain).read(name).owners) check_student(owner.student);
  batch::guess_layout(names, plain);
  if (files.contains("assignment.yaml") || files.contains("hidden.yaml") || files.contains("default.yaml") ||
      files.contains("gpu.yaml"))
    if (const auto a = read_course(files); a && a->submissions.layout == "pattern")
      try_pattern(a->submissions.pattern, long_names(), *a);
  if (const auto csv = files.find("roster.csv"); csv != files.end()) try_roster(csv->second, names, files);
  if (const auto pattern = files.find("pattern"); pattern != files.end())
    try_pattern(pattern->second.substr(0, pattern->second.find('\n')), long_names(), plain);
}

}  // namespace warpgrade::fuzz
