#include "explain/checklist.hpp"
#include "explain/explain.hpp"
#include "report/explain.hpp"
#include "report/figures.hpp"
#include "report/json.hpp"
#include "report/text.hpp"

namespace warpgrade::report {

namespace {

using simt::per;

Json global_traffic(const simt::GlobalTraffic &t) {
  return {{"requests", t.requests},
          {"sectors", t.sectors},
          {"sectors_per_request", per(t.sectors, t.requests)},
          {"ideal_sectors", t.ideal_sectors},
          {"bytes", t.bytes},
          {"used_bytes_per_sector", per(t.used_bytes, t.sectors)}};
}

Json shared_traffic(const simt::SharedTraffic &t) {
  return {{"requests", t.requests},
          {"wavefronts", t.wavefronts},
          {"conflicts", t.conflicts},
          {"bytes", t.bytes},
          {"as_compiled_for_sm_90",
           {{"requests", t.compiled_requests},
            {"wavefronts", t.compiled_wavefronts},
            {"conflicts", t.compiled_conflicts}}}};
}

void put_traffic(Json &j, const simt::LineCounters &c) {
  j["global_load"] = global_traffic(c.global_load);
  j["global_store"] = global_traffic(c.global_store);
  j["shared_load"] = shared_traffic(c.shared_load);
  j["shared_store"] = shared_traffic(c.shared_store);
}

void put_work(Json &j, const simt::LineCounters &c) {
  j["thread_instructions"] = {{"ffma", c.fp32_fma}, {"fadd", c.fp32_add}, {"fmul", c.fp32_mul},
                              {"dfma", c.fp64_fma}, {"dadd", c.fp64_add}, {"dmul", c.fp64_mul}};
  j["tensor_products"] = c.tensor_products;
  j["tensor_flops"] = c.tensor_flops;
  j["bulk_bytes"] = {{"loaded", c.bulk_loaded}, {"stored", c.bulk_stored}};
  j["warp_instructions"] = c.warp_instructions;
  for (std::size_t i = 0; i < simt::instruction_classes; ++i)
    j["warp_instructions_by_class"][std::string(name_of(static_cast<simt::InstructionClass>(i)))] =
        c.by_class[i];
  j["lane_efficiency"] = c.lane_efficiency();
  j["local_accesses"] = c.local_accesses;
  j["local_load"] = {{"requests", c.local_load.requests}, {"bytes", c.local_load.bytes}};
  j["local_store"] = {{"requests", c.local_store.requests}, {"bytes", c.local_store.bytes}};
  j["atomic_requests"] = c.atomic_requests;
  j["global_atomics"] = c.global_atomics;
  j["divergent_branches"] = c.divergent_branches;
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
    j.update(global_traffic(a.counts.global));
  else
    j.update(shared_traffic(a.counts.shared));
  if (a.sample) j["lanes"] = lanes(*a.sample);
  return j;
}

Json line(const explain::Line &l) {
  Json j = {{"file", for_json(l.at.file)},
            {"line", l.at.line > 0 ? Json(l.at.line) : Json(nullptr)},
            {"share_of_traffic", l.share},
            {"wasted_share", l.wasted}};
  put_traffic(j, l.counts);
  put_work(j, l.counts);
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
  put_traffic(j, c);
  put_work(j, c);
  j["requested_bytes"] = c.requested_bytes();
  j["compulsory_bytes"] = c.compulsory_bytes();
  j["unique_sectors"] = {{"loaded", c.unique_sectors.loaded},
                         {"stored", c.unique_sectors.stored},
                         {"touched", c.unique_sectors.touched}};
  j["arithmetic_intensity"] = {{"requested", per(flops_of(c), c.requested_bytes())},
                               {"compulsory", per(flops_of(c), c.compulsory_bytes())}};
  j["outputs_per_thread"] = number(record.outputs_per_thread);
  const explain::Explanation explained = explain::explain(c, record.samples, record.outputs_per_thread);
  j["products"] = Json::array();
  for (const explain::Product &p : explained.products)
    j["products"].push_back({{"file", for_json(p.key.at.file)},
                             {"line", p.key.at.line > 0 ? Json(p.key.at.line) : Json(nullptr)},
                             {"instruction", for_json(p.key.instruction)},
                             {"executions", p.counts.executions},
                             {"flops", p.counts.flops}});
  const auto fragments = fragments_per_product(explained, c);
  j["fragments_per_product"] = fragments ? number(*fragments) : Json(nullptr);
  j["checks"] = checks(scores);
  j["lines"] = Json::array();
  for (const explain::Line &l : explained.lines) j["lines"].push_back(line(l));
  return j;
}

std::string explain_to_json(const ExplainView &view, const course::Assignment &a, const std::string &step) {
  const Json j = {{"schema", "warpgrade.explain/1"},
                  {"assignment", a.name},
                  {"step", step},
                  {"file", for_json(view.file)},
                  {"counters", counters_to_json(a.problem_of(step), view.counters, view.checks)}};
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace warpgrade::report
