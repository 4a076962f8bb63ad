// Undefined values in fragments of matrices.
#include <algorithm>
#include <cstring>

#include "machine/block_run.hpp"
#include "machine/checks/undefined.hpp"
#include "machine/instructions/tensor_ops.hpp"
#include "machine/lanes.hpp"
#include "machine/resolve.hpp"

namespace warpgrade::simt {

void Undefined::multiply(const Op &op, const Effect &effect) {
  const TensorSite &site = run_.program.tensors[op.site];
  const tensor::WarpProduct &all = site.product;
  const tensor::Product &p = all.one;
  const Width width = p.d == tensor::Element::f64 ? Width::wide : Width::word;
  const std::uint32_t *const places = &effects_.elements[effect.element];
  const auto is_undefined = [&](std::uint32_t index, Ref ref, std::uint32_t lane, tensor::Element element,
                                std::uint32_t e) {
    const std::uint32_t each = tensor::bits_of(element);
    const std::uint64_t mask = each == 64 ? UINT64_MAX : (std::uint64_t{1} << each) - 1;
    return (bits(places[index], ref, width, lane) >> (each & 63) * e & mask) != 0;
  };
  const auto each_element = [&](tensor::Element element, std::uint32_t registers, std::uint32_t first,
                                const Ref *rows, const auto &found) {
    for (std::uint32_t r = 0; r < registers; ++r) {
      if (now_[places[first + r]] == 0) continue;
      for (std::uint32_t lane = 0; lane < 32; ++lane)
        for (std::uint32_t e = 0; e < tensor::per_register(element); ++e)
          if (is_undefined(first + r, rows[r], lane, element, e))
            found(lane, r * tensor::per_register(element) + e);
    }
  };
  const std::int32_t origin = origin_of(op, effect, full_mask);
  std::vector<Results> results(all.d_registers());
  for (std::uint32_t part = 0; part < all.parts; ++part) {
    const std::uint32_t left = (all.splits_columns ? 0 : part) * p.a_registers(),
                        right = (all.splits_columns ? part : 0) * p.b_registers(),
                        sum = part * p.c_registers();
    bool rows[tensor::most_m] = {}, columns[tensor::most_n] = {}, sums[tensor::most_m][tensor::most_n] = {};
    each_element(p.a, p.a_registers(), left, &site.a[left], [&](std::uint32_t lane, std::uint32_t i) {
      rows[tensor::place_in_a(p.a, lane, i).row] = true;
    });
    each_element(p.b, p.b_registers(), all.a_registers() + right, &site.b[right],
                 [&](std::uint32_t lane, std::uint32_t i) {
                   columns[tensor::place_in_b(p.b, lane, i).column] = true;
                 });
    each_element(p.c, p.c_registers(), all.a_registers() + all.b_registers() + sum, &site.c[sum],
                 [&](std::uint32_t lane, std::uint32_t i) {
                   const tensor::Place at = tensor::place_in_c(lane, i);
                   sums[at.row][at.column] = true;
                 });
    const std::uint32_t each = tensor::per_register(p.d);
    for (std::uint32_t lane = 0; lane < 32; ++lane)
      for (std::uint32_t i = 0; i < p.d_registers() * each; ++i) {
        const tensor::Place at = tensor::place_in_c(lane, i);
        if (!rows[at.row] && !columns[at.column] && !sums[at.row][at.column]) continue;
        results[part * p.d_registers() + i / each].bits[lane] |=
            each == 1 ? UINT64_MAX : 0xFFFFull << 16 * (i % each);
      }
  }
  op.run(op, context_);
  for (std::uint32_t r = 0; r < all.d_registers(); ++r)
    put(places[effect.elements + r], site.d[r], width, full_mask, results[r], origin);
}

/// A result is undefined if it is added to one that was, or if a register of its row of A was.
void Undefined::multiply_warpgroup(const Op &op, const Effect &effect) {
  const GroupProduct &product = run_.program.group_products[op.immediate];
  check_address(op, effect.sources[0], full_mask);
  check_address(op, effect.sources[1], full_mask);
  look_at_condition(op.c, location_of(op), full_mask);
  std::uint32_t adds, rows = 0;
  std::memcpy(&adds, context_.base[op.c & 1] + op.c, 4);
  for (std::uint32_t r = 0; r < effect.elements; ++r)
    for (std::uint32_t lane = 0; lane < 32; ++lane)
      if (now_[effects_.elements[effect.element + r]] >> lane & 1) rows |= 0xFu << lane / 4 * 4;
  const std::int32_t origin = origin_of(op, effect, full_mask);
  op.run(op, context_);
  Results undefined;
  for (std::uint32_t rest = rows; rest; rest &= rest - 1) undefined.bits[first_lane(rest)] = UINT32_MAX;
  for (std::uint32_t r = 0; r < effect.more_results; ++r)
    if (adds == 0 || rows != 0)
      put(effects_.elements[effect.element + effect.elements + r], product.d_rows[r], Width::word,
          adds == 0 ? full_mask : rows, undefined, origin);
}

void Undefined::transpose(const Op &op, const Effect &effect) {
  const std::int32_t origin = origin_of(op, effect, full_mask);
  std::uint32_t from[32];
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    from[lane] = static_cast<std::uint32_t>(bits(op, effect, 0, lane));
  op.run(op, context_);
  Results results;
  std::ranges::copy(transposed(from), results.bits);
  put(effect.result, op.d, Width::word, full_mask, results, origin);
}

void Undefined::load_matrix(const Op &op, const Effect &effect) {
  const Site &site = site_of(op, context_);
  check_address(op, effect.sources[0], rows_of(site));
  std::uint64_t addresses[32];
  addresses_of(op, site, context_, addresses);
  Results results[4];
  std::int32_t origin = location_of(op);
  for (std::uint32_t i = 0; i < site.matrices && !shared_.empty(); ++i) {
    std::uint32_t matrix[32] = {};
    for (std::uint32_t row = 0; row < 8; ++row) {
      const std::uint64_t address = addresses[8 * i + row];
      const std::uint64_t at = site.space == ptx::Space::shared ? address : address - shared_window;
      if (at >= shared_.size() || shared_.size() - at < 16) continue;
      std::memcpy(&matrix[4 * row], &shared_[at], 16);
      for (std::uint64_t byte = at; byte < at + 16; ++byte)
        if (const auto known = shared_origins_.find(byte);
            shared_[byte] != 0 && known != shared_origins_.end())
          origin = known->second;
    }
    std::ranges::copy(site.transposed ? transposed(matrix) : std::to_array(matrix), results[i].bits);
  }
  op.run(op, context_);
  for (std::uint32_t i = 0; i < site.matrices; ++i)
    put(effects_.elements[effect.element + i], site.rows[i], Width::word, full_mask, results[i], origin);
}

void Undefined::store_matrix(const Op &op, const Effect &effect) {
  const Site &site = site_of(op, context_);
  check_address(op, effect.sources[0], rows_of(site));
  std::uint64_t addresses[32];
  addresses_of(op, site, context_, addresses);
  for (std::uint32_t i = 0; i < site.matrices; ++i) {
    const std::uint32_t place = effects_.elements[effect.element + i];
    if (now_[place] == 0 && shared_.empty()) continue;
    if (shared_.empty()) shared_.resize(run_.shared.bytes());
    std::uint32_t matrix[32];
    for (std::uint32_t lane = 0; lane < 32; ++lane)
      matrix[lane] = static_cast<std::uint32_t>(bits(place, site.rows[i], Width::word, lane));
    const auto turned = site.transposed ? transposed(matrix) : std::to_array(matrix);
    for (std::uint32_t row = 0; row < 8; ++row) {
      const std::uint64_t address = addresses[8 * i + row];
      const std::uint64_t at = site.space == ptx::Space::shared ? address : address - shared_window;
      if (at >= shared_.size() || shared_.size() - at < 16) continue;
      std::memcpy(&shared_[at], &turned[4 * row], 16);
      for (std::uint64_t byte = at; byte < at + 16; ++byte)
        if (shared_[byte] != 0) shared_origins_[byte] = origin_at(place, location_of(op));
    }
  }
  op.run(op, context_);
}

}  // namespace warpgrade::simt
