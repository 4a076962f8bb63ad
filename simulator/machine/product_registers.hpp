// Registers of products of warpgroups: a warp must not read results, or write registers that a product reads or sums
// up in, before it has waited for the product; and needs a wgmma.fence between what wrote such registers and the
// product. Internal to simt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "machine/checks/undefined.hpp"

namespace warpgrade::simt {

class ProductRegisters {
 public:
  enum class Mistake : std::uint8_t { read, written, changed };  ///< changed: a fragment of A
  explicit ProductRegisters(const Program &program) : program_(program) {}
  /// A block begins.
  void begin(std::size_t warps);
  void issue(std::uint32_t warp, std::uint32_t sequence, const GroupProduct &);
  void fence(std::uint32_t warp);
  /// The warp has waited for a group of products.
  void wait(std::uint32_t warp) { warps_[warp].fenced_since_wait = false; }

  struct MissingFence {
    bool missing = false, never = false;  ///< never: the warp has had no wgmma.fence at all
    std::uint32_t written = 0;            ///< by this operation - 1; 0: by none
  };
  /// Before a product is issued. adds: it reads its results too. Only those without any fence since the last wait are
  /// named: compilers move what computes a register behind a fence.
  MissingFence look_for_fence(std::uint32_t warp, const GroupProduct &, bool adds) const;

  using Found = std::function<void(const Op &, std::uint32_t sequence, Mistake)>;
  /// Before the operations of a basic block run. finished: the last product for which the warp has waited
  void watch(std::uint32_t warp, std::uint32_t finished, const Op *op, const Op *end, const Found &);

 private:
  // By place in Effects: the last product that writes the register, or reads it as a part of A; and the
  // operation + 1 that wrote it since the last wgmma.fence.
  struct Registers {
    std::vector<std::uint32_t> results, fragments, written;
    bool fenced = false, fenced_since_wait = false;
  };
  const Program &program_;
  std::unique_ptr<const Effects> effects_;
  std::vector<Registers> warps_;
};

}  // namespace warpgrade::simt
