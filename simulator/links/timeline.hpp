// A schedule as a picture: kernels and copies of each device, and what its links carry, over time.
#pragma once

#include <string>
#include <vector>

#include "links/schedule.hpp"

namespace warpgrade::links {

/// A picture by itself. Of a long run it shows the first operations, and says so.
std::string timeline_svg(const Topology &, const std::vector<Operation> &, const Schedule &);
/// The picture, and all operations as a table, in one file without references to others.
std::string timeline_html(const Topology &, const std::vector<Operation> &, const Schedule &,
                          const std::string &program);

}  // namespace warpgrade::links
