#include <algorithm>
#include <array>

#include "gpu/cublas_library.hpp"
#include "gpu/library_routine.hpp"
#include "gpu/referee_device.hpp"

asm(".section .rodata\n"
    ".balign 16\n"
    "warpgrade_softmax_fatbin:\n"
    ".incbin \"" WARPGRADE_SOFTMAX_FATBIN
    "\"\n"
    ".previous\n");
extern "C" const std::byte warpgrade_softmax_fatbin[];

namespace warpgrade::gpu {
namespace {

/// What one would write without a fused kernel: all scores by cuBLAS, their softmax, and their products with
/// the values by cuBLAS.
class Attention final : public LibraryRoutine {
 public:
  Attention(const Context &context, const std::vector<std::string> &directories)
      : context_(context), cublas_(directories, context), scores_(context) {
    const auto &cu = context_.driver;
    cu.check(cu.module_load(&module_, warpgrade_softmax_fatbin, 0, nullptr, nullptr), "loading a softmax");
    cu.check(cu.module_function(&softmax_, module_, "softmax_of_rows"), "looking up a softmax");
  }

  std::string name_and_version() const override {
    return cublas_.name_and_version() + ", with a softmax between two products";
  }

  void prepare(std::span<const DeviceSpan> operands) override {
    require_operands(operands, 4);
    std::copy_n(operands.begin(), 4, operands_.begin());
    const std::int64_t queries = operands[0].elements() / problem::attention_width,
                       keys = operands[1].elements() / problem::attention_width;
    products_ = {product(queries, keys, problem::attention_width, true),
                 product(queries, problem::attention_width, keys, false)};
    for (const problem::MatrixProduct &p : products_)
      if (const std::string why = Cublas::why_not(p); !why.empty()) throw DriverUnavailable(why);
    const auto bytes = 4 * static_cast<std::uint64_t>(queries * keys);
    if (bytes > most_bytes) throw DriverUnavailable("all scores together take more than 8 GiB");
    scores_.reserve(bytes);
  }

  void run() override {
    const auto &[q, k, v, o] = operands_;
    cublas_.multiply(products_[0], q.at, k.at, scores_.at());
    constexpr unsigned rows_of_block = 8;
    CUdeviceptr scores = scores_.at();
    int rows = static_cast<int>(products_[0].m), columns = static_cast<int>(products_[0].n);
    std::array<void *, 3> arguments{&scores, &rows, &columns};
    const auto blocks = (static_cast<unsigned>(rows) + rows_of_block - 1) / rows_of_block;
    context_.driver.check(context_.driver.launch(softmax_, blocks, 1, 1, 32 * rows_of_block, 1, 1, 0,
                                                 context_.stream, arguments.data(), nullptr),
                          "launching a softmax");
    cublas_.multiply(products_[1], scores_.at(), v.at, o.at);
  }

 private:
  static constexpr std::uint64_t most_bytes = std::uint64_t{8} << 30;

  /// m x n, all stored by rows; `scores`: the second factor is transposed, and the result is divided by the
  /// root of the width.
  static problem::MatrixProduct product(std::int64_t m, std::int64_t n, std::int64_t k, bool scores) {
    problem::MatrixProduct p;
    p.m = m, p.n = n, p.k = k;
    if (scores) p.alpha = 1.0f / problem::attention_root;
    p.a.row_stride = k;
    p.b.row_stride = scores ? 1 : n;
    p.b.column_stride = scores ? k : 1;
    p.c.row_stride = n;
    return p;
  }

  const Context &context_;
  Cublas cublas_;
  DeviceMemory scores_;
  CUmodule module_ = nullptr;
  CUfunction softmax_ = nullptr;
  std::array<DeviceSpan, 4> operands_;
  std::array<problem::MatrixProduct, 2> products_;
};

}  // namespace

std::unique_ptr<LibraryRoutine> open_composed(const Context &context,
                                              const std::vector<std::string> &directories) {
  return std::make_unique<Attention>(context, directories);
}

}  // namespace warpgrade::gpu
