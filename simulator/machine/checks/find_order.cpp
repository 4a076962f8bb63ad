// What the text of a kernel shows of its synchronization: whether fences, atomics and volatile accesses may order
// threads, and which instructions wait for flags, take locks or update words.
#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "decode/decoder.hpp"
#include "decode/handlers.hpp"
#include "decode/updates.hpp"
#include "machine/lanes.hpp"
#include "machine/resolve.hpp"

namespace warpgrade::simt {

/// Before the first instruction is translated: Program::orders_warps, tracks_order, has_fences.
void Decoder::find_order() {
  bool fences = false, talks = false, strong = false, atomics = false;
  for (const ptx::Function *function : functions_)
    for (const Instruction &instruction : function->instructions) {
      const Opcode o(instruction.opcode);
      const bool asks = o.is(Family::rank) || o.has("shared::cluster");
      if (o.has("multicast::cluster")) program_->uses_clusters = true;
      const bool meets = o.is(Family::barrier) && o.has("cluster");
      program_->uses_clusters |= meets || (asks && !o.is(Family::copy));
      program_->relaxed_clusters |= meets && o.has("relaxed");
      const bool releases = o.has("acquire") || o.has("release") || o.has("acq_rel");
      const bool atomic = o.is(Family::atomic, Family::reduction);
      if (meets) continue;
      if (o.is(Family::mbarrier)) {  // orders without a fence, see mbarrier_order.hpp, unless it is relaxed
        talks = talks || (o.has("relaxed") && !o.has("expect_tx") && !o.has("complete_tx"));
        continue;
      }
      const bool fence = o.is(Family::fence);  // orders nothing without an access
      fences = fences || fence || releases;
      const bool in_shared = o.has("shared") || o.has("shared::cta") || o.has("shared::cluster");
      if (!in_shared && !fence) {
        strong = strong || o.has("volatile") || o.has("relaxed") || releases;
        atomics = atomics || atomic;
      }
      const bool elsewhere = std::any_of(o.parts.begin(), o.parts.end(), [](std::string_view part) {
        return part.starts_with("global") || part.starts_with("local") || part.starts_with("param");
      });
      if (!elsewhere) talks = talks || atomic || o.has("volatile") || o.has("relaxed") || releases;
    }
  program_->orders_warps = fences && talks;
  program_->has_fences = fences;
  program_->tracks_order = strong || (fences && atomics);
}

namespace {

/// A loop with something in its body is entered only if a first look at the flag, before it, says so.
void find_first_look(Program &program, std::uint32_t loop, const Op &again) {
  constexpr std::uint32_t most_blocks = 3;
  for (std::uint32_t b = loop - std::min(loop, most_blocks); b < loop; ++b) {
    const Block &block = program.blocks[b];
    if (block.end != End::branch) continue;
    for (std::uint32_t i = block.first; i < block.last; ++i) {
      const Op &op = program.ops[i];
      if (!op.accesses_memory || op.a != again.a || op.immediate != again.immediate) continue;
      Site &site = program.sites[op.site];
      if (site.is_volatile && site.action == Site::Action::load) site.spins = true;
    }
  }
}

}  // namespace

/// Reads in loops that do nothing but read the same words again: their authors wait for a flag.
void Decoder::find_spins() {
  const auto counts_in_shared = [](const Site &site) {
    return site.counts && site.space != ptx::Space::global;
  };
  if (program_->strong_in_shared &&
      std::any_of(program_->sites.begin(), program_->sites.end(), counts_in_shared))
    program_->orders_warps = true;
  constexpr std::uint32_t most_blocks = 4;
  for (std::uint32_t last = 0; last < program_->blocks.size(); ++last) {
    const Block &end = program_->blocks[last];
    if (end.end != End::branch && end.end != End::jump) continue;
    if (end.target > last || last - end.target >= most_blocks) continue;
    std::vector<std::uint32_t> reads;
    bool waits = true;
    const std::uint32_t begin = program_->blocks[end.target].first;
    for (std::uint32_t i = begin; i < end.last && waits; ++i) {
      const Op &op = program_->ops[i];
      if (!op.accesses_memory) continue;
      const Site &site = program_->sites[op.site];
      waits = site.action == Site::Action::load || site.action == Site::Action::atomic;
      if (site.mbarrier) continue;
      if (site.is_volatile || site.action == Site::Action::atomic) reads.push_back(i);
    }
    for (std::uint32_t i = end.target; i < last && waits; ++i) {
      const End kind = program_->blocks[i].end;
      waits = kind == End::next || kind == End::branch || kind == End::jump;
    }
    for (const std::uint32_t read : reads) {
      const Ref address = program_->ops[read].a;
      for (std::uint32_t i = begin; i < end.last && waits; ++i)
        waits = program_->ops[i].d != address || (address & 1) != 0 || i == read;
    }
    for (const std::uint32_t read : reads) {
      if (!waits) break;
      Site &site = program_->sites[program_->ops[read].site];
      site.spins = true;
      const bool atomic = site.action == Site::Action::atomic;
      const bool swaps = atomic && static_cast<AtomicKind>(site.atomic) == AtomicKind::cas;
      // An exchange may acquire a lock, or wait for what another block stores there.
      const bool exchanges = atomic && static_cast<AtomicKind>(site.atomic) == AtomicKind::exch &&
                             (program_->ops[read].b & 1) != 0;
      if ((!swaps || site.awaits) && site.space != ptx::Space::shared) program_->waits_for_blocks = true;
      const bool waits_for_warps = site.is_volatile || site.locks || exchanges;
      if (waits_for_warps && site.space != ptx::Space::global) program_->orders_warps = true;
      site.locks = site.locks || swaps || exchanges;
      if (!atomic) find_first_look(*program_, end.target, program_->ops[read]);
    }
  }
}

/// Plain loads that spare an atomic where it would change nothing: if (*p < x) atomicMax(p, x).
void Decoder::find_looks_ahead(const ptx::Function &function) {
  const Words words(function);
  const auto site_at = [&](std::size_t i) -> Site * {
    const std::uint32_t index = site_of_instruction_[i];
    return index < program_->sites.size() ? &program_->sites[index] : nullptr;
  };
  std::set<WordName> bounds;
  for (std::size_t i = 0; i < function.instructions.size(); ++i)
    if (const Site *site = site_at(i); site && forms_a_bound(*site))
      bounds.insert(words.at(i, site->action == Site::Action::reduce ? 0 : 1));
  if (bounds.empty()) return;
  for (std::size_t i = 0; i < function.instructions.size(); ++i)
    if (Site *site = site_at(i); site && site->action == Site::Action::load && !site->is_volatile)
      site->looks_ahead = bounds.count(words.at(i, 1)) != 0;
}

/// What instructions do with words that several threads write: see updates.hpp.
void Decoder::find_updates(const ptx::Function &function) {
  std::vector<std::size_t> atomics;
  bool loads = false, stores = false;
  for (std::size_t i = 0; i < function.instructions.size(); ++i) {
    const std::uint32_t index = site_of_instruction_[i];
    if (index >= program_->sites.size()) continue;
    const Site &site = program_->sites[index];
    loads = loads || (site.is_volatile && site.action == Site::Action::load);
    stores = stores || (site.is_volatile && site.action == Site::Action::store);
    if (site.action == Site::Action::atomic && !site.mbarrier && function.instructions[i].operands.size() > 2)
      atomics.push_back(i);
  }
  if (atomics.empty() && !(loads && stores)) return;
  const Updates updates(function, find_leaders(function));
  const auto site_at = [&](std::size_t i) -> Site & { return program_->sites[site_of_instruction_[i]]; };
  const auto find_ticket = [&](std::size_t read) {
    const std::optional<std::size_t> giver = updates.ticket_of(read);
    if (giver && site_of_instruction_[*giver] < program_->sites.size()) {
      site_at(read).ticket = site_of_instruction_[*giver];
      site_at(*giver).gives_tickets = program_->holds_locks = true;
    }
    site_at(read).locks = giver.has_value();
  };
  for (const auto &[load, store] : updates.find()) {
    site_at(load).is_updated = true;
    site_at(store).updates = true;
  }
  for (const std::size_t i : atomics) {
    Site &site = site_at(i);
    const auto kind = static_cast<AtomicKind>(site.atomic);
    if (kind == AtomicKind::cas)
      site.awaits = updates.constant(function.instructions[i].operands.at(2)).value_or(0) != 0;
    if (kind == AtomicKind::cas || kind == AtomicKind::exch) {
      site.locks = site.locks || updates.takes_a_lock(i);
      site.holds = updates.holds_a_lock(i);
      program_->holds_locks = program_->holds_locks || site.holds;
    }
    if (kind == AtomicKind::add || kind == AtomicKind::inc || kind == AtomicKind::dec)
      site.counts = updates.tells_the_last(i);
    if (kind == AtomicKind::add || kind == AtomicKind::bit_or) find_ticket(i);
  }
  if (atomics.empty()) return;
  for (std::size_t i = 0; i < function.instructions.size(); ++i)
    if (const std::uint32_t index = site_of_instruction_[i]; index < program_->sites.size())
      if (const Site &site = program_->sites[index]; site.is_volatile && site.action == Site::Action::load)
        find_ticket(i);
}

}  // namespace warpgrade::simt
