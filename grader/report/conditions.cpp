#include "report/conditions.hpp"

#include <fmt/format.h>

namespace warpgrade::report {

std::string conditions_text(const score::Conditions &c) {
  std::string text;
  if (c.clocks) {
    const auto &k = *c.clocks;
    text = k.least_sm_mhz == k.most_sm_mhz
               ? fmt::format("SM clock {} MHz", k.most_sm_mhz)
               : fmt::format("SM clock {} to {} MHz", k.least_sm_mhz, k.most_sm_mhz);
    text += fmt::format(", up to {} °C and {:.0f} W", k.most_celsius, k.most_watts);
  }
  const auto add = [&text](const std::string &more) { text += (text.empty() ? "" : "; ") + more; };
  if (c.throttled_throughout)
    add(
        fmt::format("the GPU ran below its clocks all the time ({}): shares of a library are fair, other "
                    "thresholds may be out of reach",
                    c.reasons));
  else if (c.throttled_runs > 0)
    add(fmt::format("{} run{} repeated, because the GPU ran below its clocks ({})", c.throttled_runs,
                    c.throttled_runs == 1 ? " was" : "s were", c.reasons));
  if (c.cut_short) add("too slow for more than a few runs");
  if (!c.settled) add("the clocks never settled");
  return text;
}

std::string remark_on_thresholds(const Report &r) {
  if (!r.record.device.gpu || !r.thresholds.predicted()) return "";
  return fmt::format("The speed thresholds for {} were predicted, not measured there (thresholds/{}).",
                     r.thresholds.gpu, r.thresholds.file);
}

std::string compiler_remark(const std::string &front_end, const std::optional<score::Performance> &speed) {
  if (front_end.starts_with("nvcc") || !speed || !speed->full || speed->counts_as >= *speed->full) return "";
  return fmt::format("{} compiled this; the thresholds are for nvcc's code, which may be faster", front_end);
}

Json conditions_to_json(const score::Conditions &c) {
  Json j = {{"settled", c.settled},
            {"cut_short", c.cut_short},
            {"throttled_runs", c.throttled_runs},
            {"throttled_throughout", c.throttled_throughout},
            {"throttle_reasons", c.reasons}};
  j["sm_mhz"] = nullptr;
  if (c.clocks) {
    j["sm_mhz"] = {{"least", c.clocks->least_sm_mhz}, {"most", c.clocks->most_sm_mhz}};
    j["memory_mhz"] = c.clocks->memory_mhz;
    j["celsius"] = c.clocks->most_celsius;
    j["watts"] = c.clocks->most_watts;
  }
  return j;
}

}  // namespace warpgrade::report
