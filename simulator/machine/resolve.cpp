#include "machine/resolve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace warpgrade::simt {
namespace {

std::string verb(const LaneAccess &access) {
  switch (access.site.action) {
    case Site::Action::load:
      return "load";
    case Site::Action::store:
      return "store";
    case Site::Action::copy_async:
      return access.store ? "asynchronous copy" : "load of an asynchronous copy";
    case Site::Action::atomic:
    case Site::Action::reduce:
      return "atomic operation";
  }
  return "access";
}

std::string in_bytes(std::int64_t count) {
  return count == 1 ? "1 byte" : fmt::format("{} bytes", count);
}

/// "load of 4 bytes that starts at the end of C (65536 bytes): element 16384, the last is 16383"
[[noreturn]] void out_of_bounds(const LaneAccess &access, const std::string &name, std::uint64_t begin,
                                std::uint64_t size, const char *space) {
  const auto at = static_cast<std::int64_t>(access.address - begin);
  const std::int64_t element = access.site.bytes;
  const std::int64_t past = at + access.bytes - static_cast<std::int64_t>(size);
  const std::int64_t index = at >= 0 ? at / element : -((-at + element - 1) / element);
  const auto count = static_cast<std::int64_t>(size) / element;
  const std::int64_t behind = at - static_cast<std::int64_t>(size);  // where the access starts
  const std::string where = at < 0       ? fmt::format(", {} before the start of", in_bytes(-at))
                            : behind < 0 ? fmt::format(" that starts {} before the end of", in_bytes(-behind))
                            : behind == 0 ? " that starts at the end of"
                                          : fmt::format(", {} past the end of", in_bytes(behind));
  std::string text =
      fmt::format("{}{} of {}{} {} ({}): element {}", space, verb(access), in_bytes(access.bytes), where,
                  name, in_bytes(static_cast<std::int64_t>(size)), index);
  if (at >= 0) text += count == 0 ? ", and there is none" : fmt::format(", the last is {}", count - 1);
  Diagnostic made = access.run.diagnostic(Code::out_of_bounds, Severity::error,
                                          access.run.here(access.lane, access.op), text);
  made.buffer = name;
  made.distance_bytes = at < 0 ? at : past;
  access.run.fail(std::move(made));
}

[[noreturn]] void fail(const LaneAccess &access, Code code, std::string text, std::string buffer = {}) {
  Diagnostic made =
      access.run.diagnostic(code, Severity::error, access.run.here(access.lane, access.op), std::move(text));
  made.buffer = std::move(buffer);
  access.run.fail(std::move(made));
}

/// Memory of another device, without peer access.
[[noreturn]] void out_of_reach(const LaneAccess &access, const Allocation &found) {
  const unsigned runner = access.run.launch.device, owner = found.owner;
  fail(
      access, Code::peer_access,
      fmt::format(
          "{} of {} in {} of device {} by a kernel on device {}, which has no access to the memory of device "
          "{}: call cudaDeviceEnablePeerAccess({}, 0) after cudaSetDevice({})",
          verb(access), in_bytes(access.bytes), found.name, owner, runner, owner, owner, runner),
      found.name);
}

void check_alignment(const LaneAccess &access, const std::string &name) {
  const std::uint32_t bytes = std::max<std::uint32_t>(access.bytes, access.site.alignment);
  if (access.address % bytes == 0) return;
  fail(access, Code::misaligned,
       fmt::format("misaligned {} of {} bytes in {}: the address {:#x} is not a multiple of {}", verb(access),
                   bytes, name, access.address, bytes),
       name);
}

/// The block of the cluster to whose shared memory an offset refers, and the offset there. nullptr: the one
/// that accesses it
BlockRun *owner_of(const LaneAccess &access, std::uint64_t &offset) {
  const std::uint64_t named = offset >> rank_shift;
  if (named == 0 || named > no_rank) return nullptr;
  BlockRun *const owner = access.run.block_of_rank(named - 1);
  if (!owner)
    fail(access, Code::out_of_bounds,
         fmt::format("{} of {} bytes in shared memory of a block of the cluster that does not exist",
                     verb(access), access.bytes));
  offset &= rank_offset_mask;
  if (owner == &access.run) return nullptr;
  if (access.site.matrices != 0 || (access.site.action == Site::Action::copy_async && !access.site.bulk))
    fail(access, Code::out_of_bounds,
         fmt::format("{} in shared memory of the block of rank {}: this instruction reaches only the block's "
                     "own shared memory",
                     verb(access), owner->cluster.rank()));
  return owner;
}

Target resolve_shared(const LaneAccess &access, std::uint64_t offset) {
  BlockRun *const owner = owner_of(access, offset);
  std::byte *const host = (owner ? *owner : access.run).context.shared;
  if (access.run.program.uses_reserved && offset + access.bytes <= shared_start)
    return {ptx::Space::shared, host + offset, offset, nullptr, nullptr, owner};
  const SharedVariable *nearest = nullptr;
  std::uint64_t best = UINT64_MAX;
  for (const SharedVariable &variable : access.run.shared.variables()) {
    const std::uint64_t begin = variable.begin, end = begin + variable.bytes;
    if (offset >= begin && offset + access.bytes <= end) {
      LaneAccess relative = access;
      relative.address = offset;
      check_alignment(relative, variable.name);
      return {ptx::Space::shared, host + offset, offset, nullptr, &variable, owner};
    }
    // "As[-1]" wraps around in 32 bits
    const std::uint64_t before = (begin - offset) & UINT32_MAX, after = (offset - end) & UINT32_MAX;
    const std::uint64_t distance = offset >= begin && offset < end ? 0 : std::min(before, after);
    if (distance < best) best = distance, nearest = &variable;
  }
  if (!nearest)
    fail(access, Code::out_of_bounds,
         fmt::format("shared {} of {}: the kernel has no shared memory; was its size left out of the launch?",
                     verb(access), in_bytes(access.bytes)));
  LaneAccess shown = access;
  const auto signed_offset = static_cast<std::int32_t>(static_cast<std::uint32_t>(offset - nearest->begin));
  shown.address = nearest->begin + static_cast<std::uint64_t>(static_cast<std::int64_t>(signed_offset));
  out_of_bounds(
      shown,
      owner ? fmt::format("{} of the block of rank {}", nearest->name, owner->cluster.rank()) : nearest->name,
      nearest->begin, nearest->bytes, "shared ");
}

Target resolve_local(const LaneAccess &access, std::uint64_t place) {
  // Each open call of a recursive function has separate arrays, one frame after the other.
  const FrameRows &frame = access.run.program.frame;
  std::uint64_t offset = place;
  if (frame.local_bytes != 0 && place >= frame.stack_begin && place < access.run.program.local_bytes)
    offset = frame.stack_begin + (place - frame.stack_begin) % frame.local_bytes;
  const LocalVariable *nearest = nullptr;
  for (const LocalVariable &variable : access.run.program.locals) {
    if (offset >= variable.begin && offset + access.bytes <= std::uint64_t{variable.begin} + variable.bytes) {
      LaneAccess relative = access;
      relative.address = offset;
      check_alignment(relative, "local memory");
      return {ptx::Space::local,
              access.run.local.of(access.run.thread(access.lane)) + place,
              place,
              nullptr,
              nullptr,
              nullptr};
    }
    if (!nearest || variable.begin <= offset) nearest = &variable;
  }
  if (!nearest)
    fail(access, Code::out_of_bounds,
         fmt::format("local {} of {}: the kernel has no local memory", verb(access), in_bytes(access.bytes)));
  LaneAccess shown = access;
  shown.address = offset;
  out_of_bounds(shown, "a local array", nearest->begin, nearest->bytes, "local ");
}

Target resolve_param(const LaneAccess &access, std::uint64_t offset) {
  const auto arguments = access.run.arguments();
  if (access.store)
    fail(access, Code::out_of_bounds, "a store to the kernel's parameters, which are read-only");
  if (offset > arguments.size() || arguments.size() - offset < access.bytes) {
    LaneAccess shown = access;
    shown.address = offset;
    out_of_bounds(shown, "the parameters", 0, arguments.size(), "");
  }
  return {ptx::Space::param,
          const_cast<std::byte *>(arguments.data()) + offset,
          offset,
          nullptr,
          nullptr,
          nullptr};
}

Target resolve_global(const LaneAccess &access) {
  Memory &memory = *access.run.launch.memory;
  const std::uint64_t end = access.address + access.bytes;
  if (Allocation *found = memory.find(access.address, end)) {
    if (!found->live)
      fail(access, Code::use_after_free,
           fmt::format("{} of {} in {}, which was freed", verb(access), in_bytes(access.bytes), found->name),
           found->name);
    if (!access.run.launch.reaches(*found)) out_of_reach(access, *found);
    check_alignment(access, found->name);
    if (access.store && !found->writable)
      fail(access, Code::out_of_bounds, fmt::format("{} to {}, which is constant", verb(access), found->name),
           found->name);
    return {
        ptx::Space::global, found->data.get() + (access.address - found->begin), 0, found, nullptr, nullptr};
  }
  if (access.address < 1u << 20)
    fail(access, Code::out_of_bounds,
         access.address == 0
             ? fmt::format("{} of {} through a null pointer", verb(access), in_bytes(access.bytes))
             : fmt::format("{} of {} at address {:#x}: a null pointer with an offset?", verb(access),
                           in_bytes(access.bytes), access.address));
  const Allocation *nearest = memory.nearest(access.address);
  const std::uint64_t far = 1ull << 40;
  if (!nearest || access.address - nearest->begin + far > 2 * far)
    fail(access, Code::out_of_bounds,
         fmt::format("{} of {} at address {:#x}, far from every allocation: a host pointer, or never set?",
                     verb(access), in_bytes(access.bytes), access.address));
  if (!nearest->live)
    fail(
        access, Code::use_after_free,
        fmt::format("{} of {} near {}, which was freed", verb(access), in_bytes(access.bytes), nearest->name),
        nearest->name);
  out_of_bounds(access, nearest->name, nearest->begin, nearest->bytes, "");
}

}  // namespace

Target resolve(const LaneAccess &access) {
  const std::uint64_t a = access.address;
  switch (access.site.action == Site::Action::copy_async && !access.store ? ptx::Space::global
                                                                          : access.site.space) {
    case ptx::Space::shared:
      return resolve_shared(access, a);
    case ptx::Space::local:
      return resolve_local(access, a);
    case ptx::Space::param:
      return resolve_param(access, a);
    case ptx::Space::global:
    case ptx::Space::constant:
      return resolve_global(access);
    case ptx::Space::generic:
      break;
  }
  // Half a window on either side, so that an index below the start is named rightly.
  if (a - shared_window + window_bytes / 2 < window_bytes)
    return resolve_shared(access, (a - shared_window) & UINT32_MAX);
  if (a - local_window < window_bytes) return resolve_local(access, a - local_window);
  if (a - param_window < window_bytes) return resolve_param(access, a - param_window);
  return resolve_global(access);
}

bool try_resolve(const LaneAccess &access, Target &target) {
  try {
    target = resolve(access);
    return true;
  } catch (const Fault &fault) {
    if (!access.run.drop(fault)) throw;
    return false;
  }
}

void addresses_of(const Op &op, const Site &site, Context &context, std::uint64_t (&addresses)[32]) {
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    const std::uint64_t base = context.run->value(op.a, lane, site.wide_address);
    addresses[lane] = site.wide_address ? base + op.immediate : (base + op.immediate) & UINT32_MAX;
  }
}

void check_valid(const LaneAccess &access, const Target &target) {
  if (!target.allocation || !target.allocation->valid || !access.run.launch.options.check_initialized ||
      access.run.findings.enough_unset())
    return;
  const Allocation &allocation = *target.allocation;
  const std::uint64_t at = access.address - allocation.begin;
  // A part of it may be padding of a struct, which is never written.
  const auto *const valid = allocation.valid.get() + at;
  if (std::any_of(valid, valid + access.bytes, [](std::uint8_t byte) { return byte != 0; })) return;
  if (access.bytes == 1 && may_be_padding(allocation, at)) return;
  const std::uint64_t handle = access.op.site | (allocation.begin >> 9 & 0xFFFFFFFF) << 20;
  if (access.run.count_known(handle + 1, Code::uninitialized_read, Severity::error)) return;
  Diagnostic made = access.run.diagnostic(
      Code::uninitialized_read, Severity::error, access.run.here(access.lane, access.op),
      fmt::format("load of {} from {} that was never written: element {}", in_bytes(access.bytes),
                  allocation.name, at / std::max<std::uint32_t>(access.site.bytes, 1)));
  made.buffer = allocation.name;
  access.run.note(std::move(made), handle + 1);
}

}  // namespace warpgrade::simt
