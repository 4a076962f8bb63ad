// What the simulator does not run, and what to tell of it.
#include "simt/opcode.hpp"

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
constexpr const char *clusters = "thread block clusters are not simulated";
constexpr const char *tiles =
    "of the bulk copies, only those of one dimension and of tiles of tensors are simulated, without "
    "reductions";
constexpr const char *launches = "a kernel cannot start other kernels in the simulator";

constexpr Refusal instructions[] = {
    {"tcgen05", tensor_cores}, {"txq", textures},
    {"sured", textures},       {"suq", textures},
    {"istypep", textures},     {"mapa", clusters},
    {"getctarank", clusters},  {"multimem", "multicast memory is not simulated"},
    {"tensormap", tiles},      {"alloca", "stack allocation of a dynamic size is not simulated"},
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
  // A launch has no clusters here, so every block is a cluster by itself: its scope means the block, and so
  // does its shared memory where a bulk copy goes.
  const bool bulk = o.base == "cp" && o.has("bulk");
  for (const std::string_view part : o.parts) {
    if (part == "cluster" && o.base != "mbarrier" && o.base != "fence") return clusters;
    if (bulk && (part.starts_with("im2col") || part.starts_with("tile::"))) return tiles;
    if ((part == "shared::cluster" && !(bulk && o.has("global"))) || part == "multicast::cluster")
      return clusters;
  }
  if (o.base == "cp" && o.has("reduce")) return tiles;
  if (o.has("mbarrier::complete_tx::bytes") && !bulk) return clusters;
  if (o.base == "st" && o.has("async")) return clusters;
  return nullptr;
}

const char *why_function_refused(std::string_view name) {
  for (const Refusal &one : refused_functions)
    if (name == one.base) return one.why;
  if (name.starts_with("__cudaCDP2")) return launches;
  return "the simulator does not know this function";
}

const char *why_register_refused(std::string_view name) {
  return name.starts_with("%cluster") || name.starts_with("%ncluster") ||
                 name.starts_with("%is_explicit_cluster")
             ? clusters
             : nullptr;
}

}  // namespace warpgrade::simt
