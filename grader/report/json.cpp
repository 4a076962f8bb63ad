#include "report/json.hpp"

#include <cmath>

#include "report/conditions.hpp"
#include "report/discreet.hpp"
#include "report/energy.hpp"
#include "report/figures.hpp"
#include "report/prediction.hpp"
#include "report/text.hpp"

namespace warpgrade::report {

Json number(double v) {
  return std::isfinite(v) ? Json(v) : Json(nullptr);
}

std::string key_of_unit(std::string_view unit) {
  return unit == "GB/s" ? "gb_per_s" : "gflops";
}

void put_sizes(Json &j, const problem::Problem &p, const problem::Case &c, bool reals) {
  if (c.integers.empty()) return;  // a question, not a case
  for (std::size_t i = 0; i < p.integers().size(); ++i) j[p.integers()[i].name] = c.integers.at(i);
  if (!reals) return;
  for (std::size_t r = 0; r < p.reals().size(); ++r) j[p.reals()[r].name] = number(c.reals.at(r));
}

namespace {

template <typename T>
Json optional(const std::optional<T> &v) {
  return v ? Json(*v) : Json(nullptr);
}

}  // namespace

void put_library(Json &j, const score::Performance &p) {
  const bool cublas = p.library == problem::Library::cublas;
  j["cublas_gflops"] = cublas ? optional(p.library_rate) : Json(nullptr);
  j["of_cublas"] = cublas ? optional(p.of_library) : Json(nullptr);
  j["library"] = p.library_rate ? Json{{"name", problem::name_of(p.library)},
                                       {"rate", number(*p.library_rate)},
                                       {"share", number(*p.of_library)}}
                                : Json(nullptr);
}

namespace {

Json names(const std::vector<judge::Verdict> &verdicts) {
  Json j = Json::array();
  for (const judge::Verdict v : verdicts) j.push_back(judge::name_of(v));
  return j;
}

Json findings(const std::vector<judge::Finding> &all) {
  Json j = Json::array();
  for (const judge::Finding &f : all) {
    j.push_back({{"code", f.code},
                 {"severity", f.severity},
                 {"file", for_json(f.file)},
                 {"line", f.line > 0 ? Json(f.line) : Json(nullptr)},
                 {"message", for_json(f.message)},
                 {"count", f.count}});
    if (f.follows)
      j.back()["possibly_follows"] = {{"code", f.follows->code},
                                      {"file", for_json(f.follows->file)},
                                      {"line", f.follows->line > 0 ? Json(f.follows->line) : Json(nullptr)}};
  }
  return j;
}

Json build(const grading::BuildRecord &b) {
  Json j = {{"ok", b.ok},
            {"seconds", number(b.seconds)},
            {"front_end", b.front_end},
            {"registers", optional(b.registers)},
            {"static_shared_bytes", optional(b.static_shared_bytes)},
            {"spill_bytes", optional(b.spill_bytes)},
            {"log", for_json(b.log)}};
  if (!b.registers) j["registers_reason"] = b.why_no_registers;
  return j;
}

Json mismatches(const problem::Comparison &c) {
  Json j = Json::array();
  for (const problem::Mismatch &m : c.first)
    j.push_back({{"element", m.where}, {"got", number(m.got)}, {"want", number(m.want)}});
  return j;
}

Json wrong_map(const problem::WrongMap &map) {
  return {{"height", map.height},
          {"width", map.width},
          {"rows", map.rows},
          {"cols", map.cols},
          {"wrong", map.wrong}};
}

Json terms(const problem::Terms &t) {
  Json j = {{"element", t.element}, {"at", t.at}, {"sentence", for_json(t.sentence)}};
  for (const problem::TermRange &r : t.ranges)
    j[t.over == "k" ? "k" : "elements"].push_back(
        {{"first", r.first}, {"last", r.last}, {"times", number(r.times)}});
  return j;
}

Json one_case(const Report &r, const std::string &step, const judge::CaseVerdict &c, int number_of_hidden) {
  Json j;
  const bool secret = c.visibility == course::Visibility::hidden && !r.reveal_hidden;
  j["name"] = secret ? "hidden case " + std::to_string(number_of_hidden) : c.name;
  if (!secret) put_sizes(j, r.assignment.problem_of(step), c.values, true);
  j["visibility"] = c.visibility == course::Visibility::hidden ? "hidden" : "public";
  if (c.advisory) j["advisory"] = true;
  j["verdict"] = c.ran() ? Json(judge::name_of(c.verdict)) : Json(nullptr);
  if (!c.ran()) j["reason"] = why_no_verdict(c);
  if (secret || !c.ran()) return j;
  j["ran_on"] = c.where;
  j["seed"] = c.seed;
  if (!c.reason.empty()) j["reason"] = for_json(c.reason);
  if (!c.also.empty()) j["also"] = names(c.also);
  j["max_error"] = c.comparison ? number(c.comparison->max_error) : Json(nullptr);
  j["tolerance"] = 1.0;
  if (c.comparison) {
    j["checked"] = c.comparison->checked;
    j["wrong"] = c.comparison->wrong;
    j["not_finite"] = c.comparison->not_finite;
    j["never_written"] = c.comparison->never_written;
    if (!c.comparison->located.empty()) j["located"] = c.comparison->located;
    if (!c.comparison->cause.empty()) j["cause"] = c.comparison->cause;
    if (!c.comparison->map.empty()) j["map"] = wrong_map(c.comparison->map);
  }
  j["mismatches"] = c.comparison ? mismatches(*c.comparison) : Json::array();
  if (!c.printed.empty()) j["printed"] = for_json(c.printed);
  if (c.terms) j["terms"] = terms(*c.terms);
  if (c.order) j["order"] = for_json(*c.order);
  if (c.smallest) {
    j["smallest"] = {{"name", c.smallest->name}, {"reason", for_json(c.smallest->reason)}};
    if (!c.smallest->alone.empty()) j["smallest"]["alone"] = c.smallest->alone;
  }
  return j;
}

Json performance(const problem::Problem &problem, const score::Performance &p,
                 const grading::PerformanceRecord &record) {
  Json j;
  put_sizes(j, problem, p.size, false);
  const std::string unit = key_of_unit(p.unit);
  j[unit] = number(p.gflops);
  j["milliseconds"] = {{"median", number(p.median_ms)}, {"p10", number(p.p10_ms)}, {"p90", number(p.p90_ms)}};
  j["interval_" + unit] = {{"low", number(p.low_gflops)}, {"high", number(p.high_gflops)}};
  j["counts_as_" + unit] = number(p.counts_as);
  j["samples"] = p.samples;
  j["gpu"] = conditions_to_json(score::conditions_of(record));
  if (record.energy) j["energy"] = energy_to_json(record.energy);
  put_library(j, p);
  j["of_peak"] = optional(p.of_peak);
  j["thresholds"] = {{"pass", optional(p.pass)}, {"full", optional(p.full)}};
  return j;
}

/// Of a hunt.
Json one_answer(const judge::CaseVerdict &c) {
  Json j = {{"name", c.name}, {"verdict", c.ran() ? Json(judge::name_of(c.verdict)) : Json(nullptr)}};
  if (const std::string reason = c.ran() ? c.reason : std::string(why_no_verdict(c)); !reason.empty())
    j["reason"] = for_json(reason);
  return j;
}

Json step(const Report &r, const grading::StepRecord &record, const score::StepScore &s) {
  Json j = {{"id", record.id},
            {"title", record.title},
            {"file", record.file},
            {"verdict", judge::name_of(record.verdict)},
            {"reason", for_json(record.reason)},
            {"also", names(record.also)},
            {"points", number(s.points)},
            {"max_points", number(s.max_points)},
            {"ungraded_points", number(s.ungraded_points)},
            {"extra_credit", s.extra_credit}};
  if (!r.not_graded.empty()) {
    j["points"] = j["ungraded_points"] = nullptr;
    j["points_reason"] = r.not_graded;
  } else if (s.ungraded_points > 0)
    j["ungraded_reason"] = for_json(s.why_ungraded);
  if (s.in_place)
    j["without_gpu"] = {{"policy", course::name_of(s.in_place->policy)},
                        {"points", number(s.in_place->points)},
                        {"of", number(s.in_place->of)},
                        {"reason", for_json(s.in_place->sentence)}};
  if (s.by_hand)
    j["by_hand"] = {{"computed_points", number(s.computed_points)}, {"reason", for_json(s.by_hand->reason)}};
  j["build"] = build(record.build);
  j["cases"] = Json::array();
  int hidden = 0;
  for (const judge::CaseVerdict &c : record.cases) {
    if (c.visibility == course::Visibility::hidden) ++hidden;
    j["cases"].push_back(one_case(r, record.id, c, hidden));
  }
  if (const judge::HiddenCount n = judge::count_hidden(record.cases); n.all > 0)
    j["hidden_cases"] = {{"passed", n.passed}, {"cases", n.all}};
  for (const judge::CaseVerdict &answer : record.answers) j["answers"].push_back(one_answer(answer));
  j["counters"] = record.counters
                      ? counters_to_json(r.assignment.problem_of(record.id), *record.counters, s.counters)
                      : Json(nullptr);
  if (!record.counters) j["counters_reason"] = for_json(record.why_no_counters);
  j["performance"] =
      s.performance ? performance(r.assignment.problem_of(record.id), *s.performance, *record.performance)
                    : Json(nullptr);
  if (!s.performance) j["performance_reason"] = for_json(record.why_no_performance);
  if (const predict::StepPrediction *p = prediction_of(r, record.id))
    j["prediction"] = prediction_to_json(
        *p, s.performance ? std::optional(s.performance->gflops) : std::nullopt, gives_points(s));
  if (!record.properties.empty())
    j["properties"] = properties_to_json(r.assignment, record.id, record.properties);
  j["diagnostics"] = findings(record.findings);
  if (!record.printed.empty()) j["printed"] = for_json(record.printed);
  return j;
}

}  // namespace

std::string to_json(const Report &whole) {
  const Discreet discreet(whole);
  const Report &r = discreet.report();
  Json j = {{"schema", "warpgrade.score/1"},
            {"assignment", r.record.assignment},
            {"submission", for_json(r.record.submission)},
            {"notes", Json::array()},
            {"seed", r.record.seed},
            {"device",
             {{"kind", r.record.device.gpu ? "gpu" : "sim"},
              {"name", r.record.device.name},
              {"arch", r.record.device.arch}}},
            {"thresholds", r.record.device.gpu ? Json(r.thresholds.file) : Json(nullptr)},
            {"steps", Json::array()}};
  if (r.record.device.gpu && r.thresholds.predicted()) j["thresholds_source"] = "predicted";
  if (!r.score.without_gpu.empty()) j["without_gpu"] = course::name_of(r.assignment.without_gpu);
  for (const std::string &note : r.record.notes) j["notes"].push_back(for_json(note));
  if (!r.record.refused.empty()) {
    j["verdict"] = "archive_refused";
    j["refused"] = for_json(r.record.refused);
  }
  for (std::size_t i = 0; i < r.record.steps.size(); ++i)
    j["steps"].push_back(step(r, r.record.steps[i], r.score.steps.at(i)));
  j["score"] = number(r.score.points);
  j["max_score"] = number(r.score.max_points);
  j["ungraded_points"] = number(r.score.ungraded_points);
  j["extra_credit"] = number(r.score.extra_credit);
  if (!r.not_graded.empty()) {
    j["score"] = j["ungraded_points"] = j["extra_credit"] = nullptr;
    j["score_reason"] = r.not_graded;
  }
  if (const auto &late = r.score.late)
    j["late"] = {{"days", late->days},
                 {"days_known", !late->guessed},
                 {"extension_days", late->extension},
                 {"penalty", number(late->share)},
                 {"points_off", number(late->points_off)}};
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace warpgrade::report
