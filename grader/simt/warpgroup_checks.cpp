// What programs get wrong around products of warpgroups: registers and shared memory that are touched before
// the wait, and fences that are missing.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "simt/lanes.hpp"
#include "simt/resolve.hpp"
#include "simt/warpgroup.hpp"

namespace warpgrade::simt {
namespace {

using Kind = Effect::Kind;

constexpr std::uint64_t found_around_products = std::uint64_t{1} << 60;

/// Which of a product's mistakes a report is about.
enum class Mistake : std::uint8_t { read, written, changed, unfenced, never_fenced, overwritten, released };

std::uint64_t handle_of(Mistake mistake, std::uint64_t here, std::uint64_t there) {
  return found_around_products | static_cast<std::uint64_t>(mistake) << 56 | (here & 0xFFFFFFF) << 28 |
         (there & 0xFFFFFFF);
}

constexpr std::uint32_t piece_of_copy = 16;

void join(KnownProducts &to, const KnownProducts &from) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = std::max(to[i], from[i]);
}

/// Whether threads may communicate through words in memory.
bool uses_flags(const Program &program) {
  return std::any_of(program.ops.begin(), program.ops.end(), [&program](const Op &op) {
    if (!op.accesses_memory) return false;
    const Site &site = program.sites[op.site];
    return site.is_volatile || (!site.bulk && !site.mbarrier &&
                                (site.action == Site::Action::atomic || site.action == Site::Action::reduce));
  });
}

/// A value that is passed on as it is. Compilers do that wherever they like, and ptxas takes it back.
bool is_copy(const Effect &effect) {
  return effect.kind == Kind::copy && effect.d == Width::word;
}

bool elements_are_results(Kind kind) {
  return kind == Kind::load || kind == Kind::load_area || kind == Kind::load_matrix || kind == Kind::unpack;
}

}  // namespace

void BlockRun::begin_products() {
  if (!program.uses_warpgroups) return;
  if (!effects_) effects_ = std::make_unique<Effects>(program);
  WarpProducts fresh;
  fresh.results.resize(effects_->count), fresh.fragments.resize(effects_->count),
      fresh.written.resize(effects_->count);
  products_.assign(warps_.size(), fresh);
  released_products_ = {};
  released_products_.followed = launch.options.check_races && !uses_flags(program);
  released_products_.known.resize(warps_.size());
  released_products_.readers.resize(shared.bytes() / piece_of_copy + 1);
}

void BlockRun::tell_products(std::uint32_t place) {
  if (!products_.empty()) join(released_products_.told[place], released_products_.known[context.warp]);
}

void BlockRun::hear_products(std::uint32_t place) {
  if (!products_.empty()) join(released_products_.known[context.warp], released_products_.told[place]);
}

void BlockRun::note_product_read(std::uint32_t offset, std::uint32_t sequence) {
  released_products_.readers[offset / piece_of_copy][context.warp / 4] = sequence;
}

bool BlockRun::follows_products() const {
  return !products_.empty() && released_products_.followed && context.epoch_cell != UINT64_MAX;
}

void BlockRun::check_released(const LaneAccess &access, std::uint64_t offset) {
  if (!follows_products()) return;
  const KnownProducts &readers = released_products_.readers[offset / piece_of_copy],
                      &known = released_products_.known[context.warp];
  for (std::uint32_t group = 0; group < most_warpgroups; ++group) {
    if (readers[group] <= known[group]) continue;
    const Op &product = *released_products_.issued[group].at(readers[group] - 1);
    const std::uint64_t handle = handle_of(Mistake::released, access.op.site,
                                           static_cast<std::uint64_t>(&product - program.ops.data()));
    if (findings.enough_races() || count_known(handle, Code::race, Severity::error)) return;
    Diagnostic made = diagnostic(
        Code::race, Severity::error, here(access.lane, access.op),
        "this copy writes to shared memory that wgmma may still read: no thread that waited for the product "
        "(wgmma.wait_group) has synchronized with this thread since");
    made.other = side(group * 4, 0, line_of(product));
    return note(std::move(made), handle);
  }
}

void BlockRun::report_touch(const Op &op, std::uint32_t sequence, int mistake) {
  const WarpProducts &own = products();
  const auto product =
      std::find_if(own.flying.begin(), own.flying.end(),
                   [sequence](const FlyingProduct &one) { return one.sequence == sequence; });
  if (product == own.flying.end()) return;
  const auto index = static_cast<std::uint64_t>(&op - program.ops.data());
  const std::uint64_t handle = handle_of(static_cast<Mistake>(mistake), index,
                                         static_cast<std::uint64_t>(product->op - program.ops.data()));
  if (findings.enough_races() || count_known(handle, Code::race, Severity::error)) return;
  static constexpr const char *words[] = {
      "this line reads a result of wgmma that may not be complete yet",
      "this line writes a register in which wgmma still sums up",
      "this line changes a register of a fragment of A that wgmma may still read"};
  Diagnostic made = diagnostic(
      Code::race, Severity::error, here(first_lane(context.mask), op),
      fmt::format("{}: wait for the product (wgmma.commit_group, wgmma.wait_group) first", words[mistake]));
  made.other = here(first_lane(context.mask), *product->op);
  note(std::move(made), handle);
}

/// Before the operations of a basic block run.
void BlockRun::watch_registers(const Op *op, const Op *end) {
  WarpProducts &own = products();
  const Effects &effects = *effects_;
  const Effect *effect = effects.of.data() + (op - program.ops.data());
  const auto is_flying = [&own](std::uint32_t sequence) { return sequence > own.finished; };
  for (; op != end; ++op, ++effect) {
    if (effect->kind == Kind::group_product) {
      for (std::uint32_t e = 0; e < effect->elements; ++e)
        if (const std::uint32_t by = own.results[effects.elements[effect->element + e]]; is_flying(by))
          report_touch(*op, by, static_cast<int>(Mistake::read));
      continue;
    }
    const bool copies = is_copy(*effect);
    const auto read = [&](std::uint32_t place) {
      if (is_flying(own.results[place]))
        report_touch(*op, own.results[place], static_cast<int>(Mistake::read));
    };
    const auto write = [&](std::uint32_t place) {
      if (place == 0) return;
      if (is_flying(own.results[place]))
        report_touch(*op, own.results[place], static_cast<int>(Mistake::written));
      if (is_flying(own.fragments[place]))
        report_touch(*op, own.fragments[place], static_cast<int>(Mistake::changed));
      own.results[place] = own.fragments[place] = 0;
      own.written[place] = static_cast<std::uint32_t>(op - program.ops.data()) + 1;
    };
    if (copies) {
      const std::uint32_t from = effect->sources[0], to = effect->result;
      if (to == 0) continue;
      if (!is_flying(own.results[from])) {
        if (is_flying(own.results[to]) || is_flying(own.fragments[to])) write(to);
      }
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

/// A product needs a wgmma.fence between it and what wrote its registers. Only those without any since the
/// last wait are named: compilers move what computes a register behind a fence.
void BlockRun::check_fenced(const Op &op, const GroupProduct &product, bool adds) {
  const WarpProducts &own = products();
  const auto index = static_cast<std::uint64_t>(&op - program.ops.data());
  std::uint32_t written = 0;
  const auto look = [&](const std::vector<Ref> &rows) {
    for (const Ref ref : rows)
      if (written == 0) written = own.written[effects_->place(ref)];
  };
  if (adds) look(product.d_rows);
  look(product.a_rows);
  if (own.fenced && (own.fenced_since_wait || written == 0)) return;
  const std::uint64_t handle =
      handle_of(own.fenced ? Mistake::unfenced : Mistake::never_fenced, index, written);
  if (findings.enough_races() || count_known(handle, Code::race, Severity::error)) return;
  Diagnostic made = diagnostic(
      Code::race, Severity::error, here(0, op),
      own.fenced
          ? "registers of this product were written, and no wgmma.fence came after that"
          : "the first product of a warpgroup needs a wgmma.fence before it, and so does each one whose "
            "registers were written in another way");
  if (own.fenced && written != 0) made.other = here(0, program.ops[written - 1]);
  note(std::move(made), handle);
}

void BlockRun::report_overwritten(const FlyingProduct &product, const ProductSource &source) {
  std::uint64_t newest = 0;
  for (std::uint32_t i = source.offset >> cell_shift(); i <= (source.offset + 15) >> cell_shift(); ++i)
    newest = std::max(newest, shared.settled_writer(i));
  const std::uint64_t site = newest >> 12 & cell_sites;
  const std::uint64_t handle =
      handle_of(Mistake::overwritten, static_cast<std::uint64_t>(product.op - program.ops.data()), site);
  if (findings.enough_races() || count_known(handle, Code::race, Severity::error)) return;
  Diagnostic made = diagnostic(
      Code::race, Severity::error, here(0, *product.op),
      "shared memory was written while wgmma may still have read it: wait for the product (wgmma.wait_group) "
      "before the memory is used again");
  if (site < program.sites.size())
    made.other = side(static_cast<std::uint32_t>((newest & cell_warp) >> 5),
                      static_cast<std::uint32_t>(newest & 31), line_of(program.sites[site].location));
  note(std::move(made), handle);
}

}  // namespace warpgrade::simt
