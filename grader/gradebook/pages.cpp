#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <random>

#include "gradebook/class_files.hpp"
#include "gradebook/class_run.hpp"
#include "gradebook/gradebook.hpp"
#include "report/class.hpp"
#include "setup/files.hpp"
#include "setup/html_extras.hpp"
#include "setup/selection.hpp"

namespace warpgrade::gradebook {

namespace fs = std::filesystem;

namespace {

/// DIR/pseudonyms.json keeps the names that were drawn; whoever has it knows who is who.
std::map<std::string, std::string> names_of(const fs::path &folder, const std::vector<std::string> &ids) {
  const fs::path file = folder / "pseudonyms.json";
  std::map<std::string, std::string> known;
  if (fs::exists(file)) {
    try {
      known = nlohmann::json::parse(read_whole(file)).get<std::map<std::string, std::string>>();
    } catch (const nlohmann::json::exception &e) {
      throw UsageError(fmt::format("{}: no table of names ({}); remove it to have new names drawn",
                                   file.string(), e.what()));
    }
  }
  std::random_device entropy;
  std::seed_seq seed{entropy(), entropy(), entropy(), entropy(), entropy(), entropy(), entropy(), entropy()};
  std::mt19937_64 random(seed);
  const auto names = report::pseudonyms(ids, known, random);
  if (names != known)
    write_whole(file,
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
    if (const std::string *hash = student.hash_of(step.path().string())) text[step.id] = store.file(*hash);
  return text;
}

}  // namespace

int write_pages(const std::string &folder) {
  const batch::Store store(folder, batch::Store::Access::read);
  const ClassCourse course = course_of(store);
  const course::Assignment &a = course.assignment;
  const course::Thresholds thresholds = thresholds_of(store, course.folder, a);
  const grading::DeviceRecord device = batch::device_of(store, a);
  const auto roof = roof_of(course.folder, a, thresholds, device);
  const std::vector<std::string> ids = store.students();
  const auto names = names_of(store.folder(), ids);
  report::Class all{a, thresholds, device.name, {}};
  const Interruption interruption;
  const auto interrupted = [&] {
    fmt::print(stderr, "interrupted; the pages of the class are as they were\n");
    return 128 + *interruption.signal();
  };
  bool timed = false, named = false;
  for (const std::string &id : ids) {
    if (interruption.signal()) return interrupted();
    const batch::Scored scored = batch::score_student(store, a, thresholds, id);
    const report::Report report{a, thresholds, scored.record, scored.score, "./grade {step}", false};
    const auto text = sources(store, a, scored.student);
    const fs::path page = fs::path("reports") / batch::folder_of(store, id) / "report.html";
    if (scored.complete) {
      fs::create_directories((store.folder() / page).parent_path());
      write_whole(store.folder() / page, report::to_html(report, {text, {}, roof}));
    }
    report::ClassStudent student = report::class_student(
        {id, scored.student.name, names.at(id), scored.complete ? address_of(page) : "", scored.row.status},
        report, text);
    timed |= std::any_of(student.steps.begin(), student.steps.end(),
                         [](const report::ClassStep &step) { return step.rate.has_value(); });
    named |= !student.name.empty();
    for (std::size_t i = 0; i < student.steps.size(); ++i)
      if (scored.row.steps.at(i).verdict.empty()) student.steps[i].verdict.reset();  // not graded yet
    all.students.push_back(std::move(student));
  }
  write_whole(store.folder() / "class.html", report::class_to_html(all));
  write_whole(store.folder() / "leaderboard.html", report::leaderboard_to_html(all));
  fmt::print("{} students: {} (with {}), {} (without them, for publication{})\n", ids.size(),
             (store.folder() / "class.html").string(),
             named ? "names and ids" : "ids; 'gradebook run --roster FILE' adds names",
             (store.folder() / "leaderboard.html").string(), timed ? "" : "; nothing has been timed yet");
  return full_score;
}

}  // namespace warpgrade::gradebook
