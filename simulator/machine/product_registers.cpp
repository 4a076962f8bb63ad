#include "machine/product_registers.hpp"

#include <algorithm>

namespace warpgrade::simt {
namespace {

using Kind = Passes;

/// A value that is passed on as it is. Compilers do that wherever they like, and ptxas takes it back.
bool is_copy(const Effect &effect) {
  return effect.kind == Kind::copy && effect.d == Width::word;
}

bool elements_are_results(Kind kind) {
  return kind == Kind::load || kind == Kind::load_area || kind == Kind::load_matrix || kind == Kind::unpack;
}

}  // namespace

void ProductRegisters::begin(std::size_t warps) {
  if (!effects_) effects_ = std::make_unique<const Effects>(program_);
  Registers fresh;
  fresh.results.resize(effects_->count), fresh.fragments.resize(effects_->count),
      fresh.written.resize(effects_->count);
  warps_.assign(warps, fresh);
}

void ProductRegisters::issue(std::uint32_t warp, std::uint32_t sequence, const GroupProduct &product) {
  Registers &own = warps_[warp];
  for (const Ref ref : product.d_rows)
    own.results[effects_->place(ref)] = sequence, own.written[effects_->place(ref)] = 0;
  for (const Ref ref : product.a_rows) own.fragments[effects_->place(ref)] = sequence;
  own.results[0] = own.fragments[0] = 0;
}

void ProductRegisters::fence(std::uint32_t warp) {
  Registers &own = warps_[warp];
  own.fenced = own.fenced_since_wait = true;
  std::fill(own.written.begin(), own.written.end(), 0u);
}

ProductRegisters::MissingFence ProductRegisters::look_for_fence(std::uint32_t warp,
                                                                const GroupProduct &product,
                                                                bool adds) const {
  const Registers &own = warps_[warp];
  std::uint32_t written = 0;
  const auto look = [&](const std::vector<Ref> &rows) {
    for (const Ref ref : rows)
      if (written == 0) written = own.written[effects_->place(ref)];
  };
  if (adds) look(product.d_rows);
  look(product.a_rows);
  return {!own.fenced || (!own.fenced_since_wait && written != 0), !own.fenced, written};
}

void ProductRegisters::watch(std::uint32_t warp, std::uint32_t finished, const Op *op, const Op *end,
                             const Found &found) {
  Registers &own = warps_[warp];
  const Effects &effects = *effects_;
  const Effect *effect = effects.of.data() + (op - program_.ops.data());
  const auto is_flying = [finished](std::uint32_t sequence) { return sequence > finished; };
  const auto read = [&](std::uint32_t place) {
    if (is_flying(own.results[place])) found(*op, own.results[place], Mistake::read);
  };
  const auto write = [&](std::uint32_t place) {
    if (place == 0) return;
    if (is_flying(own.results[place])) found(*op, own.results[place], Mistake::written);
    if (is_flying(own.fragments[place])) found(*op, own.fragments[place], Mistake::changed);
    own.results[place] = own.fragments[place] = 0;
    own.written[place] = static_cast<std::uint32_t>(op - program_.ops.data()) + 1;
  };
  for (; op != end; ++op, ++effect) {
    if (effect->kind == Kind::group_product) {
      for (std::uint32_t e = 0; e < effect->elements; ++e) read(effects.elements[effect->element + e]);
      continue;
    }
    if (is_copy(*effect)) {
      const std::uint32_t from = effect->sources[0], to = effect->result;
      if (to == 0) continue;
      if (!is_flying(own.results[from]) && (is_flying(own.results[to]) || is_flying(own.fragments[to])))
        write(to);
      own.results[to] = own.results[from], own.written[to] = own.written[from];
      continue;
    }
    for (const std::uint32_t place : effect->sources) read(place);
    const bool results = elements_are_results(effect->kind);
    for (std::uint32_t e = 0; e < effect->elements; ++e) {
      const std::uint32_t place = effects.elements[effect->element + e];
      results ? write(place) : read(place);
    }
    for (std::uint32_t e = 0; e < effect->more_results; ++e)
      write(effects.elements[effect->element + effect->elements + e]);
    write(effect->result);
  }
}

}  // namespace warpgrade::simt
