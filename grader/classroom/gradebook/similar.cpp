#include "report/similar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "batch/scoring.hpp"
#include "gradebook/class_run.hpp"
#include "gradebook/damage.hpp"
#include "gradebook/gradebook.hpp"
#include "setup/files.hpp"
#include "setup/selection.hpp"
#include "variants/variants.hpp"

namespace warpgrade::gradebook {

namespace fs = std::filesystem;

namespace {

/// Neither program takes .cu for C++.
fs::path as_cpp(fs::path file) {
  if (file.extension() == ".cu") file.replace_extension(".cpp");
  if (file.extension() == ".cuh") file.replace_extension(".hpp");
  return file;
}

void write_below(const fs::path &folder, const fs::path &name, const std::string &content) {
  fs::create_directories((folder / name).parent_path());
  write_whole(folder / name, content);
}

/// What everyone was given; gives how many files it is.
std::size_t write_base(const fs::path &starter, const fs::path &folder) {
  std::size_t files = 0;
  for (const auto &entry : fs::recursive_directory_iterator(starter)) {
    const std::string suffix = entry.path().extension().string();
    if (!entry.is_regular_file() || (suffix != ".cu" && suffix != ".cuh" && suffix != ".h")) continue;
    write_below(folder, as_cpp(entry.path().lexically_relative(starter)), read_whole(entry.path()));
    ++files;
  }
  return files;
}

struct Sources {
  std::vector<report::HandedSource> files;
  std::vector<std::string> without;  ///< students who have none
};

Sources write_submissions(const batch::Store &store, const course::Assignment &a, const fs::path &folder) {
  std::map<std::string, std::string> step_of;
  for (const course::Step &step : a.steps) step_of[step.path().string()] = step.id;
  Sources sources;
  for (const std::string &id : store.students()) {
    const batch::Student student = store.student(id);
    if (student.files.empty()) sources.without.push_back(id);
    for (const auto &[name, hash] : student.files) {
      const fs::path path = fs::path("submissions") / batch::folder_of(store, id) / as_cpp(name);
      const std::optional<std::string> content = store.file(hash);
      if (!content) continue;  // named in the end
      write_below(folder, path, variants::unmarked(*content).content);
      const auto step = step_of.find(name);
      sources.files.push_back(
          {path.string(), id, step == step_of.end() ? "" : step->second, student.handed_in});
    }
  }
  return sources;
}

/// Gives the names of the tables of one step each.
std::vector<std::string> write_tables(const course::Assignment &a,
                                      const std::vector<report::HandedSource> &files,
                                      const fs::path &folder) {
  std::vector<std::string> tables;
  write_whole(folder / "info.csv", report::dolos_csv(files));
  for (const course::Step &step : a.steps) {
    std::vector<report::HandedSource> of_step;
    std::copy_if(files.begin(), files.end(), std::back_inserter(of_step),
                 [&](const report::HandedSource &s) { return s.step == step.id; });
    if (of_step.empty()) continue;
    tables.push_back(step.id + ".csv");
    write_whole(folder / tables.back(), report::dolos_csv(of_step));
  }
  return tables;
}

}  // namespace

int lay_out_for_comparison(const std::string &folder, const std::string &out) {
  const batch::Store store(folder, batch::Store::Access::read);
  const ClassCourse course = course_of(store);
  if (fs::exists(out) && !(fs::is_directory(out) && fs::is_empty(out)))
    throw UsageError(
        fmt::format("--out {}: it is there already, and files of an earlier class could stay in it; "
                    "name another folder",
                    out));
  const fs::path target = fs::absolute(out).lexically_normal();
  const fs::path whole = target.has_filename() ? target : target.parent_path();
  const fs::path fresh = whole.string() + ".new";
  fs::remove_all(fresh);
  fs::create_directories(fresh);
  const std::size_t base = write_base(course.root / "starter" / course.assignment.name, fresh / "base");
  const Sources sources = write_submissions(store, course.assignment, fresh);
  const std::vector<std::string> tables = write_tables(course.assignment, sources.files, fresh);
  fs::rename(fresh, whole);

  std::string absent;
  for (const std::string &id : sources.without) absent += (absent.empty() ? "" : ", ") + for_terminal(id);
  if (!absent.empty())
    fmt::print(stderr, "{} student{} without files, so without a folder: {}\n", sources.without.size(),
               sources.without.size() == 1 ? "" : "s", absent);
  const std::string name = shell_word(out);
  fmt::print("{}: {} files of {} students, {} of the starter\n", out, sources.files.size(),
             store.students().size() - sources.without.size(), base);
  fmt::print("java -jar jplag.jar -l cpp -bc {0}/base {0}/submissions\n", name);
  for (const std::string &table : tables) fmt::print("dolos run -l cpp {}/{}\n", name, table);
  return conclude_with_damage(store, course.assignment, full_score);
}

}  // namespace warpgrade::gradebook
