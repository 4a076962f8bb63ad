// A static program that says what it sees: run where there is nothing but itself.
#include <unistd.h>

#include <cstdio>

int main(int count, char **words) {
  const bool alone =
      ::access("/usr", F_OK) != 0 && ::access("/etc", F_OK) != 0 && ::access("/proc", F_OK) != 0;
  std::printf("%s, %d words, %s\n", alone ? "alone" : "not alone", count, words[count - 1]);
}
