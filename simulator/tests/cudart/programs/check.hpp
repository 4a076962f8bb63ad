// What the programs here share: they are written as students write them, and end with 3 when an answer is
// wrong.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>

#define CHECK(call)                                                                                   \
  do {                                                                                                \
    const cudaError_t error_ = (call);                                                                \
    if (error_ != cudaSuccess) {                                                                      \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error_)); \
      std::exit(2);                                                                                   \
    }                                                                                                 \
  } while (0)

#define EXPECT(condition)                                                         \
  do {                                                                            \
    if (!(condition)) {                                                           \
      std::fprintf(stderr, "%s:%d: wrong: %s\n", __FILE__, __LINE__, #condition); \
      std::exit(3);                                                               \
    }                                                                             \
  } while (0)

struct Case {
  const char *name;
  void (*run)();
};

template <int N>
int run_case(const Case (&cases)[N], int argc, char **argv) {
  for (const Case &one : cases)
    if (argc > 1 && std::strcmp(one.name, argv[1]) == 0) {
      one.run();
      return 0;
    }
  std::fprintf(stderr, "no such case\n");
  return 4;
}
