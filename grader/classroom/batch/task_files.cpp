#include "batch/task_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <sstream>
#include <system_error>

#include "base/files.hpp"
#include "base/json_fields.hpp"
#include "base/text.hpp"
#include "batch/content.hpp"
#include "grading/record_fields.hpp"

namespace warpgrade::batch {
WARPGRADE_FIELDS(TaskOrders, version, root, assignment, device, toolchain, seed, fingerprint, no_sandbox,
                 jobs)
WARPGRADE_FIELDS(TaskItem, step, file, text, lost)
WARPGRADE_FIELDS(TaskWork, orders, items)
WARPGRADE_FIELDS(ArrayWork, id, orders, tasks)
WARPGRADE_FIELDS(TaskResult, step, file, fingerprint, seconds, node, answered, text)
WARPGRADE_FIELDS(TaskRefusal, node, reason)
WARPGRADE_FIELDS(NodeFacts, node, version, asked, device, front_end, sandbox, problem)

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t most_task_bytes = std::uint64_t{1} << 30;
constexpr std::string_view mark = "warpgrade";

template <class T>
constexpr std::string_view kind_of = "";
template <>
constexpr std::string_view kind_of<TaskWork> = "work";
template <>
constexpr std::string_view kind_of<ArrayWork> = "array";
template <>
constexpr std::string_view kind_of<TaskResult> = "result";
template <>
constexpr std::string_view kind_of<TaskRefusal> = "refusal";
template <>
constexpr std::string_view kind_of<NodeFacts> = "node";

std::optional<std::string> text_of(const fs::path &path) try {
  const RegularFile file(path);
  if (file.size() > most_task_bytes)
    throw RefusedFile(fmt::format("{}: it is too large", path.filename().string()));
  std::string text(file.size(), '\0');
  text.resize(file.read(0, text));
  return text;
} catch (const std::system_error &e) {
  if (e.code().value() == ENOENT) return std::nullopt;
  throw RefusedFile(fmt::format("{}: it cannot be read: {}", path.filename().string(),
                                e.code().value() == EINVAL ? "it is not a file" : e.code().message()));
}

/// The content, when the first line fits it.
std::string_view content_of(std::string_view text, std::string_view kind) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) throw std::runtime_error("it is cut short");
  std::istringstream first{std::string(text.substr(0, end))};
  std::string word, its_kind, hash;
  int protocol = 0;
  std::size_t size = 0;
  if (!(first >> word >> its_kind >> protocol) || word != mark || its_kind != kind)
    throw std::runtime_error(fmt::format("it is not a {} of this program", kind));
  if (protocol != task_protocol)
    throw std::runtime_error(
        fmt::format("it uses protocol {}, and this gradebook reads {}", protocol, task_protocol));
  if (!(first >> size >> hash)) throw std::runtime_error("it is damaged");
  const std::string_view content = text.substr(end + 1);
  if (content.size() < size) throw std::runtime_error("it is cut short");
  if (content.size() > size || hash_of(content) != hash) throw std::runtime_error("it is damaged");
  return content;
}

}  // namespace

void write_atomically(const fs::path &file, std::string_view text) {
  write_whole(file, text, 0600);
  sync_folder(file.parent_path());
}

template <class T>
void write_task_file(const fs::path &file, const T &content) {
  const std::string text = json::write(content).dump();
  write_atomically(file, fmt::format("{} {} {} {} {}\n{}", mark, kind_of<T>, task_protocol, text.size(),
                                     hash_of(text), text));
}

template <class T>
std::optional<T> read_task_file(const fs::path &file) {
  const std::optional<std::string> text = text_of(file);
  if (!text) return std::nullopt;
  try {
    return json::read<T>(json::Json::parse(content_of(*text, kind_of<T>)));
  } catch (const std::exception &e) {
    throw RefusedFile(fmt::format("{}: {}", file.filename().string(), e.what()));
  }
}

template void write_task_file(const fs::path &, const TaskWork &);
template void write_task_file(const fs::path &, const ArrayWork &);
template void write_task_file(const fs::path &, const TaskResult &);
template void write_task_file(const fs::path &, const TaskRefusal &);
template void write_task_file(const fs::path &, const NodeFacts &);
template std::optional<TaskWork> read_task_file(const fs::path &);
template std::optional<ArrayWork> read_task_file(const fs::path &);
template std::optional<TaskResult> read_task_file(const fs::path &);
template std::optional<TaskRefusal> read_task_file(const fs::path &);
template std::optional<NodeFacts> read_task_file(const fs::path &);

fs::path arrays_folder(const fs::path &folder) {
  return folder / "arrays";
}

std::vector<fs::path> entries_of(const fs::path &folder) {
  std::vector<fs::path> found;
  std::error_code none;
  for (const auto &entry : fs::directory_iterator(folder, none)) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

std::string result_name(std::size_t task, std::size_t item) {
  return fmt::format("result-{}-{}.json", task, item);
}
std::string work_name(std::size_t task) {
  return fmt::format("work-{}.json", task);
}
std::string refusal_name(std::size_t task) {
  return fmt::format("refusal-{}.json", task);
}
std::string log_name(std::size_t task) {
  return fmt::format("log-{}.txt", task);
}

std::string job_script(const fs::path &folder, const fs::path &program, const std::vector<std::string> &words,
                       const std::vector<std::string> &setup) {
  std::string script = "#!/bin/bash\n";
  script += fmt::format("folder={} program={} task=${{SLURM_ARRAY_TASK_ID:-0}}\n",
                        shell_word(folder.string()), shell_word(program.string()));
  script += fmt::format("[ -d \"$folder\" ] || exit {}\n", static_cast<int>(folder_not_there));
  script += "exec >>\"$folder/log-$task.txt\" 2>&1 </dev/null\n";
  script += fmt::format("[ -x \"$program\" ] || {{ echo \"$program is missing\"; exit {}; }}\n",
                        static_cast<int>(program_not_there));
  script += "[ -d \"${TMPDIR:-/tmp}\" ] || unset TMPDIR\n";  // the submitting machine's may not be there
  for (const std::string &line : setup) script += line + "\n";
  script += "exec \"$program\"";
  for (const std::string &word : words) script += " " + shell_word(word);
  return script + " \"$folder\" \"$task\"\n";
}

}  // namespace warpgrade::batch
