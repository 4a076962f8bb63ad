#include "program/keeper.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <system_error>

#include "base/files.hpp"

namespace warpgrade::program {
namespace {

namespace fs = std::filesystem;

/// Kills every process whose environment contains the mark. True if there was one.
bool kill_marked(const std::string &mark) {
  bool any = false;
  std::error_code none;
  for (fs::directory_iterator entry("/proc", none), end; entry != end; entry.increment(none)) {
    const std::string name = entry->path().filename().string();
    pid_t process = 0;
    const auto [rest, error] = std::from_chars(name.data(), name.data() + name.size(), process);
    if (error != std::errc() || rest != name.data() + name.size() || process == ::getpid()) continue;
    if (read_or_empty(entry->path() / "environ").find(mark) == std::string::npos) continue;
    any = ::kill(process, SIGKILL) == 0 || any;
  }
  return any;
}

int keep(int alive, const std::string &mark, const fs::path &folder) {
  ::setsid();  // what ends the terminal's processes does not end this one
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) ::signal(signal, SIG_IGN);
  for (int standard = 0; standard < 3; ++standard) ::close(standard);  // nobody waits for our end of a pipe
  char word = 0;
  ssize_t got = 0;
  while ((got = ::read(alive, &word, 1)) < 0 && errno == EINTR) {
  }
  if (got != 0) return 0;
  constexpr int most_rounds = 20;  // a process may start another one while we look
  for (int round = 0; round < most_rounds && kill_marked(mark); ++round) ::usleep(10'000);
  std::error_code none;
  fs::remove_all(folder, none);
  return 0;
}

}  // namespace

Keeper::Keeper(std::string mark, fs::path folder) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return;
  const Descriptor read_end(ends[0]);
  alive_ = Descriptor(ends[1]);
  const int end = alive_.get();
  try {
    process_ = Child::copy(
        [&] {
          ::close(end);
          return keep(read_end.get(), mark, folder);
        },
        true);
  } catch (const std::system_error &) {  // then only the program itself ends with us
    alive_.close();
  }
}

Keeper::~Keeper() {
  if (!process_.running()) return;
  write_all(alive_.get(), "x");
  process_.ended(10);
}

}  // namespace warpgrade::program
