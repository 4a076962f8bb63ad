#include "sandbox/guard.hpp"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "sandbox/sandbox.hpp"
#include "sandbox/usage.hpp"

namespace warpgrade::sandbox {
namespace {

using End = Outcome::End;

double now() {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

void close_between(unsigned first, unsigned last) {
  if (first <= last) ::syscall(SYS_close_range, first, last, 0);
}

// Everything but 0 to 2 and the descriptors that the orders name. The grader's other threads own the rest.
void close_strangers(const Orders &orders) {
  int kept = 2;
  for (;;) {
    int next = -1;  // the smallest named descriptor above `kept`
    const auto consider = [&](int d) {
      if (d > kept && (next < 0 || d < next)) next = d;
    };
    consider(orders.executable);
    consider(orders.life);
    consider(orders.space);
    for (std::size_t i = 0; i < orders.move_count; ++i) consider(orders.moves[i].ours);
    if (next < 0) break;
    close_between(static_cast<unsigned>(kept + 1), static_cast<unsigned>(next - 1));
    kept = next;
  }
  close_between(static_cast<unsigned>(kept + 1), ~0U);
}

void default_signals() {
  for (int number = 1; number < 32; ++number) ::signal(number, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

void limit(int what, std::uint64_t value, std::uint64_t grace = 0) {
  rlimit limits{value, value + grace};
  rlimit present{};
  ::getrlimit(static_cast<__rlimit_resource_t>(what), &present);
  if (present.rlim_max < limits.rlim_max) limits.rlim_max = present.rlim_max;
  if (limits.rlim_max < limits.rlim_cur) limits.rlim_cur = limits.rlim_max;
  ::setrlimit(static_cast<__rlimit_resource_t>(what), &limits);
}

// In the program's process; returns only when something failed.
int become_program(const Orders &orders, int output) {
  ::setsid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  constexpr int above = 256;  // out of the way of the numbers that the program is promised
  const int executable = orders.executable < 0 ? -1 : ::fcntl(orders.executable, F_DUPFD_CLOEXEC, above);
  constexpr std::size_t most = 16;
  int moved[most];
  if (orders.move_count > most) return EINVAL;
  for (std::size_t i = 0; i < orders.move_count; ++i) {
    moved[i] = ::fcntl(orders.moves[i].ours, F_DUPFD_CLOEXEC, above);
    if (moved[i] < 0) return errno;
  }
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0) return errno;
  ::dup2(null, 0);
  ::dup2(output, 1);
  ::dup2(output, 2);
  close_between(3, above - 1);
  for (std::size_t i = 0; i < orders.move_count; ++i) ::dup2(moved[i], orders.moves[i].theirs);

  ::umask(022);  // a worker that one user links is executed by another
  if (orders.directory != nullptr && ::chdir(orders.directory) != 0) return errno;
  limit(RLIMIT_CORE, 0);
  if (orders.cpu_seconds != 0) limit(RLIMIT_CPU, orders.cpu_seconds, 1);
  if (orders.memory_bytes != 0) limit(RLIMIT_AS, orders.memory_bytes);
  limit(RLIMIT_FSIZE, orders.file_bytes);
  if (orders.user != 0) {
    // RLIMIT_NPROC does not bind root, and a user's processes count together: so one user for each sandbox.
    if (::setgroups(0, nullptr) != 0 || ::setresgid(orders.user, orders.user, orders.user) != 0 ||
        ::setresuid(orders.user, orders.user, orders.user) != 0) {
      return errno;
    }
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // changing the user cleared it
    limit(RLIMIT_NPROC, orders.processes);
  }
  if (executable >= 0) {
    ::syscall(SYS_execveat, executable, "", orders.arguments, orders.environment, AT_EMPTY_PATH);
  } else {
    ::execve(orders.arguments[0], orders.arguments, orders.environment);
  }
  return errno;
}

// Kills our direct children. Orphans become ours (we are their subreaper), so repeating this ends with
// everyone.
void kill_children() {
  char buffer[4096];
  const int list = ::open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  if (list < 0) return;
  pid_t child = 0;
  for (ssize_t got; (got = ::read(list, buffer, sizeof buffer)) > 0;) {
    for (ssize_t i = 0; i < got; ++i) {
      if (buffer[i] >= '0' && buffer[i] <= '9') {
        child = child * 10 + (buffer[i] - '0');
      } else if (child > 0) {
        ::kill(child, SIGKILL);
        child = 0;
      }
    }
  }
  if (child > 0) ::kill(child, SIGKILL);
  ::close(list);
}

class Guard {
 public:
  Guard(const Orders &orders, pid_t program, int output)
      : orders_(orders), report_(*orders.report), program_(program), output_(output) {
    process_ = static_cast<int>(::syscall(SYS_pidfd_open, program, 0));
    if (!watches()) return;
    report_.least_memory = report_.least_space = ~std::uint64_t{0};
    look_at_machine();
  }

  void watch() {
    while (!ended_) {
      pollfd wait[] = {{process_, POLLIN, 0}, {orders_.life, POLLIN, 0}, {output_, POLLIN, 0}};
      ::poll(wait, 3, milliseconds_left());
      if (wait[2].revents != 0) take_output();
      reap();
      if (ended_) break;
      if (wait[1].revents != 0) stop(End::killed);
      if (watches()) watch_tree();
      if (orders_.wall_seconds > 0 && now() - start_ >= orders_.wall_seconds) check_time();
    }
    report_.seconds = now() - start_;
    end_everyone();
    rusage used{};
    ::getrusage(RUSAGE_CHILDREN, &used);
    report_.cpu_seconds = static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                          1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
    while (output_ >= 0) take_output();
    if (watches()) {
      look_at_machine();
      report_.killed_for_memory = kills_for_memory() != kills_before_;
    }
    report_.complete = true;
  }

 private:
  bool watches() const { return orders_.total_memory_bytes > 0; }

  void look_at_machine() {
    report_.least_memory = std::min(report_.least_memory, memory_left());
    report_.least_space = std::min(report_.least_space, space_left(orders_.space));
  }

  void watch_tree() {
    const TreeUsage usage = usage_below(::getpid());
    // A program that waits for a processor may get none for seconds; that is no wait for what never comes.
    if (usage.runnable || usage.cpu_seconds != cpu_seconds_) progress_ = now();
    cpu_seconds_ = usage.cpu_seconds;
    look_at_machine();
    if (usage.memory_bytes > orders_.total_memory_bytes) stop(End::memory_limit);
  }

  // A loaded machine gives a program less of its processors, which is not a fault of the program: the
  // deadline is meant for one that computes most of the time, or waits for what never comes.
  void check_time() {
    if (ended_) return;
    const double elapsed = now() - start_;
    const double idle = std::max(1.0, orders_.wall_seconds / 2);
    const bool computed = cpu_seconds_ >= orders_.wall_seconds;
    if (watches() && elapsed < orders_.stretch * orders_.wall_seconds && !computed &&
        now() - progress_ < idle)
      return;
    report_.starved = watches() && cpu_seconds_ < orders_.wall_seconds / 2 && now() - progress_ < idle;
    stop(End::wall_limit);
  }

  int milliseconds_left() const {
    if (process_ < 0) return 5;  // an old kernel: its end is not an event
    if (watches()) return 20;
    if (orders_.wall_seconds <= 0) return -1;
    const double left = orders_.wall_seconds - (now() - start_);
    return left <= 0 ? 0 : left > 1000 ? 1'000'000 : static_cast<int>(left * 1000) + 1;
  }

  void take_output() {
    char dropped[4096];
    const std::uint64_t room = orders_.output_room - report_.output_bytes;
    char *const to = room > 0 ? orders_.output + report_.output_bytes : dropped;
    const ssize_t got = ::read(output_, to, room > 0 ? room : sizeof dropped);
    if (got < 0 && errno == EINTR) return;
    if (got <= 0) {
      ::close(output_);
      output_ = -1;
      return;
    }
    if (room > 0) {
      report_.output_bytes += static_cast<std::uint64_t>(got);
    } else {
      report_.truncated = true;
    }
  }

  void reap() {
    int status = 0;
    const pid_t child = ::waitpid(program_, &status, WNOHANG);
    if (child == 0) return;
    ended_ = true;
    if (report_.start_error != 0) {
      set(End::not_started, report_.start_error);
    } else if (WIFEXITED(status)) {
      set(End::exited, WEXITSTATUS(status));
    } else {
      set(WTERMSIG(status) == SIGXCPU ? End::cpu_limit : End::signalled, WTERMSIG(status));
    }
  }

  void stop(End why) {
    set(why, 0);
    ended_ = true;
  }

  void set(End end, int code) {
    report_.end = static_cast<std::int32_t>(end);
    report_.code = code;
  }

  // With bubblewrap the death of its first process takes the whole PID namespace along; without, this repeats
  // until nobody is left. Someone in an uninterruptible wait may take longer: then we stay, and the grader
  // waits too.
  void end_everyone() {
    for (;;) {
      kill_children();
      pid_t child = 0;
      while ((child = ::waitpid(-1, nullptr, WNOHANG)) > 0) {
      }
      if (child < 0 && errno == ECHILD) return;
      const timespec pause{0, 500'000};
      ::nanosleep(&pause, nullptr);
      if (output_ >= 0) {
        pollfd wait{output_, POLLIN, 0};
        if (::poll(&wait, 1, 0) > 0) take_output();
      }
    }
  }

  const Orders &orders_;
  Report &report_;
  pid_t program_;
  int output_, process_ = -1;
  bool ended_ = false;
  double start_ = now(), progress_ = start_, cpu_seconds_ = 0;
  std::uint64_t kills_before_ = orders_.total_memory_bytes > 0 ? kills_for_memory() : 0;
};

}  // namespace

void guard(const Orders &orders) {
  ::setsid();  // an interrupt from the terminal is for the grader, which then closes `life`
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::prctl(PR_SET_NAME, "warpgrade-guard");
  default_signals();
  close_strangers(orders);
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) {
    orders.report->start_error = errno;
    ::_exit(1);
  }
  const pid_t program = ::fork();
  if (program == 0) {
    orders.report->start_error = become_program(orders, pipe[1]);
    ::_exit(127);
  }
  if (program < 0) {
    orders.report->start_error = errno;
    ::_exit(1);
  }
  ::close(pipe[1]);
  // The program's descriptors are the program's alone: a reader at their other end must see it go.
  for (std::size_t i = 0; i < orders.move_count; ++i) ::close(orders.moves[i].ours);
  Guard(orders, program, pipe[0]).watch();
  ::_exit(0);
}

}  // namespace warpgrade::sandbox
