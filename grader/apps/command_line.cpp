#include "apps/command_line.hpp"

#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "setup/files.hpp"

namespace warpgrade::apps {

namespace {

/// CLI11 itself takes -1 for the largest number, and a longer one for that as well.
std::string whole_number(const std::string &text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return "";
  return fmt::format("must be a whole number from 0 to {}", std::numeric_limits<std::uint64_t>::max());
}

}  // namespace

void add_toolchain_option(CLI::App &app, std::string &toolchain) {
  app.add_option("--toolchain", toolchain, "the compiler: auto (nvcc where it is installed), nvcc or clang")
      ->check(CLI::IsMember({"auto", "nvcc", "clang"}));
}

void add_common_options(CLI::App &app, Common &c) {
  app.add_option("--submission", c.submission,
                 "the folder with the .cu files; default: this folder, or the starter");
  app.add_option("--assignment", c.assignment, "which one, such as hw6");
  app.add_option("--device", c.device, "auto, gpu or sim")->check(CLI::IsMember({"auto", "gpu", "sim"}));
  add_toolchain_option(app, c.toolchain);
  app.add_option("--seed", c.seed,
                 "of the random inputs; default: the course's public seed (a class run draws its own)")
      ->check(whole_number);
  app.add_option("--case", c.one, "only this case, such as \"m=n=k=129 alpha=0.5\"");
  app.add_option("--size", c.size, "the same with all sizes equal, such as 129");
  app.add_option(
      "--ones", c.ones,
      "with --case: the inputs are 0 but for these elements, which are 1, such as \"A[0][5],B[5][3]\"");
  app.add_flag("--no-sandbox", c.no_sandbox, "run student code with limits only");
  app.set_version_flag("--version", std::string("warpgrade ") + WARPGRADE_VERSION);
}

namespace {
std::function<void(const CLI::App &)> described_to;
}  // namespace

std::shared_ptr<void> describe_to(std::function<void(const CLI::App &)> reader) {
  described_to = std::move(reader);
  return {nullptr, [](void *) { described_to = nullptr; }};
}

std::optional<int> parse(CLI::App &app, const std::vector<std::string> &words) {
  if (described_to) {
    described_to(app);
    return full_score;
  }
  std::vector<std::string> reversed(words.rbegin(), words.rend());
  try {
    app.parse(reversed);
    return std::nullopt;
  } catch (const CLI::ParseError &e) {
    return app.exit(e) == 0 ? full_score : usage;
  }
}

void require_writable(const CLI::App &app, const std::vector<std::string> &options) {
  for (const std::string &name : options)
    if (const CLI::Option *option = app.get_option(name); option->count() > 0)
      if (const std::string why = why_not_writable(option->as<std::string>()); !why.empty())
        throw UsageError(fmt::format("{}: {}", name, why));
}

}  // namespace warpgrade::apps
