// Who runs the constructors of a program. Before glibc 2.34, the program brought the function that does;
// since, glibc does it unless the program brings one. The linker sends crt1.o's call here (--wrap).

extern "C" {
typedef void Function(int, char **, char **);
extern Function *__init_array_start[] __attribute__((visibility("hidden")));
extern Function *__init_array_end[] __attribute__((visibility("hidden")));
void _init() __attribute__((visibility("hidden")));
int __real___libc_start_main(int (*)(int, char **, char **), int, char **, Function *, void (*)(), void (*)(),
                             void *);
}

static void run_constructors(int argc, char **argv, char **environment) {
  _init();
  for (Function **f = __init_array_start; f != __init_array_end; ++f) (*f)(argc, argv, environment);
}

extern "C" __attribute__((visibility("hidden"))) int __wrap___libc_start_main(
    int (*main)(int, char **, char **), int argc, char **argv, Function *init, void (*fini)(),
    void (*loader_fini)(), void *stack_end) {
  return __real___libc_start_main(main, argc, argv, init == nullptr ? run_constructors : init, fini,
                                  loader_fini, stack_end);
}
