// Bulk copies of tensors: cp.async.bulk.tensor, whose tensor map says which box of a tensor of up to five
// dimensions a copy takes, and how its rows are laid out in shared memory. What is outside the tensor arrives as
// zeros or NaN, and is left out on the way back.
#include <fmt/format.h>

#include <bit>

#include "machine/instructions/bulk.hpp"
#include "machine/lanes.hpp"
#include "ptx/tensor_map.hpp"

namespace warpgrade::simt {
namespace {

constexpr std::uint32_t alignment_in_shared = 128;

/// One copy by one lane.
struct BoxCopy {
  const Op &op;
  const Site &site;
  BlockRun &run;
  std::uint32_t lane;
  std::uint64_t shared;  ///< address of the box in shared memory
  ptx::TensorMap map;
  std::int64_t at[ptx::TensorMap::most_rank];

  [[noreturn]] void fail(Code code, std::string message) const {
    run.fail(run.diagnostic(code, Severity::error, run.here(lane, op), std::move(message)));
  }
};

ptx::TensorMap read_map(const BoxCopy &copy, std::uint64_t address) {
  if (address - local_window < window_bytes)
    copy.fail(Code::out_of_bounds,
              "the tensor map is in local memory, where a bulk copy cannot read it: make it a parameter that "
              "is const __grid_constant__, or keep it in global or constant memory");
  if (address % ptx::TensorMap::alignment != 0)
    copy.fail(Code::misaligned, fmt::format("the tensor map is at {:#x}, which is not a multiple of {}",
                                            address, ptx::TensorMap::alignment));
  const Site site = seen_as(Site::Action::load, ptx::Space::generic, copy.site);
  std::byte bytes[ptx::TensorMap::bytes];
  constexpr std::uint32_t half = ptx::TensorMap::alignment;
  for (std::uint32_t i = 0; i < ptx::TensorMap::bytes; i += half) {
    const Target target = resolve({copy.op, site, copy.run, copy.lane, address + i, half, false});
    std::memcpy(bytes + i, target.host, half);
  }
  const auto map = ptx::decode_tensor_map(bytes);
  if (!map)
    copy.fail(Code::out_of_bounds,
              "the address of the tensor map does not lead to a tensor map: was it made by "
              "cuTensorMapEncodeTiled, and did the call succeed?");
  if (map->rank != copy.site.elements)
    copy.fail(Code::out_of_bounds,
              fmt::format("the copy has {} coordinates, but the tensor map has {} dimensions",
                          copy.site.elements, map->rank));
  return *map;
}

BoxCopy box_of(const Op &op, const Site &site, BlockRun &run, std::uint32_t lane, std::uint64_t shared) {
  BoxCopy copy{op, site, run, lane, shared, {}, {}};
  copy.map = read_map(copy, run.value(op.b, lane, true) + site.from_offset);
  for (std::uint32_t i = 0; i < copy.map.rank; ++i)
    copy.at[i] = static_cast<std::int32_t>(run.value(site.rows.at(i), lane, false));
  // An H200 stops such a copy with "an illegal instruction was encountered": tried with elements of 2 bytes.
  const std::int64_t begin = copy.at[0] * static_cast<std::int64_t>(copy.map.element_bytes());
  if (begin % std::int64_t{bulk_unit} != 0)
    copy.fail(
        Code::misaligned,
        fmt::format("a bulk copy of a tensor begins {} bytes into a row: the first coordinate times the "
                    "size of an element has to be a multiple of {} bytes",
                    begin, bulk_unit));
  if (shared % alignment_in_shared != 0)
    copy.fail(
        Code::misaligned,
        fmt::format("a bulk copy of a tensor to or from shared memory at {:#x}: the address has to be a "
                    "multiple of {}; is the array alignas({})?",
                    shared, alignment_in_shared, alignment_in_shared));
  return copy;
}

/// A row of the box: its position in the bytes of the box, and which of its bytes are inside the tensor.
struct Row {
  std::uint32_t offset = 0, begin = 0, end = 0;
  std::uint64_t address = 0;  ///< of byte `begin` in global memory
};

template <class Take>
void each_row(const BoxCopy &copy, const Take &take) {
  const ptx::TensorMap &map = copy.map;
  const std::int64_t size = map.element_bytes(), width = static_cast<std::int64_t>(map.dimensions[0]);
  const std::int64_t first = std::clamp<std::int64_t>(-copy.at[0], 0, map.box[0]),
                     last = std::clamp<std::int64_t>(width - copy.at[0], first, map.box[0]);
  const std::uint32_t bytes = map.box[0] * map.element_bytes(), rows = map.box_bytes() / bytes;
  for (std::uint32_t row = 0; row < rows; ++row) {
    bool inside = first < last;
    std::uint32_t rest = row;
    std::uint64_t address = map.address + static_cast<std::uint64_t>((copy.at[0] + first) * size);
    for (std::uint32_t i = 1; i < map.rank; ++i) {
      const std::int64_t at =
          copy.at[i] + std::int64_t{rest % map.count(i)} * std::int64_t{map.element_strides[i]};
      rest /= map.count(i);
      inside = inside && at >= 0 && at < static_cast<std::int64_t>(map.dimensions[i]);
      address += static_cast<std::uint64_t>(at) * map.strides[i - 1];
    }
    take(Row{row * bytes, inside ? static_cast<std::uint32_t>(first * size) : 0,
             inside ? static_cast<std::uint32_t>(last * size) : 0, address});
  }
}

/// The part of a row in global memory, in aligned accesses: take(address, offset in the row, bytes).
template <class Take>
void each_access(const Row &row, const Take &take) {
  for (std::uint32_t at = row.begin; at < row.end;) {
    const std::uint64_t address = row.address + (at - row.begin);
    const std::uint64_t aligned = address == 0 ? bulk_unit : address & (~address + 1);
    const auto bytes = static_cast<std::uint32_t>(
        std::min<std::uint64_t>({aligned, bulk_unit, std::bit_floor(row.end - at)}));
    take(address, at, bytes);
    at += bytes;
  }
}

/// Where the pieces of the first box go, for drawings.
void keep_sample(const BoxCopy &copy, const Context &context, LaneSample &sample) {
  if (sample.mask != 0) return;
  sample.at = copy.run.line_of(copy.op);
  sample.space = ptx::Space::shared;
  sample.store = true;
  sample.block = copy.run.block_index();
  sample.warp = context.warp;
  sample.mask = 1u << copy.lane;
  sample.offsets.fill(-1);
  for (const SharedVariable &variable : copy.run.shared.variables())
    if (copy.shared >= variable.begin && copy.shared < std::uint64_t{variable.begin} + variable.bytes)
      sample.buffer = variable.name;
  sample.across = copy.map.box[0] * copy.map.element_bytes() / bulk_unit;
  for (std::uint32_t at = 0; at < copy.map.box_bytes() && sample.written.size() < LaneSample::most_written;
       at += bulk_unit)
    sample.written.push_back(static_cast<std::int64_t>(copy.map.place(copy.shared, at)));
}

}  // namespace

/// [shared a + immediate], [map b + from_offset, coordinates in the site's rows], [mbarrier e +
/// barrier_offset]
void fetch_tensor(const Op &op, Context &context) {
  const Site &site = site_of(op, context);
  BlockRun &run = *context.run;
  const Site to_shared = seen_as(Site::Action::store, ptx::Space::shared, site);
  const Site from_global = seen_as(Site::Action::load, ptx::Space::global, site);
  std::uint64_t to[32];
  addresses_of(op, site, context, to);
  std::vector<std::byte> data;
  for (std::uint32_t rest = context.mask; rest; rest &= rest - 1) {
    const std::uint32_t lane = first_lane(rest);
    const BoxCopy copy = box_of(op, site, run, lane, to[lane]);
    data.assign(copy.map.box_bytes(), std::byte{0});
    if (const std::uint16_t outside = copy.map.outside(); outside != 0)
      for (std::size_t at = 0; at < data.size(); at += sizeof outside)
        std::memcpy(&data[at], &outside, sizeof outside);
    if (!run.samples.empty()) keep_sample(copy, context, run.samples[op.site]);
    each_row(copy, [&](const Row &row) {
      each_access(row, [&](std::uint64_t from, std::uint32_t at, std::uint32_t bytes) {
        const LaneAccess load{op, from_global, run, lane, from, bytes, false};
        Target source;
        if (!try_resolve(load, source)) return;
        check_valid(load, source);
        check_global(load, source, false, nullptr);
        check_global_proxy(load, source);
        run.tally().touch(*source.allocation, Touch::load, from, bytes);
        run.count(site).bulk_loaded += bytes;
        std::memcpy(&data[row.offset + at], source.host, bytes);
      });
      if (row.begin < row.end) copy.map.arrive(&data[row.offset + row.begin], row.end - row.begin);
    });
    const std::uint64_t barrier_at = run.value(op.e, lane, site.wide_barrier) + site.barrier_offset;
    for (const std::uint32_t rank : receivers_of(op, site, run, lane)) {
      Mbarrier barrier(op, context, lane, address_in(rank, barrier_at), false);
      for (std::uint32_t at = 0; at < data.size(); at += bulk_unit) {
        const std::uint64_t where = address_in(rank, copy.map.place(to[lane], at));
        const LaneAccess store{op, to_shared, run, lane, where, bulk_unit, true};
        Target target;
        if (try_resolve(store, target)) send_to_shared(store, target, &data[at], barrier);
      }
      barrier.bring(data.size());
    }
  }
}

/// [map b + from_offset, coordinates in the site's rows], [shared a + immediate]
void send_tensor(const Op &op, Context &context) {
  const Site &site = site_of(op, context);
  BlockRun &run = *context.run;
  const Site from_shared = seen_as(Site::Action::load, ptx::Space::shared, site);
  const Site to_global = seen_as(Site::Action::store, ptx::Space::global, site);
  std::uint64_t from[32];
  addresses_of(op, site, context, from);
  for (std::uint32_t rest = context.mask; rest; rest &= rest - 1) {
    const std::uint32_t lane = first_lane(rest);
    const BoxCopy copy = box_of(op, site, run, lane, from[lane]);
    // So does an H200 here, although copies from global memory may begin before the tensor.
    for (std::uint32_t i = 0; i < copy.map.rank; ++i)
      if (copy.at[i] < 0)
        copy.fail(Code::out_of_bounds,
                  fmt::format("a bulk copy to global memory begins at coordinate {} of dimension {}, before "
                              "the tensor: only copies from global memory may",
                              copy.at[i], i));
    PendingSend send;
    send.site = op.site;
    send.lane = static_cast<std::uint8_t>(lane);
    std::vector<std::byte> data(copy.map.box[0] * copy.map.element_bytes());
    each_row(copy, [&](const Row &row) {
      for (std::uint32_t at = row.begin / bulk_unit * bulk_unit; at < row.end; at += bulk_unit) {
        const LaneAccess load{op,        from_shared, run, lane, copy.map.place(from[lane], row.offset + at),
                              bulk_unit, false};
        Target source;
        if (!try_resolve(load, source)) continue;
        check_shared(load, source.offset, false, false);
        check_proxy(load, source.offset);
        send.add(source.offset, source.host);
        std::memcpy(&data[at], source.host, bulk_unit);
      }
      each_access(row, [&](std::uint64_t to, std::uint32_t at, std::uint32_t bytes) {
        const LaneAccess store{op, to_global, run, lane, to, bytes, true};
        Target target;
        if (!try_resolve(store, target)) return;
        check_overwritten_in_global(store, target);
        check_global(store, target, false, &data[at]);
        write_global(store, target, &data[at]);
      });
    });
    run.warp->sends.push_back(std::move(send));
  }
}

}  // namespace warpgrade::simt
