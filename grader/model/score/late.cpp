#include "score/late.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpgrade::score {

namespace {

constexpr std::int64_t day = 86400;

std::string days_of(int days) {
  return fmt::format("{} day{}", days, days == 1 ? "" : "s");
}

}  // namespace

std::optional<Late> lateness(const std::optional<course::LatePolicy> &policy, const std::string &student,
                             const HandedIn &handed_in) {
  Late late;
  if (policy && policy->due && handed_in.time) {
    const std::int64_t over = *handed_in.time - *policy->due;
    late.days = over <= 0 ? 0 : static_cast<int>(std::min<std::int64_t>((over + day - 1) / day, 100'000));
  } else if (handed_in.marked_late) {
    late.days = 1;
    late.guessed = true;
  }
  if (late.days == 0) return std::nullopt;
  if (!policy) return late;
  const auto extended = policy->extensions.find(student);
  if (extended != policy->extensions.end()) late.extension = std::min(extended->second, late.days);
  const int charged = late.days - late.extension;
  late.share = charged > policy->days ? 1 : std::min(1.0, charged * policy->penalty_per_day);
  return late;
}

std::string sentence(const Late &late) {
  std::string text = late.guessed
                         ? "Handed in late; how late is not in the platform's export, so it counts as 1 day."
                         : fmt::format("Handed in {} late.", days_of(late.days));
  if (late.extension > 0) text += fmt::format(" {} of extension.", days_of(late.extension));
  if (late.share > 0)
    text += fmt::format(" {:g} % of the points are taken off: {:g}.", 100 * late.share, late.points_off);
  return text;
}

}  // namespace warpgrade::score
