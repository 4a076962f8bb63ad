// The first request of a warp to shared memory, as 16 bytes a lane over the banks: the rows of ldmatrix.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "report/drawings.hpp"
#include "report/svg.hpp"

namespace warpgrade::report {

namespace {

const simt::TracedRequest &first_of_16_bytes(const TracedCall &call) {
  const auto found = std::find_if(call.trace.begin(), call.trace.end(), [&](const simt::TracedRequest &r) {
    return r.space == ptx::Space::shared && !r.store && r.warp == call.figure.warp && r.bytes == 16;
  });
  if (found == call.trace.end())
    throw std::runtime_error(fmt::format("warp {} of block {} loads no 16 bytes a lane from shared memory",
                                         call.figure.warp, call.figure.block));
  return *found;
}

}  // namespace

Drawing draw_banks(const TracedCall &call) {
  constexpr std::int64_t chunk = 16, line = 128;  // bytes: of a lane, and of all banks
  constexpr std::array paints = {Paint::first, Paint::second, Paint::third, Paint::several};  // by matrix
  constexpr double wide = 68, high = 20, left = 62, top = 52;
  constexpr std::int64_t across = line / chunk;
  const simt::TracedRequest &request = first_of_16_bytes(call);
  std::int64_t first = -1, last = 0;
  for (const std::int64_t offset : request.offsets) {
    if (offset < 0) continue;
    first = first < 0 ? offset / line : std::min(first, offset / line);
    last = std::max(last, offset / line);
  }
  const auto lines = static_cast<double>(last - first + 1);
  Svg svg(call.figure.name, left + across * wide + 8, top + lines * high + 8);
  svg.text(8, 14, fmt::format("{}: one load of a warp, 16 bytes a lane", call.figure.step),
           {.size = 12, .bold = true});
  svg.text(left + across * wide, 14, fmt::format("{} wavefronts", request.cost),
           {.anchor = 'e', .size = 12, .bold = true});
  svg.text(8, top - 6, "banks", {.size = 10, .faint = true});
  for (std::int64_t c = 0; c < across; ++c)
    svg.text(left + (static_cast<double>(c) + 0.5) * wide, top - 6, fmt::format("{} to {}", 4 * c, 4 * c + 3),
             {.anchor = 'm', .size = 10, .faint = true});
  for (std::int64_t l = first; l <= last; ++l) {
    const double y = top + static_cast<double>(l - first) * high;
    svg.text(left - 6, y + 14, fmt::format("byte {}", l * line), {.anchor = 'e', .size = 10, .faint = true});
    for (std::int64_t c = 0; c < across; ++c)
      svg.rect(left + static_cast<double>(c) * wide, y, wide, high, Paint::cell);
  }
  for (std::size_t lane = 0; lane < request.offsets.size(); ++lane) {
    const std::int64_t offset = request.offsets[lane];
    if (offset < 0) continue;
    const double x = left + static_cast<double>(offset % line / chunk) * wide,
                 y = top + static_cast<double>(offset / line - first) * high;
    const Paint paint = paints.at(lane / 8);
    svg.rect(x, y, wide, high, paint, fmt::format("lane {}, row {} of matrix {}", lane, lane % 8, lane / 8));
    svg.text(x + wide / 2, y + 14, fmt::format("lane {}", lane), {.anchor = 'm', .size = 10, .on = paint});
  }
  return {svg.finish(
              fmt::format("One load of a warp in {} ({}), over the banks", call.figure.step, call.step_title),
              fmt::format("Each line is 128 bytes, once over all 32 banks. The lanes of a matrix, eight "
                          "at a time, take {} wavefronts in all; {} are needed.",
                          request.cost, request.ideal)),
          {{"wavefronts", std::to_string(request.cost)}, {"ideal", std::to_string(request.ideal)}}};
}

}  // namespace warpgrade::report
