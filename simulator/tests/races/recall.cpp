// How many of the labelled programs are judged correctly: race_recall FILE.ptx...
// Prints "wrong NAME" for each that is not, and "races FOUND OF REPORTED OF": of the racy and of the right
// ones.
#include <cstdio>
#include <exception>

#include "tests/races/labelled.hpp"

int main(int count, char **files) try {
  using namespace warpgrade::tests;
  std::size_t racy = 0, found = 0, right = 0, reported = 0;
  for (int i = 1; i < count; ++i) {
    const auto module = read_module(files[i]);
    for (const Labelled &one : labelled(*module)) {
      const bool told = reports_race(run_labelled(module, one));
      ++(one.racy ? racy : right);
      if (told) ++(one.racy ? found : reported);
      if (told != one.racy) std::printf("wrong %s\n", one.symbol.c_str());
    }
  }
  std::printf("races %zu %zu %zu %zu\n", found, racy, reported, right);
  return 0;
} catch (const std::exception &error) {
  std::fprintf(stderr, "race_recall: %s\n", error.what());
  return 1;
}
