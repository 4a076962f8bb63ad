#include "explain/explain.hpp"

#include <algorithm>
#include <map>

#include "explain/advice.hpp"

namespace warpgrade::explain {

namespace {

constexpr std::uint64_t sector_bytes = 32, wavefront_bytes = 128;

std::uint64_t beyond(std::uint64_t all, std::uint64_t ideal) {
  return all > ideal ? all - ideal : 0;
}

std::uint64_t moved(const simt::LineCounters &c) {
  return sector_bytes * (c.sectors()) + wavefront_bytes * (c.wavefronts());
}

Access access_of(const simt::AccessKey &key, const simt::AccessCounters &c) {
  Access access;
  access.key = key;
  access.counts = c;
  access.moved_bytes = sector_bytes * c.global.sectors + wavefront_bytes * c.shared.wavefronts;
  access.wasted_bytes =
      sector_bytes * beyond(c.global.sectors, c.global.ideal_sectors) + wavefront_bytes * c.shared.conflicts;
  return access;
}

/// The costliest of an access's samples: the unrolled copies of a line each have one.
const simt::LaneSample *sample_of(const simt::AccessKey &key, const std::vector<simt::LaneSample> &samples) {
  const simt::LaneSample *worst = nullptr;
  for (const simt::LaneSample &s : samples) {
    if (s.at != key.at || s.space != key.space || s.store != key.store || s.bytes != key.bytes) continue;
    if (!key.buffer.empty() && s.buffer != key.buffer) continue;
    if (!worst || beyond(s.cost, s.ideal) > beyond(worst->cost, worst->ideal)) worst = &s;
  }
  return worst;
}

std::uint64_t wasted_by(const Line &line) {
  std::uint64_t bytes = 0;
  for (const Access &access : line.accesses) bytes += access.wasted_bytes;
  return bytes;
}

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

std::string_view name_of(Pattern pattern) {
  switch (pattern) {
    case Pattern::coalescing:
      return "coalescing";
    case Pattern::alignment:
      return "alignment";
    case Pattern::corner_turning:
      return "corner_turning";
    case Pattern::tiling:
      return "tiling";
    case Pattern::padding:
      return "padding";
    case Pattern::coarsening:
      return "coarsening";
    case Pattern::local_memory:
      return "local_memory";
    case Pattern::divergence:
      return "divergence";
    case Pattern::atomics:
      return "atomics";
  }
  return "";
}

Explanation explain(const simt::Counters &counters, const std::vector<simt::LaneSample> &samples,
                    double outputs_per_thread, const Bounds &bounds) {
  Whole whole{counters, outputs_per_thread, moved(counters), bounds};
  std::map<simt::SourceLine, Line> lines;
  for (const auto &[at, counts] : counters.lines) {
    Line &line = lines[at];
    line.at = at;
    line.counts = counts;
    line.share = share(moved(counts), whole.moved_bytes);
  }
  for (const auto &[key, counts] : counters.accesses) {
    Access access = access_of(key, counts);
    if (const simt::LaneSample *sample = sample_of(key, samples)) access.sample = *sample;
    lines[key.at].accesses.push_back(std::move(access));
  }
  for (auto &[at, line] : lines) {
    std::stable_sort(line.accesses.begin(), line.accesses.end(), [](const Access &a, const Access &b) {
      return std::pair(a.wasted_bytes, a.moved_bytes) > std::pair(b.wasted_bytes, b.moved_bytes);
    });
    line.wasted = share(wasted_by(line), whole.moved_bytes);
    for (const Access &access : line.accesses)
      if (access.sample) whole.accesses.push_back(&access);
  }
  Explanation explanation;
  for (auto &[at, line] : lines) {
    advise(line, whole);
    explanation.lines.push_back(std::move(line));
  }
  std::stable_sort(explanation.lines.begin(), explanation.lines.end(), [](const Line &a, const Line &b) {
    return std::tuple(wasted_by(a), moved(a.counts), a.counts.warp_instructions) >
           std::tuple(wasted_by(b), moved(b.counts), b.counts.warp_instructions);
  });
  for (const auto &[key, counts] : counters.products) explanation.products.push_back({key, counts});
  std::stable_sort(explanation.products.begin(), explanation.products.end(),
                   [](const Product &a, const Product &b) { return a.counts.flops > b.counts.flops; });
  for (const simt::LaneSample &sample : samples)
    if (!sample.written.empty()) explanation.copies.push_back(sample);
  return explanation;
}

const Access *shared_access(const Explanation &explanation, const simt::SourceLine *at) {
  const auto rank = [](const Access &a) {
    return std::pair(a.counts.shared.conflicts, a.counts.shared.wavefronts);
  };
  const Access *worst = nullptr;
  for (const Line &line : explanation.lines)
    for (const Access &access : line.accesses) {
      if (access.key.space != ptx::Space::shared || !access.sample || (at && access.key.at != *at)) continue;
      if (!worst || rank(access) > rank(*worst)) worst = &access;
    }
  return worst;
}

const Product *hottest_product(const Explanation &explanation, const simt::SourceLine *at) {
  for (const Product &product : explanation.products)
    if (!at || product.key.at == *at) return &product;
  return nullptr;
}

const simt::LaneSample *copied_tile(const Explanation &explanation, const simt::SourceLine *at) {
  const simt::LaneSample *most = nullptr;
  for (const simt::LaneSample &copy : explanation.copies)
    if ((!at || copy.at == *at) && (!most || copy.written.size() > most->written.size())) most = &copy;
  return most;
}

}  // namespace warpgrade::explain
