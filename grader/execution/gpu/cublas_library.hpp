// cuBLAS, loaded at run time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpu/cublaslt_library.hpp"
#include "gpu/driver.hpp"
#include "gpu/shared_library.hpp"
#include "problem/product.hpp"

namespace warpgrade::gpu {

class Cublas {
 public:
  /// Throws DriverUnavailable with a sentence.
  Cublas(const std::vector<std::string> &directories, const Context &context);

  /// "cuBLAS 13.0.2 from /usr/local/cuda/lib64/libcublas.so.13"
  std::string name_and_version() const;
  /// Why cuBLAS cannot compute this product, or "": it needs unit stride along one side, and 32-bit sizes.
  static std::string why_not(const problem::MatrixProduct &product);
  /// Puts the product on the stream: cublasSgemm, or for factors in half precision cublasGemmEx with sums in
  /// single precision; several products by one cublasGemmStridedBatchedEx; for factors in e4m3 cublasLtMatmul.
  /// Throws DriverUnavailable.
  void multiply(const problem::MatrixProduct &product, CUdeviceptr a, CUdeviceptr b, CUdeviceptr c);

 private:
  const std::vector<std::string> directories_;
  const Context &context_;
  SharedLibrary library_;
  std::unique_ptr<CublasLt> in_8_bits_;  ///< once it is needed
  // The part of cuBLAS's C interface that is used here; it has not changed since version 10.
  using Handle = void *;
  int (*create_)(Handle *) = nullptr;
  int (*set_stream_)(Handle, CUstream) = nullptr;
  int (*set_math_mode_)(Handle, int) = nullptr;
  int (*version_)(Handle, int *) = nullptr;
  int (*gemm_)(Handle, int, int, int, int, int, const void *, const void *, int, int, const void *, int, int,
               const void *, void *, int, int, int, int) = nullptr;
  int (*batched_)(Handle, int, int, int, int, int, const void *, const void *, int, int, long long,
                  const void *, int, int, long long, const void *, void *, int, int, long long, int, int,
                  int) = nullptr;
  int (*sgemm_)(Handle, int, int, int, int, int, const float *, const float *, int, const float *, int,
                const float *, float *, int) = nullptr;
  Handle handle_ = nullptr;
};

}  // namespace warpgrade::gpu
