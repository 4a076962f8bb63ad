// ./gradebook similar DIR --out FOLDER: the code of a class, laid out for JPlag and Dolos.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "apps/class_run.hpp"
#include "apps/command_line.hpp"
#include "apps/gradebook_commands.hpp"
#include "batch/scoring.hpp"
#include "report/similar.hpp"
#include "setup/files.hpp"

namespace warpgrade::apps {

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
      write_below(folder, path, store.file(hash));
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

int gradebook_similar(const std::vector<std::string> &words) {
  std::string folder, out;
  CLI::App app(
      "Lays the code of a class out for JPlag and Dolos: a folder a student with the handin that counts, "
      "the\n"
      "starter as base code, and Dolos's tables. CUDA files get the suffix .cpp, which both read. Sends "
      "nothing\n"
      "anywhere.",
      "gradebook similar");
  app.add_option("folder", folder, "of the class: what --out of 'gradebook run' named")->required();
  app.add_option("--out", out, "the folder to make")->required();
  if (const auto status = parse(app, words)) return *status;

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
  return full_score;
}

}  // namespace warpgrade::apps
