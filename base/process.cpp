#include "base/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/descriptor.hpp"

extern char **environ;

namespace warpgrade {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int most_given = 10;  // descriptors of a program; ours are moved above them

[[noreturn]] void fail(int error, const std::string &what) {
  throw std::system_error(error, std::generic_category(), what);
}

struct Pipe {
  Descriptor read, write;
  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) fail(errno, "a pipe");
    read = Descriptor(ends[0]);
    write = Descriptor(ends[1]);
  }
};

/// What the new process needs, prepared before it begins: it shares our memory, or other threads held locks
/// when it was created, so it may only make system calls.
struct Orders {
  const Start *start;
  char *const *arguments, *const *environment;
  const Start::Given *given;  ///< `ours` are above most_given
  std::size_t given_count;
  int null, failure;
  int gate, gate_end;  ///< a byte from `gate` lets the program begin; -1: it begins immediately
  pid_t parent;
  sigset_t signals;  ///< blocked by the caller
};

void default_signals(bool all) {
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction action {};
    if (::sigaction(number, nullptr, &action) != 0) continue;
    if (!all && action.sa_handler == SIG_IGN) continue;
    action.sa_handler = SIG_DFL;
    action.sa_flags = 0;
    ::sigaction(number, &action, nullptr);
  }
}

/// Takes the descriptors from 0 on, and no others except those that close when the program is executed.
void take_descriptors(const Orders &orders) {
  int count = 3;
  for (int standard = 0; standard < count; ++standard) ::dup2(orders.null, standard);
  for (std::size_t i = 0; i < orders.given_count; ++i) {
    ::dup2(orders.given[i].ours, orders.given[i].theirs);
    count = std::max(count, orders.given[i].theirs + 1);
  }
  ::syscall(SYS_close_range, count, orders.failure - 1, 0);
  ::syscall(SYS_close_range, orders.failure + 1, ~0u, 0);
}

void execute(const Orders &orders) {
  const Start &start = *orders.start;
  // A moment ago, a process that another thread just forked may have had the file open for writing.
  for (int attempt = 0; attempt < 100; ++attempt) {
    if (start.search)
      ::execvpe(start.program.c_str(), orders.arguments, orders.environment);
    else
      ::execve(start.program.c_str(), orders.arguments, orders.environment);
    if (errno != ETXTBSY) return;
    const timespec pause{0, 2'000'000};
    ::nanosleep(&pause, nullptr);
  }
}

[[noreturn]] void become(const Orders &orders) {
  const Start &start = *orders.start;
  if (start.dies_with_us) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != orders.parent) ::_exit(127);
  }
  default_signals(!start.in_our_place);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, start.in_our_place ? &orders.signals : &none, nullptr);
  if (start.yields_memory) {
    if (const int file = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC); file >= 0) {
      [[maybe_unused]] const ssize_t ignored = ::write(file, "500", 3);
      ::close(file);
    }
  }
  if (start.fixed_addresses) ::personality(ADDR_NO_RANDOMIZE);
  if (!start.in_our_place) ::setpgid(0, 0);
  if (orders.gate >= 0) {
    ::close(orders.gate_end);  // so that it ends when we do
    char word = 0;
    if (::read(orders.gate, &word, 1) != 1) ::_exit(127);
  }
  if (!start.in_our_place) take_descriptors(orders);
  execute(orders);
  const int error = errno;
  [[maybe_unused]] const ssize_t ignored = ::write(orders.failure, &error, sizeof error);
  ::_exit(127);
}

/// vfork() copies no page tables, and its child has executed the program or failed when this returns; a child
/// that waits for a byte first needs its own memory.
[[gnu::noinline]] pid_t launch(const Orders &orders) {
  const pid_t child = orders.gate >= 0 ? ::fork() : ::vfork();
  if (child == 0) become(orders);
  return child;
}

std::vector<char *> pointers(std::vector<std::string> &strings) {
  std::vector<char *> all;
  for (std::string &s : strings) all.push_back(s.data());
  all.push_back(nullptr);
  return all;
}

/// A duplicate above the numbers that the program gets.
Descriptor moved_up(int descriptor) {
  const int moved = ::fcntl(descriptor, F_DUPFD_CLOEXEC, most_given);
  if (moved < 0) fail(errno, "a descriptor for a process");
  return Descriptor(moved);
}

}  // namespace

std::vector<std::string> environment_with(const std::vector<std::string> &changes) {
  std::vector<std::string> all;
  for (char **entry = environ; entry != nullptr && *entry != nullptr; ++entry) all.emplace_back(*entry);
  for (const std::string &change : changes) {
    const std::string name = change.substr(0, change.find('=') + 1);
    std::erase_if(all, [&](const std::string &old) { return old.starts_with(name); });
    all.push_back(change);
  }
  return all;
}

Child::Child(const Start &start) {
  std::vector<std::string> arguments = start.arguments,
                           environment = start.environment ? *start.environment : std::vector<std::string>{};
  const std::vector<char *> argv = pointers(arguments), envp = pointers(environment);
  std::vector<Start::Given> given;
  std::vector<Descriptor> moved;
  for (const Start::Given &one : start.descriptors) {
    moved.push_back(moved_up(one.ours));
    given.push_back({moved.back().get(), one.theirs});
  }
  const Descriptor plain_null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (plain_null.get() < 0) fail(errno, "/dev/null");
  const Descriptor null = moved_up(plain_null.get());
  Pipe failure;
  failure.write = moved_up(failure.write.get());
  std::optional<Pipe> gate;
  if (start.announced) gate.emplace();

  Orders orders{&start,
                argv.data(),
                start.environment ? envp.data() : environ,
                given.data(),
                given.size(),
                null.get(),
                failure.write.get(),
                gate ? gate->read.get() : -1,
                gate ? gate->write.get() : -1,
                ::getpid(),
                {}};
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &orders.signals);  // no handler of ours may run in the new process
  const pid_t child = launch(orders);
  const int launched = errno;
  ::pthread_sigmask(SIG_SETMASK, &orders.signals, nullptr);
  if (child < 0) fail(launched, "a process");
  id_ = child;
  if (!start.in_our_place) ::setpgid(child, child);  // here too, since the child may not have done it yet
  failure.write.close();
  if (gate) {
    start.announced(child);
    gate->read.close();
    write_all(gate->write.get(), "x");
  }
  int error = 0;
  if (!read_all(failure.read.get(), std::as_writable_bytes(std::span(&error, 1)))) return;  // it was executed
  ended(1);
  fail(error, "starting " + start.program);
}

Child Child::copy(const std::function<int()> &work, bool outlives_us) {
  const pid_t parent = ::getpid(), child = ::fork();
  if (child < 0) fail(errno, "a process");
  if (child == 0) {
    if (!outlives_us) ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!outlives_us && ::getppid() != parent) ::_exit(127);
    [&]() noexcept { ::_exit(work()); }();
  }
  Child made;
  made.id_ = child;
  return made;
}

Child::Child(Child &&other) noexcept : id_(std::exchange(other.id_, -1)), status_(other.status_) {}
Child &Child::operator=(Child &&other) noexcept {
  std::swap(id_, other.id_);
  std::swap(status_, other.status_);
  return *this;
}
Child::~Child() {
  kill();
  ended(10);  // a process that hangs in a driver's call cannot be waited for
}

bool Child::ended(double seconds) {
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  Descriptor process;
  for (bool first = true; id_ > 0; first = false) {
    int status = 0;
    const pid_t got = ::waitpid(id_, &status, WNOHANG);
    if (got == id_ || (got < 0 && errno != EINTR)) {
      if (got == id_) status_ = status;
      id_ = -1;
      break;
    }
    const double left = std::chrono::duration<double>(end - Clock::now()).count();
    if (left <= 0) return false;
    if (first) process = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, id_, 0)));
    pollfd wait{process.get(), POLLIN, 0};  // without a pidfd, its end is not an event
    ::poll(&wait, 1, process.get() >= 0 ? static_cast<int>(std::min(left, 60.0) * 1000) + 1 : 2);
  }
  return true;
}

void Child::kill() {
  if (id_ > 0) ::kill(id_, SIGKILL);
}
void Child::kill_group() {
  if (id_ > 0) ::kill(-id_, SIGKILL);
}
void Child::forget() {
  id_ = -1;
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
  return fmt::format("exit status {}", WEXITSTATUS(status));
}

int exit_status(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

CommandOutcome run_program(Start start, double seconds) {
  constexpr std::size_t most_output = std::size_t{64} << 20;
  CommandOutcome outcome;
  Pipe out, error;
  start.descriptors = {{out.write.get(), 1}, {error.write.get(), 2}};
  Child child;
  try {
    child = Child(start);
  } catch (const std::system_error &e) {
    const int why = e.code().value();
    if (why == ENOENT || why == ENOTDIR || why == EACCES) return outcome;
    throw;
  }
  outcome.started = true;
  out.write.close();
  error.write.close();
  const auto read_into = [](Descriptor &from, std::string &text) {
    char piece[1 << 16];
    const ssize_t got = ::read(from.get(), piece, sizeof piece);
    if (got < 0 && errno == EINTR) return;
    if (got <= 0)
      from.close();
    else if (text.size() < most_output)
      text.append(piece, static_cast<std::size_t>(got));
  };
  const auto deadline = Clock::now() + std::chrono::duration<double>(seconds);
  for (bool ended = false; !ended || out.read.get() >= 0 || error.read.get() >= 0;) {
    if (!ended) ended = child.ended();
    // Once it has ended, only what is already in the pipes counts: a process that it left may hold them open.
    std::array<pollfd, 2> ends{{{out.read.get(), POLLIN, 0}, {error.read.get(), POLLIN, 0}}};
    const int ready = ::poll(ends.data(), ends.size(), ended ? 0 : 20);
    if (ends[0].revents != 0) read_into(out.read, outcome.out);
    if (ends[1].revents != 0) read_into(error.read, outcome.error);
    if (ended && ready <= 0) break;
    if (!ended && Clock::now() >= deadline) {
      outcome.in_time = false;
      child.kill_group();
      ended = child.ended(10);
    }
  }
  if (child.status()) {
    outcome.status = exit_status(*child.status());
    outcome.end = how_it_ended(*child.status());
  }
  return outcome;
}

CommandOutcome run_command(const std::vector<std::string> &words, double seconds) {
  return run_program(Start{.program = words.at(0), .arguments = words, .search = true}, seconds);
}

}  // namespace warpgrade
