#include "batch/cluster.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <span>
#include <sstream>
#include <string_view>

namespace warpgrade::batch {

namespace {

constexpr double submit_seconds = 120, ask_seconds = 40;  // Slurm's own time limits are shorter
constexpr std::size_t usual_longest_array = 1001;         // Slurm's default
constexpr std::size_t most_tasks_of_a_line = 5'000'000;

// Words of Slurm's error messages, as its sources have them since 17.11.
constexpr std::string_view silent_words[] = {"Unable to contact slurm controller",
                                             "Socket timed out",
                                             "Connection refused",
                                             "Connection timed out",
                                             "Transport endpoint",
                                             "Zero Bytes were transmitted",
                                             "temporarily unable to accept job",
                                             "controller is in standby",
                                             "Unable to establish controller"};
constexpr std::string_view full_words[] = {
    "MaxSubmitJob",   "MaxJobCount",    "job submit limit", "QOSMaxSubmit",
    "AssocMaxSubmit", "AssocGrpSubmit", "QOSGrpSubmit",     "Resource temporarily unavailable"};

bool has_any(const std::string &text, std::span<const std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view w) { return text.find(w) != std::string::npos; });
}

std::vector<std::string> split(const std::string &line, char at) {
  std::vector<std::string> parts(1);
  for (const char c : line)
    if (c == at)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

std::optional<std::size_t> number(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// "7", "3-7", "1,4-6:2%3": the tasks that a line of squeue is about; none where it is not such a list.
std::vector<std::size_t> tasks_in(const std::string &text) {
  std::vector<std::size_t> tasks;
  for (const std::string &range : split(text.substr(0, text.find('%')), ',')) {
    const std::size_t colon = range.find(':'), dash = range.find('-');
    const auto step = colon == std::string::npos ? 1 : number(range.substr(colon + 1));
    const auto first = number(range.substr(0, std::min(dash, colon)));
    const auto last = dash == std::string::npos ? first : number(range.substr(dash + 1, colon - dash - 1));
    if (!step || *step == 0 || !first || !last || *last < *first || *last - *first > most_tasks_of_a_line)
      return {};
    for (std::size_t i = *first; i <= *last; i += *step) tasks.push_back(i);
  }
  return tasks;
}

std::string ended_as(const std::string &state, const std::string &exit, const std::string &node) {
  std::string said = state.substr(0, state.find(' '));  // "CANCELLED by 1000"
  const std::size_t colon = exit.find(':');
  if (colon != std::string::npos) {
    const std::string status = exit.substr(0, colon), signal = exit.substr(colon + 1);
    if (signal != "0")
      said += fmt::format(" by signal {}", signal);
    else if (status != "0")
      said += fmt::format(" with exit status {}", status);
  }
  if (!node.empty() && node != "(null)" && node != "None assigned") said += fmt::format(" on {}", node);
  return said;
}

/// A sentence of what a command printed as an error, without the command's name on every line.
std::string one_line(const std::string &text) {
  std::string said;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    for (const std::string_view prefix :
         {"sbatch: error: ", "sbatch: ", "squeue: error: ", "scancel: error: "})
      if (line.starts_with(prefix)) {
        line.erase(0, prefix.size());
        break;
      }
    if (!line.empty()) said += (said.empty() ? "" : "; ") + line;
  }
  return said;
}

std::string words_of(const std::vector<std::string> &words) {
  std::string all;
  for (const std::string &word : words) {
    const bool plain = word.find_first_not_of(
                           "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                           "-_=/.,:%+@") == std::string::npos;
    all += (all.empty() ? "" : " ") + (plain ? word : "'" + word + "'");
  }
  return all;
}

CommandOutcome ask(const std::vector<std::string> &words, double seconds) {
  CommandOutcome outcome = run_command(words, seconds);
  if (!outcome.started)
    throw ClusterError(
        ClusterError::Kind::no_slurm,
        fmt::format("there is no {} on the PATH: is this a machine from which jobs are submitted, and "
                    "are Slurm's commands (slurm-client) installed?",
                    words[0]));
  if (!outcome.in_time)
    throw ClusterError(ClusterError::Kind::silent,
                       fmt::format("{} did not answer in {:.0f} s", words[0], seconds));
  return outcome;
}

std::string user() {
  return std::to_string(::getuid());
}

}  // namespace

bool QueuedTask::ended() const {
  static constexpr std::string_view last[] = {"BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE",
                                              "FAILED",    "NODE_FAIL", "PREEMPTED", "OUT_OF_MEMORY",
                                              "TIMEOUT",   "REVOKED"};
  return std::find(std::begin(last), std::end(last), state) != std::end(last);
}

ClusterError::Kind kind_of_refusal(const std::string &error) {
  if (error.find("Invalid job array specification") != std::string::npos) return ClusterError::Kind::too_long;
  if (has_any(error, silent_words)) return ClusterError::Kind::silent;
  if (has_any(error, full_words)) return ClusterError::Kind::full;
  return ClusterError::Kind::rejected;
}

std::vector<QueuedTask> read_squeue(const std::string &text) {
  std::vector<QueuedTask> queue;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    const std::vector<std::string> parts = split(line, '|');
    if (parts.size() < 6) continue;
    for (const std::size_t task : tasks_in(parts[1]))
      queue.push_back({parts[5], parts[0], task, parts[2], parts[3], parts[4]});
  }
  return queue;
}

std::string read_sacct(const std::string &text, const std::string &job, std::size_t task) {
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    const std::vector<std::string> parts = split(line, '|');
    if (parts.size() >= 4 && parts[0] == fmt::format("{}_{}", job, task))
      return ended_as(parts[1], parts[2], parts[3]);
  }
  return "";
}

std::string read_scontrol_job(const std::string &text) {
  const auto value_of = [&text](const std::string &key) -> std::string {
    const std::size_t at = text.find(" " + key + "=");
    if (at == std::string::npos) return "";
    const std::size_t from = at + key.size() + 2;
    return text.substr(from, text.find_first_of(" \n", from) - from);
  };
  const std::string state = value_of("JobState");
  return state.empty() ? "" : ended_as(state, value_of("ExitCode"), value_of("NodeList"));
}

std::optional<std::size_t> read_longest_array(const std::string &text) {
  std::istringstream in(text);
  for (std::string key, equals, value; in >> key;) {
    if (key != "MaxArraySize") continue;
    if (in >> equals >> value && equals == "=") return number(value);
    break;
  }
  return std::nullopt;
}

std::string SlurmCluster::submit(const std::vector<std::string> &words) {
  std::vector<std::string> all = {"sbatch", "--parsable"};
  all.insert(all.end(), words.begin(), words.end());
  const CommandOutcome outcome = ask(all, submit_seconds);
  const std::string job = outcome.out.substr(0, outcome.out.find_first_of(";\n"));
  if (outcome.ok() && number(job)) return job;
  const std::string said = one_line(outcome.error.empty() ? outcome.out : outcome.error);
  const ClusterError::Kind kind = kind_of_refusal(said);
  if (kind == ClusterError::Kind::silent)
    throw ClusterError(kind, fmt::format("the cluster does not answer: {}", said));
  throw ClusterError(kind, fmt::format("the cluster rejects the job: {}\n  {}", said, words_of(all)));
}

std::vector<QueuedTask> SlurmCluster::queue() {
  const CommandOutcome outcome =
      ask({"squeue", "-h", "-r", "-t", "all", "-u", user(), "-o", "%F|%K|%T|%r|%N|%j"}, ask_seconds);
  if (!outcome.ok())
    throw ClusterError(ClusterError::Kind::silent,
                       fmt::format("the cluster does not answer: {}", one_line(outcome.error)));
  return read_squeue(outcome.out);
}

std::string SlurmCluster::how_it_ended(const std::string &job, std::size_t task) {
  const std::string one = fmt::format("{}_{}", job, task);
  try {
    if (accounting_) {
      const CommandOutcome outcome =
          ask({"sacct", "-n", "-P", "-X", "-j", one, "--format=JobID,State,ExitCode,NodeList"}, ask_seconds);
      accounting_ = outcome.ok();
      if (std::string said = read_sacct(outcome.out, job, task); !said.empty()) return said;
    }
    return read_scontrol_job(ask({"scontrol", "-o", "show", "job", one}, ask_seconds).out);
  } catch (const ClusterError &) {
    return "";
  }
}

void SlurmCluster::cancel(const std::string &name) {
  const CommandOutcome outcome = ask({"scancel", "--user=" + user(), "--name=" + name}, submit_seconds);
  // What has ended meanwhile is not a mistake; scancel says that in its own words and with a status of its
  // own.
  if (!outcome.ok() && kind_of_refusal(outcome.error) == ClusterError::Kind::silent)
    throw ClusterError(ClusterError::Kind::silent,
                       fmt::format("the cluster does not answer: {}", one_line(outcome.error)));
}

std::size_t SlurmCluster::longest_array() {
  const CommandOutcome outcome = ask({"scontrol", "show", "config"}, ask_seconds);
  return std::max<std::size_t>(1, read_longest_array(outcome.out).value_or(usual_longest_array));
}

}  // namespace warpgrade::batch
