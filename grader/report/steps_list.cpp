#include "report/steps_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "report/text.hpp"

namespace warpgrade::report {
namespace {

std::string joined(const std::vector<std::string> &parts, const char *between) {
  std::string all;
  for (const std::string &part : parts) all += (all.empty() ? "" : between) + part;
  return all;
}

std::string worth(const course::Step &step) {
  if (step.beyond) return "beyond the course: no points";
  std::vector<std::string> parts;
  const auto add = [&](double points, const char *what) {
    if (points > 0) parts.push_back(fmt::format("{:g} {}", points, what));
  };
  add(step.points.correct, step.hunt           ? "for the fix"
                           : step.has_kernel() ? "for correct results"
                                               : "for correct answers");
  add(step.points.fast, "for speed");
  add(step.points.counters, "for counters");
  add(step.points.proof, "for what is proved for all sizes");
  if (step.hunt) {
    add(step.hunt->line_points, "for the line");
    add(step.hunt->cause_points, "for the cause");
  }
  return joined(parts, ", ") + (step.extra_credit ? " (extra credit)" : "");
}

std::string in_words(const course::Rules &rules) {
  std::vector<std::string> parts;
  if (rules.shared_memory == course::Permission::required) parts.push_back("shared memory is required");
  if (rules.shared_memory == course::Permission::forbidden) parts.push_back("no shared memory");
  if (rules.tensor_cores_forbidden) parts.push_back("no tensor cores");
  if (rules.low_precision_forbidden) parts.push_back("no arithmetic below single precision");
  if (rules.atomics_forbidden) parts.push_back("no atomic operations");
  if (rules.static_shared_bytes)
    parts.push_back(fmt::format("at most {} bytes of shared memory declared", *rules.static_shared_bytes));
  if (rules.outputs_per_thread)
    parts.push_back(fmt::format("at least {:g} results per thread", rules.outputs_per_thread->at_least));
  return joined(parts, ", ");
}

std::string in_words(const FileState &state, const course::Step &step) {
  switch (state.kind) {
    case FileState::Kind::missing:
      return state.misnamed.empty()
                 ? "missing"
                 : fmt::format("missing; did you mean {}? Rename it to {}", state.misnamed, step.file);
    case FileState::Kind::as_handed_out:
      return "as handed out";
    case FileState::Kind::changed:
      return "changed";
    case FileState::Kind::here:
      return "here";
  }
  return "";
}

}  // namespace

std::string steps_list(const course::Assignment &a, const std::vector<FileState> &states,
                       std::size_t columns) {
  const std::size_t width = std::clamp(columns, narrowest, widest);
  std::size_t longest = 0;
  for (const course::Step &step : a.steps) longest = std::max(longest, columns_of(step.id));
  for (const course::Step &exam : a.exams) longest = std::max(longest, columns_of(exam.id));
  const std::string indent(longest + 2, ' ');
  std::string text;
  const auto add = [&](const std::string &first, const std::string &words) {
    std::string before = first;
    for (const std::string &line : wrap(words, width - indent.size())) {
      text += before + line + "\n";
      before = indent;
    }
  };
  for (const std::string &line : wrap(fmt::format("{}: {}", a.name, a.title), width)) text += line + "\n";
  const auto id_of = [&](const course::Step &step) { return step.id + indent.substr(columns_of(step.id)); };
  const auto unwritten = [&](std::size_t i) {
    return a.steps[i].beyond && states.at(i).kind == FileState::Kind::missing;
  };
  for (std::size_t i = 0; i < a.steps.size(); ++i) {
    const course::Step &step = a.steps[i];
    if (unwritten(i)) continue;
    text += "\n";
    add(id_of(step), step.title);
    add(indent, fmt::format("{}: {}", step.path().string(), in_words(states[i], step)));
    add(indent, worth(step));
    if (step.hunt)
      add(indent, fmt::format("the fix may change {} statement{}", step.hunt->most_changes,
                              step.hunt->most_changes == 1 ? "" : "s"));
    if (const std::string rules = in_words(step.rules); !rules.empty()) add(indent, rules);
  }
  for (const course::Step &exam : a.exams) {
    text += "\n";
    add(id_of(exam), exam.title);
    add(indent,
        fmt::format("{:g} points for answers to {} questions about your own kernels{}; nothing is handed in",
                    exam.points.total(), exam.viva->questions, exam.extra_credit ? " (extra credit)" : ""));
  }
  bool said = false;
  for (std::size_t i = 0; i < a.steps.size(); ++i) {
    const course::Step &step = a.steps[i];
    if (!unwritten(i)) continue;
    if (!std::exchange(said, true)) {
      text += "\n";
      for (const std::string &line : wrap(
               "Beyond the course, without points and without a starter; to try one, write its file:", width))
        text += line + "\n";
    }
    add(id_of(step), fmt::format("{}: {}", step.path().string(), step.title));
  }
  return text;
}

}  // namespace warpgrade::report
