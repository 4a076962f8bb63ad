#include "trace/recording.hpp"

#include <algorithm>
#include <bit>

namespace warpgrade::simt {
namespace {

constexpr std::size_t most_recorded = 128, most_named = 4096;  // warps; lines and objects
constexpr std::size_t most_barriers = 100'000;                 // events of warps that are not detailed
constexpr std::int64_t furthest = std::int64_t{1} << 48;
constexpr std::uint8_t most_elements = 16;

const char *flaw_of(const RecordedEvent &e, const Recording &r) {
  const auto lanes = static_cast<std::size_t>(std::popcount(e.mask));
  const auto none_or = [](std::size_t size, std::size_t all) { return size == 0 || size == all; };
  if (e.warp >= r.warps.size() || e.line >= r.lines.size()) return "an event is of no warp or line";
  if (lanes == 0 || e.elements == 0 || e.elements > most_elements || e.bytes == 0)
    return "an event is of no lane or element";
  if (e.objects.size() > 1 && e.objects.size() != lanes) return "an event has other objects";
  if (std::any_of(e.objects.begin(), e.objects.end(),
                  [&](std::uint32_t object) { return object >= r.objects.size(); }))
    return "an event is of no object";
  if (!none_or(e.offsets.size(), lanes) || e.offsets.empty() != e.objects.empty())
    return "an event has other offsets";
  if (std::any_of(e.offsets.begin(), e.offsets.end(),
                  [](std::int64_t offset) { return offset <= -furthest || offset >= furthest; }))
    return "an event is too far away";
  if (!none_or(e.values.size(), lanes * e.elements) || !none_or(e.before.size(), lanes * e.elements))
    return "an event has other values";
  if (!none_or(e.from.size(), lanes) ||
      std::any_of(e.from.begin(), e.from.end(), [](std::uint32_t lane) { return lane >= 32; }))
    return "an event has other lanes";
  return nullptr;
}

}  // namespace

const char *flaw_of(const Recording &r, std::uint32_t most) {
  if (r.warps.size() > most_recorded) return "a recording has too many warps";
  if (r.events.size() > std::size_t{most} * r.warps.size() + most_barriers)
    return "a recording has too many events";
  if (r.objects.size() > most_named || r.lines.size() > most_named || r.paths.size() != r.lines.size())
    return "a recording has too many lines or objects";
  if (r.lane >= 32) return "a recording is of no lane";
  for (const RecordedEvent &e : r.events)
    if (const char *flaw = flaw_of(e, r)) return flaw;
  return nullptr;
}

std::string_view name_of(RecordedEvent::Kind kind) {
  constexpr std::string_view names[] = {"compute", "load", "store",   "atomic", "branch", "arrive",
                                        "release", "sync", "shuffle", "leave",  "finding"};
  return names[static_cast<std::size_t>(kind)];
}

std::string_view name_of(RecordedEvent::Type type) {
  constexpr std::string_view names[] = {"bits", "whole", "natural", "real"};
  return names[static_cast<std::size_t>(type)];
}

}  // namespace warpgrade::simt
