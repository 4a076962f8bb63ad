#include "course/slurm_site.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "course/yaml.hpp"

namespace warpgrade::course {

namespace {

// Options that the grader itself sets, or that would take a job out of its control.
constexpr std::string_view ours[] = {"array",     "job-name", "output", "error",  "input",  "chdir",
                                     "wrap",      "parsable", "nodes",  "ntasks", "wait",   "clusters",
                                     "test-only", "help",     "hold",   "quiet",  "version"};

std::string one_line(const Yaml &y) {
  const std::string text = y.text();
  for (const char c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      y.fail("control characters and line ends mean nothing here");
  return text;
}

std::string option_text(const Yaml &file, std::string_view key) {
  const auto y = file.find(key);
  return y ? one_line(*y) : std::string();
}

/// "--name" or "--name=value", and not one of ours: sbatch accepts any prefix of a name.
std::string sbatch_option(const Yaml &y) {
  const std::string text = one_line(y);
  if (!text.starts_with("--") || text.size() < 4)
    y.fail(fmt::format("'{}' is not an option of sbatch; accepted: --NAME or --NAME=VALUE", text));
  const std::string name = text.substr(2, text.find('=') - 2);
  if (name.find(' ') != std::string::npos)
    y.fail(fmt::format("'{}': write --NAME=VALUE, with no blank between them", text));
  for (const std::string_view own : ours)
    if (own.starts_with(name)) y.fail(fmt::format("--{} is set by gradebook itself", own));
  return text;
}

}  // namespace

SlurmSite read_slurm_site(const std::filesystem::path &file) {
  const Yaml y = Yaml::read(file);
  y.expect_keys({"partition", "account", "qos", "gres", "constraint", "memory", "time", "cpus_per_task",
                 "throttle", "queued_tasks", "files_per_task", "tries", "grace_seconds", "poll_seconds",
                 "folder", "sbatch", "setup"});
  SlurmSite site;
  site.partition = option_text(y, "partition");
  site.account = option_text(y, "account");
  site.qos = option_text(y, "qos");
  site.gres = option_text(y, "gres");
  site.constraint = option_text(y, "constraint");
  site.memory = option_text(y, "memory");
  site.time = option_text(y, "time");
  const auto number = [&y](std::string_view key, int &to, int least, int most) {
    if (const auto given = y.find(key)) to = static_cast<int>(given->integer(least, most));
  };
  number("cpus_per_task", site.cpus_per_task, 1, 1024);
  number("throttle", site.throttle, 1, 100'000);
  number("queued_tasks", site.queued_tasks, 1, 1'000'000);
  number("files_per_task", site.files_per_task, 1, 10'000);
  number("tries", site.tries, 1, 100);
  if (const auto given = y.find("grace_seconds")) site.grace_seconds = given->real(0, 3600);
  if (const auto given = y.find("poll_seconds")) site.poll_seconds = given->real(0.1, 3600);
  if (const auto given = y.find("folder")) {
    site.folder = one_line(*given);
    if (!std::filesystem::path(site.folder).is_absolute())
      given->fail(fmt::format("'{}' should be an absolute path, the same on all nodes", site.folder));
  }
  if (const auto given = y.find("sbatch"))
    for (const Yaml &option : given->items()) site.sbatch.push_back(sbatch_option(option));
  if (const auto given = y.find("setup"))
    for (const Yaml &line : given->items()) site.setup.push_back(one_line(line));
  return site;
}

}  // namespace warpgrade::course
