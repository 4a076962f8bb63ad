// Also the worker that workers_test.cpp starts: this same program.
#include <gtest/gtest.h>

#include <string_view>

namespace warpgrade::tests {
int worker_of_the_tests();
}

int main(int argc, char **argv) {
  if (argc > 1 && std::string_view(argv[1]) == "--worker") return warpgrade::tests::worker_of_the_tests();
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
