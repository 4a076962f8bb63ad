#include "predict/l2_contents.hpp"

#include <algorithm>
#include <utility>

namespace warpgrade::predict {

double stored_to(const std::string &buffer, const Call &call, const run::SampledLaunch &launch) {
  double bytes = 0;
  for (const run::SampledBlock &b : launch.blocks)
    for (const auto &[key, access] : b.counters.accesses)
      if (key.store && key.space == ptx::Space::global && key.buffer == buffer)
        bytes += static_cast<double>(b.stands_for) * static_cast<double>(access.global.bytes);
  const auto known = call.buffer_bytes.find(buffer);
  return known == call.buffer_bytes.end() ? bytes : std::min(bytes, static_cast<double>(known->second));
}

void leave(L2Contents &l2, std::map<std::string, double> here, double room) {
  double all = 0, others = 0;
  for (const auto &[buffer, bytes] : here) all += bytes;
  for (auto &[buffer, bytes] : here) bytes *= std::min(1.0, room / std::max(1.0, all));
  room -= std::min(room, all);
  for (const auto &[buffer, bytes] : l2.of_buffer)
    if (!here.contains(buffer)) others += bytes;
  for (const auto &[buffer, bytes] : l2.of_buffer)
    if (!here.contains(buffer)) here[buffer] = bytes * std::min(1.0, room / std::max(1.0, others));
  l2.of_buffer = std::move(here);
}

}  // namespace warpgrade::predict
