#include "report/fixes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "judge/consequences.hpp"
#include "report/explain.hpp"
#include "report/figures.hpp"

namespace warpgrade::report {

namespace {

constexpr std::size_t most_compiler_errors = 5;
constexpr std::string_view clang_says = "clang says: ";  // where it knows the line better than nvcc

/// "step3.cu(7): error: text" and "step3.cu:7:2: error: text", as nvcc, its host compiler and clang write
/// them. Only of the student's own file: #line lets a submission name any other.
std::optional<Fix> compiler_error(std::string_view line, const std::string &file) {
  if (!line.starts_with(file) || line.size() == file.size()) return std::nullopt;
  const char after = line[file.size()];
  if (after != '(' && after != ':') return std::nullopt;
  const char *begin = line.data() + file.size() + 1, *end = line.data() + line.size();
  Fix fix;
  fix.file = file;
  const auto [number_end, error] = std::from_chars(begin, end, fix.line);
  if (error != std::errc() || fix.line < 1) return std::nullopt;
  const std::string_view mark = "error: ";
  const std::size_t at = line.find(mark, static_cast<std::size_t>(number_end - line.data()));
  // Nothing but a column may stand between place and mark.
  if (at == std::string_view::npos || at > static_cast<std::size_t>(number_end - line.data()) + 12)
    return std::nullopt;
  fix.reason = line.substr(at + mark.size());
  return fix;
}

std::vector<Fix> compiler_errors(const grading::StepRecord &s) {
  std::vector<Fix> list;
  const std::string_view log = s.build.log;
  for (std::size_t at = 0; at < log.size() && list.size() < most_compiler_errors;) {
    const std::size_t end = std::min(log.find('\n', at), log.size());
    std::string_view line = log.substr(at, end - at);
    const bool clang = line.starts_with(clang_says);
    if (clang) line.remove_prefix(clang_says.size());
    if (auto fix = compiler_error(line, s.file)) {
      if (clang) fix->reason = std::string(clang_says) + fix->reason;
      list.insert(clang ? list.begin() : list.end(), std::move(*fix));
    }
    at = end + 1;
  }
  return list;
}

/// Whether a finding shows what the verdict says.
bool shows(const judge::Finding &f, judge::Verdict verdict) {
  return f.code == judge::name_of(verdict) || (verdict == judge::Verdict::barrier_error &&
                                               (f.code == "barrier_divergence" || f.code == "deadlock"));
}

/// A finding, and those that may follow from it.
struct Group {
  const judge::Finding *first;
  std::vector<const judge::Finding *> others;

  template <class Test>
  bool any(const Test &test) const {
    return test(*first) || std::any_of(others.begin(), others.end(), [&](const auto *f) { return test(*f); });
  }
};

std::vector<Group> groups_of(const grading::StepRecord &s) {
  std::vector<Group> groups;
  std::vector<const judge::Finding *> later;
  for (const judge::Finding &f : s.findings) {
    if (f.severity != "error" && !is_cause(f)) continue;
    if (f.follows)
      later.push_back(&f);
    else
      groups.push_back({&f, {}});
  }
  for (const judge::Finding *f : later) {
    const auto of = std::find_if(groups.begin(), groups.end(), [&](const Group &g) {
      return judge::Origin{g.first->code, g.first->file, g.first->line} == *f->follows;
    });
    if (of != groups.end())
      of->others.push_back(f);
    else
      groups.push_back({f, {}});
  }
  return groups;
}

Fix fix_of(const judge::Finding &f) {
  return {f.file, f.line, f.message, f.count, true, f.code, {}};
}

std::vector<Fix> errors(const grading::StepRecord &s) {
  std::vector<Group> found = groups_of(s);
  std::stable_partition(found.begin(), found.end(), [&](const Group &g) {
    return g.any(
        [&](const judge::Finding &f) { return shows(f, s.verdict) && f.message.starts_with(s.reason); });
  });
  std::stable_partition(found.begin(), found.end(), [&](const Group &g) {
    return g.any([&](const judge::Finding &f) { return shows(f, s.verdict); });
  });
  // One barrier that some threads never reach says it; the other barriers of the kernel say it again.
  const auto cause =
      std::find_if(found.begin(), found.end(), [](const Group &g) { return is_cause(*g.first); });
  if (cause != found.end()) std::rotate(found.begin(), cause, cause + 1);
  std::vector<Fix> list;
  for (const Group &g : found) {
    list.push_back(fix_of(*g.first));
    for (const judge::Finding *f : g.others) list.back().consequences.push_back(fix_of(*f));
  }
  return list;
}

/// Advice on the lines that lose points; on the worst ones when only speed is lost.
std::vector<Fix> advice(const grading::StepRecord &s, const score::StepScore &score) {
  std::vector<Fix> list;
  if (!s.counters) return list;
  const explain::Explanation explained = explanation_of(*s.counters);
  const auto lost = [&](const explain::Line &line) {
    return std::any_of(score.counters.begin(), score.counters.end(), [&](const score::CounterScore &c) {
      return !c.passed && c.line == line.at.line && c.file == line.at.file;
    });
  };
  const bool any_lost = std::any_of(score.counters.begin(), score.counters.end(),
                                    [](const score::CounterScore &c) { return !c.passed; });
  for (const explain::Line &line : explained.lines) {
    if (line.advice.empty() || (any_lost && !lost(line))) continue;
    list.push_back({line.at.file, line.at.line, line.advice.front().sentence, 1, false});
    if (!any_lost) break;
  }
  return list;
}

}  // namespace

std::string consequences_in_words(const Fix &fix) {
  constexpr std::size_t most = 3;
  std::string words, before;
  for (std::size_t i = 0; i < std::min(fix.consequences.size(), most); ++i) {
    const Fix &f = fix.consequences[i];
    const std::string next = judge::in_words({f.code, f.file, f.line}, fix.file);
    const std::string common = f.code + " in ";  // said once
    const bool again = next.starts_with(common) && before.starts_with(common);
    words += (words.empty() ? "" : ", ") + (again ? next.substr(common.size()) : next);
    before = next;
  }
  if (fix.consequences.size() > most) words += fmt::format(" and {} more", fix.consequences.size() - most);
  return words;
}

bool is_cause(const judge::Finding &f) {
  return f.severity == "warning" && f.code == "barrier_divergence";
}

std::string_view badge_of(judge::Verdict v) {
  switch (v) {
    case judge::Verdict::accepted:
      return "PASS";
    case judge::Verdict::not_implemented:
    case judge::Verdict::missing:
      return "OPEN";  // still to be done; the verdict's own name says how it is missing
    case judge::Verdict::grader_error:
      return "HELD";
    default:
      return "FAIL";
  }
}

namespace {

bool waits_for_course(const grading::StepRecord &s) {
  return s.verdict == judge::Verdict::accepted &&
         count_cases(s).left_to_course + count_cases(s.answers).left_to_course > 0;
}

}  // namespace

std::string_view badge_of(const grading::StepRecord &s) {
  return waits_for_course(s) ? "WAIT" : badge_of(s.verdict);
}

std::string_view verdict_in_words(const grading::StepRecord &s) {
  return waits_for_course(s) ? count_cases(s).waits.empty() ? "complete" : "waits"
                             : judge::in_words(s.verdict);
}

std::vector<Fix> fixes(const grading::StepRecord &s, const score::StepScore &score) {
  if (s.verdict == judge::Verdict::build_error) return compiler_errors(s);
  if (s.verdict != judge::Verdict::accepted) return errors(s);
  if (score.points + score.ungraded_points >= score.max_points) return {};
  // What a hunt lacks may be its answers only.
  const bool counters_passed = std::all_of(score.counters.begin(), score.counters.end(),
                                           [](const score::CounterScore &c) { return c.passed; });
  if (!s.answers.empty() && counters_passed && score.max_points > 0) return {};
  return advice(s, score);
}

bool secret(const Report &r, const judge::CaseVerdict &c) {
  return c.visibility == course::Visibility::hidden && !r.reveal_hidden;
}

std::string outcome_of(const Report &r, const judge::CaseVerdict &c) {
  if (!c.ran()) return std::string(c.skipped ? "not run" : why_no_verdict(c));
  if (c.advisory) return fmt::format("{}, no points", judge::in_words(c.verdict));
  if (!secret(r, c) || c.verdict == judge::Verdict::grader_error)
    return std::string(judge::in_words(c.verdict));
  return c.verdict == judge::Verdict::accepted ? "passed" : "failed";
}

std::vector<std::string> case_names(const Report &r, const grading::StepRecord &s) {
  std::vector<std::string> names;
  int hidden = 0;
  for (const judge::CaseVerdict &c : s.cases) {
    hidden += c.visibility == course::Visibility::hidden;
    names.push_back(secret(r, c) ? fmt::format("hidden case {}", hidden) : c.name);
  }
  return names;
}

const judge::CaseVerdict *telling_case(const Report &r, const grading::StepRecord &s) {
  const judge::CaseVerdict *best = nullptr;
  if (s.verdict == judge::Verdict::not_implemented) return nullptr;  // no case tells more than that
  const course::Step *step = r.assignment.find_step(s.id);
  const auto rank = [&](const judge::CaseVerdict &c) {
    if (c.verdict != s.verdict) return 0;
    return 1 + (step && step->problem ? judge::telling(c, *step->problem) : 0);
  };
  for (const judge::CaseVerdict &c : s.cases) {
    if (!c.ran() || c.advisory || c.verdict == judge::Verdict::accepted || secret(r, c)) continue;
    if (!best || rank(c) > rank(*best)) best = &c;
  }
  return best;
}

std::string again(const Report &r, const std::string &step) {
  std::string command = r.again;
  const std::string mark = "{step}";
  if (const std::size_t at = command.find(mark); at != std::string::npos)
    command.replace(at, mark.size(), step);
  return command;
}

std::string explain_again(const Report &r, const std::string &step) {
  std::string command = again(r, step);
  const std::string grade = "./grade ";
  if (command.starts_with(grade)) command.insert(grade.size(), "explain ");
  return command;
}

}  // namespace warpgrade::report
