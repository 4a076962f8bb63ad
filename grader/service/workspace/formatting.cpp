#include "service/workspace/formatting.hpp"

#include <fmt/format.h>

#include "base/files.hpp"
#include "base/scratch.hpp"
#include "base/usage.hpp"
#include "build/sandboxed.hpp"

namespace warpgrade::service {

namespace fs = std::filesystem;

namespace {

constexpr int newest_release = 21, oldest_release = 11;
constexpr const char *style_file = ".clang-format";
constexpr const char *our_style =
    "{BasedOnStyle: Google, ColumnLimit: 110, DerivePointerAlignment: false, PointerAlignment: Right, "
    "AllowShortFunctionsOnASingleLine: Inline, ReflowComments: false}";

}  // namespace

const fs::path &formatter() {
  static const fs::path found = [] {
    std::vector<std::string> names = {"clang-format"};
    for (int release = newest_release; release >= oldest_release; --release)
      names.push_back(fmt::format("clang-format-{}", release));
    return build::find_on_path(environment("PATH"), names).value_or(fs::path());
  }();
  return found;
}

std::string formatted(const sandbox::Sandbox &sandbox, const fs::path &starter, const std::string &name,
                      const std::string &text) {
  if (formatter().empty()) throw std::runtime_error("the service's machine has no clang-format");
  const Scratch work;
  const fs::path file = fs::path(name).filename();
  write_scratch(work.path() / file, text);
  std::string style = our_style;
  if (fs::is_regular_file(starter / style_file)) {
    write_scratch(work.path() / style_file, read_whole(starter / style_file));
    style = "file";
  }
  sandbox::Command command;
  command.arguments = {fs::canonical(formatter()).string(), "-i", "--style=" + style, file.string()};
  command.environment = {"PATH=/usr/bin:/bin"};
  command.work = work.path();
  command.limits = {.wall_seconds = 10,
                    .cpu_seconds = 5,
                    .memory_bytes = std::uint64_t{1} << 30,
                    .stretch = 4,
                    .file_bytes = std::uint64_t{4} << 20,
                    .processes = 8};
  const sandbox::Outcome outcome = sandbox.run(command);
  if (!outcome.ok())
    throw std::runtime_error(
        outcome.end == sandbox::Outcome::End::exited
            ? fmt::format("clang-format refused the file: {}", outcome.output.substr(0, 300))
            : "clang-format did not end within its limits");
  const std::string made = build::text_of(read_regular(work.path() / file, command.limits.file_bytes));
  if (made.empty() && !text.empty()) throw std::runtime_error("clang-format left no text");
  return made;
}

}  // namespace warpgrade::service
