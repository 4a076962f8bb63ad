#include "tests/gpu/neighbour.hpp"

#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <random>
#include <thread>

#include "gpu/driver.hpp"

namespace warpgrade::gpu {

int be_a_noisy_neighbour(const std::string &driver_library, int device_index,
                         const std::vector<std::byte> &image, int turns) {
  try {
    const Context context = Context::create(driver_library, device_index);
    const Driver &cu = context.driver;
    CUmodule module = nullptr;
    CUfunction busy = nullptr;
    cu.check(cu.module_load(&module, image.data(), 0, nullptr, nullptr), "loading the neighbour's kernel");
    cu.check(cu.module_function(&busy, module, "busy"), "finding the neighbour's kernel");
    std::mt19937 random(7);
    // Longer than a product takes, and never the same: what shares the GPU with it cannot settle.
    std::uniform_int_distribution<long long> clocks(1'000'000, 16'000'000);  // up to some 8 ms
    std::uniform_int_distribution<int> pause(500, 8000);                     // microseconds
    const int blocks = 4 * context.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    for (int turn = 0; turns == 0 || turn < turns; ++turn) {
      long long time = clocks(random);
      std::byte arguments[sizeof time];
      std::memcpy(arguments, &time, sizeof time);
      std::size_t bytes = sizeof time;
      void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, arguments, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                       CU_LAUNCH_PARAM_END};
      cu.check(
          cu.launch(busy, static_cast<unsigned>(blocks), 1, 1, 256, 1, 1, 0, context.stream, nullptr, extra),
          "launching the neighbour's kernel");
      cu.check(cu.stream_synchronize(context.stream), "the neighbour's kernel");
      if (turn == 0) std::puts("the neighbour is at work");
      if (turn == 0) std::fflush(stdout);
      std::this_thread::sleep_for(std::chrono::microseconds(pause(random)));
    }
    return 0;
  } catch (const std::exception &e) {
    std::printf("no neighbour: %s\n", e.what());
    std::fflush(stdout);
    return 1;
  }
}

}  // namespace warpgrade::gpu
