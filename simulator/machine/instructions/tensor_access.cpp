// ldmatrix and stmatrix: each of 8, 16 or 32 lanes gives the address of a row of 16 bytes in shared memory.
#include <fmt/format.h>

#include <cstring>

#include "machine/instructions/tensor_ops.hpp"
#include "machine/lanes.hpp"
#include "machine/resolve.hpp"

namespace warpgrade::simt {
namespace {

constexpr std::uint32_t row_bytes = 16;

/// The rows that can be accessed, as a mask of the lanes that name them.
std::uint32_t find_rows(const Op &op, const Site &site, Context &context, std::uint64_t (&addresses)[32],
                        Target (&targets)[32]) {
  BlockRun &run = *context.run;
  addresses_of(op, site, context, addresses);
  std::uint32_t good = 0;
  for (std::uint32_t rest = rows_of(site); rest; rest &= rest - 1) {
    const std::uint32_t lane = first_lane(rest);
    const LaneAccess access{
        op, site, run, lane, addresses[lane], row_bytes, site.action == Site::Action::store};
    if (!try_resolve(access, targets[lane])) continue;
    if (targets[lane].space != ptx::Space::shared)
      run.fail(run.diagnostic(
          Code::out_of_bounds, Severity::error, run.here(lane, op),
          fmt::format(
              "{} accesses rows of matrices in shared memory, and the address {:#x} is not in shared memory",
              access.store ? "stmatrix" : "ldmatrix", addresses[lane])));
    good |= 1u << lane;
  }
  if (good != 0) count_request(op, context, good, addresses, targets);
  return good;
}

}  // namespace

void load_matrix(const Op &op, Context &context) {
  need_whole_warp(op, context);
  const Site &site = site_of(op, context);
  std::uint64_t addresses[32];
  Target targets[32];
  const std::uint32_t good = find_rows(op, site, context, addresses, targets);
  for (std::uint32_t i = 0; i < site.matrices; ++i) {
    std::uint32_t matrix[32] = {};
    for (std::uint32_t row = 0; row < 8; ++row) {
      const std::uint32_t lane = 8 * i + row;
      if (!(good >> lane & 1)) continue;
      check_shared({op, site, *context.run, lane, addresses[lane], row_bytes, false}, targets[lane].offset,
                   false, false);
      std::memcpy(&matrix[4 * row], targets[lane].host, row_bytes);
    }
    const auto turned = site.transposed ? transposed(matrix) : std::to_array(matrix);
    std::memcpy(context.rows + site.rows[i], turned.data(), 128);
  }
}

void store_matrix(const Op &op, Context &context) {
  need_whole_warp(op, context);
  const Site &site = site_of(op, context);
  std::uint64_t addresses[32];
  Target targets[32];
  const std::uint32_t good = find_rows(op, site, context, addresses, targets);
  for (std::uint32_t i = 0; i < site.matrices; ++i) {
    std::uint32_t matrix[32];
    std::memcpy(matrix, context.base[site.rows[i] & 1] + site.rows[i], sizeof matrix);
    const auto turned = site.transposed ? transposed(matrix) : std::to_array(matrix);
    for (std::uint32_t row = 0; row < 8; ++row) {
      const std::uint32_t lane = 8 * i + row;
      if (!(good >> lane & 1)) continue;
      const bool same = std::memcmp(targets[lane].host, &turned[4 * row], row_bytes) == 0;
      check_shared({op, site, *context.run, lane, addresses[lane], row_bytes, true}, targets[lane].offset,
                   false, false, same);
      std::memcpy(targets[lane].host, &turned[4 * row], row_bytes);
    }
  }
}

}  // namespace warpgrade::simt
