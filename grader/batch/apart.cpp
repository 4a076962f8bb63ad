#include "batch/apart.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdio>
#include <ctime>
#include <new>
#include <system_error>

#include "batch/archive.hpp"
#include "sandbox/sanitized.hpp"

#if defined(WARPGRADE_SANITIZED)
// As <sanitizer/allocator_interface.h> has them, which g++ does not bring with its sanitizers.
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void *, std::size_t),
                                                         void (*)(const volatile void *));
extern "C" std::size_t __sanitizer_get_allocated_size(const volatile void *);
#endif

namespace warpgrade::batch {

namespace {

/// The first byte of an answer; the last one is `complete`.
enum class Answer : char { done = 'd', refused = 'r', memory = 'm', failed = 'f' };
constexpr char complete = '.';

constexpr int allowed[] = {
    SCMP_SYS(brk),         SCMP_SYS(mmap),      SCMP_SYS(munmap),        SCMP_SYS(mprotect),
    SCMP_SYS(mremap),      SCMP_SYS(madvise),   SCMP_SYS(read),          SCMP_SYS(pread64),
    SCMP_SYS(write),       SCMP_SYS(close),     SCMP_SYS(lseek),         SCMP_SYS(fstat),
    SCMP_SYS(futex),       SCMP_SYS(getrandom), SCMP_SYS(clock_gettime), SCMP_SYS(gettimeofday),
    SCMP_SYS(getpid),      SCMP_SYS(gettid),    SCMP_SYS(rt_sigreturn),  SCMP_SYS(rt_sigprocmask),
#if defined(WARPGRADE_SANITIZED)
    SCMP_SYS(sigaltstack),  // the address sanitizer asks at every throw which stack it is on
    SCMP_SYS(pipe2),        // the other one writes memory to a pipe to see whether it can be read
#endif
    SCMP_SYS(sched_yield), SCMP_SYS(exit),      SCMP_SYS(exit_group)};

bool only_compute() {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  scmp_filter_ctx filter = ::seccomp_init(SCMP_ACT_ERRNO(EPERM));
  if (filter == nullptr) return false;
  bool good = ::seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(EPERM)) == 0;
  for (const int call : allowed) good = ::seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0) == 0 && good;
  good = good && ::seccomp_load(filter) == 0;
  ::seccomp_release(filter);
  return good;
}

void close_all_but(int one, int other) {
  const auto close_from_to = [](unsigned from, unsigned to) {
    if (from <= to) ::syscall(SYS_close_range, from, to, 0);
  };
  const auto low = static_cast<unsigned>(std::min(one, other)),
             high = static_cast<unsigned>(std::max(one, other));
  unsigned from = 3;
  for (const unsigned kept : {std::max(low, 2u), high}) {  // -1: none, which reads as a large number
    if (kept < 3 || kept > INT_MAX) continue;
    close_from_to(from, kept - 1);
    from = kept + 1;
  }
  close_from_to(from, ~0u);
}

void write_all(int descriptor, const std::string &bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n = ::write(descriptor, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    done += static_cast<std::size_t>(n);
  }
}

#if defined(WARPGRADE_SANITIZED)
std::uint64_t heap_left = 0;  // hooks get no argument
int heap_answers = -1;

// The sanitizer's heap lies in address space that it took before main, where no limit of the kernel's can
// tell how much of it is in use: so what malloc gives is counted. It would not throw std::bad_alloc either.
void limit_memory(std::uint64_t bytes, int answers) {
  heap_left = bytes;
  heap_answers = answers;
  ::__sanitizer_install_malloc_and_free_hooks(
      [](const volatile void *, std::size_t size) {
        if (size > heap_left) {
          const char answer[] = {static_cast<char>(Answer::memory), complete};
          [[maybe_unused]] const ssize_t ignored = ::write(heap_answers, answer, sizeof answer);
          ::_exit(0);
        }
        heap_left -= size;
      },
      [](const volatile void *memory) { heap_left += ::__sanitizer_get_allocated_size(memory); });
}
#else
/// Address space of this process.
std::uint64_t own_bytes() {
  std::uint64_t pages = 0;
  if (std::FILE *file = std::fopen("/proc/self/statm", "re")) {
    unsigned long long read = 0;
    if (std::fscanf(file, "%llu", &read) == 1) pages = read;
    std::fclose(file);
  }
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

void limit_memory(std::uint64_t bytes, int) {
  const std::uint64_t all = own_bytes() + bytes;
  const struct rlimit most = {all, all};
  ::setrlimit(RLIMIT_AS, &most);
}
#endif

[[noreturn]] void child(int pipe, int descriptor, std::uint64_t memory,
                        const std::function<std::string()> &work) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (const int null = ::open("/dev/null", O_RDWR); null >= 0)
    for (const int standard : {0, 1, 2}) ::dup2(null, standard);
  close_all_but(pipe, descriptor);
  limit_memory(memory, pipe);
  const struct rlimit no_core = {0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  std::string answer;
  if (!only_compute()) {
    answer = std::string(1, static_cast<char>(Answer::failed)) + "the system call filter cannot be set";
  } else {
    try {
      answer = std::string(1, static_cast<char>(Answer::done)) + work();
    } catch (const Refused &e) {
      answer = std::string(1, static_cast<char>(Answer::refused)) + e.what();
    } catch (const std::bad_alloc &) {
      answer = static_cast<char>(Answer::memory);
    } catch (const std::exception &e) {
      answer = std::string(1, static_cast<char>(Answer::failed)) + e.what();
    }
  }
  answer += complete;
  write_all(pipe, answer);
  ::_exit(0);
}

constexpr const char *what_to_do = "Pack the step files anew, as a .zip, and hand them in again.";

/// What the child wrote, until it closes the pipe; kills it at the deadline.
std::string collect(int pipe, pid_t pid, double wall_seconds, bool &late) {
  using Clock = std::chrono::steady_clock;
  const auto deadline =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(wall_seconds));
  std::string bytes;
  std::array<char, 65536> block{};
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0 && !late) {
      late = true;
      ::kill(pid, SIGKILL);
    }
    struct pollfd wait = {pipe, POLLIN, 0};
    const int ready =
        ::poll(&wait, 1, late ? -1 : static_cast<int>(std::min<std::int64_t>(left + 1, INT_MAX)));
    if (ready <= 0) continue;
    const ssize_t n = ::read(pipe, block.data(), block.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return bytes;
    bytes.append(block.data(), static_cast<std::size_t>(n));
  }
}

}  // namespace

std::string run_apart(const ApartLimits &limits, int descriptor, const std::function<std::string()> &work) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "a pipe");
  ::tzset();  // reads a file, which the child may not
  const pid_t pid = ::fork();
  if (pid < 0) {
    const int error = errno;
    ::close(ends[0]);
    ::close(ends[1]);
    throw std::system_error(error, std::generic_category(), "a process that reads archives");
  }
  if (pid == 0) child(ends[1], descriptor, limits.memory_bytes, work);
  ::close(ends[1]);
  bool late = false;
  std::string answer = collect(ends[0], pid, limits.wall_seconds, late);
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (late)
    throw Refused(fmt::format("Reading it took more than {:g} seconds and was stopped. {}",
                              limits.wall_seconds, what_to_do));
  if (answer.size() < 2 || answer.back() != complete)
    throw Refused(fmt::format("What reads archives could not cope with it ({}). {}",
                              WIFSIGNALED(status) ? fmt::format("signal {}", WTERMSIG(status)) : "no answer",
                              what_to_do));
  answer.pop_back();
  const auto kind = static_cast<Answer>(answer.front());
  answer.erase(0, 1);
  switch (kind) {
    case Answer::done:
      return answer;
    case Answer::refused:
      throw Refused(answer);
    case Answer::memory:
      throw Refused(fmt::format("Reading it takes more than {:g} MiB of memory. {}",
                                static_cast<double>(limits.memory_bytes) / (1 << 20), what_to_do));
    case Answer::failed:
      break;
  }
  throw std::runtime_error(fmt::format("an archive cannot be read: {}", answer));
}

}  // namespace warpgrade::batch
