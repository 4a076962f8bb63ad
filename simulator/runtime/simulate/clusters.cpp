// Thread block clusters: how many fit on the device.
#include <algorithm>

#include "runtime/attributes.hpp"
#include "runtime/launch.hpp"

namespace warpgrade::cuda {
namespace {

constexpr int portable_size = 8, largest_size = 16;
// Multiprocessors that share a cluster: those of one GPC, of which an H200 has 16 or 18.
constexpr int multiprocessors_of_gpc = 16;

struct ClusterQuestion {
  const Kernel *kernel = nullptr;
  int blocks_at_once = 0;  ///< on one multiprocessor
  int size = 1;            ///< blocks of a cluster
};

cudaError_t read_question(const char *call, const void *function, const cudaLaunchConfig_t *config,
                          ClusterQuestion &to) {
  if (config == nullptr) return cudaErrorInvalidValue;
  Kernel *kernel = nullptr;
  if (const cudaError_t error = find_kernel(call, function, kernel); error != cudaSuccess) return error;
  to.kernel = kernel;
  const std::uint64_t threads = std::uint64_t{config->blockDim.x} * config->blockDim.y * config->blockDim.z;
  if (threads == 0 || threads > 1024) return cudaErrorInvalidConfiguration;
  to.blocks_at_once =
      active_blocks(backend::device(), *kernel, static_cast<int>(threads), config->dynamicSmemBytes);
  ptx::ClusterShape asked{};
  for (unsigned i = 0; i < config->numAttrs; ++i)
    if (config->attrs[i].id == cudaLaunchAttributeClusterDimension) {
      const auto &shape = config->attrs[i].val.clusterDim;
      asked = {shape.x, shape.y, shape.z};
    }
  // Any grid of whole clusters will do.
  const ptx::ClusterShape shape = ptx::cluster_of(asked, kernel->cluster);
  if (ptx::check_cluster(shape, asked, kernel->cluster, kernel->on(backend::device().number).large_clusters))
    return cudaErrorInvalidClusterSize;
  to.size = static_cast<int>(shape[0] * shape[1] * shape[2]);
  return cudaSuccess;
}

}  // namespace

cudaError_t backend::set_attribute(const char *call, cudaFuncAttribute attribute) {
  if (attribute == cudaFuncAttributeClusterSchedulingPolicyPreference) return cudaSuccess;
  return refuse(call, Reason::function_attributes);
}

}  // namespace warpgrade::cuda

using namespace warpgrade::cuda;

extern "C" {

cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *function,
                                           const cudaLaunchConfig_t *config) {
  constexpr const char *call = "cudaOccupancyMaxActiveClusters";
  return backend::enter(call, Waits::no, [&] {
    ClusterQuestion question;
    if (const cudaError_t error = read_question(call, function, config, question); error != cudaSuccess)
      return error;
    if (clusters == nullptr) return cudaErrorInvalidValue;
    const int all = backend::device().figures.multiprocessors;
    const int together = std::min(all, multiprocessors_of_gpc);
    *clusters = all / together * (together * question.blocks_at_once / question.size);
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, const void *function,
                                                 const cudaLaunchConfig_t *config) {
  constexpr const char *call = "cudaOccupancyMaxPotentialClusterSize";
  return backend::enter(call, Waits::no, [&] {
    ClusterQuestion question;
    if (const cudaError_t error = read_question(call, function, config, question); error != cudaSuccess)
      return error;
    if (size == nullptr) return cudaErrorInvalidValue;
    const int most =
        question.kernel->on(backend::device().number).large_clusters ? largest_size : portable_size;
    *size = std::min(most, multiprocessors_of_gpc * question.blocks_at_once);
    return cudaSuccess;
  });
}

}  // extern "C"
