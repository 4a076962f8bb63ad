// The part of cuBLAS that multiplies numbers of 8 bits (cuBLASLt), loaded at run time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gpu/driver.hpp"
#include "gpu/shared_library.hpp"
#include "problem/product.hpp"

namespace warpgrade::gpu {

/// All of it throws DriverUnavailable with a sentence.
class CublasLt {
 public:
  CublasLt(const std::vector<std::string> &directories, const Context &context);

  /// Puts a product of e4m3 on the stream, with sums in single precision as tensor cores add them and an algorithm
  /// of cuBLASLt's choice. The first product of a size looks for one, which takes a while.
  void multiply(const problem::MatrixProduct &product, CUdeviceptr a, CUdeviceptr b, CUdeviceptr c);

 private:
  using Handle = void *;
  /// cublasLtMatmulHeuristicResult_t, which has not changed since version 11.
  struct Choice {
    std::array<std::uint64_t, 8> algorithm{};
    std::size_t workspace_bytes = 0;
    int state = 0;
    float waves = 0;
    std::array<int, 4> reserved{};
  };
  void choose(const problem::MatrixProduct &product);

  const Context &context_;
  SharedLibrary library_;
  int (*create_)(Handle *) = nullptr;
  int (*create_product_)(Handle *, int, int) = nullptr;
  int (*set_product_)(Handle, int, const void *, std::size_t) = nullptr;
  int (*create_layout_)(Handle *, int, std::uint64_t, std::uint64_t, std::int64_t) = nullptr;
  int (*destroy_layout_)(Handle) = nullptr;
  int (*create_preference_)(Handle *) = nullptr;
  int (*set_preference_)(Handle, int, const void *, std::size_t) = nullptr;
  int (*find_)(Handle, Handle, Handle, Handle, Handle, Handle, Handle, int, Choice *, int *) = nullptr;
  int (*multiply_)(Handle, Handle, const void *, const void *, Handle, const void *, Handle, const void *,
                   const void *, Handle, void *, Handle, const Choice *, void *, std::size_t,
                   CUstream) = nullptr;
  Handle handle_ = nullptr, of_product_ = nullptr, preference_ = nullptr;
  DeviceMemory workspace_;
  std::array<std::int64_t, 3> chosen_for_{};  ///< m, n, k
  std::array<Handle, 3> layouts_{};           ///< of A, B and C
  Choice choice_;
};

}  // namespace warpgrade::gpu
