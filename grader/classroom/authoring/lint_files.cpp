#include "authoring/lint_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <set>

#include "authoring/checkout.hpp"
#include "base/did_you_mean.hpp"
#include "base/process.hpp"
#include "base/source_text.hpp"
#include "course/yaml.hpp"
#include "mutants/equivalent.hpp"
#include "report/handout.hpp"
#include "sandbox/sandbox.hpp"
#include "setup/files.hpp"

namespace warpgrade::authoring {

namespace fs = std::filesystem;

namespace {

/// Files below a folder, but for what `make` leaves there.
std::set<fs::path> relative_files_below(const fs::path &folder) {
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
  const std::optional<fs::path> checkout = find_checkout(root);
  if (!checkout || !fs::exists(root / "solutions" / name)) return {};  // a kit
  const fs::path generator = *checkout / "tools/make-starter", starter = root / "starter" / name;
  const Scratch folder;
  const fs::path fresh = folder.path() / name;
  const CommandOutcome made = run_command(
      {"bash", generator.string(), fs::relative(root / "solutions" / name).string(), fresh.string()}, 60);
  if (!made.ok()) {
    const std::string said = made.error.substr(0, made.error.find('\n'));
    return {said.empty() ? "tools/make-starter failed" : said};
  }
  std::vector<std::string> problems;
  std::set<fs::path> all = relative_files_below(fresh);
  all.merge(relative_files_below(starter));
  for (const fs::path &file : all) {
    const bool made_anew = fs::exists(fresh / file), there = fs::exists(starter / file);
    if (made_anew && there && read_whole(fresh / file) == read_whole(starter / file)) continue;
    problems.push_back(fmt::format(
        "{}: {}; '{} solutions/{} starter/{}' makes it again", fs::relative(starter / file).string(),
        !there      ? "the starter lacks this file of the solutions"
        : made_anew ? "this differs from what the solution generates"
                    : "the solutions have no such file",
        *checkout == root ? "tools/make-starter" : generator.string(), name, name));
  }
  return problems;
}

namespace {

/// Functions that give nothing back and are not kernels, as launchers are: declared or defined in this code.
std::set<std::string> launchers_in(const std::string &code) {
  static const std::regex launcher(
      R"((__global__\s+)?(?:__launch_bounds__\s*\([^)]*\)\s*)?\bvoid\s+(\w+)\s*\()");
  std::set<std::string> names;
  for (std::sregex_iterator i(code.begin(), code.end(), launcher), end; i != end; ++i)
    if (!(*i)[1].matched) names.insert((*i)[2]);
  return names;
}

std::string list_of(const std::set<std::string> &names) {
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::vector<std::string> files_not_found(const fs::path &root, const course::Assignment &a) {
  const fs::path yaml = fs::relative(root / "assignments" / a.name / "assignment.yaml");
  std::vector<std::string> problems;
  for (const course::Yaml &y : course::Yaml::read(yaml).at("steps").items()) {
    const course::Step &step = *a.find_step(y.at("id").text());
    if (step.viva) continue;
    std::vector<std::string> lacking;
    std::string meant;
    for (const char *kind : {"starter", "solutions"}) {
      if (step.beyond && std::string_view(kind) == "starter") continue;
      const fs::path folder = fs::relative(root / kind / a.name);
      if (fs::is_regular_file(folder / step.path())) continue;
      lacking.push_back(folder.string());
      std::vector<std::string> files;
      for (const fs::path &file : relative_files_below(folder)) files.push_back(file.string());
      if (meant.empty()) meant = did_you_mean(step.path().string(), files);
    }
    if (!lacking.empty())
      problems.push_back(fmt::format("{}:{}: step '{}' has the file '{}', which is missing from {}{}",
                                     yaml.string(), y.at("file").line(), step.id, step.path().string(),
                                     fmt::join(lacking, " and "), meant));
  }
  return problems;
}

std::vector<std::string> entries_not_found(const fs::path &root, const course::Assignment &a) {
  const fs::path folder = fs::relative(root / "assignments" / a.name);
  const fs::path starter = fs::relative(root / "starter" / a.name);
  const fs::path solutions = fs::relative(root / "solutions" / a.name);
  std::set<std::string> declared;
  std::vector<std::string> headers;
  for (const fs::path &file : relative_files_below(starter)) {
    if (file.extension() != ".h") continue;
    headers.push_back((starter / file).string());
    declared.merge(launchers_in(without_comments(read_whole(starter / file))));
  }
  std::vector<std::string> problems;
  for (const course::Yaml &y : course::Yaml::read(folder / "assignment.yaml").at("steps").items()) {
    const auto entry = y.find("entry");
    if (!entry) continue;  // a file of answers
    const course::Step &step = *a.find_step(y.at("id").text());
    const std::string place =
        fmt::format("{}:{}: step '{}' has the entry '{}'", (folder / "assignment.yaml").string(),
                    entry->line(), step.id, step.entry);
    // A course need not hand out a declaration where the student writes the only one.
    if (!step.beyond && !declared.empty() && !declared.contains(step.entry)) {
      problems.push_back(fmt::format("{}, which {} does not declare (accepted: {})", place,
                                     fmt::join(headers, " or "), list_of(declared)));
      continue;
    }
    const fs::path file = solutions / step.path();
    if (!fs::is_regular_file(file)) continue;  // said already
    std::set<std::string> defined = launchers_in(without_comments(read_whole(file)));
    bool in_header = false;  // the course's own launcher, as where the student writes only the kernel
    for (const fs::path &header : relative_files_below(solutions)) {
      if (header.extension() == ".h")
        in_header |= std::regex_search(without_comments(read_whole(solutions / header)),
                                       std::regex("\\b" + step.entry + R"(\s*\([^;{}]*\)\s*\{)"));
    }
    if (!in_header && !defined.contains(step.entry))
      problems.push_back(
          fmt::format("{}, which {} does not define (accepted: {})", place, file.string(), list_of(defined)));
  }
  return problems;
}

std::vector<std::string> mistakes_in_handout(const fs::path &root, const course::Assignment &a) {
  const fs::path file = fs::relative(root / "handouts" / (a.name + ".md"));
  if (!fs::exists(file)) return {};
  report::HandoutFacts facts{a, {}, {}, {}, {}, {}, {}, {}};
  for (const course::Step &s : a.steps) {
    if (s.beyond) continue;
    const fs::path starter = root / "starter" / a.name;
    if (fs::exists(starter / s.file)) facts.starters[s.id] = read_whole(starter / s.file);
    for (const std::string &header : s.headers)
      if (fs::exists(starter / header)) facts.headers[header] = read_whole(starter / header);
  }
  std::vector<fs::path> files = course::translations_of(file);
  files.insert(files.begin(), file);
  std::vector<std::string> found;
  for (const fs::path &one : files)
    for (std::string &mistake : report::mistakes_in(course::read_handout(one, a), facts))
      found.push_back(std::move(mistake));
  return found;
}

std::vector<std::string> entries_that_fit_nothing(const fs::path &root, const course::Assignment &a) {
  const fs::path folder = fs::relative(root / "assignments" / a.name);
  const std::vector<mutants::Equivalent> all = mutants::read_equivalents(folder, a.name);
  std::vector<bool> fits(all.size());
  for (const course::Step &step : a.steps) {
    if (all.empty() || !step.has_kernel()) continue;
    const std::string source = read_whole(step.source_in(root / "solutions" / a.name));
    for (const mutants::Mutant &m : mutants::mutants_of(source))
      for (std::size_t i = 0; i < all.size(); ++i)
        if (!fits[i]) fits[i] = all[i].fits(step.id, source, m);
  }
  std::vector<std::string> found;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!fits[i])
      found.push_back(
          fmt::format("{}:{}: no change that 'gradebook harden' makes fits this entry: the solution has "
                      "changed since; remove it, or write it for what the solution is now",
                      (folder / mutants::equivalents_file).string(), all[i].at));
  return found;
}

}  // namespace warpgrade::authoring
