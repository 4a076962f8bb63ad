// Fences of the proxies of memory (fence.proxy.async), of one block: which ordinary stores the async proxy, through
// which bulk copies and wgmma access memory, is certain to observe. Internal to simt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "machine/device.hpp"

namespace warpgrade::simt {

class ProxyFences {
 public:
  enum class Space : std::uint8_t { shared, global };
  /// A block begins.
  void begin(std::size_t threads);
  /// Lanes of a warp execute a fence. spaces: bits of ProxySpace
  void fence(std::uint32_t warp, std::uint32_t lanes, std::uint32_t spaces, std::uint32_t time);
  /// Whether a fence orders the store of a shadow word before what the warp reads now. It counts if the thread that has
  /// stored executes it, or one of the warp that reads.
  bool is_fenced(Space, std::uint64_t writer, std::uint32_t warp) const;
  /// False if a missing fence of one of these lines was reported before: an unrolled loop lacks one fence, not eight.
  bool is_first_report(const SourceLine &stored, const SourceLine &read);

 private:
  std::vector<std::uint32_t> shared_, global_;  // by thread: the time of its last fence
  std::vector<SourceLine> reported_;
};

}  // namespace warpgrade::simt
