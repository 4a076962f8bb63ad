#include "gpu/cublas_library.hpp"

#include <algorithm>
#include <limits>

namespace warpgrade::gpu {
namespace {

constexpr int not_transposed = 0, transposed = 1;
/// cuBLAS documents this mode as never using fewer bits than asked for: no TF32, no BF16.
constexpr int default_math = 0;

void require(int status, const char *what) {
  if (status != 0) throw DriverUnavailable(std::string(what) + ": cuBLAS status " + std::to_string(status));
}

/// cudaDataType_t, cublasComputeType_t and cublasGemmAlgo_t: C and sums in single precision, factors in half
/// precision, and an algorithm of cuBLAS's choice.
constexpr int real_32 = 0, real_16 = 2, compute_32 = 68, any_algorithm = -1;

/// A matrix as cuBLAS wants it, which counts by columns.
struct Operand {
  int operation = not_transposed;
  int leading = 0;
};

/// `rows` x `columns` by rows is its transpose by columns: not transposed when neighbours lie along rows.
Operand operand_of(const problem::Matrix &x, std::int64_t rows, std::int64_t columns) {
  if (x.column_stride == 1) return {not_transposed, static_cast<int>(std::max(x.row_stride, columns))};
  return {transposed, static_cast<int>(std::max(x.column_stride, rows))};
}

bool has_neighbours(const problem::Matrix &x) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  return (x.column_stride == 1 || x.row_stride == 1) && x.column_stride <= most && x.row_stride <= most;
}

}  // namespace

Cublas::Cublas(const std::vector<std::string> &directories, const Context &context)
    : directories_(directories),
      context_(context),
      library_({"cuBLAS", "libcublas", {".so.13", ".so.12", ".so.11"}, "libcublasLt"}, directories) {
  library_.find(create_, "cublasCreate_v2");
  library_.find(set_stream_, "cublasSetStream_v2");
  library_.find(set_math_mode_, "cublasSetMathMode");
  library_.find(version_, "cublasGetVersion_v2");
  library_.find(sgemm_, "cublasSgemm_v2");
  library_.find(gemm_, "cublasGemmEx");
  library_.find(batched_, "cublasGemmStridedBatchedEx");
  require(create_(&handle_), "cublasCreate");
  require(set_stream_(handle_, context.stream), "cublasSetStream");
  require(set_math_mode_(handle_, default_math), "cublasSetMathMode");
}

std::string Cublas::name_and_version() const {
  int version = 0;
  require(version_(handle_, &version), "cublasGetVersion");
  return "cuBLAS " + std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100) + " from " + library_.where();
}

std::string Cublas::why_not(const problem::MatrixProduct &p) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  for (const auto size : {p.m / p.batch, p.n, p.k, p.batch})
    if (size < 1 || size > most) return "cuBLAS takes sizes from 1 to " + std::to_string(most);
  for (const problem::Matrix *x : {&p.a, &p.b, &p.c})
    if (!has_neighbours(*x)) return "cuBLAS takes matrices whose rows or columns are contiguous";
  const bool in_8_bits = p.a.fill.type == problem::Type::e4m3;
  if (in_8_bits &&
      (p.batch > 1 || p.a.row_stride != p.k || p.b.column_stride != p.k || p.c.row_stride != p.n))
    return "cuBLASLt takes factors in 8 bits whose neighbours are along K";
  return "";
}

void Cublas::multiply(const problem::MatrixProduct &p, CUdeviceptr a, CUdeviceptr b, CUdeviceptr c) {
  if (p.a.fill.type == problem::Type::e4m3) {
    if (!in_8_bits_) in_8_bits_ = std::make_unique<CublasLt>(directories_, context_);
    return in_8_bits_->multiply(p, a, b, c);
  }
  const auto at = [](CUdeviceptr address) { return reinterpret_cast<float *>(address); };
  const int batch = static_cast<int>(p.batch), m = static_cast<int>(p.m / p.batch), n = static_cast<int>(p.n),
            k = static_cast<int>(p.k);
  Operand of_a = operand_of(p.a, m, p.k), of_b = operand_of(p.b, p.k, p.n);
  const Operand of_c = operand_of(p.c, m, p.n);
  const bool half = p.a.fill.type == problem::Type::f16;
  const int type = half ? real_16 : real_32;
  const auto one = [&](const problem::Matrix &x) { return static_cast<long long>(x.elements) / batch; };
  const auto multiply = [&](int of_left, int of_right, int rows, int columns, CUdeviceptr left,
                            int left_leading, CUdeviceptr right, int right_leading) {
    if (batch > 1)
      return batched_(handle_, of_left, of_right, rows, columns, k, &p.alpha, at(left), type, left_leading,
                      one(left == a ? p.a : p.b), at(right), type, right_leading, one(right == a ? p.a : p.b),
                      &p.beta, at(c), real_32, of_c.leading, one(p.c), batch, compute_32, any_algorithm);
    return half ? gemm_(handle_, of_left, of_right, rows, columns, k, &p.alpha, at(left), real_16,
                        left_leading, at(right), real_16, right_leading, &p.beta, at(c), real_32,
                        of_c.leading, compute_32, any_algorithm)
                : sgemm_(handle_, of_left, of_right, rows, columns, k, &p.alpha, at(left), left_leading,
                         at(right), right_leading, &p.beta, at(c), of_c.leading);
  };
  // By columns, a row-major C is its transpose: C' = B' A'.
  const int status =
      of_c.operation == not_transposed
          ? multiply(of_b.operation, of_a.operation, n, m, b, of_b.leading, a, of_a.leading)
          : multiply(1 - of_a.operation, 1 - of_b.operation, m, n, a, of_a.leading, b, of_b.leading);
  require(status, batch > 1 ? "cublasGemmStridedBatchedEx" : half ? "cublasGemmEx" : "cublasSgemm");
}

}  // namespace warpgrade::gpu
