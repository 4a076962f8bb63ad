#include "batch/command.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <utility>

extern char **environ;

namespace warpgrade::batch {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t most_output = std::size_t{64} << 20;  // of a queue with very many jobs

class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0)
      throw std::runtime_error(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe &) = delete;
  Pipe &operator=(const Pipe &) = delete;
  int end(std::size_t i) const { return ends_[i]; }
  void close_end(std::size_t i) {
    if (ends_[i] >= 0) ::close(std::exchange(ends_[i], -1));
  }
  /// Reads what is there; closes at the end.
  void read_into(std::string &text) {
    char piece[1 << 16];
    const ssize_t got = ::read(ends_[0], piece, sizeof piece);
    if (got < 0 && errno == EINTR) return;
    if (got <= 0) return close_end(0);
    if (text.size() < most_output) text.append(piece, static_cast<std::size_t>(got));
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

/// Starts it with its ends of the pipes; gives an error number, 0 when it runs.
int start(const std::vector<std::string> &words, const Pipe &out, const Pipe &error, pid_t &child) {
  std::vector<char *> argv;
  for (const std::string &word : words) argv.push_back(const_cast<char *>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&files, out.end(1), 1);
  ::posix_spawn_file_actions_adddup2(&files, error.end(1), 2);
  sigset_t none, standard;
  ::sigemptyset(&none);
  ::sigemptyset(&standard);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::sigaddset(&standard, signal);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &standard);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  const int problem = ::posix_spawnp(&child, argv[0], &files, &attributes, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&files);
  ::posix_spawnattr_destroy(&attributes);
  return problem;
}

}  // namespace

CommandOutcome run_command(const std::vector<std::string> &words, double seconds) {
  CommandOutcome outcome;
  Pipe out, error;
  pid_t child = -1;
  const int problem = start(words, out, error, child);
  if (problem == ENOENT || problem == ENOTDIR || problem == EACCES) return outcome;
  if (problem != 0)
    throw std::runtime_error(fmt::format("cannot start {}: {}", words.at(0), std::strerror(problem)));
  outcome.started = true;
  out.close_end(1);
  error.close_end(1);
  const auto deadline = Clock::now() + std::chrono::duration<double>(seconds);
  int status = 0;
  bool ended = false;
  while (!ended || out.end(0) >= 0 || error.end(0) >= 0) {
    if (!ended) ended = ::waitpid(child, &status, WNOHANG) == child;
    // Once it has ended, only what is in the pipes already counts: a process that it left may hold them open.
    pollfd ends[] = {{out.end(0), POLLIN, 0}, {error.end(0), POLLIN, 0}};
    const int ready = ::poll(ends, 2, ended ? 0 : 20);
    if (ends[0].revents != 0) out.read_into(outcome.out);
    if (ends[1].revents != 0) error.read_into(outcome.error);
    if (ended && ready <= 0) break;
    if (!ended && Clock::now() >= deadline) {
      outcome.in_time = false;
      ::kill(-child, SIGKILL);
      ::waitpid(child, &status, 0);
      ended = true;
    }
  }
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome;
}

}  // namespace warpgrade::batch
