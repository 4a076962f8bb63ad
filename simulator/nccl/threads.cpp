#include "nccl/threads.hpp"

#include <dirent.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace warpgrade::nccl {
namespace {

std::string file_of(const std::string &thread, const char *name) {
  std::ifstream in("/proc/self/task/" + thread + "/" + name);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// "202 0x7f.. 0x189 0x0 0x0 ...": the number of a system call and its arguments, of which a futex's fourth is a limit of
/// time.
bool waits_without_limit(const std::string &text) {
  std::istringstream in(text);
  long call = -1;
  std::string futex, operation, value, limit;
  if (!(in >> call >> futex >> operation >> value >> limit) || call != SYS_futex) return false;
  const unsigned long what = std::strtoul(operation.c_str(), nullptr, 16) & FUTEX_CMD_MASK;
  constexpr unsigned long waits[] = {FUTEX_WAIT, FUTEX_WAIT_BITSET, FUTEX_LOCK_PI, FUTEX_WAIT_REQUEUE_PI};
  return std::find(std::begin(waits), std::end(waits), what) != std::end(waits) &&
         std::strtoul(limit.c_str(), nullptr, 16) == 0;
}

/// The state stands behind the name, which may hold anything.
bool sleeps(const std::string &stat) {
  const std::size_t end = stat.rfind(')');
  return end != std::string::npos && end + 2 < stat.size() && stat[end + 2] == 'S';
}

std::uint64_t switches_in(const std::string &status) {
  std::uint64_t sum = 0;
  std::istringstream in(status);
  for (std::string line; std::getline(in, line);)
    if (const std::size_t at = line.find("ctxt_switches:"); at != std::string::npos)
      sum += std::strtoull(line.c_str() + at + 14, nullptr, 10);
  return sum;
}

}  // namespace

int this_thread() {
  return static_cast<int>(::syscall(SYS_gettid));
}

Look look_at_threads(const std::set<int> &known) {
  Look seen{true, true, {}};
  DIR *const folder = ::opendir("/proc/self/task");
  if (folder == nullptr) return {};
  while (const dirent *entry = ::readdir(folder)) {
    const int thread = std::atoi(entry->d_name);
    if (thread == 0 || thread == this_thread() || known.count(thread) != 0) continue;
    const std::string call = file_of(entry->d_name, "syscall");
    const bool waits = waits_without_limit(call);
    seen.all_wait = seen.all_wait && waits;
    seen.all_may_wait =
        seen.all_may_wait && (waits || (call.empty() && sleeps(file_of(entry->d_name, "stat"))));
    seen.switches[thread] = switches_in(file_of(entry->d_name, "status"));
  }
  ::closedir(folder);
  return seen;
}

}  // namespace warpgrade::nccl
