#include "grading/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "grading/geometry.hpp"
#include "plan/signature.hpp"

namespace warpgrade::grading {

namespace {

/// A grid that counts threads instead of blocks has as many threads too many as a block has; blocks have 64
/// at least. One warp a result is a way to work.
constexpr std::uint64_t suspicious_ratio = 64;

/// 1,048,576
std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

/// Of the largest launch. 0 where its grid has one block, which says nothing about how blocks were counted.
std::uint64_t threads_of(const plan::LaunchPlan &plan) {
  std::uint64_t threads = 0;
  for (const plan::Operation &operation : plan.operations)
    if (const auto *launch = std::get_if<plan::Launch>(&operation); launch && launch->grid.count() > 1)
      threads = std::max(threads, launch->grid.count() * launch->block.count());
  return threads;
}

}  // namespace

const record::Allocation *Wording::allocation_in(const std::string &message) const {
  for (const record::Allocation &a : recording_.allocations) {
    const std::size_t at = message.find(a.name), end = at + a.name.size();
    const bool whole = at != std::string::npos &&
                       (end == message.size() || !std::isdigit(static_cast<unsigned char>(message[end])));
    if (whole) return &a;
  }
  return nullptr;
}

/// "; cudaMalloc in step1.cu:12 allocated the 16641 bytes of scratch 1, as many as C has elements; did you
/// forget sizeof(float)?"
std::string Wording::note_on(const record::Allocation &a) const {
  const int line = recorder_.line_of(a.callers);
  const std::string note = fmt::format("; cudaMalloc{} allocated the {} byte{} of {}",
                                       line > 0 ? fmt::format(" in {}:{}", step_.file, line) : "", a.bytes,
                                       a.bytes == 1 ? "" : "s", a.name);
  const plan::Signature signature(step_.problem->launcher());
  for (const plan::Buffer &argument : step_.problem->buffers(case_)) {
    const plan::Parameter *p = signature.find(argument.name);
    if (p && p->value_bytes > 1 && a.bytes * p->value_bytes == argument.bytes)
      return note +
             fmt::format(", as many as {} has elements; did you forget sizeof({})?", argument.name, p->type);
  }
  return note;
}

std::string Wording::reason() const {
  const record::Allocation *a = allocation_in(recording_.message);
  return a == nullptr ? recording_.message : recording_.message + note_on(*a);
}

const plan::Launch *Wording::refused_launch() const {
  return recording_.refused
             ? std::get_if<plan::Launch>(&recording_.plan.operations.at(recording_.refused->operation))
             : nullptr;
}

std::optional<judge::RunVerdict> Wording::launch_error() const {
  const plan::Launch *launch = refused_launch();
  if (!launch) return std::nullopt;
  simt::Diagnostic d;
  d.code = simt::Code::launch_error;
  d.kernel = ptx::demangle(launch->kernel);
  d.message = recording_.refused->why;
  run::Run run;
  run.end = run::End::launch_error;
  run.message = d.message;
  run.diagnostics.push_back(std::move(d));
  complete(run);
  return judge::judge_run(run, {});
}

void Wording::complete(run::Run &run, Guards *guards) const {
  const std::uint64_t results = step_.problem->outputs(case_);
  const std::uint64_t threads = threads_of(recording_.plan);
  for (simt::Diagnostic &d : run.diagnostics) {
    const std::string before = d.message;
    if (d.code == simt::Code::launch_error) {
      if (const int line = recorder_.line_of(recording_.failed_launch); line > 0 && d.here.at.line == 0)
        d.here.at = {step_.file, line};
      if (const plan::Launch *launch = refused_launch())
        d.message += geometry_advice(*step_.problem, case_, *launch);
    } else if (d.code == simt::Code::out_of_bounds) {
      if (const record::Allocation *a = allocation_in(d.buffer))
        d.message += note_on(*a);
      else if (guards)
        d.message += guards->words(d);
    } else if (d.code == simt::Code::time_limit && results > 0 && threads / results >= suspicious_ratio) {
      d.message = fmt::format(
          "the launch did not end in time: it has {} threads for {} results; a grid counts blocks, not "
          "threads",
          grouped(threads), grouped(results));
    }
    if (run.message == before) run.message = d.message;
  }
}

}  // namespace warpgrade::grading
