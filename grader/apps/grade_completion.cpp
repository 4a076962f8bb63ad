// ./grade completion SHELL: makes the Tab key complete steps, options and their values.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iostream>

#include "apps/command_line.hpp"
#include "apps/commands.hpp"
#include "apps/completion.hpp"

namespace warpgrade::apps {

namespace {

constexpr const char *ask = "--candidates";

/// The steps of the assignment that a person means here; none where there is no course.
std::vector<std::string> steps_here(const std::vector<std::string> &words) {
  std::vector<std::string> ids;
  try {
    const auto named = std::find(words.begin(), words.end(), "--assignment");
    const std::filesystem::path root = find_root();
    const std::string name =
        named != words.end() && named + 1 != words.end() ? *(named + 1) : guess_assignment(root, {});
    const course::Assignment a = course::read_assignment(root / "assignments" / name);
    for (const course::Step &s : a.steps)
      if (is_there(root, a, s)) ids.push_back(s.id);
  } catch (const std::exception &) {
    // Then nothing is offered: a mistake in a file is no matter for the Tab key.
  }
  return ids;
}

/// One word a line for the shell. words: the place of the cursor, then all words after ./grade.
int answer(const std::vector<std::string> &words) {
  std::size_t place = 0;
  if (words.empty() ||
      std::from_chars(words[0].data(), words[0].data() + words[0].size(), place).ec != std::errc() ||
      place == 0)
    return usage;
  std::vector<std::string> before(words.begin() + 1, words.end());
  const std::string begun = place <= before.size() ? before[place - 1] : "";
  before.resize(std::min(place - 1, before.size()));

  std::vector<std::string> positionals = steps_here(before);
  int (*run)(const std::vector<std::string> &) = grade_steps;
  for (const Command &c : grade_commands()) {
    if (!is_offered(c)) continue;
    if (before.empty()) positionals.emplace_back(c.name);
    if (before.empty() || before.front() != c.name) continue;
    run = c.run;
    before.erase(before.begin());
    break;
  }
  if (run == completion) positionals = {"bash", "zsh", "fish"};
  if (run == doctor || run == grade_package) positionals = {};
  const auto before_parsing = describe_to([&](const CLI::App &app) {
    for (const std::string &word : candidates(app, before, begun, positionals)) fmt::print("{}\n", word);
  });
  return run({});
}

}  // namespace

int completion(const std::vector<std::string> &words) {
  if (!words.empty() && words.front() == ask) return answer({words.begin() + 1, words.end()});
  CLI::App app(
      "Prints a script that lets the Tab key complete steps, options and their values. For this shell:\n"
      "  eval \"$(./grade completion bash)\"",
      "grade completion");
  std::string shell;
  app.add_option("shell", shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  if (const auto status = parse(app, words)) return *status;
  std::cout << completion_script(shell);
  return full_score;
}

}  // namespace warpgrade::apps
