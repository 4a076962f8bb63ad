// What the simulator does not run, and how to report it.
#include "decode/opcode.hpp"

namespace warpgrade::simt {
namespace {

struct Refusal {
  std::string_view base;  ///< of the opcode, or the name of a function
  const char *why;
};

constexpr const char *tensor_cores =
    "of the tensor-core instructions, only mma, wmma, wgmma, ldmatrix, stmatrix and movmatrix are simulated";
constexpr const char *textures =
    "queries of textures and surfaces, and reductions on surfaces, are not simulated";
constexpr const char *asynchronous =
    "of st.async and red.async, only those that an mbarrier counts are simulated";
constexpr const char *tiles =
    "of the bulk copies, only those of one dimension and of tiles of tensors are simulated, without "
    "reductions";
constexpr const char *launches = "a kernel cannot start other kernels when it is graded";

constexpr Refusal instructions[] = {
    {"tcgen05", tensor_cores},
    {"txq", textures},
    {"sured", textures},
    {"suq", textures},
    {"istypep", textures},
    {"multimem", "multicast memory is not simulated"},
    {"tensormap", tiles},
    {"alloca", "stack allocation of a dynamic size is not simulated"},
    {"clusterlaunchcontrol", "cancelling clusters that have not started is not simulated"},
};
constexpr Refusal refused_functions[] = {
    {"cudaLaunchDevice", launches},
    {"cudaLaunchDeviceV2", launches},
    {"cudaGetParameterBuffer", launches},
    {"cudaGetParameterBufferV2", launches},
};

}  // namespace

const char *why_refused(const Opcode &o) {
  for (const Refusal &one : instructions)
    if (o.base == one.base) return one.why;
  const bool bulk = o.base == "cp" && o.has("bulk");
  for (const std::string_view part : o.parts)
    if (bulk && (part.starts_with("im2col") || part.starts_with("tile::"))) return tiles;
  if (o.base == "cp" && o.has("reduce")) return tiles;
  if ((o.base == "st" || o.base == "red") && o.has("async") && !o.has("mbarrier::complete_tx::bytes"))
    return asynchronous;
  return nullptr;
}

const char *why_function_refused(std::string_view name) {
  for (const Refusal &one : refused_functions)
    if (name == one.base) return one.why;
  if (name.starts_with("__cudaCDP2")) return launches;
  return "the simulator does not know this function";
}

}  // namespace warpgrade::simt
