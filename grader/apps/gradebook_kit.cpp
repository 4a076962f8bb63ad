// ./gradebook kit [ASSIGNMENT...]: what students get, as one archive an assignment.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "apps/command_line.hpp"
#include "apps/gradebook_commands.hpp"
#include "apps/kit.hpp"
#include "setup/files.hpp"

namespace warpgrade::apps {

namespace fs = std::filesystem;

int gradebook_kit(const std::vector<std::string> &words) {
  CLI::App app(
      "Packs what students get: starter files, Makefile and headers, assignment.yaml and thresholds, the "
      "handout\n"
      "and the program 'grade'. No solutions, no hidden cases. The same files make the same archive.",
      "gradebook kit");
  std::vector<std::string> names;
  std::string out = "build/kit", handouts = "build/handouts", program;
  app.add_option("assignment", names, "which ones, such as hw6; all of them when none is named");
  app.add_option("--out", out, "the folder for NAME.tar.gz")->capture_default_str();
  app.add_option("--handouts", handouts, "the folder with NAME.html and NAME.pdf")->capture_default_str();
  app.add_option("--program", program, "another program for students than the 'grade' beside this one");
  if (const auto status = parse(app, words)) return *status;

  const fs::path root = find_root();
  const std::vector<std::string> known = assignment_names(root);
  if (names.empty()) names = known;
  for (const std::string &name : names)
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw UsageError(
          fmt::format("there is no assignment '{}' (there are: {})", name, fmt::join(known, ", ")));
  if (program.empty()) program = (fs::read_symlink("/proc/self/exe").parent_path() / "grade").string();
  if (app.count("--out") == 0) out = fs::relative(root / out).string();
  if (app.count("--handouts") == 0) handouts = fs::relative(root / handouts).string();

  if (const std::string glibc = glibc_of(read_whole(program)); !glibc.empty())
    fmt::print("The program for students runs where glibc is {} or newer.\n", glibc);
  for (const std::string &name : names) {
    const Kit kit = make_kit(root, name, program, handouts);
    fs::create_directories(out);
    const fs::path file = fs::path(out) / (name + ".tar.gz");
    const std::string bytes = batch::tar_gz(kit.files);
    write_whole(file, bytes);
    fmt::print("{}: {} files, {:.1f} MB\n", file.string(), kit.files.size(),
               static_cast<double>(bytes.size()) / 1e6);
    for (const std::string &sentence : kit.missing) fmt::print("  without it: {}\n", sentence);
    for (const std::string &sentence : kit.remarks) fmt::print("  note: {}\n", sentence);
  }
  return full_score;
}

}  // namespace warpgrade::apps
