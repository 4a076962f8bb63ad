// The simulator's tensor cores compute what the GPU's do, bit by bit: every shape and type of mma.sync, wmma
// and wgmma, on random fragments. WARPGRADE_FRAGMENTS=N says how many of each shape and types (20000), shared
// among its layouts; WARPGRADE_FRAGMENTS_OF=e4m3 takes only those with that in their name.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "gpu/driver.hpp"
#include "ptx/fatbin.hpp"
#include "ptx/module.hpp"
#include "tests/gpu/device_code.hpp"
#include "tests/gpu/double_orders.hpp"
#include "tests/gpu/plans.hpp"
#include "tests/simt/warpgroup_cases.hpp"

namespace warpgrade::gpu {
namespace {

using simt::tensor::Case;
using simt::tensor::Element;
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

 private:
  Context context_;
  CUmodule module_ = nullptr;
};

/// Of each shape and types.
std::uint64_t wanted_fragments() {
  const char *text = std::getenv("WARPGRADE_FRAGMENTS");
  return text ? std::strtoull(text, nullptr, 10) : 20000;
}

/// The name of a kernel without what is neither shape nor type: layouts, and whether sums are clamped.
std::string shape_and_types(const Case &of) {
  std::string name = of.kernel;
  for (const char *suffix : {"_sat", "_rr", "_rc", "_cr", "_cc", "_rz", "_rm", "_rp"})
    if (name.ends_with(suffix)) name.resize(name.size() - std::strlen(suffix));
  return name;
}
std::string shape_and_types(const GroupCase &of) {
  return simt::tensor::with_number("n", of.n) + name_of(of.d) + name_of(of.a) + name_of(of.b);
}

/// Those whose shape and types contain WARPGRADE_FRAGMENTS_OF.
template <class AnyCase>
std::vector<AnyCase> chosen(std::vector<AnyCase> cases) {
  const char *text = std::getenv("WARPGRADE_FRAGMENTS_OF");
  if (text != nullptr)
    std::erase_if(cases,
                  [&](const AnyCase &one) { return shape_and_types(one).find(text) == std::string::npos; });
  return cases;
}

template <class AnyCase>
std::uint64_t fragments_of(const AnyCase &one, const std::vector<AnyCase> &cases) {
  const auto forms = static_cast<std::uint64_t>(std::ranges::count_if(
      cases, [&](const AnyCase &other) { return shape_and_types(other) == shape_and_types(one); }));
  return (wanted_fragments() + forms - 1) / forms;
}

/// Calls work(first, last) for slices of 0 ... count - 1.
template <class Work>
void on_all_cores(std::size_t count, std::size_t slice, const Work &work) {
  std::atomic<std::size_t> next{0};
  std::vector<std::jthread> threads;
  for (unsigned t = 0; t < std::max(1u, std::thread::hardware_concurrency()); ++t)
    threads.emplace_back([&] {
      for (std::size_t i = next.fetch_add(slice); i < count; i = next.fetch_add(slice))
        work(i, std::min(i + slice, count));
    });
}

/// Operands of the GPU and the simulator's results, `words` words for each of some fragments or blocks. The
/// memory is kept from one batch to the next.
struct Batch {
  std::vector<std::vector<std::uint32_t>> operands = std::vector<std::vector<std::uint32_t>>(3);
  std::vector<std::uint32_t> expected;

  void resize(std::size_t count, const std::array<std::size_t, 3> &words, std::size_t results) {
    for (std::size_t i = 0; i < 3; ++i) operands[i].resize(count * words[i]);
    expected.resize(count * results);
  }
  static void put(std::vector<std::uint32_t> &into, std::size_t i, const std::vector<std::uint32_t> &words) {
    std::ranges::copy(words, into.begin() + static_cast<std::ptrdiff_t>(i * words.size()));
  }
};

/// How many of `count` results differ; reports the first three of the kernel.
std::uint64_t compare(const std::string &kernel, const std::vector<std::uint32_t> &got, const Batch &batch,
                      std::size_t count, std::uint64_t first, std::uint64_t wrong_before) {
  const std::size_t words = batch.expected.size() / count;
  std::atomic<std::uint64_t> wrong{0};
  on_all_cores(count, 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t *const seen = &got[i * words], *const want = &batch.expected[i * words];
      if (std::memcmp(seen, want, 4 * words) == 0 || wrong_before + wrong++ >= 3) continue;
      const auto w = static_cast<std::size_t>(std::mismatch(seen, seen + words, want).first - seen);
      ADD_FAILURE() << kernel << ", number " << first + i << ", word " << w << std::hex << ": the GPU has "
                    << seen[w] << ", the simulator " << want[w];
    }
  });
  return wrong;
}

TEST(TensorCores, MultiplyRandomFragmentsAsTheSimulatorDoes) {
  TensorCores gpu(tensor_fat_binary().data());
  const std::vector<Case> cases = chosen(simt::tensor::all_cases());
  Batch batch;
  std::uint64_t all = 0;
  for (const Case &one : cases) {
    if (one.needs_hopper() && machine().device.major < 9) continue;
    const std::uint64_t wanted = fragments_of(one, cases);
    std::uint64_t wrong = 0;
    for (std::uint64_t first = 0; first < wanted; first += 20000) {
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(20000, wanted - first));
      const std::size_t words = std::size_t{32} * one.words_d();
      batch.resize(count, {32 * one.words_a, 32 * one.words_b, 32 * one.words_c()}, words);
      on_all_cores(count, 64, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          const RandomFragments drawn(one, first + i);
          Batch::put(batch.operands[0], i, drawn.a);
          Batch::put(batch.operands[1], i, drawn.b);
          Batch::put(batch.operands[2], i, drawn.c);
          Batch::put(batch.expected, i, drawn.product(one));
        }
      });
      const std::vector<std::uint32_t> got =
          gpu.run(one.kernel, 512, batch.operands, count * words, static_cast<int>(count));
      const std::uint64_t more = compare(one.kernel, got, batch, count, first, wrong);
      if (const auto &p = one.product.one;
          wrong == 0 && more > 0 && p.d == Element::f64 && p.rounding == simt::Rounding::nearest)
        std::printf("%s\n", compare_orders(one, batch.operands, got, count).c_str());
      wrong += more;
    }
    EXPECT_EQ(wrong, 0u) << "of " << wanted << " fragments of " << one.kernel;
    all += wanted;
  }
  std::printf("%zu kernels, %llu fragments\n", cases.size(), static_cast<unsigned long long>(all));
}

/// The kernels of tensor_kernels.cu that load and store fragments of random words.
TEST(TensorCores, LoadAndStoreFragmentsAsTheSimulatorDoes) {
  TensorCores gpu(tensor_fat_binary().data());
  std::string text;
  for (const ptx::Image &image : ptx::read_fatbin(tensor_fat_binary()))
    if (image.kind == ptx::Image::Kind::ptx && image.sm == 80)
      text.assign(reinterpret_cast<const char *>(image.bytes.data()), image.bytes.size());
  const auto module = std::make_shared<const ptx::Module>(ptx::parse(text));
  constexpr std::size_t words = 8192;
  int kernels = 0;
  for (const ptx::Function &kernel : module->functions) {
    if (!kernel.name.starts_with("show_")) continue;
    ++kernels;
    simt::tensor::RandomWords random(7);
    const std::vector<std::uint32_t> ab = random.factors(4096, Element::s4),
                                     c = random.sums(4096, Element::b1);
    const std::vector<std::uint32_t> want =
        simt::tensor::simulated(kernel.name, module, 1, {&ab, &c, &c}, words);
    const std::vector<std::uint32_t> got = gpu.run(kernel.name, 1, {ab, c, c}, words, 0);
    const auto at = static_cast<std::size_t>(std::ranges::mismatch(got, want).in1 - got.begin());
    EXPECT_EQ(at, words) << kernel.name << ", word " << at << std::hex << ": the GPU has " << got[at]
                         << ", the simulator " << want[at];
  }
  EXPECT_EQ(kernels, 37);
}

/// The sum of 2^large and -2^small, which is a unit below 2^large only if the second term is not cut off. No
/// random fragment tells where that happens to numbers that are too small for a normal float.
TEST(TensorCores, CutOffTinyTermsAsTheSimulatorDoes) {
  TensorCores gpu(tensor_fat_binary().data());
  for (const Case &one : simt::tensor::all_cases()) {
    const bool tf32 = one.product.one.a == Element::tf32;
    const bool bf16 = one.product.one.a == Element::bf16;
    if ((!tf32 && !bf16) || one.swapped || !one.kernel.starts_with("mma_")) continue;
    struct Pair {
      int large, small;
    };
    std::vector<Pair> pairs;
    for (int large = -148; large <= -110; ++large)
      for (int small = large - 1; small >= large - 32; --small) pairs.push_back({large, small});
    const auto power = [](int exponent, bool negative) {
      const auto biased = static_cast<std::uint32_t>(exponent + 127);
      return (negative ? 0x80000000u : 0u) | biased << 23;
    };
    Batch batch;
    const std::size_t words = std::size_t{32} * one.words_d();
    batch.resize(pairs.size(), {32 * one.words_a, 32 * one.words_b, 32 * one.words_c()}, words);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      std::vector<std::uint32_t> a(32 * one.words_a), b(32 * one.words_b), c(32 * one.words_c());
      const std::uint32_t a0 = power(pairs[i].large / 2, false), a1 = power(pairs[i].small / 2, true);
      const std::uint32_t b0 = power(pairs[i].large - pairs[i].large / 2, false),
                          b1 = power(pairs[i].small - pairs[i].small / 2, false);
      if (tf32)
        a[0] = a0, a[1] = a1, b[0] = b0, b[1] = b1;
      else
        a[0] = a0 >> 16 | a1, b[0] = b0 >> 16 | b1;
      Batch::put(batch.operands[0], i, a);
      Batch::put(batch.operands[1], i, b);
      Batch::put(batch.operands[2], i, c);
      Batch::put(batch.expected, i, simt::tensor::expected_product(one, a, b, c));
    }
    const std::vector<std::uint32_t> got =
        gpu.run(one.kernel, 16, batch.operands, pairs.size() * words, static_cast<int>(pairs.size()));
    for (std::size_t i = 0; i < pairs.size(); ++i)
      EXPECT_EQ(got[i * words], batch.expected[i * words])
          << one.kernel << ": 2^" << pairs[i].large << " - 2^" << pairs[i].small;
  }
}

/// A product of 64 by n counts as n / 2 fragments of 16 by 8. The driver compiles the kernels.
TEST(HopperTensorCores, MultiplyRandomMatricesOfWarpgroupsAsTheSimulatorDoes) {
  const std::vector<GroupCase> cases = chosen(simt::tensor::group_cases());
  const std::string text = simt::tensor::ptx_of(cases);
  const auto module = std::make_shared<const ptx::Module>(ptx::parse(text));
  TensorCores gpu(text.c_str());
  Batch batch;
  std::uint64_t all = 0;
  for (const GroupCase &one : cases) {
    const std::uint64_t wanted = std::max<std::uint64_t>(fragments_of(one, cases) / (one.n / 2), 16);
    const std::size_t words = std::size_t{one.words_d()} * GroupCase::threads;
    std::uint64_t wrong = 0;
    for (std::uint64_t first = 0; first < wanted; first += 2048) {
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(2048, wanted - first));
      batch.resize(count, {one.bytes() / 4, 4 * GroupCase::threads, words}, words);
      on_all_cores(count, 16, [&](std::size_t begin, std::size_t end) {
        std::vector<GroupOperands> some;
        for (std::size_t i = begin; i < end; ++i) {
          const GroupOperands &drawn = some.emplace_back(one, first + i);
          Batch::put(batch.operands[0], i, drawn.image);
          Batch::put(batch.operands[1], i, drawn.a);
          Batch::put(batch.operands[2], i, drawn.c);
        }
        std::ranges::copy(simulated(one, module, some),
                          batch.expected.begin() + static_cast<std::ptrdiff_t>(begin * words));
      });
      const std::vector<std::uint32_t> got =
          gpu.run(one.kernel(), static_cast<unsigned>(count), batch.operands, count * words, 0);
      wrong += compare(one.kernel(), got, batch, count, first, wrong);
    }
    EXPECT_EQ(wrong, 0u) << "of " << wanted << " products of " << one.kernel();
    all += wanted * one.n / 2;
  }
  std::printf("%zu kernels, %llu fragments\n", cases.size(), static_cast<unsigned long long>(all));
}

}  // namespace
}  // namespace warpgrade::gpu
