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

PlanRunner::PlanRunner(std::span<const Context> contexts, std::vector<std::byte> image)
    : contexts_(contexts),
      image_(std::move(image)),
      modules_(contexts.size(), nullptr),
      streams_(contexts),
      watch_(contexts[0]) {
  image_.resize(image_.size() + 8);  // PTX text must end in a NUL
  for (const Context &context : contexts_) flushes_.emplace_back(context);
}

PlanRunner::~PlanRunner() = default;  // the process ends with it, and the driver with the process

const Context &PlanRunner::on(std::size_t device) const {
  if (contexts_.size() > 1) contexts_[device].enter();
  return contexts_[device];
}

double PlanRunner::load_modules() {
  const double begin = now();
  functions_.clear();
  for (std::size_t d = 0; d < contexts_.size(); ++d)
    if (CUmodule &old = modules_[d]; old != nullptr) {
      const auto &cu = on(d).driver;
      cu.check(cu.module_unload(std::exchange(old, nullptr)), "unloading the device code");
    }
  for (std::size_t d = 0; d < streams_.devices(); ++d) load_module(d);
  look_up_kernels();
  return now() - begin;
}

void PlanRunner::load_module(std::size_t device) {
  const auto &cu = on(device).driver;
  std::array<char, 4096> log{};
  std::array<CUjit_option, 2> options{CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  std::array<void *, 2> values{log.data(), reinterpret_cast<void *>(log.size())};
  const auto code =
      cu.module_load(&modules_[device], image_.data(), options.size(), options.data(), values.data());
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
}

/// A driver loads a kernel when it is looked up: not in the timed span.
void PlanRunner::look_up_kernels() {
  for (const auto &operation : request_.plan.operations) {
    if (const auto *use = std::get_if<plan::UseStream>(&operation)) streams_.use(use->stream);
    if (const auto *launch = std::get_if<plan::Launch>(&operation)) function(launch->kernel);
  }
  if (streams_.several()) streams_.use(0);
}

CUfunction PlanRunner::function(const std::string &kernel) {
  auto &found = functions_[{streams_.device(), kernel}];
  if (found == nullptr) {
    const auto &cu = contexts_[0].driver;
    const auto code = cu.module_function(&found, modules_[streams_.device()], kernel.c_str());
    if (code == CUDA_ERROR_NOT_FOUND)
      throw Refusal{End::launch_error, "the device code has no kernel " + kernel};
    cu.check(code, "looking up kernel " + kernel);
  }
  return found;
}

void PlanRunner::adopt(const std::vector<std::uint64_t> &bytes, const std::vector<std::uint8_t> &devices,
                       const std::vector<Descriptor> &files) {
  adopted_.clear();
  for (std::size_t i = 0; i < bytes.size(); ++i)
    adopted_.push_back(std::make_unique<Mapping>(
        on(std::min<std::size_t>(devices.at(i), contexts_.size() - 1)), bytes[i], files.at(i)));
}

CUdeviceptr PlanRunner::place(std::vector<std::unique_ptr<Arena>> &arenas, std::size_t slot,
                              std::uint64_t bytes, std::size_t device, std::uint64_t random) {
  if (arenas.size() <= slot) arenas.resize(slot + 1);
  auto &arena = arenas[slot];
  // One that is much too large goes too: guard zones are checked whole.
  if (arena && (arena->capacity() < bytes || arena->capacity() > 2 * bytes + (std::size_t{4} << 20) ||
                &arena->context() != &contexts_[device]))
    arena.reset();
  const Context &context = on(device);
  if (!arena) arena = std::make_unique<Arena>(context, bytes);
  return arena->place(bytes, random);
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
  for (std::size_t i = 0; i < request_.offsets.size(); ++i) {
    const auto bytes = request_.plan.buffers.at(i).bytes;
    if (bytes == 0) continue;
    if (request_.offsets[i] > shared.size() || bytes > shared.size() - request_.offsets[i])
      throw Refusal{End::our_failure, "an input is outside the shared memory"};
    const Context &owner = on(request_.plan.buffers[i].device);
    owner.driver.check(
        owner.driver.copy_in(addresses_[i], shared.data() + request_.offsets[i], bytes, owner.stream),
        "uploading inputs");
  }
}

void PlanRunner::place_buffers() {
  const auto &cu = contexts_[0].driver;
  const auto &buffers = request_.plan.buffers;
  std::mt19937_64 random(request_.random);
  slots_ = assign_slots(request_.plan);
  addresses_.assign(buffers.size(), 0);
  if (scratch_arenas_.size() > slots_.bytes.size()) scratch_arenas_.resize(slots_.bytes.size());

  for (const auto &[device, old] : std::exchange(bare_, {})) {
    on(device);
    cu.check(cu.memory_free(old), "freeing a buffer");
  }
  const auto bare = [&](const plan::Buffer &buffer) {
    CUdeviceptr made = 0;
    on(buffer.device);
    cu.check(cu.memory_alloc(&made, std::max<std::uint64_t>(buffer.bytes, 1)), "allocating a buffer");
    bare_.emplace_back(buffer.device, made);
    return made;
  };
  std::size_t judge_buffers = 0;
  for (std::size_t i = 0; i < buffers.size() && buffers[i].owner == plan::Owner::judge; ++i, ++judge_buffers)
    addresses_[i] = request_.dealt  ? adopted_address(i)
                    : request_.bare ? bare(buffers[i])
                                    : place(judge_arenas_, i, buffers[i].bytes, buffers[i].device, random());
  std::vector<CUdeviceptr> scratch;
  try {
    for (std::size_t slot = 0; slot < slots_.bytes.size(); ++slot)
      scratch.push_back(
          request_.bare ? 0
                        : place(scratch_arenas_, slot, slots_.bytes[slot], slots_.device[slot], random()));
  } catch (const DriverError &error) {
    if (error.code() != CUDA_ERROR_OUT_OF_MEMORY) throw;
    throw Refusal{End::device_error,
                  std::string("out of memory for what the launcher allocates: ") + error.what()};
  }
  for (std::size_t i = judge_buffers; i < buffers.size(); ++i) {
    if (buffers[i].owner == plan::Owner::student) {
      if (slots_.of_buffer[i])
        addresses_[i] = request_.bare ? bare(buffers[i]) : scratch[*slots_.of_buffer[i]];
      continue;
    }
    std::size_t bytes = 0;
    on(buffers[i].device);
    const auto code =
        cu.module_global(&addresses_[i], &bytes, modules_[buffers[i].device], buffers[i].name.c_str());
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
  const auto &cu = on(0).driver;
  std::size_t total = 0;
  for (const auto &operation : request_.plan.operations)
    if (const auto *copy = std::get_if<plan::CopyIn>(&operation)) total += copy->bytes.size();
  next_upload_ = 0;
  if (total > staged_bytes_) {
    if (staged_ != nullptr) cu.check(cu.host_free(staged_), "freeing pinned memory");
    staged_bytes_ = 0;
    void *pinned = nullptr;
    cu.check(cu.host_alloc(&pinned, total, CU_MEMHOSTALLOC_PORTABLE), "allocating pinned memory for uploads");
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
  request_ = request;
  if (devices_of(request_.plan) > contexts_.size())
    throw Refusal{End::our_failure, "the plan is one for " + std::to_string(devices_of(request_.plan)) +
                                        " devices, and this process has " + std::to_string(contexts_.size())};
  streams_.make(request_.plan);
  const double load_seconds = load_modules();
  place_buffers();
  forget_who_reaches();
  if (!request_.dealt) upload_inputs(shared);
  stage_uploads();
  streams_.synchronize();
  if (request_.timed) warm_up();
  return load_seconds;
}

void PlanRunner::warm_up() {
  // To make access possible takes a driver longer than most plans take, and a program does it once.
  for (const auto &operation : request_.plan.operations)
    if (const auto *access = std::get_if<plan::PeerAccess>(&operation); access && access->allowed)
      let_reach(access->device, access->owner, true);
  for (std::size_t d = 0; d < streams_.devices(); ++d) {
    on(d);
    flushes_[d].prepare();
  }
  if (!streams_.several()) return flushes_[0].spin(request_.sample.spin_seconds);
  for (const double end = now() + request_.sample.spin_seconds; now() < end; streams_.synchronize())
    for (std::size_t d = 0; d < streams_.devices(); ++d) {
      on(d);
      flushes_[d].issue(8);
    }
}

void PlanRunner::let_reach(std::size_t device, std::size_t owner, bool allowed) {
  if (reaches_.contains({device, owner}) == allowed) return;
  const auto &cu = on(device).driver;
  cu.check(
      allowed ? cu.context_reach(contexts_[owner].context, 0) : cu.context_leave(contexts_[owner].context),
      "access to the memory of another GPU");
  const auto of_mapping = [&](Mapping *mapping) {
    if (mapping != nullptr && &mapping->context() == &contexts_[owner])
      mapping->allow(contexts_[device].device, allowed);
  };
  for (const auto *arenas : {&judge_arenas_, &scratch_arenas_})
    for (const auto &arena : *arenas) of_mapping(arena ? &arena->mapping() : nullptr);
  for (const auto &mapping : adopted_) of_mapping(mapping.get());
  if (allowed)
    reaches_.emplace(device, owner);
  else
    reaches_.erase({device, owner});
}

void PlanRunner::forget_who_reaches() {
  while (!reaches_.empty()) let_reach(reaches_.begin()->first, reaches_.begin()->second, false);
}

CUdeviceptr PlanRunner::address(const plan::Place &place) const {
  return addresses_[place.buffer] + static_cast<CUdeviceptr>(place.offset);
}

/// For all devices, whatever becomes of it.
void PlanRunner::wait_in_vain() const {
  try {
    streams_.synchronize();
  } catch (const DriverError &) {
  }
}

Ending PlanRunner::execute() {
  Ending ending;
  try {
    if (request_.timed && request_.sample.energy_seconds > 0) {
      const Nvml nvml(request_.nvml_library, request_.pci_bus_id);
      ending.energy = streams_.several()
                          ? run::Energy{.why_not = energy_of_several}
                          : repeat_for_energy(contexts_[0], nvml, request_.sample.energy_seconds,
                                              [this] { issue_all(); });
      return ending;
    }
    // No wait between the flush and the plan: while the GPU flushes, the launches queue up behind it, so that
    // the host's launch latency stays out of a short kernel's time.
    if (request_.timed && request_.sample.flush_l2)
      for (std::size_t d = 0; d < streams_.devices(); ++d) {
        on(d);
        flushes_[d].issue(flushes_ahead);
      }
    watch_ = Watch(contexts_[0]);
    streams_.begin();
    issue_all();
    streams_.end();
    if (request_.timed) ending.host_seconds = watch_.wait();
    streams_.synchronize();
    ending.seconds = streams_.seconds();
  } catch (const Refusal &refusal) {
    wait_in_vain();  // what was launched before it may still run
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
  const auto &buffers = request_.plan.buffers;
  for (std::size_t i = 0; i < request_.offsets.size(); ++i)
    if (buffers[i].bytes > 0 && !request_.dealt) {
      const Context &owner = on(buffers[i].device);
      owner.driver.check(owner.driver.copy_out(shared.data() + request_.offsets[i], addresses_[i],
                                               buffers[i].bytes, owner.stream),
                         "downloading a buffer");
    }
  streams_.synchronize();

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
    on(buffers[i].device);
    const auto damage = arena->damage();
    if (damage.any() && damaged.size() < 100) damaged.push_back({i, damage});
  }
  return damaged;
}

}  // namespace warpgrade::gpu
