// The fields of every structure that a record is made of: a new one is named here, or nothing compiles.
#pragma once

#include "base/json_fields.hpp"
#include "counters/counters_json.hpp"
#include "score/step_record.hpp"

namespace warpgrade::json {

// cuBLAS was the only library once.
template <>
inline constexpr std::array former_names<gpu::TimedSample>{
    std::pair{std::string_view("library_seconds"), "cublas_seconds"}};
template <>
inline constexpr std::array former_names<grading::PerformanceRecord>{
    std::pair{std::string_view("library_seconds"), "cublas_seconds"},
    std::pair{std::string_view("why_no_library"), "why_no_cublas"}};

template <>
struct Codec<judge::Verdict> : NamedEnum<judge::Verdict, judge::name_of, judge::verdict_of> {};

constexpr std::string_view name_of_visibility(course::Visibility v) {
  return v == course::Visibility::hidden ? "hidden" : "open";
}
constexpr std::optional<course::Visibility> visibility_of(std::string_view name) {
  if (name == "hidden") return course::Visibility::hidden;
  if (name == "open") return course::Visibility::open;
  return std::nullopt;
}
template <>
struct Codec<course::Visibility> : NamedEnum<course::Visibility, name_of_visibility, visibility_of> {};

}  // namespace warpgrade::json

namespace warpgrade::problem {
WARPGRADE_FIELDS(Case, integers, reals)
WARPGRADE_FIELDS(Mismatch, where, got, want)
WARPGRADE_FIELDS(WrongMap, height, width, rows, cols, wrong)
WARPGRADE_FIELDS(Comparison, output, checked, wrong, not_finite, never_written, max_error, first, located,
                 map, changed_inputs, cause)
WARPGRADE_FIELDS(TermRange, first, last, times)
WARPGRADE_FIELDS(Terms, element, at, over, ranges, sentence, alone)
}  // namespace warpgrade::problem

namespace warpgrade::run {
WARPGRADE_FIELDS(Sample, seconds, outer_seconds, host_seconds)
WARPGRADE_FIELDS(Energy, joules, wrong_by, watts, seconds, runs, why_not)
WARPGRADE_FIELDS(LinkCounts::Direction, from, to, bytes, messages)
WARPGRADE_FIELDS(LinkCounts::Line, file, line, what, from, to, bytes, messages, busiest_bytes, alone_us)
WARPGRADE_FIELDS(LinkCounts, topology, busiest, busiest_bytes, directions, total_us, communication_us,
                 overlapped_us, idle, lines)
}  // namespace warpgrade::run

namespace warpgrade::gpu {
WARPGRADE_FIELDS(GpuState, sm_mhz, memory_mhz, celsius, watts, reasons)
WARPGRADE_FIELDS(TimedSample, time, library_seconds, state)
}  // namespace warpgrade::gpu

namespace warpgrade::course {
WARPGRADE_FIELDS(Counted, counts, outputs_per_thread, useful_flops, links)
}  // namespace warpgrade::course

namespace warpgrade::judge {
WARPGRADE_FIELDS(Origin, code, file, line)
WARPGRADE_FIELDS(Finding, code, severity, file, line, message, count, follows)
WARPGRADE_FIELDS(SmallestCase, name, values, reason, alone)
WARPGRADE_FIELDS(CaseVerdict, name, values, visibility, verdict, also, where, reason, seed, comparison,
                 findings, printed, waits_for_gpu, skipped, left_to_course, advisory, terms, smallest, order)
}  // namespace warpgrade::judge

namespace warpgrade::grading {
WARPGRADE_FIELDS(BuildRecord, ok, seconds, front_end, registers, spill_bytes, static_shared_bytes,
                 why_no_registers, log, code)
WARPGRADE_FIELDS(SharedArray, name, row_bytes, bytes)
WARPGRADE_FIELDS_BEYOND(CounterRecord, judge::Counted, on, samples, shared_forbidden, shared_room,
                        shared_arrays)
WARPGRADE_FIELDS(PerformanceRecord, size, seconds, library_seconds, why_no_library, states, throttled,
                 throttled_throughout, cut_short, settled, energy, library_energy)
WARPGRADE_FIELDS(PredictedRecord, gpu, model, size, seconds, low, high, library_rate, why_not)
WARPGRADE_FIELDS(RegionRecord::Part, first, last, by)
WARPGRADE_FIELDS(RegionRecord, buffer, rows, columns, parts)
WARPGRADE_FIELDS(PropertyRecord, property, result, at, file, line, why, open, region)
WARPGRADE_FIELDS(StepRecord, id, title, file, verdict, also, reason, try_again, build, cases, answers,
                 counters, counters_near, why_no_counters, performance, why_no_performance, findings, printed,
                 properties, predicted)
WARPGRADE_FIELDS(DeviceRecord, gpu, name, arch, why_no_gpu)
WARPGRADE_FIELDS(SubmissionRecord, assignment, submission, seed, device, steps, notes, refused)
}  // namespace warpgrade::grading
