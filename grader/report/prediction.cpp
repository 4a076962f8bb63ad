#include "report/prediction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/json.hpp"
#include "report/text.hpp"
#include "report/what_if.hpp"

namespace warpgrade::report {

namespace {

constexpr double least_share = 0.05;  ///< of the time, for a line to be named
constexpr std::size_t most_lines_named = 3;

std::string lines_of(const predict::StepPrediction &p, std::string_view unit) {
  std::vector<std::string> named;
  for (const predict::LineShare &line : p.prediction.lines) {
    if (line.share < least_share || named.size() == most_lines_named) break;
    const std::string file = line.at.file.empty() || line.at.file == p.file ? "" : line.at.file + ":";
    named.push_back(fmt::format("line {}{}: {:.0f} %{}", file, line.at.line, 100 * line.share,
                                named.empty() ? unit : ""));
  }
  return fmt::format("{}", fmt::join(named, ", "));
}

/// What limits it, and where: "instruction issue (line 65: 76 % of the time, line 62: 9 %)".
std::string limit_of(const predict::StepPrediction &p, std::string_view unit) {
  const std::string lines = lines_of(p, unit);
  return std::string(predict::name_of(p.prediction.limit)) + (lines.empty() ? "" : " (" + lines + ")");
}

/// "24592 to 44819"
std::string range_of(const predict::StepPrediction &p) {
  return fmt::format("{:.0f} to {:.0f}", p.rate(p.prediction.high), p.rate(p.prediction.low));
}

std::string sentence(const predict::StepPrediction &p) {
  const predict::Prediction &x = p.prediction;
  if (!x.why_not.empty()) return fmt::format("{}: cannot predict: {}", p.step, x.why_not);
  std::string text = fmt::format("{}: predicted {} {}", p.step, range_of(p), p.problem->rate_unit());
  if (p.cublas) text += fmt::format(", about {:.0f} % of cuBLAS", 100 * p.rate(x.seconds) / *p.cublas);
  return text + "; limited by " + limit_of(p, "");
}

Json lines_to_json(const std::vector<predict::LineShare> &lines) {
  Json j = Json::array();
  for (const predict::LineShare &line : lines)
    j.push_back({{"file", for_json(line.at.file)}, {"line", line.at.line}, {"share", number(line.share)}});
  return j;
}

Json launch_to_json(const predict::LaunchPrediction &l) {
  Json j;
  j["kernel"] = for_json(l.kernel);
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

Json point_to_json(const predict::StepPrediction &p) {
  const predict::Prediction &x = p.prediction;
  Json j;
  j["step"] = p.step;
  put_sizes(j, *p.problem, p.size, true);
  j["gpu"] = p.gpu;
  j["predicted"] = true;
  if (!x.why_not.empty()) {
    j["why_not"] = for_json(x.why_not);
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
  j["lines"] = lines_to_json(x.lines);
  put_what_if(j, p);
  j["launches"] = Json::array();
  for (const predict::LaunchPrediction &l : x.launches) j["launches"].push_back(launch_to_json(l));
  j["caveats"] = x.caveats;
  return j;
}

}  // namespace

const predict::StepPrediction *prediction_of(const Report &r, const std::string &step) {
  if (r.predictions == nullptr) return nullptr;
  const auto found = r.predictions->find(step);
  return found == r.predictions->end() ? nullptr : &found->second;
}

bool gives_points(const Report &r) {
  return !r.score.without_gpu.empty() && r.assignment.without_gpu == course::WithoutGpu::predicted;
}

bool gives_points(const score::StepScore &s) {
  return s.in_place && s.in_place->policy == course::WithoutGpu::predicted;
}

std::string prediction_in_words(const predict::StepPrediction &p, bool gives_points) {
  const predict::Prediction &x = p.prediction;
  if (!x.why_not.empty()) return fmt::format("cannot predict the time on {}: {}", p.gpu, x.why_not);
  return fmt::format(
      "predicted for {} at {}: {} {}{}, limited by {}{}", p.gpu, p.problem->case_name(p.size), range_of(p),
      p.problem->rate_unit(),
      p.cublas ? fmt::format(" (about {:.0f} % of cuBLAS)", 100 * p.rate(x.seconds) / *p.cublas) : "",
      limit_of(p, " of the time"), gives_points ? "." : ". A prediction gives no points.");
}

std::string prediction_beside(const predict::StepPrediction &p, double measured) {
  const predict::Prediction &x = p.prediction;
  if (!x.why_not.empty()) return fmt::format("cannot predict the time: {}", x.why_not);
  return fmt::format("predicted {:.0f} {} ({}), limited by {}; measured: {:.2f} times as fast",
                     p.rate(x.seconds), p.problem->rate_unit(), range_of(p), limit_of(p, " of the time"),
                     measured / p.rate(x.seconds));
}

Json prediction_to_json(const predict::StepPrediction &p, const std::optional<double> &measured,
                        bool gives_points) {
  const predict::Prediction &x = p.prediction;
  Json j = {{"gives_points", gives_points}, {"gpu", for_json(p.gpu)}};
  put_sizes(j, *p.problem, p.size, false);
  if (!x.why_not.empty()) {
    j["why_not"] = for_json(x.why_not);
    return j;
  }
  j["unit"] = p.problem->rate_unit();
  j["low"] = number(p.rate(x.high));
  j["likely"] = number(p.rate(x.seconds));
  j["high"] = number(p.rate(x.low));
  j["of_cublas"] = p.cublas ? number(p.rate(x.seconds) / *p.cublas) : Json(nullptr);
  if (measured) j["measured_over_likely"] = number(*measured / p.rate(x.seconds));
  j["limited_by"] = predict::name_of(x.limit);
  j["lines"] = lines_to_json(x.lines);
  put_what_if(j, p);
  j["caveats"] = x.caveats;
  return j;
}

std::string predictions_to_terminal(const std::string &assignment,
                                    const std::vector<predict::StepPrediction> &points, const Style &style) {
  const auto paint = [&](std::string_view code, std::string_view text) {
    return style.color ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
  };
  const std::size_t columns = std::max<std::size_t>(style.columns, 40);
  std::string out, head;
  std::vector<std::string> caveats;
  for (const predict::StepPrediction &p : points) {
    const std::string here =
        fmt::format("{} at {}, predicted for {}", assignment, p.problem->case_name(p.size), p.gpu);
    if (here != head) out += (head.empty() ? "" : "\n") + paint("1", here) + "\n";
    head = here;
    for (const std::string &part : wrap(for_terminal(sentence(p)), columns)) out += part + "\n";
    for (const std::string &promise : promises_in_words(p))
      for (const std::string &part : wrap(for_terminal(promise), columns - 2)) out += "  " + part + "\n";
    for (const std::string &c : p.prediction.caveats)
      if (std::find(caveats.begin(), caveats.end(), c) == caveats.end()) caveats.push_back(c);
  }
  out += "\n";
  for (const std::string &c : caveats)
    for (const std::string &part : wrap(for_terminal(c), columns)) out += paint("2", part) + "\n";
  for (const std::string &part : wrap("A prediction gives no points. Of the kernels measured on an H200, "
                                      "nine of ten are within their "
                                      "interval; "
                                      "Warpgrade's docs/prediction.md says for which kernels it fails.",
                                      columns))
    out += paint("2", part) + "\n";
  return out;
}

std::string predictions_to_json(const std::string &assignment,
                                const std::vector<predict::StepPrediction> &points) {
  Json j;
  j["schema"] = "warpgrade.prediction/1";
  j["assignment"] = assignment;
  j["points"] = Json::array();
  for (const predict::StepPrediction &p : points) j["points"].push_back(point_to_json(p));
  return j.dump(2) + "\n";
}

}  // namespace warpgrade::report
