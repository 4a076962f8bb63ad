#include <algorithm>

#include "explain/checklist.hpp"
#include "explain/explain.hpp"
#include "report/explain.hpp"
#include "report/figures.hpp"
#include "report/json.hpp"
#include "report/links.hpp"
#include "report/prediction.hpp"
#include "report/text.hpp"

namespace warpgrade::report {

namespace {

using simt::per;

Json to_json(std::uint64_t count) {
  return count;
}

Json to_json(const simt::GlobalTraffic &t) {
  return {{"requests", t.requests},
          {"sectors", t.sectors},
          {"sectors_per_request", per(t.sectors, t.requests)},
          {"ideal_sectors", t.ideal_sectors},
          {"bytes", t.bytes},
          {"used_bytes_per_sector", per(t.used_bytes, t.sectors)}};
}

Json to_json(const simt::SharedTraffic &t) {
  return {{"requests", t.requests},
          {"wavefronts", t.wavefronts},
          {"conflicts", t.conflicts},
          {"bytes", t.bytes},
          {"as_compiled_for_sm_90",
           {{"requests", t.compiled_requests},
            {"wavefronts", t.compiled_wavefronts},
            {"conflicts", t.compiled_conflicts}}}};
}

Json to_json(const simt::LocalTraffic &t) {
  return {{"requests", t.requests}, {"bytes", t.bytes}};
}

Json to_json(const std::array<std::uint64_t, simt::instruction_classes> &by_class) {
  Json j;
  for (std::size_t i = 0; i < by_class.size(); ++i)
    j[std::string(name_of(static_cast<simt::InstructionClass>(i)))] = by_class[i];
  return j;
}

/// Counters that do not stand at the top of score.json under their own name.
struct Place {
  std::string_view counter;
  const char *object, *key;  ///< key: null at the top
};
constexpr Place places[] = {{"fp32_fma", "thread_instructions", "ffma"},
                            {"fp32_add", "thread_instructions", "fadd"},
                            {"fp32_mul", "thread_instructions", "fmul"},
                            {"fp64_fma", "thread_instructions", "dfma"},
                            {"fp64_add", "thread_instructions", "dadd"},
                            {"fp64_mul", "thread_instructions", "dmul"},
                            {"bulk_loaded", "bulk_bytes", "loaded"},
                            {"bulk_stored", "bulk_bytes", "stored"},
                            {"by_class", "warp_instructions_by_class", nullptr}};

/// All counters, in the order of their fields.
void put_counters(Json &j, const simt::LineCounters &c) {
  each_field(c, c, [&](const char *name, const auto &value, const auto &) {
    const auto place = std::ranges::find(places, std::string_view(name), &Place::counter);
    if (name == std::string_view("thread_instructions"))  // as a share: another object has that name
      j["lane_efficiency"] = c.lane_efficiency();
    else if (place == std::end(places))
      j[name] = to_json(value);
    else if (place->key)
      j[place->object][place->key] = to_json(value);
    else
      j[place->object] = to_json(value);
  });
}

Json checks(const std::vector<score::CounterScore> &scores) {
  Json j = Json::array();
  for (const score::CounterScore &c : scores) {
    Json one = {{"measure", course::name_of(c.check.measure)},
                {"value", c.value ? number(*c.value) : Json(nullptr)},
                {c.check.at_least ? "at_least" : "at_most", c.check.limit},
                {"passed", c.passed},
                {"points", c.passed ? c.check.points : 0.0},
                {"max_points", c.check.points}};
    if (!c.at.empty()) one["at"] = c.at;  // `value` is of this size, and the threshold is missed there alone
    if (!c.passed)
      one["costliest"] = {{"file", for_json(c.file)}, {"line", c.line > 0 ? Json(c.line) : Json(nullptr)}};
    j.push_back(std::move(one));
  }
  return j;
}

Json lanes(const simt::LaneSample &s) {
  return {{"block", {s.block.x, s.block.y, s.block.z}},
          {"warp", s.warp},
          {"cost", s.cost},
          {"ideal", s.ideal},
          {"offsets", s.offsets}};
}

Json access(const explain::Access &a) {
  Json j = {{"space", a.key.space == ptx::Space::global ? "global" : "shared"},
            {"operation", a.key.store ? "store" : "load"},
            {"bytes_per_lane", a.key.bytes},
            {"buffer", for_json(a.key.buffer)}};
  if (a.key.space == ptx::Space::global)
    j.update(to_json(a.counts.global));
  else
    j.update(to_json(a.counts.shared));
  if (a.sample) j["lanes"] = lanes(*a.sample);
  return j;
}

Json line(const explain::Line &l) {
  Json j = {{"file", for_json(l.at.file)},
            {"line", l.at.line > 0 ? Json(l.at.line) : Json(nullptr)},
            {"share_of_traffic", l.share},
            {"wasted_share", l.wasted}};
  put_counters(j, l.counts);
  j["accesses"] = Json::array();
  for (const explain::Access &a : l.accesses) j["accesses"].push_back(access(a));
  j["advice"] = Json::array();
  for (const explain::Advice &a : l.advice) {
    const explain::ChecklistRow *row = explain::row_of(a.pattern);
    j["advice"].push_back({{"pattern", name_of(a.pattern)},
                           {"sentence", for_json(a.sentence)},
                           {"checklist", row != nullptr ? Json(row->name) : Json(nullptr)}});
  }
  return j;
}

}  // namespace

Json counters_to_json(const problem::Problem &problem, const grading::CounterRecord &record,
                      const std::vector<score::CounterScore> &scores) {
  const simt::Counters &c = record.counts;
  Json j;
  put_sizes(j, problem, record.on, false);
  j["flops"] = c.fp32_flops();
  put_counters(j, c);
  j["requested_bytes"] = c.requested_bytes();
  j["compulsory_bytes"] = c.compulsory_bytes();
  j["unique_sectors"] = {{"loaded", c.unique_sectors.loaded},
                         {"stored", c.unique_sectors.stored},
                         {"touched", c.unique_sectors.touched}};
  j["arithmetic_intensity"] = {{"requested", per(flops_of(c), c.requested_bytes())},
                               {"compulsory", per(flops_of(c), c.compulsory_bytes())}};
  j["outputs_per_thread"] = number(record.outputs_per_thread);
  const explain::Explanation explained = explanation_of(record);
  j["products"] = Json::array();
  for (const explain::Product &p : explained.products)
    j["products"].push_back({{"file", for_json(p.key.at.file)},
                             {"line", p.key.at.line > 0 ? Json(p.key.at.line) : Json(nullptr)},
                             {"instruction", for_json(p.key.instruction)},
                             {"executions", p.counts.executions},
                             {"flops", p.counts.flops}});
  const auto fragments = fragments_per_product(explained, c);
  j["fragments_per_product"] = fragments ? number(*fragments) : Json(nullptr);
  if (record.links) j["links"] = links_to_json(*record.links);
  j["checks"] = checks(scores);
  j["lines"] = Json::array();
  for (const explain::Line &l : explained.lines) j["lines"].push_back(line(l));
  return j;
}

std::string explain_to_json(const ExplainView &view, const course::Assignment &a, const std::string &step) {
  Json j = {{"schema", "warpgrade.explain/1"},
            {"assignment", a.name},
            {"step", step},
            {"file", for_json(view.file)},
            {"counters", counters_to_json(a.problem_of(step), view.counters, view.checks)}};
  if (view.prediction != nullptr && view.prediction->prediction.why_not.empty())
    j["prediction"] = prediction_to_json(*view.prediction, std::nullopt);
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace warpgrade::report
