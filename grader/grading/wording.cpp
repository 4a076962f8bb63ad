#include "grading/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "grading/geometry.hpp"
#include "grading/trials.hpp"
#include "plan/signature.hpp"
#include "simulate/plan_order.hpp"

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

/// "A", "A and B", "A, B and C".
std::string in_a_row(const std::vector<std::string> &names) {
  if (names.size() == 1) return names.front();
  const std::vector<std::string> first(names.begin(), names.end() - 1);
  return fmt::format("{} and {}", fmt::join(first, ", "), names.back());
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
  std::vector<std::string> as_many;
  std::string type;
  for (const plan::Buffer &argument : step_.problem->buffers(case_)) {
    const plan::Parameter *p = signature.find(argument.name);
    if (!p || p->value_bytes <= 1 || a.bytes * p->value_bytes != argument.bytes) continue;
    if (!type.empty() && p->type != type) continue;
    type = p->type;
    as_many.push_back(argument.name);
  }
  if (as_many.empty()) return note;
  // Where matrices are as large as each other, nobody knows which one was meant.
  return note + fmt::format(", as many as {} {} elements; did you forget sizeof({})?", in_a_row(as_many),
                            as_many.size() == 1 ? "has" : "have", type);
}

std::string Wording::reason() const {
  const record::Allocation *a = allocation_in(recording_.message);
  return in_students_words(a == nullptr ? recording_.message : recording_.message + note_on(*a));
}

std::string Wording::called(const record::Allocation &a) const {
  const int line = recorder_.line_of(a.callers);
  const std::string variable = line > 0 ? guards_.allocated_in(line) : "";
  const auto at_once = std::count_if(
      recording_.allocations.begin(), recording_.allocations.end(),
      [&](const record::Allocation &other) { return recorder_.line_of(other.callers) == line; });
  const std::vector<plan::Buffer> &buffers = recording_.plan.buffers;
  const bool taken =
      std::any_of(buffers.begin(), buffers.end(), [&](const plan::Buffer &b) { return b.name == variable; });
  if (line == 0) return a.name;
  if (variable.empty() || at_once > 1) return fmt::format("{} (cudaMalloc in line {})", a.name, line);
  return taken ? fmt::format("{} (cudaMalloc in line {})", variable, line) : variable;
}

std::string Wording::in_students_words(std::string text) const {
  for (const record::Allocation &a : recording_.allocations)
    for (std::size_t at = 0; (at = text.find(a.name, at)) != std::string::npos;) {
      const std::size_t end = at + a.name.size();
      if (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end]))) {
        at = end;
        continue;
      }
      const std::string name = called(a);
      text.replace(at, a.name.size(), name);
      at += name.size();
    }
  return text;
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

int line_of_operation(const record::Recorder &recorder, const record::Recording &recording,
                      std::size_t operation) {
  // A copy from the host in rows is an operation for each of them, and the last one knows the callers.
  const auto found = recording.launched_at.lower_bound(operation);
  return found == recording.launched_at.end() ? 0 : recorder.line_of(found->second);
}

/// Where the student's code asks for the two operations that nothing orders.
void Wording::locate_unordered(run::Run &run) const {
  const auto line_of = [&](std::size_t operation) {
    return line_of_operation(recorder_, recording_, operation);
  };
  for (const run::Unordered &one : run.unordered) {
    simt::Diagnostic &d = run.diagnostics.at(one.diagnostic);
    // What is about the scope of an access has the lines of the kernels.
    if (const int line = line_of(one.later); line > 0 && d.here.at.line == 0) d.here.at = {step_.file, line};
    if (const int line = line_of(one.earlier); line > 0 && !d.other)
      d.other = simt::Side{{}, {}, {step_.file, line}};
    if (const std::size_t at = d.message.find(run::nothing_orders); at != std::string::npos && d.other)
      d.message.insert(at, fmt::format(" (line {})", d.other->at.line));
  }
}

void Wording::complete(run::Run &run) const {
  locate_unordered(run);
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
      else
        d.message += guards_.words(d);
    } else if (d.code == simt::Code::invalid_shuffle) {
      d.message += guards_.returns(d);
    } else if (d.code == simt::Code::uninitialized_read) {
      d.message += short_copies(recording_.plan, d.buffer);
    } else if (d.code == simt::Code::trap && d.here.at.file == step_.file &&
               d.message == "the kernel called __trap()") {
      // The compiler saw it and put a trap in its place; without that, the access would be out of bounds.
      if (guards_.known_error(d.here.at.line) == "a null pointer is read or written") {
        d.code = simt::Code::out_of_bounds;
        d.message = "a null pointer is read or written";
        run.end = run::End::fault;
      }
    } else if (d.code == simt::Code::time_limit && results > 0 && threads / results >= suspicious_ratio) {
      d.message = fmt::format(
          "the launch did not end in time: it has {} threads for {} results; a grid counts blocks, not "
          "threads",
          grouped(threads), grouped(results));
    }
    d.message = in_students_words(d.message);
    if (run.message == before) run.message = d.message;
    d.buffer = in_students_words(d.buffer);
  }
}

}  // namespace warpgrade::grading
