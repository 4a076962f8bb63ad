// PlanRunner: puts the operations of a plan on their streams.
#include <algorithm>
#include <array>
#include <cstring>

#include "gpu/plan_runner.hpp"

namespace warpgrade::gpu {

using run::End;

std::vector<std::byte> PlanRunner::arguments(const plan::Launch &launch) const {
  std::vector<std::byte> arguments = launch.arguments;
  for (const auto &pointer : launch.pointers) {
    const CUdeviceptr value = address(pointer.to);
    std::memcpy(arguments.data() + pointer.at, &value, sizeof value);
  }
  for (const auto &map : launch.tensor_maps)
    put_tensor_map("kernel " + launch.kernel + " cannot be launched: ", map, arguments.data() + map.at);
  return arguments;
}

namespace {

[[noreturn]] void refuse_driver(const std::string &what, const char *feature) {
  throw Refusal{End::our_failure, what + feature + " need an NVIDIA driver of CUDA 12 or newer"};
}

}  // namespace

void PlanRunner::put_tensor_map(const std::string &what, const plan::TensorMapArgument &argument,
                                std::byte *to) const {
  const auto &cu = contexts_[0].driver;
  if (cu.encode_tensor_map == nullptr) refuse_driver(what, "tensor maps");
  const ptx::TensorMap &m = argument.map;
  alignas(CUtensorMap) alignas(ptx::TensorMap::alignment) CUtensorMap made{};
  static_assert(sizeof made == ptx::TensorMap::bytes);
  const std::vector<cuuint64_t> dimensions(m.dimensions.begin(), m.dimensions.end()),
      strides(m.strides.begin(), m.strides.end());  // the driver's own types
  const auto code = cu.encode_tensor_map(
      &made, static_cast<CUtensorMapDataType>(m.type), m.rank, reinterpret_cast<void *>(address(argument.to)),
      dimensions.data(), strides.data(), m.box.data(), m.element_strides.data(),
      static_cast<CUtensorMapInterleave>(m.interleave), static_cast<CUtensorMapSwizzle>(m.swizzle),
      static_cast<CUtensorMapL2promotion>(m.promotion), static_cast<CUtensorMapFloatOOBfill>(m.fill));
  if (code != CUDA_SUCCESS)
    throw Refusal{End::launch_error, what + "its tensor map of '" +
                                         request_.plan.buffers[argument.to.buffer].name +
                                         "' was refused: " + cu.describe(code)};
  std::memcpy(to, &made, sizeof made);
}

CUresult PlanRunner::launch(CUfunction function, const plan::Launch &o, std::vector<std::byte> arguments) {
  const auto &cu = contexts_[0].driver;
  std::size_t size = arguments.size();
  std::vector<void *> parameters;
  for (const std::uint32_t at : o.parameters) parameters.push_back(arguments.data() + at);
  void **const one_by_one = parameters.empty() ? nullptr : parameters.data();
  std::array<void *, 5> extra{CU_LAUNCH_PARAM_BUFFER_POINTER, arguments.data(), CU_LAUNCH_PARAM_BUFFER_SIZE,
                              &size, CU_LAUNCH_PARAM_END};
  void **const packed = size > 0 && one_by_one == nullptr ? extra.data() : nullptr;
  if (o.cluster[0] == 0)
    return cu.launch(function, o.grid.x, o.grid.y, o.grid.z, o.block.x, o.block.y, o.block.z,
                     o.dynamic_shared_bytes, streams_.stream(), one_by_one, packed);
  if (cu.launch_in_clusters == nullptr)
    refuse_driver("kernel " + o.kernel + " cannot be launched: ", "thread block clusters");
  CUlaunchAttribute attribute{};
  attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attribute.value.clusterDim.x = o.cluster[0];
  attribute.value.clusterDim.y = o.cluster[1];
  attribute.value.clusterDim.z = o.cluster[2];
  CUlaunchConfig config{};
  config.gridDimX = o.grid.x, config.gridDimY = o.grid.y, config.gridDimZ = o.grid.z;
  config.blockDimX = o.block.x, config.blockDimY = o.block.y, config.blockDimZ = o.block.z;
  config.sharedMemBytes = o.dynamic_shared_bytes;
  config.hStream = streams_.stream();
  config.attrs = &attribute;
  config.numAttrs = 1;
  return cu.launch_in_clusters(&config, function, one_by_one, packed);
}

std::string PlanRunner::why_not_launched(CUfunction function, const plan::Launch &launch,
                                         CUresult code) const {
  const auto &cu = contexts_[0].driver;
  const auto of_kernel = [&](CUfunction_attribute which) {
    int value = 0;
    cu.function_attribute(&value, which, function);
    return static_cast<std::int64_t>(value);
  };
  const auto of_device = [&](CUdevice_attribute which) {
    return std::int64_t{streams_.context().attribute(which)};
  };
  const auto number = [](std::int64_t value) { return std::to_string(value); };
  const auto threads = static_cast<std::int64_t>(launch.block.count());
  const auto static_shared = of_kernel(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  const auto shared = static_shared + launch.dynamic_shared_bytes;
  // Until it is raised, the limit is on the static and the dynamic part together.
  const auto plain = of_device(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  auto allowed = of_kernel(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  if (allowed <= plain) allowed = std::min(allowed, plain - static_shared);
  const auto registers = of_kernel(CU_FUNC_ATTRIBUTE_NUM_REGS);
  const auto blocks = [&](CUfunction_attribute side) { return static_cast<std::uint32_t>(of_kernel(side)); };
  const ptx::ClusterShape compiled_cluster{blocks(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH),
                                           blocks(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT),
                                           blocks(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH)};
  const bool large_clusters = of_kernel(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED) != 0;
  const auto &[x, y, z] = launch.grid;
  const auto &[block_x, block_y, block_z] = launch.block;

  std::string why = "kernel " + launch.kernel + " was not launched: ";
  if (x == 0 || y == 0 || z == 0 || block_x == 0 || block_y == 0 || block_z == 0)
    why += "the grid or the block has no threads";
  else if (const auto most = of_device(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK); threads > most)
    why += "a block of " + number(threads) + " threads; this GPU takes at most " + number(most);
  else if (const auto most_z = of_device(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z); block_z > most_z)
    why += "a block " + number(block_z) + " threads deep in z; this GPU takes at most " + number(most_z);
  else if (y > of_device(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y) ||
           z > of_device(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z) ||
           x > of_device(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X))
    why += "a grid of " + number(x) + " x " + number(y) + " x " + number(z) +
           " blocks; this GPU takes at most 2147483647 x 65535 x 65535";
  else if (const auto wrong = ptx::check_cluster({x, y, z}, launch.cluster, compiled_cluster, large_clusters))
    why += *wrong;
  else if (launch.dynamic_shared_bytes > allowed) {
    const auto optin = of_device(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    why += number(launch.dynamic_shared_bytes) + " bytes of dynamic shared memory, allowed are " +
           number(allowed);
    if (shared > optin)
      why += "; with the static part a block has " + number(shared) + " bytes, and this GPU has " +
             number(optin);
    else
      why +=
          "; cudaFuncSetAttribute(..., cudaFuncAttributeMaxDynamicSharedMemorySize, ...) raises that up to " +
          number(optin) + " bytes with the static part";
  } else if (const auto fit = of_kernel(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK); threads > fit)
    why += "a block of " + number(threads) + " threads; with its " + number(registers) +
           " registers a thread this kernel takes at most " + number(fit);
  else
    return why + cu.describe(code);
  return why + " (" + cu.describe(code) + ")";
}

/// One operation of the plan, put on the stream. Throws Refusal when the driver won't have it, DriverError
/// when the GPU has failed before.
struct PlanRunner::Issue {
  PlanRunner &runner;

  const Driver &cu() const { return runner.contexts_[0].driver; }
  CUstream stream() const { return runner.streams_.stream(); }

  void operator()(const plan::Allocate &) const {}  // done in prepare(), outside the timed span
  void operator()(const plan::Free &o) const {
    if (!runner.streams_.several()) return;  // everything is in order
    // What comes later may have the same memory: nobody who can reach it is still at work there.
    const std::size_t owner = runner.request_.plan.buffers[o.buffer].device;
    for (std::uint32_t d = 0; d < runner.streams_.devices(); ++d)
      if (d == owner || runner.reaches_.contains({d, owner}))
        (*this)(plan::HostWaits{plan::HostWaits::For::device, d});
  }
  void operator()(const plan::SetMemory &o) const {
    if (o.width == 0 || o.rows == 0) return;
    const auto to = runner.address(o.to);
    cu().check(o.rows == 1 ? cu().set_bytes(to, o.value, o.width, stream())
                           : cu().set_rows(to, o.pitch, o.value, o.width, o.rows, stream()),
               "a memset of the plan");
  }
  void operator()(const plan::CopyIn &o) const {
    if (o.bytes.empty()) return;
    const auto *from = runner.staged_ + runner.next_upload_;
    runner.next_upload_ += o.bytes.size();
    const auto upload = [&](CUstream on) {
      cu().check(cu().copy_in(runner.address(o.to), from, o.bytes.size(), on), "an upload of the plan");
    };
    const std::size_t owner = runner.device_of(o.to);
    if (owner == runner.streams_.device()) return upload(stream());
    // A host may copy to any device; this one may not reach that memory.
    runner.streams_.elsewhere(owner, [&](const Context &there) { upload(there.stream); });
  }
  /// From or to the memory of another device than that of the stream, without access: through the host, or as the
  /// driver sees fit.
  bool over_the_driver(const plan::CopyWithin &o) const {
    for (const std::size_t owner : {runner.device_of(o.to), runner.device_of(o.from)})
      if (owner != runner.streams_.device() && !runner.reaches_.contains({runner.streams_.device(), owner}))
        return true;
    return false;
  }
  void between(const plan::CopyWithin &o) const {
    const CUcontext to = runner.contexts_[runner.device_of(o.to)].context,
                    from = runner.contexts_[runner.device_of(o.from)].context;
    if (o.rows == 1)
      return cu().check(
          cu().copy_between(runner.address(o.to), to, runner.address(o.from), from, o.width, stream()),
          "a copy of the plan");
    CUDA_MEMCPY3D_PEER copy{};
    copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = runner.address(o.from), copy.dstDevice = runner.address(o.to);
    copy.srcContext = from, copy.dstContext = to;
    copy.srcPitch = o.from_pitch, copy.dstPitch = o.to_pitch;
    copy.WidthInBytes = o.width, copy.Height = o.rows, copy.Depth = 1;
    copy.srcHeight = copy.dstHeight = o.rows;
    cu().check(cu().copy_rows_between(&copy, stream()), "a copy of the plan");
  }
  void operator()(const plan::CopyWithin &o) const {
    if (o.width == 0 || o.rows == 0) return;
    const std::size_t to = runner.device_of(o.to), from = runner.device_of(o.from);
    if (to == from) return copy(o);
    runner.streams_.begin_copy_between(to, from);
    copy(o);
    runner.streams_.end_copy_between(to, from);
  }
  void copy(const plan::CopyWithin &o) const {
    if (over_the_driver(o)) return between(o);
    const auto to = runner.address(o.to), from = runner.address(o.from);
    if (o.rows == 1) return cu().check(cu().copy_within(to, from, o.width, stream()), "a copy of the plan");
    CUDA_MEMCPY2D copy{};
    copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = from;
    copy.srcPitch = o.from_pitch;
    copy.dstDevice = to;
    copy.dstPitch = o.to_pitch;
    copy.WidthInBytes = o.width;
    copy.Height = o.rows;
    cu().check(cu().copy_rows(&copy, stream()), "a copy of the plan");
  }
  void operator()(const plan::SetFunctionAttribute &o) const {
    const auto which = o.attribute == plan::FunctionAttribute::max_dynamic_shared_bytes
                           ? CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
                       : o.attribute == plan::FunctionAttribute::preferred_shared_carveout
                           ? CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT
                           : CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED;
    const auto code = cu().function_set_attribute(runner.function(o.kernel), which, o.value);
    if (code == CUDA_SUCCESS) return;
    throw Refusal{End::launch_error, "cudaFuncSetAttribute for kernel " + o.kernel + " with value " +
                                         std::to_string(o.value) + " was refused: " + cu().describe(code)};
  }
  void operator()(const plan::UseStream &o) const { runner.streams_.use(o.stream); }
  void operator()(const plan::RecordEvent &o) const { runner.streams_.record(o.event); }
  void operator()(const plan::WaitForEvent &o) const { runner.streams_.wait(o.event); }
  void operator()(const plan::HostWaits &o) const { runner.streams_.host_waits(o, runner.watch_); }
  void operator()(const plan::PeerAccess &o) const {
    if (runner.request_.timed) return;  // done in prepare()
    runner.streams_.catch_up();
    if (!o.allowed) runner.streams_.synchronize();  // kernels that were launched with access keep it
    runner.let_reach(o.device, o.owner, o.allowed);
    runner.streams_.context().enter();
  }
  void operator()(const plan::Launch &o) const {
    const auto function = runner.function(o.kernel);
    const auto code = runner.launch(function, o, runner.arguments(o));
    switch (code) {
      case CUDA_SUCCESS:
        break;
      case CUDA_ERROR_INVALID_VALUE:
      case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES:
      case CUDA_ERROR_INVALID_IMAGE:
      case CUDA_ERROR_NOT_SUPPORTED:
      case CUDA_ERROR_NO_BINARY_FOR_GPU:
      case CUDA_ERROR_INVALID_CLUSTER_SIZE:
        throw Refusal{End::launch_error, runner.why_not_launched(function, o, code)};
      default:
        cu().check(code, "launching kernel " + o.kernel);
    }
    // Untimed runs wait for each kernel, so that an error is told with the name of the kernel that made it. Those of
    // several devices must be able to meet.
    if (!runner.request_.timed && !runner.streams_.several())
      cu().check(cu().stream_synchronize(stream()), "kernel " + o.kernel);
  }
};

void PlanRunner::issue_all() {
  next_upload_ = 0;
  for (const auto &operation : request_.plan.operations) std::visit(Issue{*this}, operation);
}

}  // namespace warpgrade::gpu
