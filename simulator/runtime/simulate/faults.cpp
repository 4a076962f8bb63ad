#include "runtime/simulate/faults.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <ctime>

#include "runtime/simulate/runtime.hpp"

namespace warpgrade::cuda {
namespace {

constexpr int fatal[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTERM, SIGINT, SIGHUP};

std::atomic<bool> launch_in_progress{false};
std::atomic<int> interrupted_by{0};
std::atomic<std::int64_t> interrupted_at{0};  // seconds of the monotonic clock

/// Whether the launch that runs is to end first. A request may come several times at once: timeout(1) sends it to the
/// program and to `simt run`, which passes it on.
bool interrupts_launch(int signal) {
  constexpr std::int64_t patience = 3;
  if (signal != SIGTERM && signal != SIGINT && signal != SIGHUP) return false;
  timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  if (interrupted_by.load() != 0) return now.tv_sec - interrupted_at.load() < patience;
  if (!launch_in_progress.load()) return false;
  interrupted_at = now.tv_sec;
  interrupted_by = signal;
  return true;
}

std::string kind_name(Kind kind) {
  return kind == Kind::managed ? "managed" : kind == Kind::pinned ? "pinned" : "device";
}

/// The host touched memory that is not its own.
void note_host_access(Runtime &r, Address address) {
  const Block *block = r.blocks.at(address);
  if (block == nullptr) block = r.blocks.before(address);
  Finding finding;
  finding.code = "host_access";
  finding.call = "host code";
  if (block == nullptr) {
    finding.message =
        fmt::format("the program dereferences {:#x}, which is not an address of its memory", address);
  } else if (!block->live) {
    finding.message = fmt::format("the program itself reads or writes {} ({} memory), which was freed",
                                  place_name(*block, address), kind_name(block->kind));
  } else if (block->host_sees_it()) {
    finding.message = fmt::format("the program itself reads or writes {}", place_name(*block, address));
  } else {
    finding.message = fmt::format(
        "the program itself reads or writes {}, which is device memory: only kernels can; cudaMemcpy brings "
        "it to the host",
        place_name(*block, address));
  }
  finding.buffer = block == nullptr ? "" : block->name;
  r.journal.note(std::move(finding));
}

/// In a copy of the process, which may hang on a lock that the dying program held, and is then given up.
void save(const siginfo_t *info) {
  const auto address = reinterpret_cast<Address>(info->si_addr);
  const bool ours = info->si_signo == SIGSEGV && (in_device_range(address) || in_visible_range(address));
  const long copy = ::syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  if (copy == 0) {
    ::signal(SIGALRM, SIG_DFL);
    ::signal(SIGABRT, SIG_DFL);  // a damaged heap ends the copy
    ::alarm(5);
    Runtime &r = runtime();
    r.journal.adopt();
    if (ours) note_host_access(r, address);
    r.finish(false);
    ::_exit(0);
  }
  if (copy < 0) return;
  while (::waitpid(static_cast<pid_t>(copy), nullptr, 0) < 0 && errno == EINTR) {
  }
}

void handle(int signal, siginfo_t *info, void *) {
  const int before = errno;
  if (signal == SIGSEGV && HostWatch::forgive(reinterpret_cast<Address>(info->si_addr))) {
    errno = before;
    return;  // the access is made once more
  }
  if (interrupts_launch(signal)) {
    errno = before;
    return;
  }
  save(info);
  struct sigaction plain = {};
  plain.sa_handler = SIG_DFL;
  ::sigaction(signal, &plain, nullptr);
  errno = before;
  // A fault happens again when we return; what was sent has to be sent again.
  const bool again = signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE;
  if (!again || info->si_code <= 0) ::raise(signal);
}

}  // namespace

LaunchInProgress::LaunchInProgress() {
  launch_in_progress = true;
}
LaunchInProgress::~LaunchInProgress() {
  launch_in_progress = false;
}

const std::atomic<int> &interruption() {
  return interrupted_by;
}

void end_interrupted() {
  const int signal = interrupted_by.load();
  if (signal == 0) return;
  runtime().finish(false);
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

bool handles_faults() {
  struct sigaction now = {};
  return ::sigaction(SIGSEGV, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) != 0 &&
         now.sa_sigaction == handle;
}

void catch_fatal_signals() {
  constexpr std::size_t stack_bytes = 256 << 10;  // for a host that ran out of its own
  stack_t stack = {};
  stack_t present = {};
  if (::sigaltstack(nullptr, &present) == 0 && (present.ss_flags & SS_DISABLE) != 0) {
    stack.ss_sp = std::malloc(stack_bytes);
    stack.ss_size = stack_bytes;
    if (stack.ss_sp != nullptr) ::sigaltstack(&stack, nullptr);
  }
  for (const int signal : fatal) {
    struct sigaction old = {};
    if (::sigaction(signal, nullptr, &old) != 0 || (old.sa_flags & SA_SIGINFO) != 0 ||
        old.sa_handler != SIG_DFL)
      continue;
    struct sigaction ours = {};
    ours.sa_sigaction = handle;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    ::sigaction(signal, &ours, nullptr);
  }
}

}  // namespace warpgrade::cuda
