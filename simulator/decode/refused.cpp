// Forms of instructions, and functions, that the simulator does not run, and how to report them. Instructions of which it
// runs no form have the reason in their row of the table of instructions.
#include <algorithm>

#include "decode/opcode.hpp"

namespace warpgrade::simt {
namespace {

constexpr const char *asynchronous =
    "of st.async and red.async, only those that an mbarrier counts are simulated";
constexpr const char *tiles =
    "of the bulk copies, only those of one dimension and of tiles of tensors are simulated, without "
    "reductions";
constexpr const char *launches = "a kernel cannot start other kernels when it is graded";
constexpr std::string_view starts_kernels[] = {"cudaLaunchDevice", "cudaLaunchDeviceV2",
                                               "cudaGetParameterBuffer", "cudaGetParameterBufferV2"};

}  // namespace

const char *why_refused(const Opcode &o) {
  if (o.row->refused) return o.row->refused;
  if (o.is(Family::copy)) {
    const bool other_tiles = std::any_of(o.parts.begin(), o.parts.end(), [](std::string_view part) {
      return part.starts_with("im2col") || part.starts_with("tile::");
    });
    if ((o.has("bulk") && other_tiles) || o.has("reduce")) return tiles;
  }
  if (o.is(Family::store, Family::reduction) && o.has("async") && !o.has("mbarrier::complete_tx::bytes"))
    return asynchronous;
  return nullptr;
}

const char *why_function_refused(std::string_view name) {
  const bool listed =
      std::find(std::begin(starts_kernels), std::end(starts_kernels), name) != std::end(starts_kernels);
  if (listed || name.starts_with("__cudaCDP2")) return launches;
  return "the simulator does not know this function";
}

}  // namespace warpgrade::simt
