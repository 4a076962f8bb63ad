// Device memory: allocations, copies to and within the device, fills, symbols. Reading back is refused.
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <span>

#include "ptx/tensor_map.hpp"
#include "record/worker/api.hpp"

namespace warpgrade::record {

using cuda::number, cuda::pointer;

Slot *slot_at(const void *p) {
  if (!on_device(p)) return nullptr;
  const std::uint64_t slot = plan::slot_of(number(p));
  return slot < worker().slots.size() ? &worker().slots[slot] : nullptr;
}

std::string place_name(const void *p) {
  const Slot *slot = slot_at(p);
  if (slot == nullptr) return "an address that belongs to no buffer";
  const std::int64_t offset = plan::offset_in_slot(number(p));
  if (offset == 0) return slot->name;
  return slot->name + (offset < 0 ? " - " : " + ") + std::to_string(std::abs(offset)) + " bytes";
}

namespace {

constexpr const char *no_reading =
    "reads results back to the host; a launcher may only start work, so what it launches cannot depend on "
    "results";

// Null when the block lies inside a live buffer; otherwise the plan is refused, in words.
bool inside(const char *call, const cuda::Place &place, const cuda::Box &box, const char *does) {
  const void *const p = place.at;
  const Slot *slot = slot_at(p);
  if (slot == nullptr) {
    refuse(call, place_name(p));
    return false;
  }
  if (!slot->live) {
    refuse(call, std::string(does) + " " + slot->name + ", which was freed");
    return false;
  }
  const std::uint64_t stride = box.height > 1 ? place.pitch : 0;
  const unsigned __int128 span = static_cast<unsigned __int128>(box.height - 1) * stride + box.width;
  const std::int64_t offset = plan::offset_in_slot(number(p));
  if (offset >= 0 && span + static_cast<std::uint64_t>(offset) <= slot->bytes) return true;
  const std::string size =
      span > ~std::uint64_t{0} ? "too many" : std::to_string(static_cast<std::uint64_t>(span));
  refuse(call, std::string(does) + " " + size + " bytes at " + place_name(p) + ", but " + slot->name +
                   " has " + std::to_string(slot->bytes));
  return false;
}

// A device address in `bytes` at a place that is aligned for one; nullptr if there is none. The replay has
// other addresses: it replaces them in the arguments of kernels, and in tensor maps.
const void *address_in(std::span<const std::byte> bytes, const void *to) {
  using ptx::TensorMap;
  for (std::size_t at = -number(to) % 8; at + 8 <= bytes.size(); at += 8) {
    if ((number(to) + at) % TensorMap::alignment == 0 && at + TensorMap::bytes <= bytes.size() &&
        ptx::decode_tensor_map(&bytes[at])) {
      at += TensorMap::bytes - 8;
      continue;
    }
    const void *word = nullptr;
    std::memcpy(&word, &bytes[at], sizeof word);
    if (slot_at(word) != nullptr) return word;
  }
  return nullptr;
}

cudaError_t copy_in(const char *call, void *to, const void *from, std::uint64_t bytes) {
  Worker &state = worker();
  if (bytes > state.orders().limits.plan_bytes || state.uploaded > state.orders().limits.plan_bytes - bytes) {
    return refuse(call, "the launcher copies more than " + std::to_string(state.orders().limits.plan_bytes) +
                            " bytes to the device");
  }
  const auto *first = static_cast<const std::byte *>(from);
  const std::vector<std::byte> copy(
      first, first + bytes);  // first: this may fault, and must not cut a record in two
  if (const void *address = address_in(copy, to); address != nullptr) {
    return refuse(call, "copies a device pointer (" + place_name(address) +
                            ") as data; pass pointers as arguments of the kernel");
  }
  Writer *record = state.record(plan::Tag::copy_in, call);
  if (record == nullptr) return cudaErrorNotSupported;
  state.uploaded += bytes;
  record->put(number(to));
  record->put_bytes(copy);
  return cudaSuccess;
}

cudaError_t copy_in(const char *call, const cuda::Place &to, const cuda::Place &from, const cuda::Box &box) {
  if (!inside(call, to, box, "writes")) return cudaErrorInvalidValue;
  for (std::uint64_t y = 0; y < box.height; ++y)
    if (const cudaError_t error = copy_in(call, to.row(y, 0), from.row(y, 0), box.width);
        error != cudaSuccess)
      return error;
  return cudaSuccess;
}

cudaError_t copy_within(const char *call, const cuda::Place &to, const cuda::Place &from,
                        const cuda::Box &box) {
  if (!inside(call, to, box, "writes") || !inside(call, from, box, "reads")) return cudaErrorInvalidValue;
  Writer *record = worker().record(plan::Tag::copy_within, call);
  if (record == nullptr) return cudaErrorNotSupported;
  for (const std::uint64_t field :
       {number(to.at), number(from.at), box.width, box.height, to.pitch, from.pitch})
    record->put(field);
  return cudaSuccess;
}

/// "A, B and C are already on the device"
std::string already_there() {
  std::string names;
  const std::vector<plan::Buffer> &buffers = worker().orders().request.buffers;
  for (std::size_t i = 0; i < buffers.size(); ++i)
    names += (i == 0 ? "" : i + 1 == buffers.size() ? " and " : ", ") + buffers[i].name;
  return names + " are already on the device";
}

bool is_argument(const void *p) {
  const Slot *slot = slot_at(p);
  return slot != nullptr && slot->owner == plan::Owner::judge;
}

/// Both ends of a copy are on the device, and its kind says otherwise. Of a copy to or from a variable that kind
/// is the default, and nobody knows whether it was written.
cudaError_t within_the_device(const char *call, const char *kind, const void *to) {
  const bool symbol = std::strstr(call, "Symbol") != nullptr;
  std::string rule = std::string(kind) + ", but both ends are device memory; ";
  if (!symbol) return refuse(call, rule + "its kind must be cudaMemcpyDeviceToDevice");
  rule += "its last two arguments must be 0, cudaMemcpyDeviceToDevice";
  if (std::strstr(call, "FromSymbol") != nullptr && is_argument(to))
    rule =
        "copies out of the variable to " + place_name(to) + "; to fill the variable, call cudaMemcpyToSymbol";
  return refuse(call, rule);
}

// The commonest misconception gets an answer of its own: the launcher's arguments are taken for host memory.
cudaError_t wrong_direction(const char *call, const char *kind, const char *which, const void *p) {
  std::string rule = std::string(kind) + ", but its " + which + " is ";
  if (!on_device(p)) return refuse(call, rule + "host memory");
  if (!is_argument(p)) return refuse(call, rule + "device memory");
  return refuse(call, rule + place_name(p) + ": " + already_there() +
                          "; pass them to the kernel as they are, without cudaMalloc and without copies");
}

// One function for every copy: the direction is what the pointers say, and the kind must agree with it.
cudaError_t copy(const char *call, const cuda::CopyWork &work) {
  if (const auto error = cuda::answer_without_memory(work)) return *error;
  void *const to = work.to.at;
  const void *const from = work.from.at;
  const bool device_to = on_device(to), device_from = on_device(from);
  const bool symbol = std::strstr(call, "Symbol") != nullptr;
  // Arguments of the launcher that plain copies take for host memory get their own answer below.
  const bool within = device_to && device_from && (symbol || !(is_argument(to) || is_argument(from)));
  switch (work.kind) {
    case cudaMemcpyHostToDevice:
      if (within) return within_the_device(call, "copies host to device", to);
      if (!device_to) return wrong_direction(call, "copies host to device", "destination", to);
      if (device_from) return wrong_direction(call, "copies host to device", "source", from);
      break;
    case cudaMemcpyDeviceToDevice:
      if (!device_to) return wrong_direction(call, "copies device to device", "destination", to);
      if (!device_from) return wrong_direction(call, "copies device to device", "source", from);
      break;
    case cudaMemcpyDeviceToHost:
      if (within) return within_the_device(call, "copies device to host", to);
      if (device_to && !device_from) return wrong_direction(call, "copies device to host", "source", from);
      if (is_argument(to)) return wrong_direction(call, "copies device to host", "destination", to);
      return refuse(call, no_reading);
    case cudaMemcpyHostToHost:
      if (device_to) return wrong_direction(call, "copies host to host", "destination", to);
      if (is_argument(from)) return wrong_direction(call, "copies host to host", "source", from);
      if (device_from) return refuse(call, no_reading);
      break;
    case cudaMemcpyDefault:
      break;
  }
  if (device_to)
    return device_from ? copy_within(call, work.to, work.from, work.box)
                       : copy_in(call, work.to, work.from, work.box);
  if (device_from) return refuse(call, no_reading);
  for (std::uint64_t y = 0; y < work.box.height; ++y)
    std::memmove(work.to.row(y, 0), work.from.row(y, 0), work.box.width);
  return cudaSuccess;
}

cudaError_t fill_memory(const char *call, const cuda::FillWork &work) {
  if (const auto error = cuda::answer_without_memory(work)) return *error;
  const auto &[to, value, element, box] = work;
  if (!on_device(to.at)) return refuse(call, "its destination is host memory");
  if (const Slot *slot = slot_at(to.at); slot != nullptr && !worker().may_fill(slot->device)) {
    const std::string owner = std::to_string(slot->device);
    return refuse(call, place_name(to.at) + " is on device " + owner +
                            ", to which the device that fills it has no access: call cudaSetDevice(" + owner +
                            ") before it");
  }
  if (!inside(call, to, box, "writes")) return cudaErrorInvalidValue;
  Writer *record = worker().record(plan::Tag::set_memory, call);
  if (record == nullptr) return cudaErrorNotSupported;
  record->put(number(to.at));
  record->put(static_cast<std::uint8_t>(value));
  for (const std::uint64_t field : {box.width, box.height, box.height > 1 ? to.pitch : 0}) record->put(field);
  return cudaSuccess;
}

cudaError_t free(const char *call, const void *p) {
  Slot *slot = slot_at(p);
  if (slot == nullptr) return refuse(call, "the pointer is not device memory");
  if (slot->owner != plan::Owner::student)
    return refuse(call, slot->name + " was not allocated by the launcher");
  if (plan::offset_in_slot(number(p)) != 0)
    return refuse(call, place_name(p) + " is not the start of an allocation");
  if (!slot->live) return refuse(call, slot->name + " was already freed");
  if (worker().waits()) worker().host_waits(plan::HostWaits::For::device, slot->device);
  Writer *record = worker().record(plan::Tag::free, call);
  if (record == nullptr) return cudaErrorNotSupported;
  record->put(number(p));
  slot->live = false;
  worker().scratch -= slot->bytes;
  worker().moved(false);
  return cudaSuccess;
}

/// Of the device code; nullptr if it has no such variable.
const plan::Buffer *buffer_of(const cuda::Variable &variable) {
  for (const plan::Buffer &one : worker().orders().request.variables)
    if (one.name == variable.name) return &one;
  return nullptr;
}

cuda::Variable *variable_at(const void *symbol) {
  const auto found = worker().state.variables.find(symbol);
  return found == worker().state.variables.end() || buffer_of(found->second) == nullptr ? nullptr
                                                                                        : &found->second;
}

}  // namespace
}  // namespace warpgrade::record

namespace warpgrade::cuda::backend {

using namespace record;

/// cudaMalloc((void **)p, n), without the &, writes to where p leads: nowhere, or anywhere.
bool takes_a_pointer(const char *call, void **to) {
  // The kernel says, without a fault, whether a word can be written there; it is written to next.
  const bool writable = to != nullptr && !on_device(to) &&
                        ::syscall(SYS_rt_sigprocmask, SIG_BLOCK, nullptr, to, sizeof(std::uint64_t)) == 0;
  if (!writable)
    record::refuse(call, std::string("its first argument is ") +
                             (to == nullptr   ? "a null pointer"
                              : on_device(to) ? place_name(to)
                                              : "no address of a variable") +
                             "; it must be the address of your pointer, with an &");
  return writable;
}

cudaError_t allocate(const char *call, void **to, std::uint64_t bytes) {
  *to = pointer(worker().allocate(bytes, call));
  return *to == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
}
cudaError_t release(const char *call, void *p, cudaStream_t stream) {
  worker().use_stream(stream, call);
  return record::free(call, p);
}

cudaError_t allocate_host(const char *, void **to, std::uint64_t bytes, unsigned) {
  *to = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  return *to == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
}
cudaError_t release_host(const char *call, void *p) {
  if (on_device(p)) return record::refuse(call, "the pointer is device memory");
  std::free(p);
  return cudaSuccess;
}
cudaError_t register_host(void *, std::size_t, unsigned) {
  return cudaSuccess;
}
cudaError_t unregister_host(void *) {
  return cudaSuccess;
}
cudaError_t host_flags(const void *, unsigned &flags) {
  flags = 0;
  return cudaSuccess;
}

std::uint64_t available_bytes() {
  return std::min(device().figures.global_bytes, worker().orders().limits.scratch_bytes) - worker().in_use();
}
MemoryKind kind_of(const void *p) {
  return on_device(p) ? MemoryKind::device : MemoryKind::unknown;
}

int device_of(const void *p) {
  const Slot *slot = slot_at(p);
  return slot == nullptr ? 0 : slot->device;
}
int device_of_pool(cudaMemPool_t pool) {
  const std::uint64_t handle =
      number(pool);  // as cudaDeviceGetDefaultMemPool gives it: one more than the device
  return handle >= 1 && handle <= static_cast<std::uint64_t>(device_count()) ? static_cast<int>(handle) - 1
                                                                             : worker().device;
}

namespace {
/// In the stream that was chosen.
cudaError_t do_in_stream(const char *call, const Work &work) {
  // The host waits for copies from its own memory. Fills, and copies between devices, are asynchronous to it.
  const bool moves = std::holds_alternative<CopyWork>(work) || std::holds_alternative<FillWork>(work);
  const auto *one = std::get_if<CopyWork>(&work);
  const cudaError_t error = one != nullptr ? record::copy(call, *one)
                            : moves        ? fill_memory(call, std::get<FillWork>(work))
                                           : cudaSuccess;
  if (moves && error == cudaSuccess) worker().moved(one != nullptr && !on_device(one->from.at));
  return error;
}
}  // namespace

cudaError_t perform(const char *call, const Work &work) {
  worker().use_stream(nullptr, call);
  return do_in_stream(call, work);
}
cudaError_t submit(const char *call, cudaStream_t stream, Work work) {
  worker().use_stream(stream, call);
  return do_in_stream(call, work);
}

cudaError_t find_variable(const char *call, const void *symbol, std::size_t offset, std::size_t,
                          std::uint64_t &address) {
  Variable *variable = variable_at(symbol);
#ifdef WARPGRADE_CUDA_HEADERS  // these headers are for clang
  if (variable == nullptr)
    return record::refuse(
        call,
        "the variable is not in the device code: clang leaves out one whose type has no name (name its "
        "struct), and one that no kernel uses");
#endif
  if (variable == nullptr) return cudaErrorInvalidSymbol;
  address = worker().address_of(*variable, call);
  if (address == 0) return cudaErrorInvalidSymbol;
  address += offset;  // the copy finds out whether its bytes are there
  return cudaSuccess;
}
cudaError_t variable_bytes(const char *, const void *symbol, std::size_t &bytes) {
  const Variable *variable = variable_at(symbol);
  if (variable == nullptr) return cudaErrorInvalidSymbol;
  bytes = buffer_of(*variable)->bytes;
  return cudaSuccess;
}

}  // namespace warpgrade::cuda::backend
