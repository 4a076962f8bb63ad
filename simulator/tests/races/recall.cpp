// How many of the labelled programs are judged correctly: race_recall [--say NAME] FILE.ptx...
// Prints "wrong NAME" for each that is not, and "races FOUND OF REPORTED OF": of the racy and of the right
// ones. With --say, prints what is reported of the programs whose names contain NAME, and no more.
#include <cstdio>
#include <exception>

#include "tests/races/labelled.hpp"

int main(int count, char **files) try {
  using namespace warpgrade::tests;
  const bool says = count > 2 && std::strcmp(files[1], "--say") == 0;
  std::size_t racy = 0, found = 0, right = 0, reported = 0;
  for (int i = says ? 3 : 1; i < count; ++i) {
    const auto module = read_module(files[i]);
    for (const Labelled &one : labelled(*module)) {
      if (says) {
        if (one.symbol.find(files[2]) == std::string::npos) continue;
        std::printf("%s\n", one.symbol.c_str());
        for (const auto &made : run_labelled(module, one).diagnostics)
          std::printf("  %s\n", to_text(made).c_str());
        continue;
      }
      const bool told = reports_race(run_labelled(module, one));
      ++(one.racy ? racy : right);
      if (told) ++(one.racy ? found : reported);
      if (told != one.racy) std::printf("wrong %s\n", one.symbol.c_str());
    }
  }
  if (!says) std::printf("races %zu %zu %zu %zu\n", found, racy, reported, right);
  return 0;
} catch (const std::exception &error) {
  std::fprintf(stderr, "race_recall: %s\n", error.what());
  return 1;
}
