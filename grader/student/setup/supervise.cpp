#include "setup/supervise.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/process.hpp"
#include "sandbox/sandbox.hpp"
#include "setup/course_root.hpp"

namespace warpgrade {

namespace {

constexpr int interruptions[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};

bool is_interruption(int signal) {
  for (const int known : interruptions)
    if (known == signal) return true;
  return false;
}

sigset_t awaited() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : interruptions) ::sigaddset(&set, signal);
  ::sigaddset(&set, SIGCHLD);
  return set;
}

/// Follows the child to its end; what interrupts us interrupts it.
int wait_for(Child &child, const sigset_t &signals) {
  for (;;) {
    if (child.ended()) return child.status().value_or(0);
    siginfo_t info{};
    const int signal = ::sigwaitinfo(&signals, &info);
    // From the terminal (SI_KERNEL) it went to the child as well, which is in our process group.
    if (is_interruption(signal) && info.si_code != SI_KERNEL) ::kill(child.id(), signal);
  }
}

/// The guards of sandboxes become ours when the child goes; each ends when its sandbox is empty.
void wait_for_orphans() {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::seconds(10);
  for (pid_t gone = 0; Clock::now() < deadline;) {
    gone = ::waitpid(-1, nullptr, WNOHANG);
    if (gone < 0 && errno == ECHILD) return;
    if (gone == 0) ::poll(nullptr, 0, 2);
  }
}

[[noreturn]] void die_of(int signal, const sigset_t &blocked) {
  ::signal(signal, SIG_DFL);
  ::sigprocmask(SIG_UNBLOCK, &blocked, nullptr);
  ::raise(signal);
  ::_exit(128 + signal);
}

}  // namespace

int supervise(const std::string &program, const std::function<int()> &work) {
  find_room_for_programs();
  const sigset_t signals = awaited();
  sigset_t before;
  ::sigprocmask(SIG_BLOCK, &signals, &before);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  Child child = Child::copy([&] {
    ::prctl(PR_SET_CHILD_SUBREAPER, 0);
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    std::exit(work());
    return grader_failed;
  });
  const pid_t process = child.id();
  const int status = wait_for(child, signals);
  wait_for_orphans();
  Scratch::remove_left_by(process);
  if (WIFEXITED(status)) {
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    return WEXITSTATUS(status);
  }
  const int signal = WTERMSIG(status);
  if (is_interruption(signal)) die_of(signal, signals);
  const std::string words =
      fmt::format("{}: the grader itself crashed ({}), which costs no points{}\n", program,
                  ::strsignal(signal), signal == SIGKILL ? "; was there too little memory?" : "");
  std::fputs(words.c_str(), stderr);
  return grader_failed;
}

void occupy_standard_descriptors() {
  for (int descriptor = 0; descriptor < 3; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    const int opened = ::open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY);  // the lowest that is free
    if (opened > descriptor) ::close(opened);
  }
}

}  // namespace warpgrade
