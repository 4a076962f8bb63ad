#include "judge/answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "judge/seal.hpp"

namespace warpgrade::judge {

namespace {

using course::Count;
using course::Question;

constexpr const char *coalesced = "coalesced", *uncoalesced = "uncoalesced",
                     *not_applicable = "not applicable";
/// An access that begins within a sector touches one sector more than it needs; it is coalesced all the same.
constexpr double most_sectors_over_ideal = 1.5;
/// Formulas are exact; this is for the rounding of their evaluation.
constexpr double tolerance = 1e-6;
constexpr int most_lanes = 32;  // that can meet in one bank

bool chosen(const course::AccessFilter &filter, const simt::AccessKey &key,
            const std::vector<std::string> &source) {
  if (filter.store && *filter.store != key.store) return false;
  if (!filter.buffer.empty() && filter.buffer != key.buffer) return false;
  if (filter.mark.empty()) return true;
  const auto line = static_cast<std::size_t>(key.at.line);
  return line >= 1 && line <= source.size() && source[line - 1].find(filter.mark) != std::string::npos;
}

std::string number(double value) {
  return fmt::format("{:.15g}", value);
}

std::optional<std::string> ratio_text(double above, double below) {
  return below == 0 ? std::nullopt : std::optional(number(above / below));
}

/// The accesses in question, global and shared ones apart, and the worst degree of a bank conflict.
struct Chosen {
  simt::GlobalTraffic global;
  simt::SharedTraffic shared;
  std::uint64_t worst_degree = 0;
};
Chosen choose(const Question &q, const simt::Counters &counters, const std::vector<std::string> &source) {
  Chosen all;
  for (const auto &[key, access] : counters.accesses) {
    if (!chosen(q.access, key, source)) continue;
    all.global += access.global;
    all.shared += access.shared;
    const simt::SharedTraffic &s = access.shared;
    if (s.requests > 0) {
      const std::uint64_t ideal = s.wavefronts - s.conflicts;
      all.worst_degree =
          std::max(all.worst_degree, (s.wavefronts + ideal - 1) / std::max<std::uint64_t>(ideal, 1));
    }
  }
  return all;
}

std::string lower(std::string_view text) {
  std::string plain;
  for (const char c : text)
    plain += c == '_' || c == '-' ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return plain;
}

bool is_word(const std::string &fact) {
  return !fact.empty() && std::isalpha(static_cast<unsigned char>(fact.front())) != 0;
}

CaseVerdict verdict(const Question &q, Verdict v, std::string reason) {
  CaseVerdict made;
  made.name = q.id;
  made.verdict = v;
  made.reason = std::move(reason);
  return made;
}

bool takes_words(Count count) {
  return count == Count::coalescing || count == Count::bank_conflicts;
}

/// The values of a formula where the question asks for them. Throws FormulaError.
std::vector<double> values_of(const problem::Problem &problem, const Question &q, const std::string &answer) {
  const problem::Formula formula(answer);
  std::vector<double> values;
  for (const problem::Case &on : q.on) values.push_back(formula.value(variables_of(problem, on)));
  return values;
}

/// What is wrong with the form of an answer, whatever is true; empty where it may be right.
std::string mistake_in_form(const problem::Problem &problem, const Question &q, const std::string &answer) {
  const std::string word = lower(answer), shown = "\"" + answer.substr(0, 60) + "\"";
  if (takes_words(q.count) && word == not_applicable) return "";
  if (q.count == Count::coalescing)
    return word == coalesced || word == uncoalesced
               ? ""
               : fmt::format("{} is not one of {}, {} and {}", shown, coalesced, uncoalesced, not_applicable);
  try {
    const std::vector<double> values = values_of(problem, q, answer);
    const bool degrees = std::all_of(values.begin(), values.end(), [](double v) {
      return v == std::floor(v) && v >= 1 && v <= most_lanes;
    });
    if (q.count != Count::bank_conflicts || degrees) return "";
  } catch (const problem::FormulaError &e) {
    if (q.count != Count::bank_conflicts) return e.what();
  }
  return fmt::format("{} is neither a whole number from 1 to {} nor \"{}\"", shown, most_lanes,
                     not_applicable);
}

CaseVerdict judge_word(const Question &q, const std::string &answer, const std::string &fact) {
  if (lower(answer) == lower(fact)) return verdict(q, Verdict::accepted, "");
  return verdict(q, Verdict::wrong_answer,
                 fmt::format("{}: \"{}\" is not what the simulator sees", q.ask, answer.substr(0, 60)));
}

CaseVerdict judge_formula(const problem::Problem &problem, const Question &q, const std::string &answer) {
  const std::vector<double> values = values_of(problem, q, answer);
  for (std::size_t i = 0; i < q.facts.size(); ++i) {
    const double said = values[i], counted = problem::Formula(q.facts[i].value).value({});
    if (std::fabs(said - counted) <= tolerance * std::max(1.0, std::fabs(counted))) continue;
    return verdict(q, Verdict::wrong_answer,
                   fmt::format("{}: {} is {:.6g} at {}, the simulator counts {:.6g}", q.ask, answer, said,
                               problem.case_name(q.on[i]), counted));
  }
  return verdict(q, Verdict::accepted, "");
}

/// What is hashed: a word, or numbers to the nine digits that rounding leaves alone.
std::string one_spelling(const std::vector<double> &values) {
  std::string text;
  for (const double v : values) text += fmt::format("{}{:.9g}", text.empty() ? "" : " ", v + 0.0);  // no -0
  return text;
}

CaseVerdict judge_sealed(const problem::Problem &problem, const Question &q, const std::string &answer) {
  const bool word = takes_words(q.count) && is_word(answer);
  if (opens(q.sealed, word ? lower(answer) : one_spelling(values_of(problem, q, answer))))
    return verdict(q, Verdict::accepted, "");
  return verdict(q, Verdict::wrong_answer, fmt::format("{}: {} is not right", q.ask, answer));
}

CaseVerdict judge_answer(const course::Assignment &a, const Question &q, const std::string &answer) {
  if (answer.empty()) return verdict(q, Verdict::not_implemented, fmt::format("{}: not answered yet", q.ask));
  const problem::Problem &problem = a.problem_of(q.kernel);
  if (const std::string mistake = mistake_in_form(problem, q, answer); !mistake.empty())
    return verdict(q, Verdict::wrong_answer, fmt::format("{}: {}", q.ask, mistake));
  if (q.left_to_course) {
    CaseVerdict open = verdict(q, Verdict::grader_error, "");
    open.left_to_course = true;
    return open;
  }
  if (!q.sealed.empty()) return judge_sealed(problem, q, answer);
  if (q.facts.size() != q.on.size())
    return verdict(
        q, Verdict::grader_error,
        fmt::format("facts.yaml is out of date: 'gradebook facts {}' counts the values again", a.name));
  const std::string &fact = q.facts.front().value;
  if (is_word(fact)) return judge_word(q, answer, fact);
  // "not applicable" where there is a number to give
  return is_word(answer) && takes_words(q.count) ? judge_word(q, answer, fact)
                                                 : judge_formula(problem, q, answer);
}

}  // namespace

std::optional<std::string> fact_of(const Question &q, const simt::Counters &c, std::uint64_t threads,
                                   const std::vector<std::string> &source) {
  constexpr double word = 4;  // bytes of an access
  const auto flops = static_cast<double>(c.fp32_flops());
  const double accesses = static_cast<double>(c.requested_bytes()) / word;
  const auto all = static_cast<double>(threads);
  const Chosen access = choose(q, c, source);
  switch (q.count) {
    case Count::flops_per_thread:
      return ratio_text(flops, all);
    case Count::global_accesses_per_thread:
      return ratio_text(accesses, all);
    case Count::flops_per_global_access:
      return ratio_text(flops, accesses);
    case Count::global_accesses_per_flop:
      return ratio_text(accesses, flops);
    case Count::sectors_per_request:
      return ratio_text(static_cast<double>(access.global.sectors),
                        static_cast<double>(access.global.requests));
    case Count::coalescing:
      if (access.global.requests == 0)
        return access.shared.requests == 0 ? std::nullopt : std::optional<std::string>(not_applicable);
      return static_cast<double>(access.global.sectors) <=
                     most_sectors_over_ideal * static_cast<double>(access.global.ideal_sectors)
                 ? coalesced
                 : uncoalesced;
    case Count::bank_conflicts:
      if (access.shared.requests > 0) return std::to_string(access.worst_degree);
      return access.global.requests == 0 ? std::nullopt : std::optional<std::string>(not_applicable);
  }
  return std::nullopt;
}

problem::Formula::Variables variables_of(const problem::Problem &problem, const problem::Case &c) {
  problem::Formula::Variables variables;
  for (std::size_t i = 0; i < problem.integers().size(); ++i) {
    const auto value = static_cast<double>(c.integers.at(i));
    std::string name = problem.integers()[i].name;
    variables[name] = value;
    for (char &letter : name) letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    variables[name] = value;
  }
  return variables;
}

std::string sealed_fact(const Question &q, std::string_view salt) {
  if (q.facts.empty() || q.facts.size() != q.on.size()) throw std::invalid_argument(q.id + ": no facts");
  if (is_word(q.facts.front().value)) return seal(lower(q.facts.front().value), salt);
  std::vector<double> values;
  for (const course::Fact &fact : q.facts) values.push_back(problem::Formula(fact.value).value({}));
  return seal(one_spelling(values), salt);
}

std::vector<CaseVerdict> judge_answers(const course::Assignment &a, const course::Step &step,
                                       const std::map<std::string, std::string> &answers) {
  std::vector<CaseVerdict> verdicts;
  for (const Question &q : step.questions) {
    const auto answer = answers.find(q.id);
    verdicts.push_back(judge_answer(a, q, answer == answers.end() ? "" : answer->second));
  }
  return verdicts;
}

}  // namespace warpgrade::judge
