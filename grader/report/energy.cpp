#include "report/energy.hpp"

#include <fmt/format.h>

#include <cmath>

namespace warpgrade::report {

namespace {

/// To three digits: energies of kernels span six orders of magnitude.
std::string joules(double j) {
  if (j < 1e-3) return fmt::format("{:.3g} uJ", j * 1e6);
  if (j < 1) return fmt::format("{:.3g} mJ", j * 1e3);
  return fmt::format("{:.3g} J", j);
}

std::string within(double wrong_by) {
  return fmt::format("± {:.0f} %", std::max(1.0, std::ceil(100 * wrong_by)));
}

}  // namespace

std::string energy_text(const grading::PerformanceRecord &p, std::string_view library) {
  if (!p.energy) return "";
  if (!p.energy->why_not.empty()) return p.energy->why_not;
  std::string text = fmt::format("{} per run {}, at {:.0f} W", joules(p.energy->joules),
                                 within(p.energy->wrong_by), p.energy->watts);
  if (const auto &other = p.library_energy)
    text += other->why_not.empty()
                ? fmt::format("; {} {} {}", library, joules(other->joules), within(other->wrong_by))
                : fmt::format("; {}: {}", library, other->why_not);
  return text;
}

Json energy_to_json(const std::optional<run::Energy> &e) {
  if (!e) return nullptr;
  if (!e->why_not.empty()) return {{"reason", for_json(e->why_not)}};
  return {{"joules", number(e->joules)},
          {"within", number(e->wrong_by)},
          {"watts", number(e->watts)},
          {"seconds", number(e->seconds)},
          {"runs", number(e->runs)}};
}

}  // namespace warpgrade::report
