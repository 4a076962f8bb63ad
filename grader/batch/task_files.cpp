#include "batch/task_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <sstream>
#include <utility>

#include "batch/content.hpp"
#include "grading/record_fields.hpp"
#include "json/fields.hpp"

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

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;
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

std::string host_name() {
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  return name;
}

class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  File(const File &) = delete;
  File &operator=(const File &) = delete;
  int get() const { return descriptor_; }
  /// On a file system of the network, what could not be written may show here only.
  bool close() { return ::close(std::exchange(descriptor_, -1)) == 0; }

 private:
  int descriptor_;
};

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = ::write(descriptor, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

std::optional<std::string> text_of(const fs::path &path) {
  const std::string name = path.filename().string();
  const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (file.get() < 0) {
    if (errno == ENOENT) return std::nullopt;
    throw RefusedFile(fmt::format("{}: it cannot be read: {}", name, std::strerror(errno)));
  }
  struct stat facts {};
  if (::fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode))
    throw RefusedFile(fmt::format("{}: it is no file", name));
  if (static_cast<std::uint64_t>(facts.st_size) > most_bytes)
    throw RefusedFile(fmt::format("{}: it is too large", name));
  std::string text;
  char piece[1 << 16];
  for (;;) {
    const ssize_t got = ::read(file.get(), piece, sizeof piece);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw RefusedFile(fmt::format("{}: it cannot be read: {}", name, std::strerror(errno)));
    if (got == 0) return text;
    text.append(piece, static_cast<std::size_t>(got));
  }
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
    throw std::runtime_error(fmt::format("it is no {} of this program", kind));
  if (protocol != task_protocol)
    throw std::runtime_error(
        fmt::format("it is of protocol {}, and this gradebook reads {}", protocol, task_protocol));
  if (!(first >> size >> hash)) throw std::runtime_error("it is damaged");
  const std::string_view content = text.substr(end + 1);
  if (content.size() < size) throw std::runtime_error("it is cut short");
  if (content.size() > size || hash_of(content) != hash) throw std::runtime_error("it is damaged");
  return content;
}

/// As a word of a shell.
std::string quoted(const std::string &text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

}  // namespace

void write_atomically(const fs::path &file, std::string_view text) {
  // Machines share the folder: a number of a process alone is no name of one's own.
  const fs::path fresh =
      file.parent_path() / fmt::format(".{}.{}.{}.new", file.filename().string(), host_name(), ::getpid());
  const auto fail = [&](const char *what) {
    const std::string why = std::strerror(errno);
    ::unlink(fresh.c_str());
    throw std::runtime_error(fmt::format("{} cannot be {}: {}", file.string(), what, why));
  };
  {
    File out(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (out.get() < 0 || !write_all(out.get(), text) || ::fsync(out.get()) != 0 || !out.close())
      fail("written");
  }
  if (::rename(fresh.c_str(), file.c_str()) != 0) fail("renamed");
  const File folder(::open(file.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() >= 0) ::fsync(folder.get());
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
  script += fmt::format("folder={} program={} task=${{SLURM_ARRAY_TASK_ID:-0}}\n", quoted(folder.string()),
                        quoted(program.string()));
  script += fmt::format("[ -d \"$folder\" ] || exit {}\n", static_cast<int>(folder_not_there));
  script += "exec >>\"$folder/log-$task.txt\" 2>&1 </dev/null\n";
  script += fmt::format("[ -x \"$program\" ] || {{ echo \"$program is not there\"; exit {}; }}\n",
                        static_cast<int>(program_not_there));
  script += "[ -d \"${TMPDIR:-/tmp}\" ] || unset TMPDIR\n";  // the submitting machine's may not be there
  for (const std::string &line : setup) script += line + "\n";
  script += "exec \"$program\"";
  for (const std::string &word : words) script += " " + quoted(word);
  return script + " \"$folder\" \"$task\"\n";
}

}  // namespace warpgrade::batch
