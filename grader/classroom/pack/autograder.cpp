#include "pack/autograder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <set>

#include "base/process.hpp"
#include "base/zip.hpp"
#include "course/gpu.hpp"
#include "mutants/equivalent.hpp"
#include "pack/kit.hpp"
#include "setup/files.hpp"
#include "setup/selection.hpp"
#include "variants/variants.hpp"

// Placed by embedded_gradescope.S.
extern "C" const char warpgrade_gradescope_setup_begin[], warpgrade_gradescope_setup_end[],
    warpgrade_gradescope_run_begin[], warpgrade_gradescope_run_end[];

namespace warpgrade::pack {

namespace fs = std::filesystem;

namespace {

/// ./grade is always in the same folder as ./gradebook, in a course and in a build.
fs::path grade_program() {
  const fs::path program = fs::read_symlink("/proc/self/exe").parent_path() / "grade";
  if (!fs::is_regular_file(program))
    throw UsageError(
        fmt::format("{} is missing: it goes into the zip, and 'make' builds it", program.string()));
  return program;
}

/// The shared libraries that the program needs, less those of the C library and of g++: every system that can
/// compile has its own.
std::vector<fs::path> libraries_of(const fs::path &program) {
  static const std::set<std::string> of_the_system = {
      "libc.so.6",      "libm.so.6",    "libdl.so.2", "libpthread.so.0", "librt.so.1", "ld-linux-x86-64.so.2",
      "libstdc++.so.6", "libgcc_s.so.1"};
  Start start{.program = "ldd", .arguments = {"ldd", program.string()}, .search = true};
  start.environment = environment_with({"LC_ALL=C"});
  const std::string text = run_program(start, 60).out;
  std::vector<fs::path> libraries;
  for (const std::string &line : lines_of(text)) {
    const std::size_t arrow = line.find(" => "), end = line.rfind(" (");
    if (arrow == std::string::npos || end == std::string::npos || end < arrow) continue;
    const std::string name =
        line.substr(line.find_first_not_of(" \t"), arrow - line.find_first_not_of(" \t"));
    const fs::path file = line.substr(arrow + 4, end - arrow - 4);
    if (of_the_system.contains(name)) continue;
    if (!fs::is_regular_file(file))
      throw std::runtime_error(fmt::format("{} needs {}, which is missing", program.string(), name));
    libraries.push_back(file.parent_path() / name);
  }
  return libraries;
}

class Zip {
 public:
  void add(const std::string &path, std::string content, bool executable = false) {
    entries_.push_back({path, std::move(content), executable});
  }
  void add_file(const std::string &path, const fs::path &file, bool executable = false) {
    add(path, read_whole(file), executable);
  }
  /// Every regular file of an assignment's folder, and of those in it, but for sources, since a problem is compiled into
  /// ./grade; for variants, which an autograder does not know and whose edits contain lines of the solution; and for
  /// equivalent changes, which contain such lines too.
  void add_assignment(const std::string &path, const fs::path &folder, const course::Assignment &a) {
    std::vector<fs::path> files;
    for (const auto &entry : fs::recursive_directory_iterator(folder))
      if (entry.is_regular_file() && entry.path().extension() != ".cpp") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    for (const fs::path &file : files) {
      const fs::path name = file.lexically_relative(folder);
      if (name == "assignment.yaml")
        add(path + "/assignment.yaml", variants::without_key(read_whole(file)));
      else if (name != a.variants && name != mutants::equivalents_file)
        add_file(path + "/" + name.generic_string(), file);
    }
  }
  std::string bytes() const { return zip(entries_); }

 private:
  std::vector<ZipEntry> entries_;
};

/// The files that a submission is built beside: not what building left behind, nor what only an editor reads.
void add_starter(Zip &zip, const fs::path &starter, const std::string &path) {
  std::vector<fs::path> files;
  for (const auto &entry : fs::directory_iterator(starter))
    if (entry.is_regular_file() && !entry.path().filename().string().starts_with("."))
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const fs::path &file : files) zip.add_file(path + "/" + file.filename().string(), file);
}

}  // namespace

int pack_autograder(const std::string &name, const std::string &out) {
  refuse_to_replace(out, "PK\3\4", "a zip");
  const fs::path root = find_root();
  const std::vector<std::string> names = assignment_names(root);
  if (std::find(names.begin(), names.end(), name) == names.end())
    throw UsageError(
        fmt::format("there is no assignment '{}' (there are: {})", name, fmt::join(names, ", ")));
  const fs::path folder = fs::relative(root / "assignments" / name);
  const course::Assignment a = course::read_assignment(folder);  // a mistake in them is found here, not there
  course::read_all_thresholds(folder, a);
  if (!a.variants.empty() && variants::secret_of(root / variants::secrets_file, name))
    throw UsageError(
        fmt::format("{0} has a secret in {1}, so its students have variants, and an autograder would grade "
                    "all of them by the "
                    "same files. Download the submissions and use 'gradebook run FOLDER --assignment {0} "
                    "--roster FILE', which "
                    "grades each student by their own variant; so does 'gradebook serve'. If no kit with "
                    "variants was handed "
                    "out, put # before the line of {0} in {1}",
                    name, fs::relative(root / variants::secrets_file).string()));

  Zip zip;
  zip.add("setup.sh", {warpgrade_gradescope_setup_begin, warpgrade_gradescope_setup_end}, true);
  zip.add("run_autograder", {warpgrade_gradescope_run_begin, warpgrade_gradescope_run_end}, true);
  const fs::path program = grade_program();
  zip.add_file("bin/grade", program, true);
  for (const fs::path &library : libraries_of(program))
    zip.add_file("lib/" + library.filename().string(), library);
  zip.add("assignment", name + "\n");
  std::string steps;
  std::set<std::string> named;  // steps may share a file
  for (const course::Step &step : a.steps)
    for (const std::string &file : step.files())
      if (!step.beyond && named.insert(file).second) steps += file + "\n";
  zip.add("steps", steps);
  zip.add_assignment("course/assignments/" + name, folder, a);
  for (const auto &[place, rates] : library_files(root, a))
    zip.add("course/assignments/" + name + "/" + place.string(), rates);
  for (const fs::path &file : course::own_gpu_files(root / "assignments"))
    zip.add_file("course/assignments/gpus/" + file.filename().string(), file);
  add_starter(zip, root / "starter" / name, "course/starter/" + name);
  write_whole(out, zip.bytes());
  fmt::print(
      "{}: for 'Configure Autograder' in Gradescope, base image Ubuntu 22.04 or 24.04. It contains the "
      "hidden cases of {}.\n",
      out, name);
  if (!a.variants.empty())
    fmt::print(
        "  note: it grades everybody by the files of {0} as they are, so everybody needs the kit that "
        "'gradebook "
        "kit {0}' writes without --roster\n",
        name);
  return full_score;
}

}  // namespace warpgrade::pack
