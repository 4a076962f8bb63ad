// std::random_device takes its numbers from arc4random where the C library has it, which binds a program to
// glibc 2.36. This one is the program's own, so that what is built on Debian 12 runs on Ubuntu 22.04 too.
#include <sys/random.h>

#include <cstdlib>

extern "C" unsigned int arc4random() noexcept {
  unsigned int number = 0;
  if (::getrandom(&number, sizeof number, 0) != sizeof number) std::abort();  // Linux before 3.17
  return number;
}
