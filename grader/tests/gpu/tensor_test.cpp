// The simulator's tensor cores compute what the GPU's do, bit by bit: every shape and type of mma.sync, wmma
// and wgmma, on random fragments. WARPGRADE_FRAGMENTS=N says how many of each (20000); a million takes half
// an hour.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <thread>

#include "gpu/driver.hpp"
#include "ptx/module.hpp"
#include "tests/gpu/device_code.hpp"
#include "tests/gpu/plans.hpp"
#include "tests/simt/warpgroup_cases.hpp"

namespace warpgrade::gpu {
namespace {

using simt::tensor::Case;
using simt::tensor::GroupCase;
using simt::tensor::GroupOperands;
using simt::tensor::RandomFragments;

/// Kernels on the GPU of these tests.
class TensorCores {
 public:
  /// image   a fat binary, or PTX with a zero at its end
  explicit TensorCores(const void *image)
      : context_(Context::create(machine().options.driver_library, machine().device.index)) {
    context_.driver.check(context_.driver.module_load(&module_, image, 0, nullptr, nullptr),
                          "loading the kernels");
  }

  /// Launches a kernel whose parameters are pointers to these operands and to `words` words of results,
  /// followed by `count` if it is not 0.
  std::vector<std::uint32_t> run(const std::string &name, unsigned blocks,
                                 const std::vector<std::vector<std::uint32_t>> &operands, std::size_t words,
                                 int count) {
    const Driver &cu = context_.driver;
    CUfunction kernel = nullptr;
    cu.check(cu.module_function(&kernel, module_, name.c_str()), "finding " + name);
    std::vector<std::uint32_t> result(words);
    struct {
      CUdeviceptr operands[4] = {};
      int count = 0;
    } arguments;
    arguments.count = count;
    for (std::size_t i = 0; i < 4; ++i) {
      const std::size_t bytes = 4 * (i < 3 ? operands[i].size() : words);
      cu.check(cu.memory_alloc(&arguments.operands[i], bytes), "memory for fragments");
      if (i < 3)
        cu.check(cu.copy_in(arguments.operands[i], operands[i].data(), bytes, context_.stream),
                 "copying fragments");
    }
    // Without the padding behind the last one: the driver refuses more bytes than the kernel has parameters.
    std::size_t bytes = sizeof arguments.operands + (count ? sizeof count : 0);
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &arguments, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     CU_LAUNCH_PARAM_END};
    cu.check(cu.launch(kernel, blocks, 1, 1, 128, 1, 1, 0, context_.stream, nullptr, extra),
             "launching " + name);
    cu.check(cu.copy_out(result.data(), arguments.operands[3], 4 * words, context_.stream),
             "copying products");
    cu.check(cu.stream_synchronize(context_.stream), name);
    for (const CUdeviceptr one : arguments.operands) cu.check(cu.memory_free(one), "freeing fragments");
    return result;
  }

  /// The products of fragments, one after the other.
  std::vector<std::uint32_t> run(const Case &of, const std::vector<RandomFragments> &fragments) {
    std::vector<std::vector<std::uint32_t>> operands(3);
    for (const RandomFragments &one : fragments) {
      operands[0].insert(operands[0].end(), one.a.begin(), one.a.end());
      operands[1].insert(operands[1].end(), one.b.begin(), one.b.end());
      operands[2].insert(operands[2].end(), one.c.begin(), one.c.end());
    }
    return run(of.kernel, 512, operands, 32 * fragments.size() * of.words_d(),
               static_cast<int>(fragments.size()));
  }

  std::vector<std::uint32_t> run(const GroupCase &of, const std::vector<GroupOperands> &blocks) {
    std::vector<std::vector<std::uint32_t>> operands(3);
    for (const GroupOperands &one : blocks) {
      operands[0].insert(operands[0].end(), one.image.begin(), one.image.end());
      operands[1].insert(operands[1].end(), one.a.begin(), one.a.end());
      operands[2].insert(operands[2].end(), one.c.begin(), one.c.end());
    }
    return run(of.kernel(), static_cast<unsigned>(blocks.size()), operands,
               blocks.size() * of.words_d() * GroupCase::threads, 0);
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
  TensorCores gpu(tensor_fat_binary().data());
  for (const Case &one : simt::tensor::all_cases()) {
    constexpr std::uint64_t batch = 20000;
    std::atomic<std::uint64_t> wrong{0};
    for (std::uint64_t first = 0; first < wanted_fragments(); first += batch) {
      const std::uint64_t count = std::min(batch, wanted_fragments() - first);
      std::vector<std::optional<RandomFragments>> drawn(count);
      std::vector<std::vector<std::uint32_t>> expected(count);
      on_all_cores(count, [&](std::size_t i) {
        drawn[i].emplace(one, first + i);
        expected[i] = drawn[i]->product(one);
      });
      std::vector<RandomFragments> fragments;
      for (std::optional<RandomFragments> &fragment : drawn) fragments.push_back(std::move(*fragment));
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

/// A product of 64 by n counts as n / 2 fragments of 16 by 8. The driver compiles the kernels.
TEST(HopperTensorCores, MultiplyRandomMatricesOfWarpgroupsAsTheSimulatorDoes) {
  const std::vector<GroupCase> cases = simt::tensor::group_cases();
  const std::string text = simt::tensor::ptx_of(cases);
  const auto module = std::make_shared<const ptx::Module>(ptx::parse(text));
  TensorCores gpu(text.c_str());
  std::uint64_t all = 0;
  for (const GroupCase &one : cases) {
    constexpr std::uint64_t batch = 2048, part = 16;
    const std::uint64_t wanted = std::max<std::uint64_t>(wanted_fragments() / (one.n / 2), part);
    const std::size_t words = std::size_t{one.words_d()} * GroupCase::threads;
    std::uint64_t wrong = 0;
    for (std::uint64_t first = 0; first < wanted; first += batch) {
      const std::uint64_t count = std::min(batch, wanted - first);
      std::vector<GroupOperands> blocks(count, GroupOperands(one, 0));
      std::vector<std::uint32_t> expected(count * words);
      on_all_cores((count + part - 1) / part, [&](std::size_t p) {
        const std::uint64_t begin = p * part, end = std::min(begin + part, count);
        std::vector<GroupOperands> some;
        for (std::uint64_t i = begin; i < end; ++i)
          some.emplace_back(one, first + i), blocks[i] = some.back();
        const std::vector<std::uint32_t> results = simulated(one, module, some);
        std::copy(results.begin(), results.end(),
                  expected.begin() + static_cast<std::ptrdiff_t>(begin * words));
      });
      const std::vector<std::uint32_t> got = gpu.run(one, blocks);
      for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint32_t *const seen = &got[i * words], *const want = &expected[i * words];
        if (std::memcmp(seen, want, 4 * words) == 0) continue;
        if (wrong++ < 3) {
          const auto w = static_cast<std::size_t>(std::mismatch(seen, seen + words, want).first - seen);
          ADD_FAILURE() << one.kernel() << ", block " << first + i << ", register " << w / GroupCase::threads
                        << " of thread " << w % GroupCase::threads << std::hex << ": the GPU has " << seen[w]
                        << ", the simulator " << want[w];
        }
      }
    }
    EXPECT_EQ(wrong, 0u) << "of " << wanted << " products of " << one.kernel();
    all += wanted * one.n / 2;
  }
  std::printf("%zu kernels, %llu fragments\n", cases.size(), static_cast<unsigned long long>(all));
}

}  // namespace
}  // namespace warpgrade::gpu
