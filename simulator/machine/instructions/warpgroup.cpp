// wgmma: products of warpgroups, and when they are over.
#include "machine/instructions/warpgroup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "machine/checks/warpgroup_checks.hpp"
#include "machine/instructions/tensor_ops.hpp"
#include "machine/lanes.hpp"
#include "machine/resolve.hpp"

namespace warpgrade::simt {
namespace {

constexpr std::uint32_t rows_of_warp = 16;
constexpr std::uint32_t address_bits = 18;  // of a descriptor

/// Reads matrices for one product of one warp.
struct MatrixReader {
  const Op &op;
  BlockRun &run;
  std::uint32_t depth;  ///< elements along k
  FlyingProduct &flying;

  /// 16 bytes; zeros where a bad access was dropped.
  void piece(std::uint32_t address, std::byte *to) const {
    std::memset(to, 0, bytes_of_piece);
    const LaneAccess load{op, run.program.sites[op.site], run, 0, address, bytes_of_piece, false};
    Target target;
    if (!try_resolve(load, target)) return;
    check_shared(load, target.offset, false, false);
    check_proxy(load, target.offset);
    std::memcpy(to, target.host, bytes_of_piece);
    const auto offset = static_cast<std::uint32_t>(target.offset);
    flying.sources.push_back({offset, sum_of_writers(run, offset)});
    run.products.note_read(run.context.warp, offset, flying.sequence);
  }

  /// `lines` rows of A or columns of B, from `first`, with `depth` elements each: to(line, k, bits)
  template <class To>
  void matrix(std::uint64_t bits, tensor::Element element, bool by_lines, std::uint32_t first,
              std::uint32_t lines, const To &to) const {
    const MatrixDescriptor at = MatrixDescriptor::of(bits);
    const std::uint32_t size = tensor::bits_of(element) / 8, each = bytes_of_piece / size;
    std::byte data[bytes_of_piece];
    const auto value = [&](std::uint32_t i) {
      std::uint32_t one = 0;
      std::memcpy(&one, data + i * size, size);
      return one;
    };
    if (by_lines) {
      for (std::uint32_t line = 0; line < lines; ++line)
        for (std::uint32_t k = 0; k < depth; k += each) {
          piece(at.place(first + line, k / each, true), data);
          for (std::uint32_t i = 0; i < each; ++i) to(line, k + i, value(i));
        }
      return;
    }
    for (std::uint32_t k = 0; k < depth; ++k)
      for (std::uint32_t line = 0; line < lines; line += each) {
        piece(at.place((first + line) / each, k, false), data);
        for (std::uint32_t i = 0; i < each; ++i) to(line + i, k, value(i));
      }
  }
};

std::uint64_t same_in_all_lanes(const Op &op, const BlockRun &run, Ref ref) {
  const std::uint64_t first = run.value(ref, 0, true);
  for (std::uint32_t lane = 1; lane < 32; ++lane)
    if (run.value(ref, lane, true) != first)
      run.fail(
          run.diagnostic(Code::misaligned, Severity::error, run.here(lane, op),
                         "the lanes of a warp multiply together, but not all of them give the same matrix "
                         "descriptor"));
  return first;
}

bool scales_result(const Op &op, const Context &context) {
  std::uint32_t holds;
  std::memcpy(&holds, context.base[op.c & 1] + op.c, 4);
  if (holds != 0 && holds != full_mask)
    context.run->fail(context.run->diagnostic(
        Code::barrier_divergence, Severity::error, context.run->here(0, op),
        "the lanes of a warp multiply together, but not all of them agree on scale-d"));
  return holds != 0;
}

void need_warpgroup(const Op &op, const Context &context) {
  need_whole_warp(op, context);
  const BlockRun &run = *context.run;
  if (context.warp / warps_of_group * warps_of_group + warps_of_group > run.warps())
    run.fail(
        run.diagnostic(Code::barrier_divergence, Severity::error, run.here(0, op),
                       fmt::format("wgmma needs warpgroups of 4 warps, and the block has {}: its size has to "
                                   "be a multiple of 128",
                                   run.warps() == 1 ? "1 warp" : fmt::format("{} warps", run.warps()))));
}

}  // namespace

MatrixDescriptor MatrixDescriptor::of(std::uint64_t bits) {
  const auto field = [bits](int at) { return static_cast<std::uint32_t>(bits >> at & 0x3FFF) * 16; };
  MatrixDescriptor made;
  made.start = field(0), made.leading = field(16), made.stride = field(32);
  made.base = static_cast<std::uint32_t>(bits >> 49 & 7);
  static constexpr std::uint32_t rows[] = {16, 128, 64, 32};
  made.row = rows[bits >> 62];
  return made;
}

std::uint32_t MatrixDescriptor::place(std::uint32_t line, std::uint32_t along, bool by_lines) const {
  const std::uint32_t pieces = row / bytes_of_piece;
  std::uint32_t offset = 0;
  if (by_lines) {
    offset = line % 8 * row + line / 8 * stride + along * (pieces == 1 ? leading : bytes_of_piece);
  } else {
    offset = along % 8 * row + along / 8 * (pieces == 1 ? leading : stride) + line % pieces * bytes_of_piece +
             line / pieces * (pieces == 1 ? stride : leading);
  }
  const std::uint32_t address = (start + offset) & ((1u << address_bits) - 1);
  return address ^ (((address >> 7) - base) & (pieces - 1)) << 4;
}

void multiply_warpgroup(const Op &op, Context &context) {
  need_warpgroup(op, context);
  BlockRun &run = *context.run;
  if (run.shared.bytes() > 1u << address_bits)
    run.fail(run.diagnostic(Code::unsupported, Severity::error, run.here(0, op),
                            "the block has too many shared arrays for matrix descriptors, since they are not "
                            "adjacent here: use one array"),
             Status::unsupported);
  const GroupProduct &product = run.program.group_products[op.immediate];
  const bool adds = scales_result(op, context);
  check_product_fence(op, product, adds, run);
  FlyingProduct &flying = run.products.issue(context.warp, op, run.time());
  run.product_registers.issue(context.warp, flying.sequence, product);
  const tensor::Element left = tensor::held_as(product.a), right = tensor::held_as(product.b);
  const std::uint32_t depth = tensor::held_depth(product.a, product.k);
  const MatrixReader read{op, run, depth, flying};
  const tensor::Product one{product.a,    product.b, product.d, product.d,
                            rows_of_warp, product.k, product.k, product.saturates};
  tensor::Matrices all{};
  const std::uint32_t sign_a = product.negates_a ? 1u << (tensor::bits_of(product.a) - 1) : 0,
                      sign_b = product.negates_b ? 1u << (tensor::bits_of(product.b) - 1) : 0;
  if (product.a_in_registers) {
    const std::uint32_t each = tensor::per_register(left), bits = tensor::bits_of(left);
    for (std::uint32_t r = 0; r < product.a_rows.size(); ++r)
      for (std::uint32_t lane = 0; lane < 32; ++lane) {
        const std::uint64_t word = run.value(product.a_rows[r], lane, false);
        for (std::uint32_t e = 0; e < each; ++e) {
          const tensor::Place at = tensor::place_in_a(left, lane, r * each + e);
          all.a[at.row][at.column] = (static_cast<std::uint32_t>(word >> bits * e) &
                                      static_cast<std::uint32_t>((1ull << bits) - 1)) ^
                                     sign_a;
        }
      }
  } else {
    read.matrix(
        same_in_all_lanes(op, run, op.a), left, !product.transposes_a,
        context.warp % warps_of_group * rows_of_warp, rows_of_warp,
        [&](std::uint32_t row, std::uint32_t k, std::uint32_t bits) { all.a[row][k] = bits ^ sign_a; });
  }
  std::vector<std::uint32_t> b(std::size_t{product.n} * depth);
  read.matrix(same_in_all_lanes(op, run, op.b), right, !product.transposes_b, 0, product.n,
              [&](std::uint32_t column, std::uint32_t k, std::uint32_t bits) {
                b[column * depth + k] = bits ^ sign_b;
              });
  const bool halves = product.d == tensor::Element::f16;
  const std::uint32_t registers = halves ? 2 : 4;  // of 8 columns
  for (std::uint32_t tile = 0; tile < product.n / tensor::most_n; ++tile) {
    for (std::uint32_t column = 0; column < tensor::most_n; ++column)
      std::copy_n(&b[(tile * tensor::most_n + column) * depth], depth, all.b[column]);
    for (std::uint32_t i = 0; i < 4; ++i)
      for (std::uint32_t lane = 0; lane < 32; ++lane) {
        const tensor::Place at = tensor::place_in_c(lane, i);
        const auto word = adds ? static_cast<std::uint32_t>(run.value(
                                     product.d_rows[tile * registers + (halves ? i / 2 : i)], lane, false))
                               : 0;
        all.c[at.row][at.column] = halves ? word >> 16 * (i & 1) & 0xFFFF : word;
      }
    tensor::multiply(one, all);
    for (std::uint32_t r = 0; r < registers; ++r)
      for (std::uint32_t lane = 0; lane < 32; ++lane) {
        const tensor::Place at = tensor::place_in_c(lane, halves ? 2 * r : r);
        std::uint32_t word = all.d[at.row][at.column];
        if (halves) word |= all.d[at.row][at.column + 1] << 16;
        std::memcpy(context.rows + product.d_rows[tile * registers + r] + lane * 4, &word, 4);
      }
  }
}

void fence_warpgroup(const Op &op, Context &context) {
  need_warpgroup(op, context);
  context.run->product_registers.fence(context.warp);
}

void commit_warpgroup(const Op &op, Context &context) {
  need_warpgroup(op, context);
  context.run->products.commit(context.warp);
}

void wait_warpgroup(const Op &op, Context &context) {
  need_warpgroup(op, context);
  BlockRun &run = *context.run;
  run.product_registers.wait(context.warp);
  run.products.finish(context.warp, op.immediate,
                      [&run](FlyingProduct &completed) { verify_sources(completed, run); });
}

void report_warpgroup_wait(const BlockRun &run, const Warp &w) {
  const std::uint32_t there = run.products.equally_far(w.index);
  run.fail(run.diagnostic(
      Code::barrier_divergence, Severity::error,
      run.side(w.index, first_lane(w.groups.front().mask), run.line_of(barrier_of(run.program, w).location)),
      fmt::format("the four warps of a warpgroup have to execute the same wgmma instructions: {} of "
                  "them {} the product that is waited for here",
                  there, there == 1 ? "has issued" : "have issued")));
}

}  // namespace warpgrade::simt
