// What a process can still do after it has confined itself, tried out by one that means harm.
#include "sandbox/confine.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/sched.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <functional>
#include <string>
#include <thread>

namespace warpgrade::sandbox {
namespace {

/// What `work` says, in a forked child that confined itself before.
std::string confined(Threads threads, const std::function<std::string()> &work) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return "no pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    close_all_but(ends[1]);
    const std::string said = only_compute(threads) ? work() : "no filter";
    [[maybe_unused]] const ssize_t ignored = ::write(ends[1], said.data(), said.size());
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string said;
  char block[256];
  for (ssize_t n; (n = ::read(ends[0], block, sizeof block)) > 0;)
    said.append(block, static_cast<std::size_t>(n));
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  return said;
}

std::string escapes() {
  std::string can;
  if (::open("/etc/passwd", O_RDONLY) >= 0) can += " open";
  if (::open("/proc/self/maps", O_RDONLY) >= 0) can += " proc";
  if (::socket(AF_INET, SOCK_STREAM, 0) >= 0) can += " socket";
  if (::socket(AF_UNIX, SOCK_STREAM, 0) >= 0) can += " unix";
  if (const pid_t pid = static_cast<pid_t>(::syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr));
      pid >= 0) {
    if (pid == 0) ::_exit(0);
    can += " clone";
  }
  clone_args process{};
  process.exit_signal = SIGCHLD;
  if (const long pid = ::syscall(SYS_clone3, &process, sizeof process); pid >= 0) {
    if (pid == 0) ::_exit(0);
    can += " clone3";
  }
  if (::execl("/bin/true", "true", nullptr) == 0) can += " execute";
  if (::kill(::getppid(), 0) == 0 || ::syscall(SYS_kill, 1, 0) == 0) can += " kill";
  if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0) can += " ptrace";
  char byte = 0;
  iovec piece{&byte, 1};
  if (::process_vm_readv(::getpid(), &piece, 1, &piece, 1, 0) >= 0) can += " read";
  if (::syscall(SYS_memfd_create, "x", 0) >= 0) can += " memfd";
  return can;
}

TEST(Confine, TheProcessCannotOpenStartSendOrSeeAnything) {
  EXPECT_EQ(confined(Threads::none, [] { return "can:" + escapes(); }), "can:");
  EXPECT_EQ(confined(Threads::some, [] { return "can:" + escapes(); }), "can:");
}

TEST(Confine, ThreadsStartOnlyWhereAllowed) {
  const auto count = [] {
    int counted = 0;
    try {
      std::thread([&] { ++counted; }).join();
    } catch (const std::system_error &) {
      return std::string("none");
    }
    return std::to_string(counted);
  };
  EXPECT_EQ(confined(Threads::some, count), "1");
  EXPECT_EQ(confined(Threads::none, count), "none");
}

}  // namespace
}  // namespace warpgrade::sandbox
