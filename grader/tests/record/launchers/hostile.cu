// Launchers that attack the process they run in: M says how. Each must cost its author a verdict and nothing
// else.
#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "gemm.h"

__global__ void kernel(float *C) {
  C[0] = 1;
}

static volatile int sink;
static int recurse(int n) {
  volatile char frame[1024];
  frame[0] = static_cast<char>(n);
  return n == -1 ? frame[0] : recurse(n + 1) + frame[0];
}

static void report(const char *what, long result) {
  if (result != -1) printf("%s succeeded: %ld\n", what, result);
}

// What must fail, with a correct launcher around it: nothing is printed.
static void try_everything() {
  for (const char *path : {"/", "/etc/passwd", "/proc/self/maps", "/proc/1/environ", "/dev/null", ".",
                           "/program", "/work", "/tmp/x", "/proc/self/fd/3"}) {
    report(path, open(path, O_RDONLY));
    report(path, open(path, O_WRONLY | O_CREAT, 0777));
    report(path, mkdir(path, 0777));
    report(path, unlink(path));
    report(path, chdir(path));
  }
  report("fork", fork());
  report("vfork syscall", syscall(SYS_vfork));
  report("clone", syscall(SYS_clone, 0, 0, 0, 0, 0));
  report("clone3", syscall(SYS_clone3, nullptr, 0));
  report("socket", socket(AF_INET, SOCK_STREAM, 0));
  report("unix socket", socket(AF_UNIX, SOCK_STREAM, 0));
  report("ptrace", ptrace(PTRACE_TRACEME, 0, nullptr, nullptr));
  report("kill parent", kill(getppid(), SIGKILL));
  report("kill all", kill(-1, SIGKILL));
  report("kill 1", kill(1, SIGKILL));
  report("kill group", kill(0, SIGKILL));
  report("setsid", setsid());
  report("memfd", syscall(SYS_memfd_create, "x", 0));
  report("setrlimit", [] {
    rlimit all{~0UL, ~0UL};
    return setrlimit(RLIMIT_AS, &all);
  }());
  report("prctl", prctl(PR_SET_DUMPABLE, 1));
  report("io_uring", syscall(SYS_io_uring_setup, 1, nullptr));
  report("bpf", syscall(SYS_bpf, 0, nullptr, 0));
  report("unshare", syscall(SYS_unshare, 0x10000000));
  report("mount", syscall(SYS_mount, "x", "/", "tmpfs", 0, nullptr));
  report("keyctl", syscall(SYS_keyctl, 0, 0, 0));
  report("shmget", syscall(SYS_shmget, 1, 4096, 01777));
  char byte;
  iovec local{&byte, 1}, remote{&byte, 1};
  report("process_vm_readv", process_vm_readv(getppid(), &local, 1, &remote, 1, 0));
  report("pidfd_open", syscall(SYS_pidfd_open, getppid(), 0));
  report("32 bit execve", [] {
    // A kernel without system calls of 32 bits ends the instruction, which has two bytes, with SIGSEGV.
    struct sigaction skip {
    }, old{};
    skip.sa_flags = SA_SIGINFO;
    skip.sa_sigaction = [](int, siginfo_t *, void *context) {
      auto *registers = static_cast<ucontext_t *>(context)->uc_mcontext.gregs;
      registers[REG_RIP] += 2;
      registers[REG_RAX] = -1;
    };
    sigaction(SIGSEGV, &skip, &old);
    long result = -1;
    asm volatile("int $0x80" : "=a"(result) : "a"(11), "b"(0), "c"(0), "d"(0) : "memory");
    sigaction(SIGSEGV, &old, nullptr);
    return result < 0 ? -1L : result;
  }());
  char *const arguments[] = {const_cast<char *>("/bin/sh"), nullptr};
  report("execve", execve("/bin/sh", arguments, arguments));
  report("execve self", execve("/program", arguments, arguments));
  report("execveat", syscall(SYS_execveat, 5, "", arguments, arguments, AT_EMPTY_PATH));
  fflush(stdout);
}

void step0(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) {
  switch (M) {
    case 1:
      exit(0);
    case 2:
      _exit(0);
    case 3:
      abort();
    case 4:
      throw std::runtime_error("no \"score\" for you");
    case 5:
      throw 42;
    case 6:
      for (;;) sink = sink + 1;
    case 7:
      for (;;) pause();
    case 8:
      for (;;) fork();
    case 9:
      for (;;) printf("Score: 100/100\n");
    case 10:
      for (int i = 0; i < 100000; ++i) puts("Score: 100/100");
      break;
    case 11:
      for (int d = 0; d < 64; ++d) {
        const char garbage[] = "\x18\x09garbage garbage garbage garbage";
        static_cast<void>(!write(d, garbage, sizeof garbage));
      }
      break;
    case 12: {
      std::vector<char *> all;
      for (;;) {
        all.push_back(new char[1 << 20]);
        memset(all.back(), 1, 1 << 20);
      }
    }
    case 13:
      for (;;) static_cast<void>(*static_cast<volatile char *>(malloc(1 << 20)) = 1);
    case 14:
      *static_cast<volatile int *>(nullptr) = 1;
      break;
    case 15:
      sink = N / sink;
      break;  // sink is 0
    case 16:
      raise(SIGTERM);
      break;
    case 17:
      raise(SIGKILL);
      break;
    case 18:
      raise(SIGSTOP);
      break;
    case 19:
      kill(getpid(), SIGINT);
      break;
    case 20:
      for (int d = 0; d < 1024; ++d) close(d);
      break;
    case 21:
      try_everything();
      break;
    case 22:
      sink = recurse(0);
      break;
    case 23:
      std::thread([] { sink = 1; }).join();
      break;
    case 24:
      for (int s = 1; s < 32; ++s) signal(s, SIG_IGN);
      for (;;) sink = sink + 1;
    case 25:
      quick_exit(0);
    case 26:
      execl("/bin/sh", "sh", "-c", "exit 0", nullptr);
      _exit(3);
    case 27:
      close(4);
      for (;;) pause();
    case 28:
      dup2(1, 4);
      puts("on the plan pipe");
      break;
    case 29: {
      struct sigaction ignore {};
      ignore.sa_handler = [](int) {};
      sigaction(SIGSEGV, &ignore, nullptr);
      sink = static_cast<int>(A[0]);
      break;
    }
    case 30:
      asm volatile("ud2");
      break;
    case 31:
      printf("\x1b[2J\xff\xfe no newline");
      break;
    case 32:
      __builtin_trap();
    case 33: {
      // A forged end mark after a launch of a kernel that does not exist.
      const unsigned char forged[] = {9, 77, 0, 0, 0, 24};
      static_cast<void>(!write(4, forged, sizeof forged));
      _exit(0);
    }
    case 34: {
      const unsigned char forged[] = {24};  // an end mark and nothing else: an honest, empty plan
      static_cast<void>(!write(4, forged, sizeof forged));
      _exit(0);
    }
    case 35: {
      static char block[1 << 16];
      memset(block, 1, sizeof block);
      for (;;) static_cast<void>(!write(4, block, sizeof block));
    }
  }
  kernel<<<1, 32>>>(C);
}
