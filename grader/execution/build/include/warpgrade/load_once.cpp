// One start of clang for both readings of a file. To load clang and its libraries and to make them fit where
// they lie takes longer than the host's whole reading of a small file, so a process that has loaded them
// forks.
//
// A library for LD_PRELOAD. The arguments of the two readings stand in one command, with "--and" between
// them:
//
//   LD_PRELOAD=./load_once.so SECOND_LOG=file [AFTER_SECOND=command] clang++ <device...> --and <host...>
//
// The messages of the second go to SECOND_LOG. When it has done what it was asked, it has the shell run
// AFTER_SECOND, while the first may still be at work. The exit status is the first's, or the second's where
// the first's is 0. Without "--and", clang is clang.
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using Main = int (*)(int, char **, char **);
using Start = int (*)(Main, int, char **, void (*)(), void (*)(), void (*)(), void *);
Main clang;

int second(int argc, char **argv) {
  const int log = open(getenv("SECOND_LOG"), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (log < 0 || dup2(log, 2) < 0) return 1;
  close(log);
  const int status = clang(argc, argv, environ);
  const char *after = getenv("AFTER_SECOND");
  if (status == 0 && after != nullptr && system(after) < 0) return 1;  // how it ends is not clang's business
  return status;
}

int both(int argc, char **argv, char **environment) {
  unsetenv("LD_PRELOAD");
  int middle = 1;
  while (middle < argc && strcmp(argv[middle], "--and") != 0) ++middle;
  if (middle == argc) return clang(argc, argv, environment);
  argv[middle] = nullptr;
  const pid_t process = fork();
  if (process < 0) return 1;
  if (process == 0) {
    argv[middle] = argv[0];
    return second(argc - middle, argv + middle);
  }
  const int status = clang(middle, argv, environ);
  int other = 0;
  if (waitpid(process, &other, 0) != process) return 1;
  if (status != 0) return status;
  return WIFEXITED(other) ? WEXITSTATUS(other) : 1;
}

}  // namespace

// What a program's first instructions call, with its main.
extern "C" int __libc_start_main(Main program, int argc, char **argv, void (*init)(), void (*fini)(),
                                 void (*loader_fini)(), void *stack_end) {
  clang = program;
  void *const next = dlsym(RTLD_NEXT, "__libc_start_main");
  return reinterpret_cast<Start>(next)(both, argc, argv, init, fini, loader_fini, stack_end);
}
