#include "platforms/platform.hpp"

#include <fmt/format.h>

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

std::vector<std::string> names_of(bool (*fit)(const Exports &)) {
  std::vector<std::string> names;
  for (const Platform *p : all())
    if (fit(p->exports)) names.emplace_back(p->name);
  return names;
}

std::string why_not(std::string_view name, bool (*fit)(const Exports &)) {
  const Platform *p = find(name);
  if (p != nullptr && fit(p->exports)) return "";
  if (p != nullptr && !p->ended.empty())
    return fmt::format("{} was switched off on {}; its successor is {}: '{}'", p->title, p->ended,
                       find(p->successor)->title, p->successor);
  return fmt::format("'{}' is not one of {}", name, listed(names_of(fit), "and"));
}

std::string listed(std::vector<std::string> names, std::string_view before_last) {
  const std::string last = names.back();
  names.pop_back();
  return names.empty() ? last : fmt::format("{} {} {}", fmt::join(names, ", "), before_last, last);
}

std::string_view beginning_of(const Platform &p, std::string_view text) {
  return text.substr(0, text.find(p.exports.telling));
}

}  // namespace warpgrade::platforms
