// Products on tensor cores, and what all tensor-core instructions require of their warp.
#include "machine/instructions/tensor_ops.hpp"

#include <fmt/format.h>

#include <cstring>

#include "machine/block_run.hpp"
#include "machine/lanes.hpp"

namespace warpgrade::simt {

void need_whole_warp(const Op &op, const Context &context) {
  if (context.mask == full_mask) return;
  const BlockRun &run = *context.run;
  const std::uint32_t there = lanes_in(context.mask), all = lanes_in(run.warp->all);
  run.fail(run.diagnostic(
      Code::barrier_divergence, Severity::error, run.here(first_lane(context.mask), op),
      fmt::format(
          "a tensor-core instruction needs all 32 lanes of the warp: {} {} it{}", there,
          there == 1 ? "executes" : "execute",
          all < 32 ? fmt::format(", and the warp has {} threads; is the block's size a multiple of 32?", all)
                   : std::string(", and the others took another branch or have left the kernel"))));
}

namespace {

std::uint32_t word(const Context &context, Ref ref, std::uint32_t lane) {
  std::uint32_t value;
  std::memcpy(&value, context.base[ref & 1] + ref + lane * 4, 4);
  return value;
}

}  // namespace

void multiply_matrices(const Op &op, Context &context) {
  need_whole_warp(op, context);
  const TensorSite &site = context.run->program.tensors[op.site];
  const auto lanes = [&](const std::array<Ref, 8> &rows) {
    std::array<const std::uint32_t *, 8> made{};
    for (std::size_t i = 0; i < rows.size(); ++i)
      made[i] = reinterpret_cast<const std::uint32_t *>(context.base[rows[i] & 1] + rows[i]);
    return made;
  };
  std::uint32_t results[tensor::most_registers][32];
  tensor::multiply(site.product, lanes(site.a).data(), lanes(site.b).data(), lanes(site.c).data(), results);
  const std::uint32_t words = tensor::words_of_register(site.product.one.d);
  for (std::uint32_t r = 0; r < site.product.d_registers(); ++r)
    std::memcpy(context.rows + site.d[r], results[words * r], words * sizeof results[0]);
}

void transpose_matrix(const Op &op, Context &context) {
  need_whole_warp(op, context);
  std::uint32_t from[32];
  std::memcpy(from, context.base[op.a & 1] + op.a, sizeof from);
  const auto result = transposed(from);
  std::memcpy(context.rows + op.d, result.data(), 128);
}

void check_fragment(const Op &op, Context &context) {
  need_whole_warp(op, context);
  const BlockRun &run = *context.run;
  const bool wide = op.immediate & 256;
  const std::uint64_t first = run.value(op.a, 0, wide), stride = word(context, op.b, 0);
  for (std::uint32_t lane = 1; lane < 32; ++lane)
    if (run.value(op.a, lane, wide) != first || word(context, op.b, lane) != stride)
      run.fail(
          run.diagnostic(Code::misaligned, Severity::error, run.here(lane, op),
                         "the lanes of a warp load or store one fragment together, but not all of them give "
                         "the same address and leading dimension"));
  const std::uint64_t bits = op.immediate & 255, alignment = op.immediate >> 16;
  if (stride * bits % (8 * alignment) != 0)
    run.fail(run.diagnostic(
        Code::misaligned, Severity::error, run.here(0, op),
        fmt::format("the leading dimension of a fragment is {} elements of {}: it has to be a multiple of {}",
                    stride,
                    bits >= 8   ? fmt::format("{} bytes", bits / 8)
                    : bits == 1 ? std::string("1 bit")
                                : fmt::format("{} bits", bits),
                    8 * alignment / bits)));
  if ((first + op.e) % alignment != 0)
    run.fail(run.diagnostic(Code::misaligned, Severity::error, run.here(0, op),
                            fmt::format("the address of a fragment, {:#x}, has to be a multiple of {} bytes",
                                        first + op.e, alignment)));
}

void note_misplaced(const Op &op, Context &context) {
  BlockRun &run = *context.run;
  const std::uint64_t handle = std::uint64_t{0x5F} << 56 | op.immediate;
  if (run.count_known(handle, Code::fragment_layout, Severity::warning)) return;
  run.note(run.diagnostic(Code::fragment_layout, Severity::warning, run.here(first_lane(context.mask), op),
                          run.program.misplaced_fragments[op.immediate]),
           handle);
}

}  // namespace warpgrade::simt
