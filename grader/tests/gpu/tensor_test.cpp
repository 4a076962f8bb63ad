// The simulator's tensor cores compute what the GPU's do, bit by bit: every shape and type of mma.sync and
// wmma, on random fragments. WARPGRADE_FRAGMENTS=N says how many of each (20000); a million takes some
// minutes.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <thread>

#include "gpu/driver.hpp"
#include "tests/gpu/device_code.hpp"
#include "tests/gpu/plans.hpp"
#include "tests/simt/tensor_cases.hpp"

namespace warpgrade::gpu {
namespace {

using simt::tensor::Case;
using simt::tensor::Fragments;

/// The kernels of tensor_kernels.cu on the GPU of these tests.
class TensorCores {
 public:
  TensorCores() : context_(Context::create(machine().options.driver_library, machine().device.index)) {
    const Driver &cu = context_.driver;
    const std::vector<std::byte> image = tensor_fat_binary();
    cu.check(cu.module_load(&module_, image.data(), 0, nullptr, nullptr), "loading the kernels");
  }

  /// The products of fragments [first, first + count), one after the other.
  std::vector<std::uint32_t> run(const Case &of, const std::vector<Fragments> &fragments) {
    const Driver &cu = context_.driver;
    CUfunction kernel = nullptr;
    cu.check(cu.module_function(&kernel, module_, of.kernel.c_str()), "finding " + of.kernel);
    const std::size_t count = fragments.size();
    std::vector<std::uint32_t> host[3], result(32 * count * of.words_d());
    for (const Fragments &one : fragments) {
      host[0].insert(host[0].end(), one.a.begin(), one.a.end());
      host[1].insert(host[1].end(), one.b.begin(), one.b.end());
      host[2].insert(host[2].end(), one.c.begin(), one.c.end());
    }
    struct {
      CUdeviceptr operands[4] = {};
      int count = 0;
    } arguments;
    arguments.count = static_cast<int>(count);
    for (int i = 0; i < 4; ++i) {
      const std::size_t bytes = 4 * (i < 3 ? host[i].size() : result.size());
      cu.check(cu.memory_alloc(&arguments.operands[i], bytes), "memory for fragments");
      if (i < 3)
        cu.check(cu.copy_in(arguments.operands[i], host[i].data(), bytes, context_.stream),
                 "copying fragments");
    }
    // Without the padding behind the last one: the driver refuses more bytes than the kernel has parameters.
    std::size_t bytes = sizeof arguments.operands + sizeof arguments.count;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &arguments, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     CU_LAUNCH_PARAM_END};
    cu.check(cu.launch(kernel, 512, 1, 1, 128, 1, 1, 0, context_.stream, nullptr, extra),
             "launching " + of.kernel);
    cu.check(cu.copy_out(result.data(), arguments.operands[3], 4 * result.size(), context_.stream),
             "copying products");
    cu.check(cu.stream_synchronize(context_.stream), of.kernel);
    for (const CUdeviceptr one : arguments.operands) cu.check(cu.memory_free(one), "freeing fragments");
    return result;
  }

 private:
  Context context_;
  CUmodule module_ = nullptr;
};

std::uint64_t wanted_fragments() {
  const char *text = std::getenv("WARPGRADE_FRAGMENTS");
  return text ? std::strtoull(text, nullptr, 10) : 20000;
}

template <class Work>
void on_all_cores(std::size_t count, const Work &work) {
  std::atomic<std::size_t> next{0};
  std::vector<std::jthread> threads;
  for (unsigned t = 0; t < std::max(1u, std::thread::hardware_concurrency()); ++t)
    threads.emplace_back([&] {
      for (std::size_t i = next++; i < count; i = next++) work(i);
    });
}

TEST(TensorCores, MultiplyRandomFragmentsAsTheSimulatorDoes) {
  TensorCores gpu;
  for (const Case &one : simt::tensor::all_cases()) {
    constexpr std::uint64_t batch = 20000;
    std::atomic<std::uint64_t> wrong{0};
    for (std::uint64_t first = 0; first < wanted_fragments(); first += batch) {
      const std::uint64_t count = std::min(batch, wanted_fragments() - first);
      std::vector<std::optional<Fragments>> drawn(count);
      std::vector<std::vector<std::uint32_t>> expected(count);
      on_all_cores(count, [&](std::size_t i) {
        drawn[i].emplace(one, first + i);
        expected[i] = drawn[i]->product(one);
      });
      std::vector<Fragments> fragments;
      for (std::optional<Fragments> &fragment : drawn) fragments.push_back(std::move(*fragment));
      const std::vector<std::uint32_t> results = gpu.run(one, fragments);
      for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint32_t *const got = &results[i * expected[i].size()];
        if (std::memcmp(got, expected[i].data(), 4 * expected[i].size()) == 0) continue;
        if (wrong++ < 3)
          for (std::size_t w = 0; w < expected[i].size(); ++w)
            if (got[w] != expected[i][w]) {
              ADD_FAILURE() << one.kernel << ", fragment " << first + i << ", register " << w / 32
                            << " of lane " << w % 32 << std::hex << ": the GPU has " << got[w]
                            << ", the simulator " << expected[i][w];
              break;
            }
      }
    }
    EXPECT_EQ(wrong, 0u) << "of " << wanted_fragments() << " fragments of " << one.kernel;
  }
}

}  // namespace
}  // namespace warpgrade::gpu
