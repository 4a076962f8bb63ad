#include "whatif/ideal.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace warpgrade::whatif {

namespace {

using Lines = std::set<simt::SourceLine>;

std::uint64_t beyond(std::uint64_t all, std::uint64_t needed) {
  return all > needed ? all - needed : 0;
}

void cure(simt::GlobalTraffic &t, std::uint64_t sectors) {
  t.sectors -= std::min(t.sectors, sectors);
}

/// `by`: an access of this line or launch.
void cure(simt::SharedTraffic &t, const simt::SharedTraffic &by) {
  const auto less = [](std::uint64_t &n, std::uint64_t m) { n -= std::min(n, m); };
  less(t.wavefronts, by.conflicts);
  less(t.conflicts, by.conflicts);
  less(t.compiled_wavefronts, by.compiled_conflicts);
  less(t.compiled_conflicts, by.compiled_conflicts);
}

void cure(simt::LineCounters &c, bool store, const simt::AccessCounters &by) {
  cure(store ? c.global_store : c.global_load, beyond(by.global.sectors, by.global.ideal_sectors));
  cure(store ? c.shared_store : c.shared_load, by.shared);
}

void cure(simt::Counters &c, const Lines &lines) {
  for (auto &[key, access] : c.accesses) {
    if (!lines.contains(key.at)) continue;
    const simt::AccessCounters before = access;
    if (const auto line = c.lines.find(key.at); line != c.lines.end()) cure(line->second, key.store, before);
    cure(c, key.store, before);
    cure(access.global, beyond(before.global.sectors, before.global.ideal_sectors));
    cure(access.shared, before.shared);
  }
}

/// The lanes side by side from the beginning of a sector; those that asked for the same still do.
void cure(simt::LaneSample &s) {
  if (s.cost <= s.ideal) return;
  s.cost = s.ideal;
  if (s.space != ptx::Space::global) return;
  std::map<std::int64_t, std::int64_t> place;
  for (std::size_t lane = 0; lane < s.offsets.size(); ++lane)
    if ((s.mask >> lane & 1) != 0 && s.offsets[lane] >= 0) place[s.offsets[lane]] = 0;
  std::int64_t next = 0;
  for (auto &[offset, at] : place) at = next, next += s.bytes;
  for (std::size_t lane = 0; lane < s.offsets.size(); ++lane)
    if (const auto found = place.find(s.offsets[lane]); found != place.end()) s.offsets[lane] = found->second;
}

/// So many in all. What is loaded for the first time stays, as far as there is room for it; the rest keeps its shares.
void shrink(simt::Reuse &r, double all) {
  double before = 0;
  for (const std::uint64_t n : r.again) before += static_cast<double>(n);
  const double first = std::min(static_cast<double>(r.first), all);
  r.first = static_cast<std::uint64_t>(std::llround(first));
  for (std::uint64_t &n : r.again)
    n = before > 0 ? static_cast<std::uint64_t>(std::llround(static_cast<double>(n) * (all - first) / before))
                   : 0;
}

double all_of(const simt::Reuse &r) {
  double all = static_cast<double>(r.first);
  for (const std::uint64_t n : r.again) all += static_cast<double>(n);
  return all;
}

/// One line of the PTX, of whose sectors only this share is needed.
void cure(simt::LineLoads &l, double needed) {
  const double requests = all_of(l.requests), sectors = all_of(l.sectors) * needed;
  if (requests == 0 || sectors == 0) return;
  shrink(l.sectors, sectors);
  // A request is as new as its oldest sector: the more of the sectors are new, the more of the requests.
  const double fresh = static_cast<double>(l.sectors.first) / std::max(1.0, all_of(l.sectors));
  const double again = requests - static_cast<double>(l.requests.first);
  const double first = std::max(static_cast<double>(l.requests.first), std::round(fresh * requests));
  l.requests.first = static_cast<std::uint64_t>(first);
  for (std::uint64_t &n : l.requests.again)
    n = again > 0
            ? static_cast<std::uint64_t>(std::llround(static_cast<double>(n) * (requests - first) / again))
            : 0;
  const double lines = std::max(requests, sectors / 4);  // of 128 bytes
  l.lines = std::min(l.lines, static_cast<std::uint64_t>(std::llround(lines)));
}

/// The share of their sectors that the loads of a line need: of one buffer, and of all.
struct Needed {
  std::uint64_t sectors = 0, ideal = 0;
  double share() const { return sectors == 0 ? 1 : std::min(1.0, simt::per(ideal, sectors)); }
};
using Need = std::map<std::pair<simt::SourceLine, std::string>, Needed>;

Need needs_of(const run::SampledLaunch &launch, const Lines &lines) {
  Need all;
  for (const run::SampledBlock &b : launch.blocks)
    for (const auto &[key, access] : b.counters.accesses) {
      if (key.store || key.space != ptx::Space::global || !lines.contains(key.at)) continue;
      Needed &n = all[{key.at, key.buffer}];
      n.sectors += b.stands_for * access.global.sectors;
      n.ideal += b.stands_for * std::min(access.global.sectors, access.global.ideal_sectors);
    }
  return all;
}

/// Of each line of the PTX text: the source line that it was made of.
std::map<std::int32_t, simt::SourceLine> sources_of(const ptx::Module &module) {
  std::map<std::int32_t, simt::SourceLine> all;
  for (const ptx::Function &f : module.functions)
    for (const ptx::Instruction &i : f.instructions)
      if (i.location >= 0) all.emplace(i.text_line, ptx::source_line(module, i.location));
  return all;
}

}  // namespace

predict::Call ideal(const predict::Call &call, const Lines &lines) {
  predict::Call cured = call;
  const auto sources = sources_of(*call.module);
  for (run::SampledLaunch &launch : cured.launches) {
    const Need needs = needs_of(launch, lines);
    for (simt::LineLoads &l : launch.path.loads)
      if (const auto at = sources.find(l.line); at != sources.end())
        if (const auto need = needs.find({at->second, l.buffer}); need != needs.end())
          cure(l, need->second.share());
    for (run::SampledBlock &b : launch.blocks) cure(b.counters, lines);
  }
  for (simt::LaneSample &s : cured.samples)
    if (lines.contains(s.at)) cure(s);
  return cured;
}

}  // namespace warpgrade::whatif
