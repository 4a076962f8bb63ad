#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "authoring/authoring.hpp"
#include "authoring/checkout.hpp"
#include "base/process.hpp"
#include "setup/files.hpp"
#include "setup/selection.hpp"

namespace warpgrade::authoring {

namespace fs = std::filesystem;

namespace {

bool is_name(const std::string &name) {
  const auto lower = [](char c) { return c >= 'a' && c <= 'z'; };
  return !name.empty() && name.size() <= 40 && lower(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return lower(c) || (c >= '0' && c <= '9') || c == '_' || c == '-'; });
}

std::string filled_in(std::string text, const std::map<std::string, std::string> &values) {
  for (const auto &[mark, value] : values)
    for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += value.size())
      text.replace(at, mark.size(), value);
  return text;
}

/// Where a file of the template goes; empty for what stays behind.
fs::path place_of(const fs::path &file, const std::string &name) {
  if (file == "README.md") return {};
  if (file == "handout.md") return fs::path("handouts") / (name + ".md");
  const fs::path first = *file.begin();
  return first == "solutions" ? first / name / file.lexically_relative(first)
                              : fs::path("assignments") / name / file;
}

std::map<fs::path, std::string> files_of(const fs::path &from, const std::string &name,
                                         const std::string &title) {
  if (!fs::is_directory(from))
    throw UsageError(
        fmt::format("{} is missing; new assignments are made from it", fs::relative(from).string()));
  std::map<fs::path, std::string> files;
  for (const auto &entry : fs::recursive_directory_iterator(from)) {
    const fs::path to = place_of(entry.path().lexically_relative(from), name);
    if (entry.is_regular_file() && !to.empty())
      files[to] = filled_in(read_whole(entry.path()), {{"@NAME@", name}, {"@TITLE@", title}});
  }
  return files;
}

/// The course that the working directory is in; if it is in none, it becomes one.
fs::path course_here() {
  for (fs::path at = fs::current_path();; at = at.parent_path()) {
    if (fs::is_directory(at / "assignments")) return at;
    if (at == at.parent_path()) return fs::current_path();
  }
}

}  // namespace

void require_new_assignment(const fs::path &root, const std::string &name) {
  if (!is_name(name))
    throw UsageError(
        fmt::format("'{}' is not the name of an assignment; accepted are lower-case letters, digits, '_' "
                    "and '-', beginning with a letter",
                    name));
  for (const char *part : {"assignments", "solutions", "starter"})
    if (fs::exists(root / part / name))
      throw UsageError(
          fmt::format("{} is there already; nothing was written", fs::relative(root / part / name).string()));
}

void make_starter(const fs::path &checkout, const fs::path &root, const std::string &name) {
  const CommandOutcome made =
      run_command({"bash", (checkout / "tools/make-starter").string(), (root / "solutions" / name).string(),
                   (root / "starter" / name).string()},
                  60);
  if (!made.ok()) throw std::runtime_error("tools/make-starter failed: " + made.error);
}

int make_assignment(const std::string &name, std::string title, bool problem) {
  if (title.empty()) title = name;
  if (title.find_first_of("\"\\\n") != std::string::npos)
    throw UsageError("--title: quotes, backslashes and line breaks are not accepted");
  const fs::path root = course_here();
  const std::optional<fs::path> checkout = find_checkout(root);
  if (!checkout)
    throw UsageError(
        "there is no templates/ and tools/ here or where this program was built; run it from a checkout of "
        "Warpgrade, or with the program of a checkout");
  require_new_assignment(root, name);
  const auto files = files_of(*checkout / "templates" / (problem ? "problem" : "assignment"), name, title);
  for (const auto &[file, text] : files)
    if (fs::exists(root / file))
      throw UsageError(
          fmt::format("{} is there already; nothing was written", fs::relative(root / file).string()));
  for (const auto &[file, text] : files) {
    fs::create_directories((root / file).parent_path());
    write_whole(root / file, text);
    fmt::print("{}\n", fs::relative(root / file).string());
  }
  make_starter(*checkout, root, name);
  fmt::print("{}\n", fs::relative(root / "starter" / name).string());
  const std::string problem_file = fs::relative(root / "assignments" / name / "problem.cpp").string();
  fmt::print(
      "{} 'gradebook lint --grade {}' checks it; docs/adding-an-assignment.md says what comes next.\n",
      problem
          ? fmt::format(
                "{} says what is computed: replace it, and run '{}', which compiles it into the programs.",
                problem_file,
                *checkout == root ? "make"
                                  : fmt::format("make -C {} COURSE={}", checkout->string(), root.string()))
          : "It computes P = M N; replace it with a problem of your own.",
      name);
  return full_score;
}

}  // namespace warpgrade::authoring
