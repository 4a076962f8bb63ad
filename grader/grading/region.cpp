#include "grading/region.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace warpgrade::grading {

namespace {

constexpr std::uint64_t most_blocks = 64, most_drawn = 1 << 20;
constexpr std::size_t most_parts = 400;
constexpr std::int64_t furthest = 1 << 24;  // elements outside a buffer

/// One access of one lane to one element.
struct Touch {
  simt::Dim3 block{0, 0, 0};
  std::uint32_t thread = 0;  ///< warp and lane
  std::uint64_t phase = 0;
  bool store = false;
};

using Touches = std::map<std::int64_t, std::vector<Touch>>;

Touches touches_of(const RegionBuffer &buffer, const std::vector<simt::TracedRequest> &all) {
  Touches made;
  const auto bytes = static_cast<std::int64_t>(buffer.element_bytes);
  for (const simt::TracedRequest &r : all) {
    if (r.space != ptx::Space::global || r.buffer != buffer.name) continue;
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      if ((r.mask >> lane & 1) == 0) continue;
      const std::int64_t at = r.offsets[lane], first = at >= 0 ? at / bytes : -((-at + bytes - 1) / bytes);
      const std::int64_t many = std::max<std::int64_t>(r.bytes / bytes, 1);
      if (first < -furthest || first > static_cast<std::int64_t>(buffer.elements()) + furthest) continue;
      for (std::int64_t e = first; e < first + many; ++e)
        made[e].push_back({r.block, r.warp * 32 + lane, r.phase, r.store});
    }
  }
  return made;
}

auto order_of(const simt::Dim3 &b) {
  return std::tuple(b.z, b.y, b.x);
}

/// "block (1, 0)", "blocks (0, 0) and (1, 0)", "3 blocks"
std::string blocks_in_words(const std::vector<Touch> &touches) {
  std::vector<simt::Dim3> blocks;
  for (const Touch &t : touches) blocks.push_back(t.block);
  std::sort(blocks.begin(), blocks.end(),
            [](const auto &a, const auto &b) { return order_of(a) < order_of(b); });
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  const auto name = [](const simt::Dim3 &b) {
    return b.z > 0 ? fmt::format("({}, {}, {})", b.x, b.y, b.z) : fmt::format("({}, {})", b.x, b.y);
  };
  if (blocks.size() == 1) return "block " + name(blocks[0]);
  if (blocks.size() == 2) return fmt::format("blocks {} and {}", name(blocks[0]), name(blocks[1]));
  return fmt::format("{} blocks", blocks.size());
}

bool race(const std::vector<Touch> &touches) {
  for (const Touch &a : touches)
    for (const Touch &b : touches) {
      const bool same_block = a.block == b.block;
      if (a.store && (!same_block || (a.thread != b.thread && a.phase == b.phase))) return true;
    }
  return false;
}

void add(RegionRecord &to, std::int64_t element, const std::string &by) {
  if (!to.parts.empty() && to.parts.back().last + 1 == element && to.parts.back().by == by)
    to.parts.back().last = element;
  else
    to.parts.push_back({element, element, by});
}

std::vector<Touch> stores_in(const std::vector<Touch> &touches) {
  std::vector<Touch> stores;
  std::copy_if(touches.begin(), touches.end(), std::back_inserter(stores),
               [](const Touch &t) { return t.store; });
  return stores;
}

RegionRecord region_of_buffer(const std::string &property, const RegionBuffer &buffer,
                              const Touches &touches) {
  RegionRecord made{buffer.name, buffer.rows, buffer.columns, {}};
  const auto end = static_cast<std::int64_t>(buffer.elements());
  if (property == "written") {
    static const std::vector<Touch> nobody;
    for (std::int64_t e = 0; e < end && buffer.output; ++e) {
      const auto found = touches.find(e);
      const std::vector<Touch> stores = found == touches.end() ? nobody : stores_in(found->second);
      if (stores.size() != 1) add(made, e, stores.empty() ? "" : blocks_in_words(stores));
    }
  }
  for (const auto &[element, some] : touches) {
    const bool outside = element < 0 || element >= end;
    if ((property == "bounds" && outside) || (property == "races" && !outside && race(some)))
      add(made, element, blocks_in_words(some));
  }
  return made;
}

std::vector<RegionBuffer> buffers_of(const problem::Problem &p, const problem::Case &c,
                                     const std::vector<run::HostBuffer> &inputs) {
  std::vector<RegionBuffer> made;
  const std::vector<plan::Buffer> buffers = p.buffers(c);
  const std::vector<problem::Extent> extents = p.extents(c);
  for (std::size_t b = 0; b < buffers.size() && b < inputs.size(); ++b) {
    RegionBuffer one{buffers[b].name, 1, buffers[b].bytes / inputs[b].element_bytes, inputs[b].element_bytes,
                     inputs[b].role == run::Role::in_out};
    const std::uint64_t pitch = b < extents.size() ? static_cast<std::uint64_t>(extents[b].pitch) : 0;
    if (pitch > 0 && one.columns % pitch == 0)
      one = {one.name, one.columns / pitch, pitch, one.element_bytes, one.output};
    made.push_back(std::move(one));
  }
  return made;
}

}  // namespace

std::optional<RegionRecord> region_in(const std::string &property,
                                      const std::vector<simt::TracedRequest> &all,
                                      const std::vector<RegionBuffer> &buffers) {
  for (const RegionBuffer &buffer : buffers) {
    RegionRecord found = region_of_buffer(property, buffer, touches_of(buffer, all));
    if (found.parts.empty()) continue;
    if (found.parts.size() > most_parts) found.parts.resize(most_parts);
    return found;
  }
  return std::nullopt;
}

std::optional<RegionRecord> find_region(const std::string &property, run::Simulator &simulator,
                                        const plan::LaunchPlan &plan, const problem::Problem &p,
                                        const problem::Case &c, std::uint64_t seed,
                                        run::SimulateOptions how) {
  std::uint64_t blocks = 0;
  for (const plan::Operation &o : plan.operations)
    if (const auto *launch = std::get_if<plan::Launch>(&o)) blocks = std::max(blocks, launch->grid.count());
  const std::vector<run::HostBuffer> inputs = p.inputs(c, seed);
  const std::vector<RegionBuffer> buffers = buffers_of(p, c, inputs);
  const bool small = std::all_of(buffers.begin(), buffers.end(),
                                 [](const RegionBuffer &b) { return b.elements() <= most_drawn; });
  if (blocks == 0 || blocks > most_blocks || !small) return std::nullopt;
  std::vector<simt::TracedRequest> all;
  how.count = false;
  for (std::uint64_t block = 0; block < blocks; ++block) {
    how.trace = simt::TraceOptions{.block = block};
    run::Run run = simulator.simulate(plan, inputs, how);
    if (run.end == run::End::our_failure || run.trace.size() >= how.trace->most) return std::nullopt;
    all.insert(all.end(), run.trace.begin(), run.trace.end());
  }
  return region_in(property, all, buffers);
}

}  // namespace warpgrade::grading
