#include "sandbox/usage.hpp"

#include <fcntl.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>

namespace warpgrade::sandbox {
namespace {

constexpr std::uint64_t unknown = std::numeric_limits<std::uint64_t>::max();
constexpr int most_processes = 512, most_generations = 32;

/// A file of /proc, as far as it fits.
template <std::size_t Room>
class Text {
 public:
  explicit Text(const char *path) {
    const int file = ::open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    for (ssize_t got = 0; size_ < Room && (got = ::read(file, bytes_ + size_, Room - size_)) > 0;)
      size_ += static_cast<std::size_t>(got);
    ::close(file);
  }
  std::string_view view() const { return {bytes_, size_}; }

 private:
  char bytes_[Room];
  std::size_t size_ = 0;
};

/// Takes the next number out of `text`; 0 when there is none.
std::uint64_t next_number(std::string_view &text) {
  const std::size_t at = text.find_first_of("0123456789");
  if (at == std::string_view::npos) {
    text = {};
    return 0;
  }
  std::uint64_t number = 0;
  const char *end = std::from_chars(text.data() + at, text.data() + text.size(), number).ptr;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

/// The number behind `name` at the beginning of a line.
std::uint64_t number_of(std::string_view text, std::string_view name, std::uint64_t otherwise) {
  for (std::size_t at = 0; (at = text.find(name, at)) != std::string_view::npos; at += name.size()) {
    if (at != 0 && text[at - 1] != '\n') continue;
    std::string_view rest = text.substr(at + name.size());
    return next_number(rest);
  }
  return otherwise;
}

/// "/proc/PID/name" or "/proc/PID/task/PID/name".
class ProcPath {
 public:
  ProcPath(pid_t process, std::string_view name, bool of_task = false) {
    add("/proc/");
    add(process);
    if (of_task) {
      add("/task/");
      add(process);
    }
    add(name);
    *end_ = '\0';
  }
  const char *get() const { return text_; }

 private:
  void add(std::string_view word) { end_ = std::copy(word.begin(), word.end(), end_); }
  void add(pid_t number) { end_ = std::to_chars(end_, text_ + sizeof text_, number).ptr; }
  char text_[80];
  char *end_ = text_;
};

void add_process(pid_t process, TreeUsage &to) {
  const Text<256> memory(ProcPath(process, "/statm").get());
  std::string_view pages = memory.view();
  next_number(pages);  // of the address space
  const std::uint64_t resident = next_number(pages), of_files = next_number(pages);
  static const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  to.memory_bytes += (resident - std::min(resident, of_files)) * page;

  const Text<1024> facts(ProcPath(process, "/stat").get());
  std::string_view times = facts.view();
  times.remove_prefix(std::min(times.rfind(')'), times.size()));  // the name may hold anything
  to.runnable |= times.starts_with(") R");
  for (int i = 0; i < 10; ++i) next_number(times);  // parent to children's major faults
  static const auto second = static_cast<double>(::sysconf(_SC_CLK_TCK));
  for (int i = 0; i < 4; ++i) to.cpu_seconds += static_cast<double>(next_number(times)) / second;
}

void add_children(pid_t process, int generation, int &count, TreeUsage &to) {
  const Text<4096> list(ProcPath(process, "/children", true).get());
  std::string_view rest = list.view();
  while (count < most_processes) {
    const auto child = static_cast<pid_t>(next_number(rest));
    if (child == 0) return;
    ++count;
    add_process(child, to);
    if (generation < most_generations) add_children(child, generation + 1, count, to);
  }
}

}  // namespace

TreeUsage usage_below(pid_t root) {
  TreeUsage usage;
  int count = 0;
  add_children(root, 0, count, usage);
  return usage;
}

std::uint64_t memory_left() {
  const Text<8192> facts("/proc/meminfo");
  const std::string_view text = facts.view();
  const std::uint64_t available = number_of(text, "MemAvailable:", unknown);
  if (available == unknown) return unknown;
  std::uint64_t left = available + number_of(text, "SwapFree:", 0);
  if (Text<16>("/proc/sys/vm/overcommit_memory").view().starts_with('2')) {  // what is promised counts
    const std::uint64_t most = number_of(text, "CommitLimit:", 0),
                        promised = number_of(text, "Committed_AS:", 0);
    left = std::min(left, most - std::min(most, promised));
  }
  return left << 10;
}

std::uint64_t kills_for_memory() {
  return number_of(Text<32768>("/proc/vmstat").view(), "oom_kill ", 0);
}

std::uint64_t space_left(int folder) {
  struct statfs facts {};
  if (folder < 0 || ::fstatfs(folder, &facts) != 0) return unknown;
  if (facts.f_files > 0 && facts.f_ffree == 0) return 0;
  return static_cast<std::uint64_t>(facts.f_bavail) * static_cast<std::uint64_t>(facts.f_bsize);
}

}  // namespace warpgrade::sandbox
