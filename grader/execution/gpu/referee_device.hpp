// The referee's memory and kernels on the GPU.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "gpu/arena.hpp"
#include "gpu/driver.hpp"
#include "gpu/referee_sums.hpp"
#include "gpu/referee_wire.hpp"
#include "problem/product.hpp"

namespace warpgrade::gpu {

/// Deals and checks one product. All of it throws DriverError.
class RefereeDevice {
 public:
  explicit RefereeDevice(const Context &context);

  void take(const problem::MatrixProduct &product, double tolerance);
  /// Whether another process can map the buffers; else their contents go through the host.
  bool shares() const { return context_.shares_memory; }
  const Mapping &buffer(std::size_t i) const { return exchange_.at(i)->mapping(); }

  /// Draws A, B and C; puts copies of them into the buffers, at places that `random` decides. Returns the
  /// places.
  std::array<std::uint64_t, 3> deal(std::uint64_t seed, std::uint64_t random);
  /// The buffers to host memory and back.
  void download(std::array<std::span<std::byte>, 3> to);
  void upload(std::array<std::span<const std::byte>, 3> from);
  /// The contents of the buffers after a run.
  Finding check(std::uint64_t seed);

  /// A, B and a copy of C for cuBLAS, on the stream.
  std::array<CUdeviceptr, 3> operands();
  /// The result of cuBLAS in that copy.
  Finding check_reference(std::uint64_t seed);
  void download_reference(std::span<std::byte> to);

  /// Whether two buffers differ in any of their words of 16 bits.
  bool differs(CUdeviceptr x, CUdeviceptr y, std::uint64_t words);

 private:
  template <typename... Arguments>
  void launch(CUfunction kernel, std::uint64_t warps, const Arguments &...arguments);
  /// product: the one that was taken, with another finish or the same
  void check_product(const problem::MatrixProduct &product, CUdeviceptr after, std::uint64_t seed,
                     Finding &finding);
  /// The first wrong element of all.
  std::optional<CellSums> wrong_cell(const problem::MatrixProduct &product, CUdeviceptr after);
  const problem::Matrix &matrix(std::size_t i) const;

  const Context &context_;
  CUmodule module_ = nullptr;
  CUfunction fill_ = nullptr, compare_ = nullptr, sum_b_ = nullptr, sum_rows_ = nullptr, sum_cells_ = nullptr,
             every_cell_ = nullptr, one_cell_ = nullptr;
  problem::MatrixProduct product_;
  double tolerance_ = 0;
  std::array<std::unique_ptr<Arena>, 3> exchange_;
  std::array<DeviceMemory, 3> own_;  ///< A, B, C as they were dealt
  DeviceMemory reference_, sums_, count_;
  std::vector<RowSums> rows_;
  std::vector<CellSums> cells_;
};

}  // namespace warpgrade::gpu
