#include "judge/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "judge/consequences.hpp"

namespace warpgrade::judge {

namespace {

constexpr std::array<std::string_view, 17> names = {
    "accepted",      "grader_error",   "wrong_answer",       "input_changed", "time_limit",
    "device_error",  "rule_violation", "uninitialized_read", "race",          "barrier_error",
    "out_of_bounds", "launch_error",   "bad_plan",           "crashed",       "not_implemented",
    "build_error",   "missing"};

std::optional<Verdict> verdict_of(simt::Code code) {
  switch (code) {
    case simt::Code::out_of_bounds:
    case simt::Code::misaligned:
    case simt::Code::use_after_free:
    case simt::Code::peer_access:
      return Verdict::out_of_bounds;
    case simt::Code::barrier_divergence:
    case simt::Code::deadlock:
    case simt::Code::invalid_shuffle:
      return Verdict::barrier_error;
    case simt::Code::race:
    case simt::Code::scope:  // as an error, of two devices
      return Verdict::race;
    case simt::Code::uninitialized_read:
      return Verdict::uninitialized_read;
    case simt::Code::launch_error:
      return Verdict::launch_error;
    case simt::Code::time_limit:
      return Verdict::time_limit;
    case simt::Code::trap:
      return Verdict::device_error;
    default:
      return std::nullopt;
  }
}

Verdict verdict_of(run::End end) {
  switch (end) {
    case run::End::completed:
      return Verdict::accepted;
    case run::End::fault:
      return Verdict::out_of_bounds;
    case run::End::launch_error:
      return Verdict::launch_error;
    case run::End::device_error:
    case run::End::unsupported:
      return Verdict::device_error;
    case run::End::time_limit:
      return Verdict::time_limit;
    case run::End::our_failure:
      return Verdict::grader_error;
  }
  return Verdict::grader_error;
}

std::string side(const simt::Side &s) {
  return fmt::format("thread ({}, {}, {}) of block ({}, {}, {})", s.thread.x, s.thread.y, s.thread.z,
                     s.block.x, s.block.y, s.block.z);
}

/// "tile<8>" of "void tile<8>(float*, int)": what a launch is written with.
std::string kernel_name(const std::string &signature) {
  std::size_t end = signature.size();
  if (signature.ends_with(')'))
    for (int open = 0; end > 0;) {
      const char c = signature[--end];
      open += (c == ')') - (c == '(');
      if (open == 0) break;
    }
  const std::size_t start = signature.starts_with("void ") ? 5 : 0;
  return end > start ? signature.substr(start, end - start) : signature;
}

/// Verdicts that a run's facts support, each once, strongest first.
class Held {
 public:
  void add(Verdict v, std::string why) {
    for (const auto &[have, reason] : all_)
      if (have == v) return;
    all_.emplace_back(v, std::move(why));
  }
  RunVerdict result() {
    std::stable_sort(all_.begin(), all_.end(),
                     [](const auto &a, const auto &b) { return a.first > b.first; });
    RunVerdict r;
    r.verdict = all_.front().first;
    r.reason = all_.front().second;
    for (std::size_t i = 1; i < all_.size(); ++i)
      if (all_[i].first != Verdict::accepted) r.also.push_back(all_[i].first);
    return r;
  }

 private:
  std::vector<std::pair<Verdict, std::string>> all_;
};

}  // namespace

std::string_view name_of(Verdict v) {
  return names.at(static_cast<std::size_t>(v));
}

std::string_view in_words(Verdict v) {
  return v == Verdict::bad_plan ? "launcher_refused" : name_of(v);
}

std::optional<Verdict> verdict_of(std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Verdict>(found - names.begin());
}

namespace {

std::string words_of(const simt::Diagnostic &d) {
  if (d.code != simt::Code::unsupported) return d.message;
  const bool instruction = d.message.starts_with("unsupported PTX instruction");
  return fmt::format("the simulator cannot run this: {}{}", d.message,
                     instruction ? "; if this line has no inline assembly, tell the course staff" : "");
}

}  // namespace

Finding finding(const simt::Diagnostic &d) {
  Finding f{std::string(simt::name_of(d.code)),
            std::string(simt::name_of(d.severity)),
            d.here.at.file,
            d.here.at.line,
            words_of(d),
            d.count};
  if (d.code != simt::Code::launch_error && !d.kernel.empty())
    f.message += fmt::format(" ({} in {}", side(d.here), kernel_name(d.kernel));
  else if (!d.kernel.empty())
    f.message += fmt::format(" ({}", kernel_name(d.kernel));
  if (!d.kernel.empty()) {
    if (d.other)
      f.message +=
          fmt::format("; the other side: {}{}", side(*d.other),
                      d.other->at.line > 0 ? fmt::format(", {}:{}", d.other->at.file, d.other->at.line) : "");
    f.message += ")";
  }
  return f;
}

std::string describe(const problem::Comparison &c) {
  const bool all = c.wrong == c.checked;
  std::string text = all ? c.wrong == 1 ? fmt::format("the only element of {} is wrong", c.output)
                                        : fmt::format("all {} elements of {} are wrong", c.wrong, c.output)
                         : fmt::format("{} of {} elements of {} {} wrong", c.wrong, c.checked, c.output,
                                       c.wrong == 1 ? "is" : "are");
  // A cause explains every element; without one, their places are a hint.
  if (!c.cause.empty())
    text += ": " + c.cause;
  else if (!c.located.empty() && !all)
    text += ": " + c.located;
  if (c.not_finite > 0) text += fmt::format("; {} not finite (NaN or infinite)", c.not_finite);
  if (c.never_written > 0)
    text += fmt::format("; {} still hold{} the old value", c.never_written, c.never_written == 1 ? "s" : "");
  return text;
}

RunVerdict judge_run(const run::Run &run, const std::optional<problem::Comparison> &comparison,
                     bool gpu_decides, const std::vector<std::string> &inputs, bool has_output) {
  const auto is_input = [&](const std::string &buffer) {
    return std::find(inputs.begin(), inputs.end(), buffer) != inputs.end();
  };
  Held held;
  std::vector<Finding> findings;
  const Verdict of_unsupported = gpu_decides ? Verdict::grader_error : Verdict::device_error;
  for (const simt::Diagnostic &d : run.diagnostics) {
    findings.push_back(finding(d));
    if (d.severity != simt::Severity::error) continue;
    if (d.code == simt::Code::race && is_input(d.buffer)) {
      const std::string why = fmt::format("{} is an input, and the kernel writes it", d.buffer);
      // How threads could share it does not matter; the line that writes does.
      simt::Diagnostic write = d;
      write.message = why;
      if (d.other && d.message.starts_with("read after write")) std::swap(write.here, *write.other);
      findings.back() = finding(write);
      findings.back().code = name_of(Verdict::input_changed);
      held.add(Verdict::input_changed, why);
      continue;
    }
    if (d.code == simt::Code::unsupported)
      held.add(of_unsupported, words_of(d));
    else if (const auto v = verdict_of(d.code))
      held.add(*v, d.message);
  }
  // A fault that a diagnostic explains is that diagnostic's verdict, not a second one.
  const bool explained =
      (run.end == run::End::fault || run.end == run::End::unsupported) && !run.diagnostics.empty();
  if (!explained)
    held.add(run.end == run::End::unsupported ? of_unsupported : verdict_of(run.end), run.message);
  for (const std::string &guard : run.guards_written) held.add(Verdict::out_of_bounds, guard);
  if (run.end == run::End::completed) {
    if (!comparison) {
      held.add(Verdict::grader_error, "the output was not compared");
    } else {
      for (const std::string &changed : comparison->changed_inputs)
        held.add(Verdict::input_changed, changed + " was changed");
      if (comparison->wrong > 0) held.add(Verdict::wrong_answer, describe(*comparison));
      if (comparison->checked == 0 && has_output) held.add(Verdict::grader_error, "no element was compared");
    }
  }
  mark_consequences(run.diagnostics, findings);
  RunVerdict result = held.result();
  result.findings = std::move(findings);
  return result;
}

int telling(const CaseVerdict &c, const problem::Problem &problem) {
  const bool wrong = c.comparison && c.comparison->wrong > 0;
  // Where few elements are wrong, their place says what is wrong; where all are, it says nothing.
  const bool place =
      wrong && c.verdict == Verdict::wrong_answer && 2 * c.comparison->wrong <= c.comparison->checked;
  const bool cause = wrong && !c.comparison->cause.empty();
  const bool known = c.values.integers.size() == problem.integers().size();
  const bool degenerate = known && problem::is_degenerate(problem, c.values);
  return 4 * cause + 2 * !degenerate + place;
}

HiddenCount count_hidden(const std::vector<CaseVerdict> &cases) {
  HiddenCount count;
  for (const CaseVerdict &c : cases) {
    if (c.visibility != course::Visibility::hidden || c.waits_for_gpu) continue;
    ++count.all;
    if (!c.ran()) continue;
    ++count.ran;
    count.passed += c.verdict == Verdict::accepted;
    count.not_judged += c.verdict == Verdict::grader_error;
  }
  return count;
}

void join(CaseVerdict &c, const RunVerdict &r, std::string_view where) {
  const bool first = c.where.empty();
  c.where = first ? std::string(where) : fmt::format("{} and {}", c.where, where);
  std::vector<Verdict> all = c.also;
  all.insert(all.end(), r.also.begin(), r.also.end());
  // What the simulator cannot run says nothing against what a GPU has shown, nor the other way round.
  const bool better = first || c.verdict == Verdict::grader_error || r.verdict > c.verdict;
  if (!first) all.push_back(better ? c.verdict : r.verdict);
  if (better) {
    c.verdict = r.verdict;
    c.reason = r.reason;
  }
  std::sort(all.begin(), all.end(), std::greater<>());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  std::erase_if(
      all, [&](Verdict v) { return v == c.verdict || v == Verdict::accepted || v == Verdict::grader_error; });
  c.also = std::move(all);
  c.findings.insert(c.findings.end(), r.findings.begin(), r.findings.end());
}

}  // namespace warpgrade::judge
