#include "report/prediction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/json.hpp"
#include "report/text.hpp"

namespace warpgrade::report {

namespace {

constexpr double least_share = 0.05;  ///< of the time, for a line to be named
constexpr std::size_t most_lines_named = 3;

std::string lines_of(const PredictedPoint &p) {
  std::vector<std::string> named;
  for (const predict::LineShare &line : p.prediction.lines) {
    if (line.share < least_share || named.size() == most_lines_named) break;
    named.push_back(fmt::format("line {}: {:.0f} %", line.at.line, 100 * line.share));
  }
  return fmt::format("{}", fmt::join(named, ", "));
}

std::string sentence(const PredictedPoint &p) {
  const predict::Prediction &x = p.prediction;
  if (!x.why_not.empty()) return fmt::format("{}: cannot predict: {}", p.step, x.why_not);
  std::string text = fmt::format("{}: predicted {:.0f} to {:.0f} {}", p.step, p.rate(x.high), p.rate(x.low),
                                 p.problem->rate_unit());
  if (p.cublas) text += fmt::format(", about {:.0f} % of cuBLAS", 100 * p.rate(x.seconds) / *p.cublas);
  text += fmt::format("; limited by {}", predict::name_of(x.limit));
  if (const std::string lines = lines_of(p); !lines.empty()) text += fmt::format(" ({})", lines);
  return text;
}

Json launch_to_json(const predict::LaunchPrediction &l) {
  Json j;
  j["kernel"] = l.kernel;
  j["milliseconds"] = 1e3 * l.seconds;
  j["limit"] = predict::name_of(l.limit);
  j["blocks_per_multiprocessor"] = l.resident;
  j["limited_by"] = l.resident_limit;
  j["waves"] = l.waves;
  j["cycles_per_block"] = {
      {"issue", l.issue}, {"arithmetic", l.arithmetic}, {"load_store", l.load_store}, {"path", l.latency}};
  j["l1_hits"] = l.l1_hits;
  j["l2_bytes"] = l.l2_bytes;
  j["dram_bytes"] = l.dram_bytes;
  return j;
}

Json point_to_json(const PredictedPoint &p) {
  const predict::Prediction &x = p.prediction;
  Json j;
  j["step"] = p.step;
  put_sizes(j, *p.problem, p.size, true);
  j["gpu"] = p.gpu;
  j["predicted"] = true;
  if (!x.why_not.empty()) {
    j["why_not"] = x.why_not;
    return j;
  }
  const std::string rate = key_of_unit(p.problem->rate_unit());
  j[rate] = number(p.rate(x.seconds));
  j[rate + "_low"] = number(p.rate(x.high));
  j[rate + "_high"] = number(p.rate(x.low));
  j["milliseconds"] = 1e3 * x.seconds;
  if (p.cublas) j["of_cublas"] = p.rate(x.seconds) / *p.cublas;
  if (p.roofline > 0) j["roofline_" + rate] = p.roofline;
  j["limit"] = predict::name_of(x.limit);
  j["lines"] = Json::array();
  for (const predict::LineShare &line : x.lines)
    j["lines"].push_back({{"file", line.at.file}, {"line", line.at.line}, {"share", line.share}});
  j["launches"] = Json::array();
  for (const predict::LaunchPrediction &l : x.launches) j["launches"].push_back(launch_to_json(l));
  j["caveats"] = x.caveats;
  return j;
}

}  // namespace

double PredictedPoint::rate(double seconds) const {
  return seconds > 0 ? problem->flops(size) / seconds / 1e9 : 0;
}

std::string predictions_to_terminal(const std::string &assignment, const std::vector<PredictedPoint> &points,
                                    const Style &style) {
  const auto paint = [&](std::string_view code, std::string_view text) {
    return style.color ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
  };
  const std::size_t columns = std::max<std::size_t>(style.columns, 40);
  std::string out, head;
  std::vector<std::string> caveats;
  for (const PredictedPoint &p : points) {
    const std::string here =
        fmt::format("{} at {}, predicted for {}", assignment, p.problem->case_name(p.size), p.gpu);
    if (here != head) out += (head.empty() ? "" : "\n") + paint("1", here) + "\n";
    head = here;
    for (const std::string &part : wrap(for_terminal(sentence(p)), columns)) out += part + "\n";
    for (const std::string &c : p.prediction.caveats)
      if (std::find(caveats.begin(), caveats.end(), c) == caveats.end()) caveats.push_back(c);
  }
  out += "\n";
  for (const std::string &c : caveats)
    for (const std::string &part : wrap(for_terminal(c), columns)) out += paint("2", part) + "\n";
  for (const std::string &part : wrap("A prediction gives no points. Of the kernels measured on an H200, "
                                      "seven of eight lie within their "
                                      "interval; "
                                      "docs/prediction.md says for which kernels it fails.",
                                      columns))
    out += paint("2", part) + "\n";
  return out;
}

std::string predictions_to_json(const std::string &assignment, const std::vector<PredictedPoint> &points) {
  Json j;
  j["schema"] = "warpgrade.prediction/1";
  j["assignment"] = assignment;
  j["points"] = Json::array();
  for (const PredictedPoint &p : points) j["points"].push_back(point_to_json(p));
  return j.dump(2) + "\n";
}

}  // namespace warpgrade::report
