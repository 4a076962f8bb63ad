#include "hunt/hunt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <set>

#include "authoring/authoring.hpp"
#include "authoring/checkout.hpp"
#include "base/process.hpp"
#include "base/scratch.hpp"
#include "build/files.hpp"
#include "grading/grading.hpp"
#include "hunt/fault.hpp"
#include "hunt/yaml_blocks.hpp"
#include "mutants/case_runner.hpp"
#include "setup/files.hpp"
#include "setup/selection.hpp"

namespace warpgrade::hunt {

namespace fs = std::filesystem;

namespace {

constexpr double fix_points = 5, line_points = 3, cause_points = 2;
constexpr int most_tries = 60;  // of a step, each a build

struct Found {
  const course::Step *step = nullptr;
  std::string_view kind;
  Difficulty difficulty = Difficulty::every_size;
  std::vector<std::string> causes;
  Files files;
};

/// Looks for the fault of one step among the mutants of its solution.
class Search {
 public:
  Search(const course::Assignment &a, const Machine &machine, const grading::Options &options,
         const fs::path &solutions, std::optional<Difficulty> wanted)
      : assignment_(a), machine_(machine), options_(options), solutions_(solutions), wanted_(wanted) {}

  /// `used`: causes that other steps have already, which are taken only if there is nothing else.
  std::optional<Found> find(const course::Step &step, std::mt19937_64 &random,
                            const std::set<std::string> &used) {
    const std::string source = without_marks(read_whole(step.source_in(solutions_)));
    std::vector<mutants::Mutant> all = mutants::mutants_of(source);
    std::shuffle(all.begin(), all.end(), random);
    for (const Seen &s : run(step, source).value_or(std::vector<Seen>{Seen{}}))
      if (s.verdict != judge::Verdict::accepted)
        throw UsageError(fmt::format("{} fails its own cases, so no hunt can be made from it",
                                     fs::relative(step.source_in(solutions_)).string()));
    std::optional<Found> second_best;
    int tries = 0;
    for (const mutants::Mutant &m : all) {
      if (tries >= most_tries) break;
      if (!may_tell(m.kind)) continue;
      ++tries;
      std::optional<Found> found = examine(step, source, m);
      if (!found) continue;
      if (!used.contains(found->causes.front())) return found;
      if (!second_best) second_best = std::move(found);
    }
    return second_best;
  }

 private:
  /// Whether mistakes of that kind have a cause at all.
  static bool may_tell(std::string_view kind) {
    for (const judge::Verdict v :
         {judge::Verdict::wrong_answer, judge::Verdict::out_of_bounds, judge::Verdict::race,
          judge::Verdict::barrier_error, judge::Verdict::uninitialized_read})
      if (!causes_of(kind, {{v, false}}).empty()) return true;
    return false;
  }

  std::optional<Found> examine(const course::Step &step, const std::string &source,
                               const mutants::Mutant &m) {
    const auto seen = run(step, m.text);
    if (!seen) return std::nullopt;
    const auto difficulty = difficulty_of(*seen);
    if (!difficulty || (wanted_ && *difficulty != *wanted_)) return std::nullopt;
    std::vector<std::string> causes = causes_of(m.kind, *seen);
    if (causes.empty()) return std::nullopt;
    auto files = files_of(source, m.text, causes.front());
    if (!files) return std::nullopt;
    return Found{&step, m.kind, *difficulty, std::move(causes), std::move(*files)};
  }

  /// Every case with something to do; nothing if it does not compile.
  std::optional<std::vector<Seen>> run(const course::Step &step, const std::string &text) {
    const Scratch scratch;
    write_scratch(scratch.path() / step.file, text);
    for (const std::string &header : step.headers)
      write_scratch(scratch.path() / header, read_whole(step.source_in(solutions_).parent_path() / header));
    const build::Build build =
        grading::Grader(assignment_, machine_.environment, options_).build(step, scratch.path());
    if (!build.ok) return std::nullopt;
    mutants::CaseRunner runner(assignment_, machine_.environment, options_, step, build, data_);
    std::vector<Seen> all;
    constexpr std::uint64_t most_instructions = 20'000'000;
    for (const course::Case &c : step.cases) {
      if (c.gpu_only || c.advisory || !step.problem->needs_kernel(c.values)) continue;
      const mutants::Ran ran = runner.run(c.values, {.warp_instructions = most_instructions});
      all.push_back({ran.verdict, ran.comparison && ran.comparison->wrong == 0});
    }
    return all;
  }

  const course::Assignment &assignment_;
  const Machine &machine_;
  const grading::Options &options_;
  fs::path solutions_;
  std::optional<Difficulty> wanted_;
  grading::CaseData data_;
};

// --- what is written ---------------------------------------------------------------------------------------------------

std::string quoted(const std::string &text) {
  std::string out;
  for (const char c : text) out += c == '"' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
  return '"' + out + '"';
}

/// The case sets that these steps use; of hidden.yaml, some of them may have no cases.
std::string case_sets_of(const std::string &yaml, const std::set<std::string> &used) {
  std::string text;
  for (const Block &set : blocks_of(block_of(blocks_of(yaml, 0), "case_sets"), 2))
    if (used.contains(set.first)) text += set.second;
  return text.empty() ? "" : "case_sets:\n" + text;
}

/// "name" of "    cases: name  # words".
std::string word_of(const std::string &block) {
  std::string word = block.substr(std::min(block.find(':') + 1, block.size()));
  word = word.substr(0, std::min(word.find('#'), word.size()));
  std::erase_if(word, [](char c) { return c == ' ' || c == '\n'; });
  return word;
}

std::string step_yaml(const std::vector<Block> &blocks, const Found &found) {
  std::string text = fmt::format(
      "\n  - id: {}\n    kind: hunt\n    points: {{fix: {:g}, line: {:g}, cause: {:g}}}\n    changes: {}\n",
      found.step->id, fix_points, line_points, cause_points, found.files.changes);
  for (const auto &[key, lines] : blocks)
    if (key != "id" && key != "points" && key != "counters" && key != "extra_credit") text += lines;
  return text;
}

struct Written {
  std::string assignment, hidden;
};
Written yaml_of(const std::string &name, const course::Assignment &a, const fs::path &folder,
                const std::vector<Found> &all) {
  const std::string yaml = read_whole(folder / "assignment.yaml");
  const std::vector<Block> blocks = blocks_of(yaml, 0);
  std::string steps, faults;
  std::set<std::string> sets;
  for (const std::vector<Block> &step : steps_of(block_of(blocks, "steps")))
    for (const Found &found : all)
      if (word_of(block_of(step, "id")) == found.step->id) {
        steps += step_yaml(step, found);
        sets.insert(word_of(block_of(step, "cases")));
        faults += fmt::format("  {}: {{lines: [{}, {}], cause: [{}]}}  # {}; {}\n", found.step->id,
                              found.files.first_line, found.files.last_line, fmt::join(found.causes, ", "),
                              found.kind, name_of(found.difficulty));
      }
  std::string text = fmt::format(
      "# Bug hunts, made by 'gradebook hunt' from {}: students name the line and the cause, and fix the "
      "kernel.\n"
      "assignment: {}\ntitle: {}\npoints: {:g}\n",
      a.name, name, quoted("Bug hunts: " + a.title),
      static_cast<double>(all.size()) * (fix_points + line_points + cause_points));
  for (const auto &[key, lines] : blocks)
    for (const char *kept : {"problem", "seed", "arch", "toolchain", "tolerance", "limits", "submissions",
                             "late", "timing", "calibration", "counters", "counted_near"})
      if (key == kept) text += lines;
  text += case_sets_of(yaml, sets) + "steps:" + steps;
  Written written{std::move(text),
                  fmt::format("# Where the faults are. For instructors only: never part of a "
                              "kit.\nassignment: {}\nhunts:\n{}",
                              name, faults)};
  if (fs::exists(folder / "hidden.yaml"))
    written.hidden += case_sets_of(read_whole(folder / "hidden.yaml"), sets);
  return written;
}

/// The course that `from` belongs to, and the name of its assignment.
std::pair<fs::path, std::string> course_of(const std::string &from) {
  const fs::path folder = fs::weakly_canonical(from), solutions = folder.parent_path();
  const std::string name = folder.filename().string();
  if (!fs::is_directory(folder) || solutions.filename() != "solutions" ||
      !fs::exists(solutions.parent_path() / "assignments" / name / "assignment.yaml"))
    throw UsageError(
        fmt::format("--from: '{}' is not a folder of solutions in a course, such as solutions/hw6", from));
  return {solutions.parent_path(), name};
}

void write_all(const fs::path &root, const fs::path &checkout, const std::string &name,
               const course::Assignment &a, const std::vector<Found> &all) {
  const fs::path from = root / "solutions" / a.name, to = root / "solutions" / name,
                 folder = root / "assignments" / name;
  const Written yaml = yaml_of(name, a, root / "assignments" / a.name, all);
  fs::create_directories(folder / "thresholds");
  fs::create_directories(to);
  write_whole(folder / "assignment.yaml", yaml.assignment);
  write_whole(folder / "hidden.yaml", yaml.hidden);
  write_whole(folder / "thresholds/default.yaml",
              "# No hunt has points for speed.\ngpu: {match: \"*\"}\nsteps: {}\n");
  for (const fs::path &file : build::support_files(from))
    if (file.extension() != ".yaml") write_whole(to / file, read_whole(from / file));
  for (const Found &found : all) write_whole(to / found.step->file, found.files.solution);
  authoring::make_starter(checkout, root, name);
  const course::Assignment written = course::read_assignment(folder);
  if (written.steps.size() != all.size())
    throw std::runtime_error(
        fmt::format("{} has {} steps instead of {}; its 'steps' in {} are laid out in a way that "
                    "'gradebook hunt' cannot copy",
                    (folder / "assignment.yaml").string(), written.steps.size(), all.size(), a.name));
}

std::optional<Difficulty> difficulty_named(const std::string &name) {
  for (const Difficulty d : {Difficulty::every_size, Difficulty::ragged, Difficulty::race_only})
    if (name_of(d) == name) return d;
  return std::nullopt;
}

std::vector<Found> search(const HuntOptions &w, const fs::path &root, const course::Assignment &a,
                          std::uint64_t seed) {
  const build::Toolchain toolchain = w.toolchain != "auto" ? toolchain_named(w.toolchain)
                                     : find_clang()        ? build::Toolchain::clang
                                                           : build::Toolchain::automatic;
  const auto machine = look_at_machine(root, a, DeviceChoice::simulator, !w.no_sandbox, toolchain);
  Common common;
  common.assignment = a.name;
  grading::Options options = grading_options(common, a);
  options.measure = false;
  Search search(a, *machine, options, root / "solutions" / a.name, difficulty_named(w.difficulty));
  std::mt19937_64 random(seed);
  std::vector<Found> all;
  std::set<std::string> used;
  for (const course::Step &step : a.steps) {
    if (!step.has_kernel() || step.beyond || step.hunt) continue;
    auto found = search.find(step, random, used);
    if (!found) {
      fmt::print("{}: no mutant makes {} hunt; step left out\n", step.id,
                 w.difficulty.empty() ? "a" : "a '" + w.difficulty + "'");
      continue;
    }
    fmt::print("{}: line {} of {}: {} ({}; {})\n", step.id, found->files.first_line, step.file,
               fmt::join(found->causes, " or "), found->kind, name_of(found->difficulty));
    std::fflush(stdout);
    used.insert(found->causes.front());
    all.push_back(std::move(*found));
  }
  return all;
}

}  // namespace

int hunt(const HuntOptions &w) {
  const auto [root, from] = course_of(w.from);
  authoring::require_new_assignment(root, w.name);
  const auto checkout = authoring::find_checkout(root);
  if (!checkout)
    throw UsageError(
        "there is no tools/make-starter here or where this program was built, which makes the starter");
  const course::Assignment a = course::read_assignment(root / "assignments" / from);
  const std::uint64_t seed = w.seed.value_or(fresh_seed() >> 1);
  fmt::print("seed {}\n", seed);
  const std::vector<Found> all = search(w, root, a, seed);
  if (all.empty())
    throw UsageError(
        fmt::format("no step of {} has a mutant that makes a hunt; nothing was written", a.name));
  write_all(root, *checkout, w.name, a, all);
  fmt::print(
      "assignments/{0}, solutions/{0} and starter/{0} are written; 'gradebook lint --grade {0}' checks "
      "them.\nThe starter is the solution of {1} but for one fault in each file: hand it out only after {1} "
      "is due.\n",
      w.name, a.name);
  return full_score;
}

}  // namespace warpgrade::hunt
