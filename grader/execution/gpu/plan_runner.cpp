#include "gpu/plan_runner.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <utility>

#include "gpu/child_process.hpp"
#include "gpu/energy.hpp"
#include "gpu/nvml.hpp"

namespace warpgrade::gpu {

using run::End;

run::End end_of(CUresult code) {
  switch (static_cast<int>(code)) {  // numbers: some have no name in the headers of older toolkits
    case 700:                        // illegal address
    case 716:                        // misaligned address
    case 717:
      return End::fault;  // wrong address space
    case 702:
      return End::time_limit;  // the watchdog of a GPU with a display
    case 3:
    case 4:
    case 46:
    case 100:
    case 101:
    case 214:
    case 802:
    case 803:
    case 804:
      return End::our_failure;
    default:
      return End::device_error;
  }
}

PlanRunner::PlanRunner(const Context &context, std::vector<std::byte> image)
    : context_(context), image_(std::move(image)), flush_(context) {
  image_.resize(image_.size() + 8);  // PTX text must end in a NUL
}

PlanRunner::~PlanRunner() = default;  // the process ends with it, and the driver with the process

double PlanRunner::load_module() {
  const auto &cu = context_.driver;
  const double begin = now();
  functions_.clear();
  if (module_ != nullptr) cu.check(cu.module_unload(module_), "unloading the device code");
  module_ = nullptr;
  std::array<char, 4096> log{};
  std::array<CUjit_option, 2> options{CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  std::array<void *, 2> values{log.data(), reinterpret_cast<void *>(log.size())};
  const auto code = cu.module_load(&module_, image_.data(), options.size(), options.data(), values.data());
  log.back() = '\0';
  if (code == CUDA_ERROR_OUT_OF_MEMORY)
    throw Refusal{End::device_error, "out of memory for the kernels' __device__ variables"};
  std::string what = "loading the device code";
  if (code != CUDA_SUCCESS && log[0] != '\0') what += " (" + std::string(log.data()) + ")";
  constexpr int invalid_ptx = 218;  // clang does not check inline assembly: the driver is the first that does
  if (static_cast<int>(code) == invalid_ptx)
    throw Refusal{End::launch_error, "the driver cannot compile the device code: it is not valid PTX" +
                                         what.substr(std::string_view("loading the device code").size())};
  cu.check(code, what);
  return now() - begin;
}

CUfunction PlanRunner::function(const std::string &kernel) {
  auto &found = functions_[kernel];
  if (found == nullptr) {
    const auto code = context_.driver.module_function(&found, module_, kernel.c_str());
    if (code == CUDA_ERROR_NOT_FOUND)
      throw Refusal{End::launch_error, "the device code has no kernel " + kernel};
    context_.driver.check(code, "looking up kernel " + kernel);
  }
  return found;
}

void PlanRunner::adopt(const std::vector<std::uint64_t> &bytes, const std::vector<Descriptor> &files) {
  adopted_.clear();
  for (std::size_t i = 0; i < bytes.size(); ++i)
    adopted_.push_back(std::make_unique<Mapping>(context_, bytes[i], files.at(i)));
}

Arena &PlanRunner::arena(std::vector<std::unique_ptr<Arena>> &arenas, std::size_t slot, std::uint64_t bytes) {
  if (arenas.size() <= slot) arenas.resize(slot + 1);
  auto &arena = arenas[slot];
  // One that is much too large goes too: guard zones are checked whole.
  if (arena && (arena->capacity() < bytes || arena->capacity() > 2 * bytes + (std::size_t{4} << 20)))
    arena.reset();
  if (!arena) arena = std::make_unique<Arena>(context_, bytes);
  return *arena;
}

CUdeviceptr PlanRunner::adopted_address(std::size_t buffer) const {
  const auto bytes = request_.plan.buffers.at(buffer).bytes;
  const auto offset = buffer < request_.offsets.size() ? request_.offsets[buffer] : 0;
  if (buffer >= adopted_.size() || offset > adopted_[buffer]->bytes() ||
      bytes > adopted_[buffer]->bytes() - offset)
    throw Refusal{End::our_failure, "an input buffer is outside the memory that was imported for it"};
  return adopted_[buffer]->base() + offset;
}

void PlanRunner::upload_inputs(std::span<const std::byte> shared) {
  const auto &cu = context_.driver;
  for (std::size_t i = 0; i < request_.offsets.size(); ++i) {
    const auto bytes = request_.plan.buffers.at(i).bytes;
    if (bytes == 0) continue;
    if (request_.offsets[i] > shared.size() || bytes > shared.size() - request_.offsets[i])
      throw Refusal{End::our_failure, "an input is outside the shared memory"};
    cu.check(cu.copy_in(addresses_[i], shared.data() + request_.offsets[i], bytes, context_.stream),
             "uploading inputs");
  }
}

void PlanRunner::place_buffers() {
  const auto &cu = context_.driver;
  const auto &buffers = request_.plan.buffers;
  std::mt19937_64 random(request_.random);
  slots_ = assign_slots(request_.plan);
  addresses_.assign(buffers.size(), 0);
  if (scratch_arenas_.size() > slots_.bytes.size()) scratch_arenas_.resize(slots_.bytes.size());

  for (const CUdeviceptr old : std::exchange(bare_, {})) cu.check(cu.memory_free(old), "freeing a buffer");
  const auto bare = [&](std::uint64_t bytes) {
    CUdeviceptr made = 0;
    cu.check(cu.memory_alloc(&made, std::max<std::uint64_t>(bytes, 1)), "allocating a buffer");
    bare_.push_back(made);
    return made;
  };
  std::size_t judge_buffers = 0;
  for (std::size_t i = 0; i < buffers.size() && buffers[i].owner == plan::Owner::judge; ++i, ++judge_buffers)
    addresses_[i] = request_.dealt ? adopted_address(i)
                    : request_.bare
                        ? bare(buffers[i].bytes)
                        : arena(judge_arenas_, i, buffers[i].bytes).place(buffers[i].bytes, random());
  std::vector<CUdeviceptr> scratch;
  try {
    for (std::size_t slot = 0; slot < slots_.bytes.size(); ++slot)
      scratch.push_back(
          request_.bare
              ? 0
              : arena(scratch_arenas_, slot, slots_.bytes[slot]).place(slots_.bytes[slot], random()));
  } catch (const DriverError &error) {
    if (error.code() != CUDA_ERROR_OUT_OF_MEMORY) throw;
    throw Refusal{End::device_error,
                  std::string("out of memory for what the launcher allocates: ") + error.what()};
  }
  for (std::size_t i = judge_buffers; i < buffers.size(); ++i) {
    if (buffers[i].owner == plan::Owner::student) {
      if (slots_.of_buffer[i])
        addresses_[i] = request_.bare ? bare(buffers[i].bytes) : scratch[*slots_.of_buffer[i]];
      continue;
    }
    std::size_t bytes = 0;
    const auto code = cu.module_global(&addresses_[i], &bytes, module_, buffers[i].name.c_str());
    if (code == CUDA_ERROR_NOT_FOUND)
      throw Refusal{End::launch_error, "the device code has no variable " + buffers[i].name};
    cu.check(code, "looking up variable " + buffers[i].name);
    if (bytes != buffers[i].bytes)
      throw Refusal{End::launch_error, "variable " + buffers[i].name + " has " + std::to_string(bytes) +
                                           " bytes in the device code, but the plan says " +
                                           std::to_string(buffers[i].bytes)};
  }
}

void PlanRunner::stage_uploads() {
  const auto &cu = context_.driver;
  std::size_t total = 0;
  for (const auto &operation : request_.plan.operations)
    if (const auto *copy = std::get_if<plan::CopyIn>(&operation)) total += copy->bytes.size();
  next_upload_ = 0;
  if (total > staged_bytes_) {
    if (staged_ != nullptr) cu.check(cu.host_free(staged_), "freeing pinned memory");
    staged_bytes_ = 0;
    void *pinned = nullptr;
    cu.check(cu.host_alloc(&pinned, total, 0), "allocating pinned memory for uploads");
    staged_ = static_cast<std::byte *>(pinned);
    staged_bytes_ = total;
  }
  std::byte *next = staged_;
  for (const auto &operation : request_.plan.operations)
    if (const auto *copy = std::get_if<plan::CopyIn>(&operation)) {
      std::copy(copy->bytes.begin(), copy->bytes.end(), next);
      for (const auto &map : copy->tensor_maps)
        put_tensor_map("a copy to the device cannot be made: ", map, next + map.at);
      next += copy->bytes.size();
    }
}

double PlanRunner::prepare(const RunRequest &request, std::span<const std::byte> shared) {
  const auto &cu = context_.driver;
  request_ = request;
  const double load_seconds = load_module();
  for (const auto &operation : request_.plan.operations)
    if (const auto *launch = std::get_if<plan::Launch>(&operation)) function(launch->kernel);
  place_buffers();
  if (!request_.dealt) upload_inputs(shared);
  stage_uploads();
  cu.check(cu.context_synchronize(), "preparing a run");
  if (!request_.timed) return load_seconds;
  flush_.prepare();
  flush_.spin(request_.sample.spin_seconds);
  return load_seconds;
}

CUdeviceptr PlanRunner::address(const plan::Place &place) const {
  return addresses_[place.buffer] + static_cast<CUdeviceptr>(place.offset);
}

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
  const auto &cu = context_.driver;
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

CUresult PlanRunner::launch(CUfunction function, const plan::Launch &o,
                            std::vector<std::byte> arguments) const {
  const auto &cu = context_.driver;
  std::size_t size = arguments.size();
  std::vector<void *> parameters;
  for (const std::uint32_t at : o.parameters) parameters.push_back(arguments.data() + at);
  void **const one_by_one = parameters.empty() ? nullptr : parameters.data();
  std::array<void *, 5> extra{CU_LAUNCH_PARAM_BUFFER_POINTER, arguments.data(), CU_LAUNCH_PARAM_BUFFER_SIZE,
                              &size, CU_LAUNCH_PARAM_END};
  void **const packed = size > 0 && one_by_one == nullptr ? extra.data() : nullptr;
  if (o.cluster[0] == 0)
    return cu.launch(function, o.grid.x, o.grid.y, o.grid.z, o.block.x, o.block.y, o.block.z,
                     o.dynamic_shared_bytes, context_.stream, one_by_one, packed);
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
  config.hStream = context_.stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  return cu.launch_in_clusters(&config, function, one_by_one, packed);
}

std::string PlanRunner::why_not_launched(CUfunction function, const plan::Launch &launch,
                                         CUresult code) const {
  const auto &cu = context_.driver;
  const auto of_kernel = [&](CUfunction_attribute which) {
    int value = 0;
    cu.function_attribute(&value, which, function);
    return static_cast<std::int64_t>(value);
  };
  const auto of_device = [&](CUdevice_attribute which) { return std::int64_t{context_.attribute(which)}; };
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

  const Driver &cu() const { return runner.context_.driver; }
  CUstream stream() const { return runner.context_.stream; }

  void operator()(const plan::Allocate &) const {}  // done in prepare(), outside the timed span
  void operator()(const plan::Free &) const {}
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
    cu().check(cu().copy_in(runner.address(o.to), from, o.bytes.size(), stream()), "an upload of the plan");
  }
  void operator()(const plan::CopyWithin &o) const {
    if (o.width == 0 || o.rows == 0) return;
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
  template <class OfSeveralDevices>
  void operator()(const OfSeveralDevices &) const {}  // check_plan() lets none of these through
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
    // Untimed runs wait for each kernel, so that an error is told with the name of the kernel that made it.
    if (!runner.request_.timed) cu().check(cu().stream_synchronize(stream()), "kernel " + o.kernel);
  }
};

void PlanRunner::issue_all() {
  next_upload_ = 0;
  for (const auto &operation : request_.plan.operations) std::visit(Issue{*this}, operation);
}

Ending PlanRunner::execute() {
  const auto &cu = context_.driver;
  Ending ending;
  try {
    if (request_.timed && request_.sample.energy_seconds > 0) {
      const Nvml nvml(request_.nvml_library, request_.pci_bus_id);
      ending.energy =
          repeat_for_energy(context_, nvml, request_.sample.energy_seconds, [this] { issue_all(); });
      return ending;
    }
    // No wait between the flush and the plan: while the GPU flushes, the launches queue up behind it, so that
    // the host's launch latency stays out of a short kernel's time.
    if (request_.timed && request_.sample.flush_l2) flush_.issue(flushes_ahead);
    cu.check(cu.event_record(context_.start, context_.stream), "recording an event");
    issue_all();
    cu.check(cu.event_record(context_.stop, context_.stream), "recording an event");
    if (request_.timed) ending.host_seconds = Watch(context_).wait();
    cu.check(cu.context_synchronize(), "waiting for the GPU");
    float milliseconds = 0;
    cu.check(cu.event_milliseconds(&milliseconds, context_.start, context_.stop), "reading the events");
    ending.seconds = milliseconds * 1e-3;
  } catch (const Refusal &refusal) {
    cu.context_synchronize();  // what was launched before it may still run
    ending.end = refusal.end;
    ending.message = refusal.message;
  } catch (const DriverError &error) {
    ending.end = end_of(error.code());
    ending.message = error.what();
    if (error.code() == CUDA_ERROR_LAUNCH_FAILED)
      ending.message += ": __trap(), or an access outside shared or local memory";
  }
  return ending;
}

std::vector<DamagedBuffer> PlanRunner::collect(std::span<std::byte> shared) {
  const auto &cu = context_.driver;
  const auto &buffers = request_.plan.buffers;
  for (std::size_t i = 0; i < request_.offsets.size(); ++i)
    if (buffers[i].bytes > 0 && !request_.dealt)
      cu.check(
          cu.copy_out(shared.data() + request_.offsets[i], addresses_[i], buffers[i].bytes, context_.stream),
          "downloading a buffer");
  cu.check(cu.stream_synchronize(context_.stream), "downloading the buffers");

  std::vector<DamagedBuffer> damaged;
  if (request_.bare) return damaged;
  std::vector<bool> seen(slots_.bytes.size(), false);
  for (std::uint32_t i = 0; i < buffers.size(); ++i) {
    const Arena *arena = nullptr;
    if (buffers[i].owner == plan::Owner::judge && !request_.dealt) arena = judge_arenas_[i].get();
    if (const auto slot = slots_.of_buffer[i]; slot && !seen[*slot]) {
      seen[*slot] = true;
      arena = scratch_arenas_[*slot].get();
    }
    if (arena == nullptr) continue;
    const auto damage = arena->damage();
    if (damage.any() && damaged.size() < 100) damaged.push_back({i, damage});
  }
  return damaged;
}

}  // namespace warpgrade::gpu
