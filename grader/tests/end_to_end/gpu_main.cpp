// The GPU's child processes are this program started again, so its main is one of ours.
#include <gtest/gtest.h>

#include "gpu/gpu.hpp"

int main(int argc, char **argv) {
  if (const auto status = warpgrade::gpu::run_as_child(argc, argv)) return *status;
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
