#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "judge/speed.hpp"
#include "report/figures.hpp"
#include "report/html_parts.hpp"
#include "report/prediction.hpp"
#include "report/roofline.hpp"
#include "report/text.hpp"

namespace warpgrade::report {

std::string cell(const std::optional<double> &v) {
  return v ? figure(*v) : "\u2013";
}
std::string cell(double v) {
  return figure(v);
}

std::vector<bool> dips(const std::vector<double> &gflops) {
  constexpr double much = 0.9;
  std::vector<bool> found(gflops.size());
  for (std::size_t i = 1; i + 1 < gflops.size(); ++i)
    found[i] = gflops[i] <= much * gflops[i - 1] && gflops[i] <= much * gflops[i + 1];
  return found;
}

namespace {

std::string percent_or_dash(const std::optional<double> &share) {
  return share ? fmt::format("{:.1f} %", *share * 100) : "\u2013";
}

Json or_null(const std::optional<double> &v) {
  return v ? number(*v) : Json(nullptr);
}

// --- the ladder

/// The interval of a prediction, and what lies between its ends.
void put_predicted(Json &point, const predict::StepPrediction &p) {
  point["predicted"] = number(p.rate(p.prediction.seconds));
  point["low"] = number(p.rate(p.prediction.high));
  point["high"] = number(p.rate(p.prediction.low));
}

/// That of a step, if there is a rate in it.
const predict::StepPrediction *rate_predicted(const Report &r, const std::string &step) {
  const predict::StepPrediction *p = prediction_of(r, step);
  return p != nullptr && p->prediction.why_not.empty() ? p : nullptr;
}

/// A step that was predicted and not measured.
Json predicted_rung(Fields &rungs, const predict::StepPrediction &p) {
  std::optional<double> of_library;
  if (p.cublas) of_library = p.rate(p.prediction.seconds) / *p.cublas;
  Fields rung;
  rung.set("step", p.step);
  rung.set("size", p.problem->case_name(p.size));
  rung.set("gflops", fmt::format("{:.0f} predicted", p.rate(p.prediction.seconds)));
  rung.set("interval",
           fmt::format("{:.0f}\u2013{:.0f}", p.rate(p.prediction.high), p.rate(p.prediction.low)));
  rung.set("of_library", percent_or_dash(of_library));
  for (const char *none : {"over", "of_peak", "pass", "full", "points"}) rung.set(none, "\u2013");
  rungs << rung;
  Json data = {{"step", p.step}, {"gflops", nullptr}, {"of_library", or_null(of_library)}};
  put_predicted(data, p);
  return data;
}

Json ladder(Fields &page, const Report &r) {
  Json data = Json::array();
  Fields rungs(Fields::type::list);
  double before = 0, library = 0;
  bool any_predicted = false, known_before = false;
  for (std::size_t i = 0; i < r.record.steps.size(); ++i) {
    const score::StepScore &s = r.score.steps.at(i);
    const predict::StepPrediction *predicted = rate_predicted(r, s.id);
    any_predicted = any_predicted || predicted != nullptr;
    if (!s.performance) {
      if (predicted == nullptr) continue;
      data.push_back(predicted_rung(rungs, *predicted));
      if (predicted->cublas) library = *predicted->cublas, known_before = true;
      continue;
    }
    const score::Performance &p = *s.performance;
    const auto worth = speed_points(r.assignment, s);
    Fields rung;
    rung.set("step", s.id);
    rung.set("size", r.assignment.problem_of(s.id).case_name(p.size));
    rung.set("gflops", fmt::format("{:.0f}", p.gflops));
    rung.set("interval", fmt::format("{:.0f}\u2013{:.0f}", p.low_gflops, p.high_gflops));
    rung.set("over", before > 0 ? fmt::format("\u00d7 {:.1f}", p.gflops / before) : "\u2013");
    rung.set("of_library", percent_or_dash(p.of_library));
    rung.set("of_peak", percent_or_dash(p.of_peak));
    rung.set("pass", p.pass ? fmt::format("{:.0f}", *p.pass) : "\u2013");
    rung.set("full", p.full ? fmt::format("{:.0f}", *p.full) : "\u2013");
    rung.set("points", worth ? fmt::format("{}/{}", points(worth->points), points(worth->of)) : "\u2013");
    rungs << rung;
    data.push_back({{"step", s.id},
                    {"gflops", number(p.gflops)},
                    {"pass", or_null(p.pass)},
                    {"full", or_null(p.full)},
                    {"of_library", or_null(p.of_library)}});
    if (predicted != nullptr) put_predicted(data.back(), *predicted);
    before = p.gflops;
    if (p.library_rate) library = *p.library_rate;
  }
  if (library > 0)
    data.push_back({{"step", library_of(r.assignment)}, {"gflops", number(library)}, {"library", true}});
  page.set("ladder", !data.empty());
  std::string note = any_predicted ? std::string("Hollow and dashed: predicted, with its interval.") +
                                         (gives_points(r) ? "" : " A prediction gives no points.")
                                   : "";
  if (known_before) note += " Beside a prediction, cuBLAS is as the course measured it.";
  page.set("ladder_note", note);
  page.set("rungs", rungs);
  return data.empty() ? Json(nullptr) : data;
}

// --- speed over size

struct Series {
  std::vector<double> x, gflops;
};

Json sizes(Fields &page, const Report &r, const std::vector<grading::BenchPoint> &bench) {
  // Sizes with all extents alike have one number to stand at.
  std::map<std::string, std::map<std::int64_t, double>> by_step;
  std::map<std::int64_t, double> library;
  std::vector<std::string> order;
  for (const grading::BenchPoint &b : bench) {
    const std::vector<std::int64_t> &e = b.size.integers;
    const auto sizes = problem::sizes_of(r.assignment.problem_of(b.step), b.size).integers;
    if (!b.performance || b.performance->seconds.empty() || e.empty() ||
        std::any_of(sizes.begin(), sizes.end(), [&](const auto &n) { return n && *n != e.front(); }))
      continue;
    const double work = r.assignment.problem_of(b.step).work(b.size);
    if (!by_step.contains(b.step)) order.push_back(b.step);
    by_step[b.step][e.front()] = judge::rate_of(work, b.performance->seconds).median;
    if (!b.performance->library_seconds.empty())
      library[e.front()] = judge::rate_of(work, b.performance->library_seconds).median;
  }
  page.set("sizes", !order.empty());
  Json data = Json::array();
  std::string words;
  std::set<std::int64_t> all;
  std::map<std::string, std::set<std::int64_t>> dipped;
  Fields heads(Fields::type::list), rows(Fields::type::list);
  for (const std::string &step : order) {
    std::vector<double> rates;
    for (const auto &[n, rate] : by_step[step]) rates.push_back(rate), all.insert(n);
    const std::vector<bool> low = dips(rates);
    Json series = {{"step", step}, {"points", Json::array()}};
    std::size_t i = 0;
    for (const auto &[n, rate] : by_step[step]) {
      series["points"].push_back({{"x", n}, {"y", number(rate)}, {"dip", static_cast<bool>(low[i])}});
      if (low[i]) {
        words += fmt::format("{}{} at {}", words.empty() ? "" : ", ", step, n);
        dipped[step].insert(n);
      }
      ++i;
    }
    data.push_back(std::move(series));
    heads << Fields("step", step);
  }
  if (!library.empty()) {
    Json series = {{"step", library_of(r.assignment)}, {"library", true}, {"points", Json::array()}};
    for (const auto &[n, rate] : library) series["points"].push_back({{"x", n}, {"y", number(rate)}});
    data.push_back(std::move(series));
  }
  for (const std::int64_t n : all) {
    Fields row, cells(Fields::type::list);
    const auto put = [&](const std::string &of, const std::map<std::int64_t, double> &rates, bool dip) {
      const auto at = rates.find(n);
      Fields one("of", of);
      one.set("value", at == rates.end() ? "\u2013" : fmt::format("{}{:.0f}", dip ? "* " : "", at->second));
      cells << one;
    };
    for (const std::string &step : order) put(step, by_step[step], dipped[step].contains(n));
    put(library_of(r.assignment), library, false);
    row.set("size", std::to_string(n));
    row.set("cells", cells);
    rows << row;
  }
  page.set("dips", text_or_nothing(words));
  page.set("size_steps", heads);
  page.set("size_rows", rows);
  return order.empty() ? Json(nullptr) : data;
}

// --- the roofline

Json roofline(Fields &page, const Report &r, const std::optional<Roof> &roof) {
  Json points_data = Json::array();
  Fields rows(Fields::type::list);
  bool on_roof = false, any_predicted = false;
  for (std::size_t i = 0; roof && i < r.record.steps.size(); ++i) {
    const grading::StepRecord &s = r.record.steps[i];
    if (!s.counters) continue;
    const simt::Counters &c = s.counters->counts;
    const double requested = simt::per(flops_of(c), c.requested_bytes());
    double compulsory = simt::per(flops_of(c), c.compulsory_bytes());
    if (requested <= 0 || compulsory <= 0) continue;
    std::optional<double> gflops;
    if (const auto &p = r.score.steps.at(i).performance; p && roof->here) {
      gflops = r.assignment.problem_of(s.id).flops(p->size) / p->median_ms / 1e6;
      // At the size that was timed, not at the one that was counted: a larger product reuses more.
      const double bytes = r.assignment.problem_of(s.id).compulsory_bytes(p->size);
      if (bytes > 0) compulsory = r.assignment.problem_of(s.id).flops(p->size) / bytes;
    }
    const predict::StepPrediction *predicted = gflops ? nullptr : rate_predicted(r, s.id);
    if (predicted != nullptr && (predicted->gpu != roof->gpu || predicted->problem->rate_unit() != "GFLOPS"))
      predicted = nullptr;
    if (predicted != nullptr)
      if (const double bytes = predicted->problem->compulsory_bytes(predicted->size); bytes > 0)
        compulsory = predicted->problem->flops(predicted->size) / bytes;
    on_roof = on_roof || (!gflops && predicted == nullptr);
    any_predicted = any_predicted || predicted != nullptr;
    points_data.push_back({{"step", s.id},
                           {"requested", number(requested)},
                           {"compulsory", number(compulsory)},
                           {"gflops", or_null(gflops)}});
    if (predicted != nullptr) put_predicted(points_data.back(), *predicted);
    Fields row;
    row.set("step", s.id);
    row.set("requested", figure(requested));
    row.set("compulsory", figure(compulsory));
    const auto under = [&](double x) {
      return fmt::format("{:.0f}", attainable(roof->peak_gflops, roof->memory_gb_per_s, x));
    };
    row.set("low_roof", under(requested));
    row.set("high_roof", under(compulsory));
    row.set("gflops", gflops ? fmt::format("{:.0f}", *gflops)
                      : predicted != nullptr
                          ? fmt::format("{:.0f} predicted", predicted->rate(predicted->prediction.seconds))
                          : "\u2013");
    rows << row;
  }
  page.set("roofline", !points_data.empty());
  if (points_data.empty()) return nullptr;
  page.set("roof_gpu", roof->gpu);
  std::string note;
  if (any_predicted)
    note = fmt::format("Both marks of a step are hollow and dashed at a predicted rate{}. ",
                       gives_points(r) ? "" : ", which gives no points");
  if (on_roof)
    note +=
        fmt::format("A step that was not {} is drawn on the roof: no kernel of its intensity can be faster.",
                    any_predicted ? "predicted" : "timed");
  page.set("roof_note", note);
  page.set("roof_peak", fmt::format("{:.0f}", roof->peak_gflops));
  page.set("roof_bandwidth", fmt::format("{:.0f}", roof->memory_gb_per_s));
  page.set("roof_ridge", figure(ridge(roof->peak_gflops, roof->memory_gb_per_s)));
  page.set("roof_rows", rows);
  return {{"gpu", for_json(roof->gpu)},
          {"peak", number(roof->peak_gflops)},
          {"bandwidth", number(roof->memory_gb_per_s)},
          {"points", points_data}};
}

}  // namespace

Json put_speed(Fields &page, const Report &r, const Extras &extras) {
  Json data;
  data["ladder"] = ladder(page, r);
  data["sizes"] = sizes(page, r, extras.bench);
  data["roofline"] = roofline(page, r, extras.roof);
  const bool any = !data["ladder"].is_null() || !data["sizes"].is_null() || !data["roofline"].is_null();
  page.set("charts", any);
  return data;
}

}  // namespace warpgrade::report
