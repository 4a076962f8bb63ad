// wgmma: products of warpgroups, and when they are over.
#include "simt/warpgroup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "simt/lanes.hpp"
#include "simt/resolve.hpp"
#include "simt/tensor_ops.hpp"

namespace warpgrade::simt {
namespace {

constexpr std::uint32_t piece_bytes = 16, warps_of_group = 4, rows_of_warp = 16;
constexpr std::uint32_t address_bits = 18;  // of a descriptor

std::uint64_t sum_of_writers(const BlockRun &run, std::uint32_t offset) {
  if (!run.context.writers) return 0;
  std::uint64_t sum = 0;
  for (std::uint32_t i = offset >> run.cell_shift(); i <= (offset + piece_bytes - 1) >> run.cell_shift(); ++i)
    sum = sum * 3 + run.shared.settled_writer(i);
  return sum;
}

/// Reads matrices for one product of one warp.
struct MatrixReader {
  const Op &op;
  BlockRun &run;
  std::uint32_t depth;  ///< elements along k
  FlyingProduct &flying;

  /// 16 bytes; zeros where a bad access was dropped.
  void piece(std::uint32_t address, std::byte *to) const {
    std::memset(to, 0, piece_bytes);
    const LaneAccess load{op, run.program.sites[op.site], run, 0, address, piece_bytes, false};
    Target target;
    if (!try_resolve(load, target)) return;
    check_shared(load, target.offset, false, false);
    run.check_proxy(load, target.offset);
    std::memcpy(to, target.host, piece_bytes);
    const auto offset = static_cast<std::uint32_t>(target.offset);
    flying.sources.push_back({offset, sum_of_writers(run, offset)});
    run.note_product_read(offset, flying.sequence);
  }

  /// `lines` rows of A or columns of B, from `first`, with `depth` elements each: to(line, k, bits)
  template <class To>
  void matrix(std::uint64_t bits, tensor::Element element, bool by_lines, std::uint32_t first,
              std::uint32_t lines, const To &to) const {
    const MatrixDescriptor at = MatrixDescriptor::of(bits);
    const std::uint32_t size = tensor::bits_of(element) / 8, each = piece_bytes / size;
    std::byte data[piece_bytes];
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
  const std::uint32_t pieces = row / piece_bytes;
  std::uint32_t offset = 0;
  if (by_lines) {
    offset = line % 8 * row + line / 8 * stride + along * (pieces == 1 ? leading : piece_bytes);
  } else {
    offset = along % 8 * row + along / 8 * (pieces == 1 ? leading : stride) + line % pieces * piece_bytes +
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
  run.check_fenced(op, product, adds);
  FlyingProduct &flying = run.issue_product(op, product);
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
  WarpProducts &own = context.run->products();
  own.fenced = own.fenced_since_wait = true;
  std::fill(own.written.begin(), own.written.end(), 0u);
}

void commit_warpgroup(const Op &op, Context &context) {
  need_warpgroup(op, context);
  WarpProducts &own = context.run->products();
  for (FlyingProduct &one : own.flying)
    if (!one.committed) one.committed = true, one.group = own.groups;
  ++own.groups;
}

void wait_warpgroup(const Op &op, Context &context) {
  need_warpgroup(op, context);
  context.run->finish_products(op.immediate);
}

/// The last product that has ended once no more than `pending` groups are in flight.
std::uint32_t BlockRun::last_awaited(const WarpProducts &own, std::uint64_t pending) {
  std::uint32_t last = own.finished;
  for (const FlyingProduct &one : own.flying)
    if (one.committed && one.group + pending < own.groups) last = std::max(last, one.sequence);
  return last;
}

/// Whether all warps of the warpgroup have issued the products that the group of lanes waits for.
bool BlockRun::warpgroup_ready(const Warp &w, const Block &block, const Group &group) const {
  if ((w.live & ~group.mask) != 0) return false;
  const std::uint32_t last = last_awaited(products_[w.index], program.ops[block.last - 1].immediate);
  const std::uint32_t first = w.index / warps_of_group * warps_of_group;
  for (std::uint32_t other = first; other < first + warps_of_group && other < warps_.size(); ++other)
    if (products_[other].issued < last) return false;
  return true;
}

void BlockRun::report_warpgroup_wait(const Warp &w) const {
  const std::uint32_t first = w.index / warps_of_group * warps_of_group;
  std::uint32_t there = 0;
  for (std::uint32_t other = first; other < first + warps_of_group && other < warps_.size(); ++other)
    there += products_[other].issued >= products_[w.index].issued;
  fail(diagnostic(
      Code::barrier_divergence, Severity::error,
      side(w.index, first_lane(w.groups.front().mask), line_of(barrier_of(w).location)),
      fmt::format("the four warps of a warpgroup have to execute the same wgmma instructions: {} of "
                  "them {} the product that is waited for here",
                  there, there == 1 ? "has issued" : "have issued")));
}

FlyingProduct &BlockRun::issue_product(const Op &op, const GroupProduct &product) {
  WarpProducts &own = products();
  FlyingProduct made;
  made.op = &op;
  made.sequence = ++own.issued;
  made.time = time_;
  own.flying.push_back(std::move(made));
  const Effects &effects = *effects_;
  for (const Ref ref : product.d_rows)
    own.results[effects.place(ref)] = own.issued, own.written[effects.place(ref)] = 0;
  for (const Ref ref : product.a_rows) own.fragments[effects.place(ref)] = own.issued;
  own.results[0] = own.fragments[0] = 0;
  std::vector<const Op *> &issued = released_products_.issued[context.warp / warps_of_group];
  if (issued.size() < own.issued) issued.push_back(&op);
  return own.flying.back();
}

/// What a product has read must be as it was, and counts as read now: whoever is told that the memory is free
/// before the wait learns it too early.
void BlockRun::verify_sources(FlyingProduct &product) {
  if (product.verified || !context.writers || context.epoch_cell == UINT64_MAX) return;
  product.verified = true;
  const Site &site = program.sites[product.op->site];
  for (const ProductSource &source : product.sources) {
    if (sum_of_writers(*this, source.offset) != source.writers) return report_overwritten(product, source);
    if (time_ != product.time)
      check_shared({*product.op, site, *this, 0, source.offset, piece_bytes, false}, source.offset, false,
                   false);
  }
}

/// The four warps multiply as one: when one of them has waited, a product is over for all.
void BlockRun::finish_products(std::uint64_t pending) {
  WarpProducts &own = products();
  own.fenced_since_wait = false;
  own.finished = last_awaited(own, pending);
  const std::uint32_t group = context.warp / warps_of_group, first = group * warps_of_group;
  released_products_.known[context.warp][group] = own.finished;
  for (std::uint32_t other = first; other < first + warps_of_group; ++other)
    for (FlyingProduct &one : products_[other].flying)
      if (one.sequence <= own.finished) verify_sources(one);
  std::erase_if(own.flying, [&own](const FlyingProduct &one) { return one.sequence <= own.finished; });
}

}  // namespace warpgrade::simt
