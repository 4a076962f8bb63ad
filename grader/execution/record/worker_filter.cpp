#include "record/worker_filter.hpp"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

namespace warpgrade::record {
namespace {

constexpr int allowed[] = {
    // memory
    SCMP_SYS(brk), SCMP_SYS(mmap), SCMP_SYS(munmap), SCMP_SYS(mprotect), SCMP_SYS(mremap), SCMP_SYS(madvise),
    // descriptors that are open already
    SCMP_SYS(read), SCMP_SYS(readv), SCMP_SYS(pread64), SCMP_SYS(write), SCMP_SYS(writev), SCMP_SYS(pwrite64),
    SCMP_SYS(close), SCMP_SYS(close_range), SCMP_SYS(lseek), SCMP_SYS(fstat), SCMP_SYS(dup), SCMP_SYS(dup2),
    SCMP_SYS(dup3), SCMP_SYS(poll), SCMP_SYS(ppoll), SCMP_SYS(select), SCMP_SYS(pselect6),
    // time
    SCMP_SYS(clock_gettime), SCMP_SYS(clock_getres), SCMP_SYS(clock_nanosleep), SCMP_SYS(nanosleep),
    SCMP_SYS(time), SCMP_SYS(gettimeofday), SCMP_SYS(times), SCMP_SYS(getrusage), SCMP_SYS(sched_yield),
    SCMP_SYS(pause),
    // startup of a static program
    SCMP_SYS(arch_prctl), SCMP_SYS(set_tid_address), SCMP_SYS(set_robust_list), SCMP_SYS(rseq),
    SCMP_SYS(getrandom), SCMP_SYS(futex), SCMP_SYS(sched_getaffinity), SCMP_SYS(uname),
    // its own identity
    SCMP_SYS(getpid), SCMP_SYS(gettid), SCMP_SYS(getppid), SCMP_SYS(getuid), SCMP_SYS(geteuid),
    SCMP_SYS(getgid), SCMP_SYS(getegid),
    // its own signals, its end
    SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn), SCMP_SYS(sigaltstack),
    SCMP_SYS(restart_syscall), SCMP_SYS(exit), SCMP_SYS(exit_group)};

constexpr std::uint32_t own_process = 0x7fff'5e1f;  // no process has this number: the limit is 2^22

bool add_conditional(scmp_filter_ctx filter, int executable) {
  const scmp_datum_t self = own_process;
  int bad = 0;
  const auto allow = [&](int call, auto... comparisons) {
    bad |= ::seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, sizeof...(comparisons), comparisons...);
  };
  allow(SCMP_SYS(kill), SCMP_A0(SCMP_CMP_EQ, self));
  allow(SCMP_SYS(tgkill), SCMP_A0(SCMP_CMP_EQ, self));
  allow(SCMP_SYS(tkill), SCMP_A0(SCMP_CMP_EQ, self));
  allow(SCMP_SYS(ioctl), SCMP_A1(SCMP_CMP_EQ, static_cast<scmp_datum_t>(TCGETS)));  // stdio asks: a terminal?
  allow(SCMP_SYS(newfstatat), SCMP_A3(SCMP_CMP_MASKED_EQ, static_cast<scmp_datum_t>(AT_EMPTY_PATH),
                                      static_cast<scmp_datum_t>(AT_EMPTY_PATH)));
  allow(SCMP_SYS(prlimit64), SCMP_A0(SCMP_CMP_EQ, 0), SCMP_A2(SCMP_CMP_EQ, 0));  // reading a limit
  // The only execution. The descriptor closes with it, and no listed call can open another.
  allow(SCMP_SYS(execveat), SCMP_A0(SCMP_CMP_EQ, static_cast<scmp_datum_t>(executable)),
        SCMP_A4(SCMP_CMP_EQ, static_cast<scmp_datum_t>(AT_EMPTY_PATH)));
  return bad == 0;
}

/// The kernel's program for `filter`; nothing on failure.
std::vector<sock_filter> exported(scmp_filter_ctx filter) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return {};
  std::vector<sock_filter> code(BPF_MAXINSNS);
  const bool good = ::seccomp_export_bpf(filter, ends[1]) == 0;  // less than a pipe holds
  ::close(ends[1]);
  const ssize_t got = good ? ::read(ends[0], code.data(), code.size() * sizeof(sock_filter)) : 0;
  ::close(ends[0]);
  code.resize(got > 0 ? static_cast<std::size_t>(got) / sizeof(sock_filter) : 0);
  return code;
}

}  // namespace

WorkerFilter::WorkerFilter(int executable) {
  scmp_filter_ctx filter = ::seccomp_init(SCMP_ACT_ERRNO(EPERM));
  if (filter == nullptr) return;
  bool good = ::seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(EPERM)) == 0;  // int $0x80
  // When a filter is installed, the kernel tries it on every system call: use a tree of them, not a
  // list.
  good = ::seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2) == 0 && good;
  for (const int call : allowed) good = ::seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0) == 0 && good;
  if (good && add_conditional(filter, executable)) code_ = exported(filter);
  for (sock_filter &instruction : code_)
    if (BPF_CLASS(instruction.code) == BPF_JMP && instruction.k == own_process)
      own_number_.push_back(&instruction);
  ::seccomp_release(filter);
}

bool WorkerFilter::restrict_this_process() {
  for (sock_filter *const instruction : own_number_) instruction->k = static_cast<std::uint32_t>(::getpid());
  const sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
  return !code_.empty() && ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

}  // namespace warpgrade::record
