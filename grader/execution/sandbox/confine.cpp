#include "sandbox/confine.hpp"

#include <sched.h>
#include <seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdio>

#include "sandbox/sanitized.hpp"

#if defined(WARPGRADE_SANITIZED)
// As <sanitizer/allocator_interface.h> has them, which g++ does not bring with its sanitizers.
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void *, std::size_t),
                                                         void (*)(const volatile void *));
extern "C" std::size_t __sanitizer_get_allocated_size(const volatile void *);
#endif

namespace warpgrade::sandbox {

namespace {

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

constexpr int for_threads[] = {SCMP_SYS(set_robust_list), SCMP_SYS(rseq), SCMP_SYS(sched_getaffinity)};

bool allow_threads(scmp_filter_ctx filter) {
  bool good = true;
  for (const int call : for_threads) good = ::seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0) == 0 && good;
  // clone3 takes its flags from memory, which no filter can read. Without it, the C library falls back to clone.
  good = ::seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0) == 0 && good;
  constexpr scmp_datum_t thread = CLONE_VM | CLONE_THREAD | CLONE_SIGHAND;
  return ::seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1,
                            SCMP_A0(SCMP_CMP_MASKED_EQ, thread, thread)) == 0 &&
         good;
}

#if defined(WARPGRADE_SANITIZED)
std::uint64_t heap_left = 0;  // hooks get no argument
void (*when_exceeded)() = nullptr;
#endif

}  // namespace

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

#if defined(WARPGRADE_SANITIZED)
// The sanitizer reserves the address space of its heap before main, so no limit of the kernel applies to what
// is used of it. We count what malloc hands out instead. Nor would the heap throw std::bad_alloc.
void limit_memory(std::uint64_t bytes, void (*exceeded)()) {
  heap_left = bytes;
  when_exceeded = exceeded;
  ::__sanitizer_install_malloc_and_free_hooks(
      [](const volatile void *, std::size_t size) {
        if (size > heap_left) when_exceeded();
        heap_left -= size;
      },
      [](const volatile void *memory) { heap_left += ::__sanitizer_get_allocated_size(memory); });
}
#else
namespace {

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

}  // namespace

void limit_memory(std::uint64_t bytes, void (*)()) {
  const std::uint64_t all = own_bytes() + bytes;
  const struct rlimit most = {all, all};
  ::setrlimit(RLIMIT_AS, &most);
}
#endif

bool only_compute(Threads threads) {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  scmp_filter_ctx filter = ::seccomp_init(SCMP_ACT_ERRNO(EPERM));
  if (filter == nullptr) return false;
  bool good = ::seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(EPERM)) == 0;
  for (const int call : allowed) good = ::seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0) == 0 && good;
  if (threads == Threads::some) good = allow_threads(filter) && good;
  good = good && ::seccomp_load(filter) == 0;
  ::seccomp_release(filter);
  return good;
}

}  // namespace warpgrade::sandbox
