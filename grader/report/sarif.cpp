// SARIF 2.1.0, which editors and code hosts read: where in the student's files something is wrong.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "report/discreet.hpp"
#include "report/faults.hpp"
#include "report/text.hpp"

namespace warpgrade::report {

namespace {

using SarifJson = nlohmann::ordered_json;

/// A relative path as a URI reference: all but letters, digits, "-._~" and "/" as %XX.
std::string uri_of(const std::string &path) {
  return percent_encoded(path, "-._~/");
}

SarifJson result(const Fault &fault) {
  SarifJson place = {{"artifactLocation", {{"uri", uri_of(fault.file)}}}};
  if (fault.line > 0) place["region"] = {{"startLine", fault.line}};
  return {{"ruleId", fault.rule},
          {"level", name_of(fault.level)},
          {"message", {{"text", for_json(fault.text)}}},
          {"locations", SarifJson::array({{{"physicalLocation", place}}})}};
}

}  // namespace

std::string to_sarif(const Report &whole) {
  const Discreet discreet(whole);
  SarifJson results = SarifJson::array(), failures = SarifJson::array();
  for (const grading::StepRecord &step : discreet.report().record.steps)
    if (step.verdict == judge::Verdict::grader_error)
      failures.push_back(
          {{"level", "error"}, {"message", {{"text", for_json(step.id + ": " + step.reason)}}}});
  for (const Fault &fault : faults_of(discreet)) results.push_back(result(fault));
  std::set<std::string> ids;
  for (const SarifJson &r : results) ids.insert(r["ruleId"]);
  SarifJson rules = SarifJson::array();
  for (const std::string &id : ids) rules.push_back({{"id", id}});
  const SarifJson invocation = {{"executionSuccessful", failures.empty()},
                                {"toolExecutionNotifications", failures}};
  const SarifJson sarif = {
      {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
      {"version", "2.1.0"},
      {"runs", SarifJson::array({{{"tool", {{"driver", {{"name", "Warpgrade"}, {"rules", rules}}}}},
                                  {"invocations", SarifJson::array({invocation})},
                                  {"columnKind", "unicodeCodePoints"},
                                  {"results", results}}})}};
  return sarif.dump(2) + "\n";
}

}  // namespace warpgrade::report
