// Requests of warps as the simulator would report them, for tests of what is made of them.
#pragma once

#include "explain/explain.hpp"

namespace warpgrade::explain::testing {

/// A request whose lanes ask for 4 bytes each, `stride` bytes apart from `first` on.
inline simt::LaneSample global_request(int line, const char *buffer, std::int64_t first, std::int64_t stride,
                                       bool store = false) {
  simt::LaneSample s;
  s.at = {"k.cu", line};
  s.buffer = buffer;
  s.store = store;
  s.mask = 0xFFFF'FFFF;
  s.bytes = 4;
  for (std::size_t lane = 0; lane < 32; ++lane)
    s.offsets[lane] = first + static_cast<std::int64_t>(lane) * stride;
  return s;
}
inline simt::LaneSample shared_request(int line, const char *buffer, std::int64_t stride) {
  simt::LaneSample s = global_request(line, buffer, 1024, stride);
  s.space = ptx::Space::shared;
  return s;
}

/// Counters of a launch, access by access.
struct Launch {
  simt::Counters counters;
  std::vector<simt::LaneSample> samples;

  /// `requests` of that kind, each with that many sectors and bytes used.
  Launch &global(simt::LaneSample s, std::uint64_t requests, std::uint32_t sectors, std::uint32_t ideal) {
    s.cost = sectors;
    s.ideal = ideal;
    simt::GlobalTraffic t;
    t.requests = requests;
    t.sectors = requests * sectors;
    t.ideal_sectors = requests * ideal;
    t.bytes = requests * 128;
    t.used_bytes = requests * ideal * 32;
    simt::LineCounters c;
    (s.store ? c.global_store : c.global_load) = t;
    c.warp_instructions = requests;
    c.thread_instructions = 32 * requests;
    return add(s, c, {t, {}});
  }
  Launch &shared(simt::LaneSample s, std::uint64_t requests, std::uint32_t wavefronts) {
    s.cost = wavefronts;
    s.ideal = 1;
    simt::SharedTraffic t;
    t.requests = requests;
    t.wavefronts = requests * wavefronts;
    t.conflicts = requests * (wavefronts - 1);
    t.bytes = requests * 128;
    simt::LineCounters c;
    (s.store ? c.shared_store : c.shared_load) = t;
    c.warp_instructions = requests;
    c.thread_instructions = 32 * requests;
    return add(s, c, {{}, t});
  }
  /// Arithmetic on a line.
  Launch &work(int line, std::uint64_t instructions, std::uint64_t lanes, std::uint64_t fma = 0) {
    simt::LineCounters c;
    c.warp_instructions = instructions;
    c.thread_instructions = instructions * lanes;
    c.fp32_fma = fma;
    counters.lines[{"k.cu", line}] += c;
    static_cast<simt::LineCounters &>(counters) += c;
    return *this;
  }
  Launch &unique(std::uint64_t loaded) {
    counters.unique_sectors = {loaded, 0, loaded};
    return *this;
  }
  Explanation explain(double outputs_per_thread = 1, const Bounds &bounds = {}) const {
    return explain::explain(counters, samples, outputs_per_thread, bounds);
  }

 private:
  Launch &add(const simt::LaneSample &s, const simt::LineCounters &c, const simt::AccessCounters &a) {
    samples.push_back(s);
    counters.lines[s.at] += c;
    static_cast<simt::LineCounters &>(counters) += c;
    counters.accesses[{s.at, s.space, s.store, s.bytes, s.buffer}] += a;
    return *this;
  }
};

}  // namespace warpgrade::explain::testing
