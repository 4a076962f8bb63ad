#include "apps/lint_files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <set>

#include "apps/files.hpp"
#include "batch/command.hpp"
#include "report/handout.hpp"

namespace warpgrade::apps {

namespace fs = std::filesystem;

namespace {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "gradebook-lint-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder can be made");
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  const fs::path &path() const { return path_; }

 private:
  fs::path path_;
};

/// Files below a folder, but for what `make` leaves there.
std::set<fs::path> files_below(const fs::path &folder) {
  std::set<fs::path> files;
  if (!fs::is_directory(folder)) return files;
  for (auto entry = fs::recursive_directory_iterator(folder); entry != fs::recursive_directory_iterator();
       ++entry) {
    if (entry->is_directory() && entry->path().filename() == "build") entry.disable_recursion_pending();
    if (entry->is_regular_file()) files.insert(entry->path().lexically_relative(folder));
  }
  return files;
}

}  // namespace

std::vector<std::string> starter_out_of_step(const fs::path &root, const std::string &name) {
  const fs::path generator = root / "tools/make-starter", starter = root / "starter" / name;
  if (!fs::exists(generator)) return {};  // a kit, which has no solutions either
  const TemporaryFolder folder;
  const fs::path fresh = folder.path() / name;
  const batch::CommandOutcome made = batch::run_command(
      {"bash", generator.string(), fs::relative(root / "solutions" / name).string(), fresh.string()}, 60);
  if (!made.ok()) {
    const std::string said = made.error.substr(0, made.error.find('\n'));
    return {said.empty() ? "tools/make-starter failed" : said};
  }
  std::vector<std::string> problems;
  std::set<fs::path> all = files_below(fresh);
  all.merge(files_below(starter));
  for (const fs::path &file : all) {
    const bool made_anew = fs::exists(fresh / file), there = fs::exists(starter / file);
    if (made_anew && there && read_whole(fresh / file) == read_whole(starter / file)) continue;
    problems.push_back(fmt::format("{}: {}; 'tools/make-starter solutions/{} starter/{}' makes it anew",
                                   fs::relative(starter / file).string(),
                                   !there      ? "the starter lacks this file of the solutions"
                                   : made_anew ? "this is not what the solution makes"
                                               : "the solutions have no such file",
                                   name, name));
  }
  return problems;
}

std::vector<std::string> mistakes_in_handout(const fs::path &root, const course::Assignment &a) {
  const fs::path file = fs::relative(root / "handouts" / (a.name + ".md"));
  if (!fs::exists(file)) return {};
  const course::Handout handout = course::read_handout(file, a);
  report::HandoutFacts facts{a, {}, {}, {}, {}, {}, {}, {}};
  for (const course::Step &s : a.steps) {
    if (s.beyond) continue;
    const fs::path starter = root / "starter" / a.name;
    if (fs::exists(starter / s.file)) facts.starters[s.id] = read_whole(starter / s.file);
    for (const std::string &header : s.headers)
      if (fs::exists(starter / header)) facts.headers[header] = read_whole(starter / header);
  }
  return report::mistakes_in(handout, facts);
}

}  // namespace warpgrade::apps
