#include "report/measured.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "report/json.hpp"

namespace warpgrade::report {

const MeasuredPoint *Measured::find(const std::string &step) const {
  const auto found =
      std::find_if(points.begin(), points.end(), [&](const MeasuredPoint &p) { return p.step == step; });
  return found == points.end() ? nullptr : &*found;
}

Measured read_measured(const std::string &text, const course::Assignment &a) try {
  const Json j = Json::parse(text);
  if (j.at("schema") != "warpgrade.bench/1")
    throw std::runtime_error(
        "its schema is not warpgrade.bench/1: 'grade bench --json FILE' writes such a file");
  if (j.at("assignment") != a.name)
    throw std::runtime_error("it belongs to another assignment than " + a.name);
  if (j.at("device").at("kind") != "gpu") throw std::runtime_error("it was not measured on a GPU");
  Measured m;
  m.gpu = j.at("device").at("name").get<std::string>();
  for (const Json &point : j.at("points")) {
    MeasuredPoint p;
    p.step = point.at("step").get<std::string>();
    const course::Step *step = a.find_step(p.step);
    if (!step) throw std::runtime_error(fmt::format("{} has no step '{}'", a.name, p.step));
    for (const problem::Integer &i : step->problem->integers())
      p.size.integers.push_back(point.value(i.name, std::int64_t{0}));  // 0: not published
    for (const problem::Real &r : step->problem->reals())
      p.size.reals.push_back(point.value(r.name, r.otherwise));
    p.gflops = point.at(key_of_unit(step->problem->rate_unit())).get<double>();
    // A figure that somebody published may come without its time.
    if (point.contains("milliseconds")) p.milliseconds = point["milliseconds"].at("median").get<double>();
    p.library = problem::name_of(step->problem->library());
    if (point.contains("cublas_gflops") && point["cublas_gflops"].is_number())
      p.library_rate = point["cublas_gflops"].get<double>();
    else if (point.contains("library") && point["library"].is_object())
      p.library_rate = point["library"].at("rate").get<double>();
    if (!(p.gflops > 0) || p.milliseconds < 0) throw std::runtime_error(p.step + " has no rate");
    m.points.push_back(std::move(p));
  }
  return m;
} catch (const Json::exception &e) {
  throw std::runtime_error(e.what());
}

}  // namespace warpgrade::report
