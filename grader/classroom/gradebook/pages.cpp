#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

#include "base/text.hpp"
#include "gradebook/class_files.hpp"
#include "gradebook/class_pages.hpp"
#include "gradebook/class_run.hpp"
#include "gradebook/damage.hpp"
#include "gradebook/gradebook.hpp"
#include "gradebook/shared_files.hpp"
#include "gradebook/variant_rules.hpp"
#include "report/class.hpp"
#include "score/without_gpu.hpp"
#include "setup/files.hpp"
#include "setup/html_extras.hpp"
#include "setup/selection.hpp"
#include "variants/variants.hpp"

namespace warpgrade::gradebook {

namespace fs = std::filesystem;

namespace {

/// DIR/pseudonyms.json keeps the names that were drawn; whoever has it knows who is who.
fs::path file_of_names(const fs::path &folder) {
  return folder / "pseudonyms.json";
}

std::map<std::string, std::string> known_names(const fs::path &folder) {
  const fs::path file = file_of_names(folder);
  if (!fs::exists(file)) return {};
  try {
    return nlohmann::json::parse(read_whole(file)).get<std::map<std::string, std::string>>();
  } catch (const nlohmann::json::exception &e) {
    throw UsageError(fmt::format("{}: no table of names ({}); remove it to have new names drawn",
                                 file.string(), e.what()));
  }
}

std::map<std::string, std::string> names_of(const fs::path &folder, const std::vector<std::string> &ids) {
  const std::map<std::string, std::string> known = known_names(folder);
  std::random_device entropy;
  std::seed_seq seed{entropy(), entropy(), entropy(), entropy(), entropy(), entropy(), entropy(), entropy()};
  std::mt19937_64 random(seed);
  const auto names = report::pseudonyms(ids, known, random);
  if (names != known)
    write_whole(file_of_names(folder),
                nlohmann::json(names).dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  return names;
}

/// Folder names of unusual ids have percent signs, which an address writes as %25.
std::string address_of(const fs::path &page) {
  std::string text;
  for (const char c : page.generic_string()) text += c == '%' ? std::string("%25") : std::string(1, c);
  return text;
}

/// The files that count, by step.
std::map<std::string, std::string> sources(const batch::Store &store, const course::Assignment &a,
                                           const batch::Student &student) {
  std::map<std::string, std::string> text;
  for (const course::Step &step : a.steps)
    if (const std::string *hash = student.hash_of(step.path().string()))
      if (const auto content = store.file(*hash)) text[step.id] = variants::unmarked(*content).content;
  return text;
}

}  // namespace

namespace {

report::Class class_of(const ClassView &view) {
  return {view.course.assignment,
          view.thresholds,
          view.device.name,
          view.students,
          view.shared_files,
          view.of_other_variants,
          score::sentence_without_gpu(view.course.assignment, view.thresholds, view.device.gpu)};
}

}  // namespace

std::string ClassView::dashboard(const report::LivePage &live) const {
  report::Class shown = class_of(*this);
  for (const std::string &why : unreadable)
    shown.without_gpu += fmt::format("{}The students of a variant that cannot be read are missing: {}.",
                                     shown.without_gpu.empty() ? "" : " ", for_terminal(why));
  return report::class_to_html(shown, live);
}

std::string ClassView::leaderboard(const std::map<std::string, std::string> &names,
                                   const report::LivePage &live) const {
  report::Class shown = class_of(*this);
  for (report::ClassStudent &student : shown.students)
    if (const auto name = names.find(student.id); name != names.end()) {
      student.pseudonym = name->second;
      student.consents = true;
    }
  return report::leaderboard_to_html(shown, live);
}

ClassView view_of(const batch::Store &store, const std::function<std::string(const SeenStudent &)> &link_of,
                  const std::function<bool()> &stop, const std::map<std::string, std::string> &expected) {
  ClassView view;
  view.course = course_of(store);
  const course::Assignment &a = view.course.assignment;
  view.thresholds = thresholds_of(store, view.course.folder, a);
  view.device = batch::device_of(store, a);
  const batch::RulesOf rules = rules_of(view.course, view.thresholds);
  std::vector<std::string> ids = store.students();
  const std::size_t known = ids.size();
  for (const auto &[id, name] : expected)
    if (!std::binary_search(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(known), id))
      ids.push_back(id);
  std::sort(ids.begin(), ids.end());
  const auto names = names_of(store.folder(), ids);
  for (const std::string &id : ids) {
    if (stop && stop()) {
      view.stopped = true;
      break;
    }
    std::optional<batch::Scored> known_score;
    try {
      known_score = batch::score_student(store, rules, id);
    } catch (const variants::UnreadableVariant &e) {
      view.unreadable.insert(e.what());
      continue;
    }
    const batch::Scored &scored = *known_score;
    const report::Report report{*scored.rules.assignment,
                                *scored.rules.thresholds,
                                scored.record,
                                scored.score,
                                "./grade {step}",
                                false};
    const auto text = sources(store, a, scored.student);
    const auto expected_name = expected.find(id);
    const std::string name = scored.student.name.empty() && expected_name != expected.end()
                                 ? expected_name->second
                                 : scored.student.name;
    report::ClassStudent student = report::class_student(
        {id, name, names.at(id), link_of({id, scored, report, text, names.at(id)}), scored.row.status},
        report, text);
    view.timed |= std::any_of(student.steps.begin(), student.steps.end(),
                              [](const report::ClassStep &step) { return step.rate.has_value(); });
    view.named |= !student.name.empty();
    for (std::size_t i = 0; i < student.steps.size(); ++i)
      if (scored.row.steps.at(i).verdict.empty()) student.steps[i].verdict.reset();  // not graded yet
    for (const grading::StepRecord &step : scored.record.steps)
      if (const std::string other = variants::other_variant_in(step.reason); !other.empty())
        view.of_other_variants.push_back({other, fmt::format("{} ({})", id, step.file)});
    view.students.push_back(std::move(student));
  }
  if (!view.stopped)
    for (const SharedFile &shared : shared_files(store, view.course))
      view.shared_files.push_back({std::string(in_words(shared.likeness)), words_of(shared)});
  return view;
}

std::string pseudonym_of(const fs::path &folder, const std::string &student) {
  const auto names = known_names(folder);
  const auto found = names.find(student);
  return found == names.end() ? "" : found->second;
}

int write_pages(const std::string &folder) {
  const batch::Store store(folder, batch::Store::Access::read);
  const ClassCourse course = course_of(store);
  const auto roof =
      roof_of(course.folder, course.assignment, thresholds_of(store, course.folder, course.assignment),
              batch::device_of(store, course.assignment));
  const Interruption interruption;
  const ClassView view = view_of(
      store,
      [&](const SeenStudent &s) -> std::string {
        if (!s.scored.complete) return "";
        const fs::path page = fs::path("reports") / batch::folder_of(store, s.id) / "report.html";
        fs::create_directories((store.folder() / page).parent_path());
        write_whole(store.folder() / page, report::to_html(s.report, {s.sources, {}, roof, s.pseudonym}));
        return address_of(page);
      },
      [&] { return interruption.signal().has_value(); });
  if (view.stopped) {
    fmt::print(stderr, "interrupted; the pages of the class are as they were\n");
    return 128 + *interruption.signal();
  }
  write_whole(store.folder() / "class.html", view.dashboard());
  write_whole(store.folder() / "leaderboard.html", view.leaderboard());
  fmt::print("{} students: {} (with {}), {} (without them, for publication{})\n", view.students.size(),
             (store.folder() / "class.html").string(),
             view.named ? "names and ids" : "ids; 'gradebook run --roster FILE' adds names",
             (store.folder() / "leaderboard.html").string(),
             view.timed ? "" : "; nothing has been timed yet");
  return conclude_with_damage(store, course.assignment, full_score);
}

}  // namespace warpgrade::gradebook
