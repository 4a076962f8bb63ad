#include "report/bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/csv.hpp"
#include "base/statistics.hpp"
#include "report/conditions.hpp"
#include "report/energy.hpp"
#include "report/figures.hpp"
#include "report/json.hpp"
#include "report/text.hpp"

namespace warpgrade::report {

namespace {

std::optional<score::Performance> rates_of(const Bench &b, const grading::BenchPoint &p) {
  if (!p.performance || p.performance->seconds.empty()) return std::nullopt;
  return score::performance_of(b.problem, *p.performance, b.peak_gflops);
}

std::string share_of(const std::optional<double> &share) {
  return share ? fmt::format("{:.1f}%", 100 * *share) : "-";
}

/// The profiler's milliseconds for a point, and ours over them.
struct Profiled {
  double milliseconds = 0;
  double ours_over_it = 0;
};
std::optional<Profiled> profiled(const Bench &b, std::size_t index) {
  const auto r = rates_of(b, b.points[index]);
  if (!r || index >= b.profiler_seconds.size() || !b.profiler_seconds[index]) return std::nullopt;
  const double milliseconds = 1e3 * *b.profiler_seconds[index];
  return Profiled{milliseconds, r->median_ms / milliseconds};
}

using simt::per;

class Table {
 public:
  Table(const Bench &b, const Style &style) : b_(b), style_(style) {
    for (const grading::BenchPoint &p : b.points) first_ = std::max(first_, p.step.size() + 2);
  }

  std::string render() {
    out_ = paint("1", fmt::format("{} on {}", b_.assignment.name, b_.device.name)) + "\n";
    if (!b_.device.gpu)
      for (const std::string &part :
           wrap("Counters only: the simulator has no times, and its figures are the same on every machine.",
                std::max<std::size_t>(style_.columns, 40)))
        out_ += paint("2", part) + "\n";
    const problem::Case *size = nullptr;
    for (std::size_t i = 0; i < b_.points.size(); ++i) {
      const grading::BenchPoint &p = b_.points[i];
      if (!size || b_.problem.case_name(*size) != b_.problem.case_name(p.size)) head(p.size);
      size = &p.size;
      line(p, profiled(b_, i));
    }
    say_how_devices_help();
    if (!b_.why_not_profiled.empty()) out_ += "\n" + for_terminal(b_.why_not_profiled) + "\n";
    return out_;
  }

 private:
  std::string paint(std::string_view code, std::string_view text) const {
    return style_.color ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
  }

  /// Of steps that were measured on different numbers of devices: how much faster more are than the fewest.
  void say_how_devices_help() {
    const auto &known = b_.problem.integers();
    const auto devices = std::ranges::find(known, "devices", &problem::Integer::name);
    if (devices == known.end() || !b_.device.gpu) return;
    const auto at = static_cast<std::size_t>(devices - known.begin());
    std::string lines;
    for (const grading::BenchPoint &more : b_.points) {
      const grading::BenchPoint *fewest = nullptr;
      for (const grading::BenchPoint &p : b_.points) {
        problem::Case as_more = p.size;
        as_more.integers[at] = more.size.integers[at];
        const bool fewer = p.size.integers[at] < (fewest ? fewest->size : more.size).integers[at];
        const bool same_work = b_.problem.work(p.size) == b_.problem.work(more.size);
        if (fewer && same_work && p.step == more.step && as_more == more.size && rates_of(b_, p)) fewest = &p;
      }
      const auto rate = rates_of(b_, more);
      if (!fewest || !rate) continue;
      problem::Case size = more.size;
      size.integers[at] = devices->otherwise.value_or(size.integers[at]);
      lines += fmt::format("{} at {}: {:.2f} times as fast on {} devices as on {}\n", more.step,
                           b_.problem.case_name(size), rate->gflops / rates_of(b_, *fewest)->gflops,
                           more.size.integers[at], fewest->size.integers[at]);
    }
    if (!lines.empty()) out_ += "\n" + lines;
  }

  void head(const problem::Case &size) {
    out_ += "\n" + paint("1", b_.problem.case_name(size)) + "\n";
    library_shown_ = false;
    if (narrow()) return;
    const std::string columns =
        b_.device.gpu
            ? fmt::format("{:<{}}{:>12}{:>11}{:>11}{:>10}{:>{}}{:>9}", "step", first_, "median ms", "p10",
                          "p90", b_.problem.rate_unit(), of_library_, share_width(), "of peak")
            : fmt::format("{:<{}}{:>13}{:>14}{:>11}{:>11}{:>11}{:>10}", "step", first_, "sectors/load",
                          "sectors/store", "wavefronts", "conflicts", "bytes/flop", "requests");
    const bool more = b_.device.gpu && !b_.profiler_seconds.empty();
    out_ += paint("2", columns + (more ? fmt::format("{:>13}{:>10}", "profiler ms", "ours/its") : "")) + "\n";
  }

  std::size_t share_width() const { return std::max<std::size_t>(11, of_library_.size() + 2); }
  bool narrow() const { return style_.columns < 80; }
  void sentence(const std::string &step, const std::vector<std::string> &values) {
    const std::vector<std::string> times = {"median ms",   "p10",
                                            "p90",         std::string(b_.problem.rate_unit()),
                                            of_library_,   "of peak",
                                            "profiler ms", "ours/its"},
                                   counters = {"sectors/load", "sectors/store", "wavefronts",
                                               "conflicts",    "bytes/flop",    "requests"};
    out_ += as_sentence(step, b_.device.gpu ? times : counters, values, style_.columns);
  }

  void line(const grading::BenchPoint &p, const std::optional<Profiled> &its) {
    if (const auto r = rates_of(b_, p)) {
      if (r->library_rate && !library_shown_) library(p, *r);
      if (narrow())
        return sentence(p.step, {fmt::format("{:.4f}", r->median_ms), fmt::format("{:.4f}", r->p10_ms),
                                 fmt::format("{:.4f}", r->p90_ms), fmt::format("{:.0f}", r->gflops),
                                 share_of(r->of_library), share_of(r->of_peak),
                                 its ? fmt::format("{:.4f}", its->milliseconds) : "",
                                 its ? fmt::format("{:.3f}", its->ours_over_it) : ""});
      out_ += fmt::format("{:<{}}{:>12.4f}{:>11.4f}{:>11.4f}{:>10.0f}{:>{}}{:>9}", p.step, first_,
                          r->median_ms, r->p10_ms, r->p90_ms, r->gflops, share_of(r->of_library),
                          share_width(), share_of(r->of_peak));
      if (its)
        out_ += fmt::format("{:>13.4f}{:>10.3f}", its->milliseconds, its->ours_over_it);
      else if (!b_.profiler_seconds.empty())
        out_ += fmt::format("{:>13}{:>10}", "-", "-");
      out_ += "\n";
      // A GPU of 700 W slows down in large products: a rate without its clocks cannot be compared.
      if (const std::string was = conditions_text(score::conditions_of(*p.performance)); !was.empty())
        for (const std::string &part : wrap(was, style_.columns > 49 ? style_.columns - 9 : 40))
          out_ += paint("2", std::string(9, ' ') + part) + "\n";
      if (const std::string energy = energy_text(*p.performance, name_); !energy.empty())
        for (const std::string &part : wrap(energy, style_.columns > 49 ? style_.columns - 9 : 40))
          out_ += std::string(9, ' ') + part + "\n";
    } else if (p.counters) {
      const simt::Counters &c = p.counters->counts;
      const std::uint64_t wavefronts = c.wavefronts();
      if (narrow())
        return sentence(p.step, {fmt::format("{:.2f}", per(c.global_load.sectors, c.global_load.requests)),
                                 fmt::format("{:.2f}", per(c.global_store.sectors, c.global_store.requests)),
                                 std::to_string(wavefronts), std::to_string(c.conflicts()),
                                 fmt::format("{:.4f}", per(c.requested_bytes(), flops_of(c))),
                                 std::to_string(c.global_requests())});
      out_ += fmt::format("{:<{}}{:>13.2f}{:>14.2f}{:>11}{:>11}{:>11.4f}{:>10}\n", p.step, first_,
                          per(c.global_load.sectors, c.global_load.requests),
                          per(c.global_store.sectors, c.global_store.requests), wavefronts, c.conflicts(),
                          per(c.requested_bytes(), flops_of(c)), c.global_requests());
    } else {
      out_ += narrow() ? as_sentence(p.step + ": " + for_terminal(p.why_not), {}, {}, style_.columns)
                       : fmt::format("{:<{}}  {}\n", p.step, first_, for_terminal(p.why_not));
    }
  }

  void library(const grading::BenchPoint &p, const score::Performance &r) {
    const auto milliseconds = [&](double q) { return 1e3 * quantile(p.performance->library_seconds, q); };
    library_shown_ = true;
    if (narrow())
      return sentence(name_,
                      {fmt::format("{:.4f}", milliseconds(0.5)), fmt::format("{:.4f}", milliseconds(0.1)),
                       fmt::format("{:.4f}", milliseconds(0.9)), fmt::format("{:.0f}", *r.library_rate)});
    out_ +=
        paint("2",
              fmt::format(
                  "{:<{}}{:>12.4f}{:>11.4f}{:>11.4f}{:>10.0f}{:>{}}{:>9}", name_, first_, milliseconds(0.5),
                  milliseconds(0.1), milliseconds(0.9), *r.library_rate, "", share_width(),
                  share_of(b_.peak_gflops ? std::optional(*r.library_rate /
                                                          (*b_.peak_gflops * b_.problem.devices(r.size)))
                                          : std::nullopt))) +
        "\n";
  }

  const Bench &b_;
  const std::string name_{problem::name_of(b_.problem.library())}, of_library_ = "of " + name_;
  Style style_;
  std::size_t first_ = 9;  ///< characters of the first column
  std::string out_;
  bool library_shown_ = false;
};

template <class T>
std::string csv(const std::optional<T> &v) {
  return v ? fmt::format("{:.6g}", *v) : "";
}

std::optional<double> joules_of(const std::optional<run::Energy> &e) {
  return e && e->why_not.empty() ? std::optional(e->joules) : std::nullopt;
}

Json one_point(const Bench &b, std::size_t index) {
  const grading::BenchPoint &p = b.points[index];
  Json j = {{"step", p.step}};
  put_sizes(j, b.problem, p.size, true);
  if (const auto r = rates_of(b, p)) {
    j[key_of_unit(r->unit)] = number(r->gflops);
    j["milliseconds"] = {
        {"median", number(r->median_ms)}, {"p10", number(r->p10_ms)}, {"p90", number(r->p90_ms)}};
    j["samples"] = p.performance->seconds.size();
    put_library(j, *r);
    j["gpu"] = conditions_to_json(score::conditions_of(*p.performance));
    if (p.performance->energy) {
      j["energy"] = energy_to_json(p.performance->energy);
      j["library_energy"] = energy_to_json(p.performance->library_energy);
    }
    j["of_peak"] = r->of_peak ? number(*r->of_peak) : Json(nullptr);
    if (const auto its = profiled(b, index))
      j["profiler"] = {{"milliseconds", number(its->milliseconds)},
                       {"ours_over_it", number(its->ours_over_it)}};
  } else if (p.counters) {
    j["counters"] = counters_to_json(b.problem, *p.counters, {});
  } else {
    j["reason"] = for_json(p.why_not);
  }
  return j;
}

/// x is the cube root of M N K or its like: the size of the square problem with as many flops.
double equal_square(const Bench &b, const problem::Case &size) {
  double product = 1, sizes = 0;
  for (std::size_t i = 0; i < size.integers.size(); ++i)
    if (b.problem.integers()[i].size) product *= static_cast<double>(size.integers[i]), ++sizes;
  return std::pow(product, 1.0 / std::max(1.0, sizes));
}

}  // namespace

std::string bench_to_terminal(const Bench &b, const Style &style) {
  return Table(b, style).render();
}

std::string bench_to_csv(const Bench &b) {
  const problem::Problem &p = b.problem;
  std::string text = "step";
  for (const problem::Integer &i : p.integers()) text += "," + i.name;
  text += fmt::format(
      ",median_ms,p10_ms,p90_ms,{},cublas_gflops,of_cublas,of_peak,sectors_per_load,sectors_per_store,"
      "shared_wavefronts,bank_conflicts,bytes_per_flop,profiler_ms,library,library_rate,of_library,least_sm_"
      "mhz,most_sm_mhz,watts,joules,library_joules,reason\n",
      key_of_unit(p.rate_unit()));
  for (std::size_t i = 0; i < b.points.size(); ++i) {
    const grading::BenchPoint &point = b.points[i];
    text += point.step;
    for (const std::int64_t n : point.size.integers) text += fmt::format(",{}", n);
    const auto its = profiled(b, i);
    const auto r = rates_of(b, point);
    const bool cublas = r && r->library == problem::Library::cublas;
    if (r)
      text +=
          fmt::format(",{:.6g},{:.6g},{:.6g},{:.6g},{},{},{}", r->median_ms, r->p10_ms, r->p90_ms, r->gflops,
                      cublas ? csv(r->library_rate) : "", cublas ? csv(r->of_library) : "", csv(r->of_peak));
    else
      text += ",,,,,,,";
    if (point.counters) {
      const simt::Counters &c = point.counters->counts;
      text += fmt::format(",{:.6g},{:.6g},{},{},{:.6g}", per(c.global_load.sectors, c.global_load.requests),
                          per(c.global_store.sectors, c.global_store.requests), c.wavefronts(), c.conflicts(),
                          per(c.requested_bytes(), flops_of(c)));
    } else {
      text += ",,,,,";
    }
    const bool nothing = !point.performance && !point.counters;
    text += "," + csv(its ? std::optional(its->milliseconds) : std::nullopt);
    text += r && r->library_rate ? fmt::format(",{},{:.6g},{:.6g}", problem::name_of(r->library),
                                               *r->library_rate, *r->of_library)
                                 : ",,,";
    const auto clocks =
        r ? score::conditions_of(*point.performance).clocks : std::optional<score::Conditions::Clocks>();
    text += clocks
                ? fmt::format(",{},{},{:.0f}", clocks->least_sm_mhz, clocks->most_sm_mhz, clocks->most_watts)
                : ",,,";
    for (const auto energy :
         {&grading::PerformanceRecord::energy, &grading::PerformanceRecord::library_energy})
      text += "," + csv(point.performance ? joules_of((*point.performance).*energy) : std::nullopt);
    text += "," + (nothing ? csv_text(for_terminal(point.why_not)) : std::string()) + "\n";
  }
  return text;
}

std::string bench_to_json(const Bench &b) {
  Json j = {
      {"schema", "warpgrade.bench/1"},
      {"assignment", b.assignment.name},
      {"device", {{"kind", b.device.gpu ? "gpu" : "sim"}, {"name", b.device.name}, {"arch", b.device.arch}}},
      {"points", Json::array()},
      {"series", Json::array()}};
  std::vector<std::string> steps;
  for (std::size_t i = 0; i < b.points.size(); ++i) {
    j["points"].push_back(one_point(b, i));
    const std::string &step = b.points[i].step;
    if (std::find(steps.begin(), steps.end(), step) == steps.end()) steps.push_back(step);
  }
  if (!b.why_not_profiled.empty()) j["why_not_profiled"] = for_json(b.why_not_profiled);
  const std::string unit = key_of_unit(b.problem.rate_unit());
  Json library = {
      {"label", problem::name_of(b.problem.library())}, {"x", Json::array()}, {unit, Json::array()}};
  for (const std::string &step : steps) {
    Json one = {{"label", step}, {"x", Json::array()}, {unit, Json::array()}};
    for (const grading::BenchPoint &p : b.points) {
      const auto r = rates_of(b, p);
      if (p.step != step || !r) continue;
      one["x"].push_back(equal_square(b, p.size));
      one[unit].push_back(number(r->gflops));
      if (step != steps.front() || !r->library_rate) continue;
      library["x"].push_back(equal_square(b, p.size));
      library[unit].push_back(number(*r->library_rate));
    }
    if (!one["x"].empty()) j["series"].push_back(std::move(one));
  }
  if (!library["x"].empty()) j["series"].push_back(std::move(library));
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace warpgrade::report
