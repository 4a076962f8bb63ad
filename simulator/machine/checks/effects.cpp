// What each operation of a program makes of undefined operands.
#include <algorithm>

#include "decode/opcode.hpp"
#include "machine/block_run.hpp"
#include "machine/checks/undefined.hpp"

namespace warpgrade::simt {
namespace {

using Kind = Passes;

void use(Effect &effect, Width d, Width a, Width b = Width::none, Width c = Width::none,
         Width e = Width::none) {
  effect.d = d;
  const Width widths[4] = {a, b, c, e};
  std::copy(std::begin(widths), std::end(widths), effect.widths);
}

constexpr Width predicate = Width::predicate, word = Width::word, wide = Width::wide;

Width width_if(bool is_wide) {
  return is_wide ? wide : word;
}

void describe_access(Effect &effect, const Op &op, const Site &site, bool has_locals) {
  const Width address = width_if(site.wide_address), value = width_if(site.bytes == 8);
  if (site.matrices != 0) {
    effect.kind = site.action == Site::Action::store ? Kind::store_matrix : Kind::load_matrix;
    return use(effect, Width::none, address);
  }
  effect.shared = site.space == ptx::Space::shared || site.space == ptx::Space::generic;
  effect.local = has_locals && (site.space == ptx::Space::local || site.space == ptx::Space::generic);
  if (op.plain == &mbarrier_access) {
    const auto kind = static_cast<MbarrierKind>(site.atomic);
    const bool tests = kind == MbarrierKind::test || kind == MbarrierKind::test_parity;
    effect.kind = Kind::mbarrier;
    return use(effect,
               tests  ? predicate
               : op.e ? wide
                      : Width::none,
               address, width_if(kind == MbarrierKind::test));
  }
  if (op.plain == &store_async || op.plain == &reduce_async) {
    effect.kind = Kind::atomic;
    return use(effect, Width::none, address, op.plain == &reduce_async ? value : Width::none, Width::none,
               width_if(site.wide_barrier));
  }
  if (site.bulk) {
    effect.kind = Kind::copy_async;
    const bool fetches = op.plain == &fetch_bulk || op.plain == &fetch_tensor;
    const bool completes = fetches || op.plain == &pass_bulk;  // at an mbarrier
    const bool tensor = op.plain == &fetch_tensor || op.plain == &send_tensor;
    return use(effect, Width::none, address, fetches || tensor ? wide : word, tensor ? Width::none : word,
               completes ? width_if(site.wide_barrier) : Width::none);
  }
  switch (site.action) {
    case Site::Action::load:
      effect.kind = Kind::load;
      return use(effect, Width::none, address);
    case Site::Action::store:
      effect.kind = Kind::store;
      return use(effect, Width::none, address);
    case Site::Action::atomic:
    case Site::Action::reduce:
      effect.kind = Kind::atomic;
      return use(effect, site.action == Site::Action::atomic ? value : Width::none, address, value, value);
    case Site::Action::copy_async:
      effect.kind = Kind::copy_async;
      return use(effect, Width::none, address, wide, word);
  }
}

/// Operations that the decoder sets up by itself.
bool describe_special(Effect &effect, const Op &op) {
  const auto is = [&op, &effect](Handler handler, Kind kind) {
    if (op.plain != handler) return false;
    effect.kind = kind;
    return true;
  };
  if (is(&convert, Kind::convert)) {
    use(effect, width_if(op.immediate >> 32 & 1), width_if(op.immediate >> 33 & 1),
        op.b == 0 ? Width::none : width_if(op.immediate >> 33 & 1));
  } else if (is(&unpack, Kind::unpack)) {
    use(effect, Width::none, width_if((op.immediate >> 24 & 255) == 8));
  } else if (is(&pack, Kind::pack)) {
    const auto parts = op.immediate >> 8 & 255;
    use(effect, width_if((op.immediate >> 24 & 255) == 8), word, word, parts > 2 ? word : Width::none,
        parts > 2 ? word : Width::none);
  } else if (is(&shuffle, Kind::shuffle)) {
    use(effect, word, word, word, word);
  } else if (is(&vote, Kind::vote)) {
    const auto mode = static_cast<VoteMode>(op.immediate & 255);
    use(effect, mode == VoteMode::ballot ? word : predicate,
        mode == VoteMode::elect ? Width::none : predicate);
  } else if (is(&match, Kind::across)) {
    use(effect, word, width_if(op.immediate & 2));
  } else if (is(&reduce_warp, Kind::across)) {
    use(effect, word, word);
  } else if (is(&transpose_matrix, Kind::transpose)) {
    use(effect, word, word);
  } else if (is(&multiply_matrices, Kind::product)) {
  } else if (is(&multiply_warpgroup, Kind::group_product)) {
    use(effect, Width::none, op.a == 0 ? Width::none : wide, wide, predicate);
  } else if (is(&is_in_space, Kind::compute)) {
    use(effect, predicate, wide);
  } else if (is(&read_clock, Kind::compute)) {
    use(effect, width_if(op.immediate != 0), Width::none);
  } else if (is(&video, Kind::compute)) {
    use(effect, word, word, word, word);
  } else if (is(&active_mask, Kind::compute)) {
    use(effect, word, Width::none);
  } else if (!is(&load_area, Kind::load_area) && !is(&store_area, Kind::store_area) &&
             !is(&copy_area, Kind::copy_area) && !is(&call_builtin, Kind::call)) {
    return false;
  }
  return true;
}

}  // namespace

Effects::Effects(const Program &program) : places(program.warp_bytes / 4 + 1) {
  const auto place_of = [this](Ref ref) -> std::uint32_t {
    if (ref & 1) return 0;
    if (places[ref / 4] == 0) places[ref / 4] = count++;
    return places[ref / 4];
  };
  of.resize(program.ops.size());
  for (std::size_t i = 0; i < of.size(); ++i) {
    const Op &op = program.ops[i];
    Effect &effect = of[i];
    if (op.accesses_memory) {
      describe_access(effect, op, program.sites[op.site], !program.locals.empty());
    } else if (!describe_special(effect, op)) {
      const Entry *entry = entry_of(op.plain);
      if (!entry || entry->d == Width::none) continue;
      effect.kind = passes_through(Opcode(entry->name));
      use(effect, entry->d, entry->a, entry->b, entry->c, entry->e);
    }
    const Ref sources[4] = {op.a, op.b, op.c, op.e};
    for (int s = 0; s < 4; ++s)
      if (effect.widths[s] != Width::none) effect.sources[s] = place_of(sources[s]);
    if (effect.d != Width::none) effect.result = place_of(op.d);
    if (op.guarded) place_of(op.guard & ~Ref{2});
    const bool has_values = effect.kind == Kind::load || effect.kind == Kind::store ||
                            effect.kind == Kind::load_area || effect.kind == Kind::store_area;
    if (has_values) {
      const Site &site = program.sites[op.site];
      effect.element = static_cast<std::uint32_t>(elements.size());
      effect.elements = site.elements;
      for (std::uint32_t e = 0; e < site.elements; ++e)
        elements.push_back(site.used[e] ? place_of(site.rows[e]) : 0);
    }
    // The coordinates, or the stored values.
    if (op.plain == &fetch_tensor || op.plain == &send_tensor || op.plain == &store_async) {
      const Site &site = program.sites[op.site];
      effect.element = static_cast<std::uint32_t>(elements.size());
      effect.elements = site.elements;
      for (std::uint32_t e = 0; e < site.elements; ++e) elements.push_back(place_of(site.rows.at(e)));
    }
    if (effect.kind == Kind::load_matrix || effect.kind == Kind::store_matrix) {
      const Site &site = program.sites[op.site];
      effect.element = static_cast<std::uint32_t>(elements.size());
      effect.elements = site.matrices;
      for (std::uint32_t m = 0; m < site.matrices; ++m) elements.push_back(place_of(site.rows[m]));
    }
    if (effect.kind == Kind::product) {
      const TensorSite &site = program.tensors[op.site];
      effect.element = static_cast<std::uint32_t>(elements.size());
      const auto add = [&](const std::array<Ref, 8> &rows, std::uint32_t registers) {
        for (std::uint32_t r = 0; r < registers; ++r) elements.push_back(place_of(rows[r]));
      };
      add(site.a, site.product.a_registers()), add(site.b, site.product.b_registers()),
          add(site.c, site.product.c_registers());
      effect.elements = static_cast<std::uint32_t>(elements.size()) - effect.element;
      effect.more_results = site.product.d_registers();
      add(site.d, site.product.d_registers());
    }
    if (effect.kind == Kind::group_product) {
      const GroupProduct &product = program.group_products[op.immediate];
      effect.element = static_cast<std::uint32_t>(elements.size());
      effect.elements = static_cast<std::uint32_t>(product.a_rows.size());
      effect.more_results = static_cast<std::uint32_t>(product.d_rows.size());
      for (const auto *rows : {&product.a_rows, &product.d_rows})
        for (const Ref ref : *rows) elements.push_back(place_of(ref));
    }
    if (effect.kind == Kind::unpack) {
      const Ref parts[4] = {op.d, op.b, op.c, op.e};
      effect.element = static_cast<std::uint32_t>(elements.size());
      effect.elements = static_cast<std::uint32_t>(op.immediate >> 8 & 255);
      for (std::uint32_t k = 0; k < effect.elements; ++k)
        elements.push_back(op.immediate >> 16 >> k & 1 ? place_of(parts[k]) : 0);
    }
    const bool has_second = (effect.kind == Kind::shuffle && (op.immediate & 256) != 0) ||
                            (op.plain == &match && (op.immediate & 4) != 0) ||
                            (op.plain == &vote && (op.immediate & 512) != 0);
    if (has_second) effect.sources[3] = place_of(op.e);  // so that it is checked: it gets a value too
    if (effect.kind == Kind::load) {
      const Site &site = program.sites[op.site];
      effect.parts = site.space == ptx::Space::generic || site.space == ptx::Space::global ||
                     site.space == ptx::Space::shared;
    }
    // The values of a load that have none yet make it one that is not simple, so it need not set them.
    const bool plain_access = (effect.kind == Kind::load || effect.kind == Kind::store) && !effect.local;
    // Nor is a shuffle, which may read from lanes that are not there.
    effect.simple =
        !op.guarded && ((effect.kind < Kind::load && effect.kind != Kind::shuffle) || plain_access);
  }
  for (const auto &[block, rows] : program.unset)
    for (const auto *list : {&rows.words, &rows.wides, &rows.predicates})
      for (const Ref ref : *list) place_of(ref);
  for (const Block &block : program.blocks)
    for (const Ref ref : {block.condition, block.source, block.d}) place_of(ref);
}

}  // namespace warpgrade::simt
