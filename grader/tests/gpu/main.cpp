// test_gpu: what gpu/ does on a real GPU. WARPGRADE_CUBLAS=DIR[:DIR...] says where else to look for cuBLAS,
// cuSPARSE and libwarpgrade_cub.so.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>

#include "tests/gpu/device_code.hpp"
#include "tests/gpu/neighbour.hpp"
#include "tests/gpu/plans.hpp"

namespace warpgrade::gpu {
namespace {
TestMachine &the_machine() {
  static TestMachine machine;
  return machine;
}
}  // namespace
const TestMachine &machine() {
  return the_machine();
}

bool there_are_two() {
  return together_with(machine().device, machine().devices).size() > 1;
}
Replay replay_on_two() {
  return Replay(together_with(machine().device, machine().devices), test_fat_binary(), {}, machine().options);
}

static int test_main(int argc, char **argv) {
  auto &machine = the_machine();
  if (const char *directories = std::getenv("WARPGRADE_CUBLAS"))
    for (std::istringstream list(directories); list.good();)
      if (std::string directory; std::getline(list, directory, ':'))
        machine.options.library_directories.push_back(directory);
  machine.options.library_directories.push_back(WARPGRADE_BUILT);
  const auto query = query_devices(machine.options);
  if (query.devices.empty()) {
    std::fprintf(stderr, "test_gpu needs an NVIDIA GPU: %s\n", query.why_none.c_str());
    return 1;
  }
  machine.device = query.devices.front();
  machine.devices = query.devices;
  testing::InitGoogleTest(&argc, argv);  // which tests there are depends on the GPUs
  if (machine.device.major != 9) {
    std::string &filter = testing::GTEST_FLAG(filter);
    filter += (filter.find('-') == std::string::npos ? "-" : ":") + std::string("Hopper*");
    std::printf("without the tests that need a GPU of compute capability 9.0\n");
  }
  std::printf("on %s (sm_%d%d, %d multiprocessors, driver %s, PCI %s)\n", machine.device.name.c_str(),
              machine.device.major, machine.device.minor, machine.device.multiprocessors,
              machine.device.driver_version.c_str(), machine.device.pci_bus_id.c_str());
  return RUN_ALL_TESTS();
}
}  // namespace warpgrade::gpu

int main(int argc, char **argv) {
  if (const auto status = warpgrade::gpu::run_as_child(argc, argv)) return *status;
  if (argc == 3 && std::strcmp(argv[1], "--noisy-neighbour") == 0)
    return warpgrade::gpu::be_a_noisy_neighbour(warpgrade::gpu::ChildOptions().driver_library,
                                                std::atoi(argv[2]), warpgrade::gpu::test_fat_binary(), 0);
  return warpgrade::gpu::test_main(argc, argv);
}
