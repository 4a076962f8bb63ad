// One request of a warp: its lanes over the sectors that travel for them.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "explain/lanes.hpp"
#include "explain/walk.hpp"
#include "report/drawings.hpp"
#include "report/lanes.hpp"
#include "report/svg.hpp"

namespace warpgrade::report {

namespace {

constexpr std::size_t across = 4;

const simt::TracedRequest &first_load(const TracedCall &call) {
  for (const auto &[name, extent] : call.buffers)
    if (name == call.figure.buffer)
      if (const auto *r =
              explain::first_request(call.trace, walk_over(name, false, extent), call.figure.warp))
        return *r;
  throw std::runtime_error(fmt::format("warp {} of block {} loads nothing from a buffer '{}'",
                                       call.figure.warp, call.figure.block, call.figure.buffer));
}

}  // namespace

Drawing draw_sectors(const TracedCall &call) {
  constexpr double word = 20, high = 18, sector_width = 8 * word, step_x = sector_width + 12, step_y = 36,
                   left = 8, top = 40;
  const simt::TracedRequest &request = first_load(call);
  const std::vector<explain::SectorRow> sectors = explain::sectors_of(request);
  const std::size_t lines = (sectors.size() + across - 1) / across;
  const int lanes = __builtin_popcount(request.mask);
  const std::uint32_t used = static_cast<std::uint32_t>(lanes) * request.bytes;
  Svg svg(call.figure.name, left * 2 + across * step_x - 12, top + static_cast<double>(lines) * step_y + 6);
  svg.text(left, 14,
           fmt::format("{}: a warp loads from {}, {} bytes a lane", call.figure.step, call.figure.buffer,
                       request.bytes),
           {.size = 12, .bold = true});
  svg.text(left * 2 + across * step_x - 20, 14,
           fmt::format("{} sector{}, {} bytes move", sectors.size(), sectors.size() == 1 ? "" : "s",
                       32 * sectors.size()),
           {.anchor = 'e', .size = 12, .bold = true});
  for (std::size_t i = 0; i < sectors.size(); ++i) {
    const double x = left + static_cast<double>(i % across) * step_x,
                 y = top + static_cast<double>(i / across) * step_y;
    svg.text(x, y - 3, fmt::format("byte {}", sectors[i].offset), {.size = 10, .faint = true});
    for (std::size_t w = 0; w < 8; ++w) {
      const explain::Lanes &who = sectors[i].words[w];
      const Paint paint = who.empty() ? Paint::cell : Paint::first;
      svg.rect(x + static_cast<double>(w) * word, y, word, high, paint,
               who.empty() ? "moves and is not used" : "lane " + lane_list(who));
      if (!who.empty())
        svg.text(x + (static_cast<double>(w) + 0.5) * word, y + 13,
                 who.size() == 1 ? std::to_string(who.front()) : fmt::format("×{}", who.size()),
                 {.anchor = 'm', .size = 10, .on = paint});
    }
    svg.frame(x, y, sector_width, high);
  }
  return {svg.finish(fmt::format("One load of a warp in {} ({}), over sectors of memory", call.figure.step,
                                 call.step_title),
                     fmt::format("{} lanes load {} bytes each from {}. They touch {} sectors of 32 bytes, so "
                                 "{} bytes move; the bytes used would fit in {} sectors.",
                                 lanes, request.bytes, call.figure.buffer, sectors.size(),
                                 32 * sectors.size(), request.ideal)),
          {{"sectors", std::to_string(sectors.size())},
           {"bytes", std::to_string(32 * sectors.size())},
           {"asked", std::to_string(used)},
           {"ideal", std::to_string(request.ideal)},
           {"lanes", std::to_string(lanes)}}};
}

}  // namespace warpgrade::report
