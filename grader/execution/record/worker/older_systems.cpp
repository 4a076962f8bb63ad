// What the compiler makes this library ask for, and what the C or C++ library of an older system lacks. These
// definitions are weak: where the system has its own, the linker may take that.
#include <new>

namespace std {

__attribute__((weak)) void __throw_bad_array_new_length() {  // since GCC 11
  throw bad_alloc();
}

}  // namespace std

extern "C" {
extern char __libc_single_threaded __attribute__((weak));
char __libc_single_threaded = 0;  // since glibc 2.32; "no" is always right
}
