#include "report/proof.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "report/json.hpp"
#include "report/text.hpp"

namespace warpgrade::report {
namespace {

constexpr std::size_t result_indent = 11;

/// "bounds, races and barriers"
std::string enumerated(const std::vector<std::string> &names) {
  if (names.size() < 2) return names.empty() ? "" : names.front();
  const std::vector<std::string> first(names.begin(), names.end() - 1);
  return fmt::format("{} and {}", fmt::join(first, ", "), names.back());
}

std::string place_in_words(const grading::PropertyRecord &p) {
  return p.line > 0 ? fmt::format("{}:{}: ", for_terminal(p.file), p.line) : "";
}

/// A label, and text beside it.
std::string beside(const std::string &label, const std::string &text, std::size_t columns) {
  std::string all;
  for (const std::string &line : wrap(text, std::clamp(columns, narrowest, widest) - result_indent)) {
    const std::string head = all.empty() ? "  " + label : "";
    all += head + std::string(result_indent - head.size(), ' ') + line + "\n";
  }
  return all;
}

}  // namespace

std::string property_in_words(const std::string &property) {
  if (property == "bounds") return "every access is within its buffer";
  if (property == "races") return "no two threads race";
  if (property == "written") return "every element of the output is written exactly once";
  if (property == "barriers") return "every barrier is reached by all threads";
  if (property == "overflow") return "no index overflows";
  return property;
}

std::string result_in_words(const grading::PropertyRecord &p) {
  const std::string why = for_terminal(p.why);
  if (p.result == "proved") return why.empty() ? "proved" : fmt::format("proved, if {}", why);
  const std::string at = p.at.empty() ? "" : fmt::format(" at {}", p.at);
  if (why.empty() && p.line == 0) return p.result + at;
  return fmt::format("{}{}: {}{}", p.result, at, place_in_words(p), why);
}

std::string properties_in_a_line(const std::vector<grading::PropertyRecord> &all) {
  std::vector<std::string> proved, others;
  bool telling = false;  // of memory, which is what people ask about
  for (const grading::PropertyRecord &p : all) {
    const bool memory = p.property == "bounds" || p.property == "races";
    telling = telling || p.result == "fails" || (memory && p.result == "proved");
    if (p.result == "proved")
      proved.push_back(p.property);
    else if (p.result == "fails" || p.line > 0)
      others.push_back(fmt::format("{}: {}{}{}", p.property, p.result, p.at.empty() ? "" : " at " + p.at,
                                   p.line > 0 ? fmt::format(", line {}", p.line) : ""));
  }
  if (!telling) return "";
  std::string text = proved.empty() ? "" : fmt::format("{} proved for all sizes", enumerated(proved));
  for (const std::string &other : others) text += (text.empty() ? "" : "; ") + other;
  return text;
}

namespace {

const course::ProofPoints *worth_of(const course::Step &step, const grading::PropertyRecord &p) {
  const auto found = std::find_if(step.proof.begin(), step.proof.end(),
                                  [&](const auto &one) { return one.property == p.property; });
  return found == step.proof.end() ? nullptr : &*found;
}

}  // namespace

std::string points_of_property(const course::Step &step, const grading::PropertyRecord &p) {
  const course::ProofPoints *worth = worth_of(step, p);
  if (worth == nullptr) return "";
  if (p.result != "proved" && p.open) return fmt::format("{} wait", points(worth->points));
  return fmt::format("{}/{}", points(p.result == "proved" ? worth->points : 0), points(worth->points));
}

std::vector<PropertyPoints> properties_with_points(const course::Step &step,
                                                   const std::vector<grading::PropertyRecord> &all) {
  std::vector<PropertyPoints> made;
  for (const grading::PropertyRecord &p : all) {
    const std::string got = points_of_property(step, p);
    if (got.empty()) continue;
    const bool proved = p.result == "proved";
    made.push_back({fmt::format("{}: {}{}, {}", p.property, got, p.open && !proved ? "" : " points",
                                proved && p.why.empty() ? "proved for all sizes" : result_in_words(p)),
                    !proved});
  }
  return made;
}

std::string proof_to_terminal(const ProofView &v, const Style &style) {
  std::string text;
  const auto add = [&](const std::string &line) {
    for (const std::string &part : wrap(line, std::clamp(style.columns, narrowest, widest)))
      text += part + "\n";
  };
  add(fmt::format("{}: {}", v.title, v.proof.sizes));
  for (const std::string &launch : v.proof.launches) add(for_terminal(launch));
  for (const grading::PropertyRecord &p : v.proof.properties)
    text += beside(p.property, result_in_words(p), style.columns);
  return text;
}

Json properties_to_json(const course::Assignment &a, const std::string &step,
                        const std::vector<grading::PropertyRecord> &properties) {
  Json all = Json::array();
  const problem::Problem &problem = a.problem_of(step);
  for (const grading::PropertyRecord &p : properties) {
    Json one = {{"property", p.property}, {"result", p.result}};
    if (!p.at.empty()) {
      one["case"] = {{"name", p.at}};
      try {
        put_sizes(one["case"], problem, problem::parse_case(problem, p.at, a.find_step(step)->with), true);
      } catch (const std::invalid_argument &) {  // its name says it
      }
    }
    if (p.line > 0) {
      one["file"] = for_json(p.file);
      one["line"] = p.line;
    }
    if (!p.why.empty()) one["why"] = for_json(p.why);
    if (p.region) {
      Json parts = Json::array();
      for (const grading::RegionRecord::Part &part : p.region->parts)
        parts.push_back({{"first", part.first}, {"last", part.last}, {"by", for_json(part.by)}});
      one["region"] = {{"buffer", for_json(p.region->buffer)},
                       {"rows", p.region->rows},
                       {"columns", p.region->columns},
                       {"parts", std::move(parts)}};
    }
    if (const course::Step *s = a.find_step(step))
      if (const course::ProofPoints *worth = worth_of(*s, p)) {
        one["points"] = number(p.result == "proved" ? worth->points : 0);
        one["max_points"] = number(worth->points);
      }
    all.push_back(one);
  }
  return all;
}

std::string proof_to_json(const ProofView &v, const course::Assignment &a, const std::string &step) {
  Json j = {{"schema", "warpgrade.proof/1"},
            {"assignment", a.name},
            {"step", step},
            {"sizes", v.proof.sizes},
            {"seconds", number(v.proof.seconds)}};
  j["launches"] = Json::array();
  for (const std::string &launch : v.proof.launches) j["launches"].push_back(for_json(launch));
  j["properties"] = properties_to_json(a, step, v.proof.properties);
  return j.dump(2) + "\n";
}

}  // namespace warpgrade::report
