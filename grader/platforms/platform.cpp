#include "platforms/platform.hpp"

#include <algorithm>

namespace warpgrade::platforms {

std::span<const Platform *const> all() {
  static constexpr const Platform *list[] = {
#define WARPGRADE_PLATFORM(name) &name,
#include "platforms/platforms.inc"
#undef WARPGRADE_PLATFORM
  };
  return list;
}

const Platform *find(std::string_view name) {
  const auto found =
      std::find_if(all().begin(), all().end(), [&](const Platform *p) { return p->name == name; });
  return found == all().end() ? nullptr : *found;
}

std::string_view beginning_of(const Platform &p, std::string_view text) {
  return text.substr(0, text.find(p.exports.telling));
}

}  // namespace warpgrade::platforms
