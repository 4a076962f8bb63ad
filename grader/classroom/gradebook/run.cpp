#include <fmt/format.h>

#include <system_error>

#include "base/text.hpp"
#include "batch/take_in.hpp"
#include "gradebook/class_files.hpp"
#include "gradebook/class_run.hpp"
#include "gradebook/gradebook.hpp"
#include "gradebook/variant_class.hpp"
#include "setup/selection.hpp"
#include "variants/variants.hpp"

namespace warpgrade::gradebook {

namespace fs = std::filesystem;

namespace {

bool lies_within(const fs::path &folder, const fs::path &other) {
  const fs::path inner = fs::weakly_canonical(folder), outer = fs::weakly_canonical(other);
  const fs::path relative = inner.lexically_relative(outer);
  return !relative.empty() && *relative.begin() != "..";
}

/// Gives how many handins there were; fewer than there are when interrupted.
std::size_t take_in(batch::Store &store, const fs::path &submissions, const course::Assignment &a,
                    batch::TakeInOptions options, const std::optional<VariantClass> &variants,
                    const Interruption &interruption) {
  struct Interrupted {};
  std::size_t handins = 0;
  options.surveyed = [](const batch::Survey &survey) {
    const auto handed_in = survey.handins - survey.missing;
    fmt::print(stderr, "{} submission{}, layout {}{}", handed_in, handed_in == 1 ? "" : "s", survey.layout,
               survey.decided ? " (by the names; --layout says otherwise)" : "");
    if (survey.superseded > 0) fmt::print(stderr, ", {} superseded by later ones", survey.superseded);
    if (survey.missing > 0) fmt::print(stderr, ", {} of the roster handed in nothing", survey.missing);
    fmt::print(stderr, "\n");
    for (const std::string &remark : survey.remarks) fmt::print(stderr, "  {}\n", for_terminal(remark));
  };
  try {
    batch::take_in(submissions, a, options, [&](batch::Handin handin) {
      if (interruption.signal()) throw Interrupted();
      if (variants)
        variants->mark(handin, a);
      else
        for (batch::HandedFile &file : handin.files)
          file.content = variants::without_a_mark(std::move(file.content), file.name);
      store.take_in(handin);
      ++handins;
    });
  } catch (const Interrupted &) {
  } catch (const std::system_error &e) {
    throw UsageError(fmt::format("{}. Nothing of this run was graded", e.what()));
  }
  store.finish_taking_in();
  return handins;
}

}  // namespace

int run(RunOptions w) {
  if (!fs::exists(w.submissions)) throw UsageError(fmt::format("there is no '{}'", w.submissions));
  if (lies_within(w.out, w.submissions))
    throw UsageError(fmt::format("--out {}: it must not be inside {}, whose folders are submissions", w.out,
                                 w.submissions));
  ClassCourse course = open_class_course(w.grading.assignment);
  batch::Store store(w.out, batch::Store::Access::create);
  remove_unfinished(store.folder());
  if (const auto info = store.info(); info && info->assignment != course.assignment.name)
    throw UsageError(
        fmt::format("{} contains a class of {}: name another folder with --out", w.out, info->assignment));
  const std::optional<VariantClass> variants = VariantClass::of(store, course, w.secret, w.take_in.roster);
  const Interruption interruption;
  const auto interrupted = [&interruption] {
    fmt::print(stderr, "interrupted; what is graded is kept, and the same command continues\n");
    return 128 + interruption.signal().value_or(2);
  };
  const std::optional<ClassGrader> prepared = prepare(store, std::move(course), w.grading, interruption);
  if (!prepared) return interrupted();
  const ClassGrader &grader = *prepared;
  announce(store, grader);
  const std::size_t handins =
      take_in(store, w.submissions, grader.course.assignment, w.take_in, variants, interruption);
  announce_variants(store, grader);
  if (handins == 0 && !interruption.signal())
    throw UsageError(fmt::format(
        "{} contains no submissions: a folder or an archive for each student is expected", w.submissions));
  fmt::print(stderr, "graded on {}, seed {}\n", batch::device_of(store, grader.course.assignment).name,
             grader.seed);
  const bool finished = !interruption.signal() && grade_pending(store, grader, interruption);
  return finished ? conclude_class(store, grader.course) : interrupted();
}

}  // namespace warpgrade::gradebook
