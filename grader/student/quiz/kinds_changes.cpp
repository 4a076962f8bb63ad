// What becomes of the kernel when a line changes: each change is made, compiled and run.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "mutants/mutants.hpp"
#include "quiz/kinds.hpp"
#include "tune/variants.hpp"

namespace warpgrade::quiz {

namespace {

using mutants::Mutant;
using mutants::Ran;

/// Mutants of these kinds in lines of the student's.
std::vector<Mutant> own_mutants(Subject &s, std::initializer_list<std::string_view> kinds) {
  const std::vector<std::string_view> wanted(kinds);
  std::vector<Mutant> all = mutants::mutants_of(s.source(), wanted);
  std::erase_if(all, [&](const Mutant &m) { return !s.is_own({s.step().file, m.line}) || !m.on_device; });
  return all;
}

/// A small size at which edges matter, with all the sizes of `even` alike or not.
std::optional<problem::Case> of_size(Subject &s, std::int64_t n) try {
  problem::Given given = problem::sizes_of(s.problem(), s.even());
  for (std::size_t i = 0; i < given.integers.size(); ++i)
    if (s.problem().integers()[i].size && given.integers[i]) given.integers[i] = n;
  return problem::complete(s.problem(), given, s.step().with);
} catch (const std::invalid_argument &) {
  return std::nullopt;
}

/// "line 52 reads `if (row <= M) ...`": the whole line, since the same sign may be in it more than once.
std::string change_in_words(const Mutant &m) {
  const std::vector<std::string> lines = lines_of(m.text);
  const auto at = static_cast<std::size_t>(m.line) - 1;
  const bool within = m.from.find('\n') == std::string::npos && at < lines.size();
  if (!within)
    return fmt::format("in line {} `{}` is replaced by `{}`", m.line, m.from.substr(0, m.from.find('\n')),
                       m.to.substr(0, m.to.find('\n')));
  return fmt::format("line {} reads `{}`", m.line, trimmed(lines[at]));
}

bool is_race(const Ran &ran) {
  return ran.verdict == judge::Verdict::race;
}

std::optional<Question> barrier_to_remove(Subject &s, Dice &dice) {
  constexpr std::size_t most = 3;
  const std::vector<Mutant> barriers = own_mutants(s, {"barrier: left out"});
  if (barriers.empty() || barriers.size() > most || !s.odd()) return std::nullopt;
  std::vector<int> removable, needed;
  for (const Mutant &m : barriers) {
    Subject::Changed *changed = s.changed(m.text);
    if (!changed) return std::nullopt;
    const bool right = changed->runner->run(*s.odd()).accepted() && changed->runner->run(s.even()).accepted();
    (right ? removable : needed).push_back(m.line);
  }
  const auto one = [](int line) { return fmt::format("the one in line {}, and no other", line); };
  const std::string none = "none of them", all = "each of them, if the others stay";
  if (removable.size() > 1 && !needed.empty()) return std::nullopt;
  // Only answers that name lines: what is said of barriers in other words may be true of the right one by accident.
  const std::string right = removable.empty() ? none : needed.empty() ? all : one(removable.front());
  std::vector<Wrong> wrong;
  if (right != none) wrong.push_back({none, "a barrier is taken to be needed wherever threads share memory"});
  for (const int line : needed) wrong.push_back({one(line), "without it, the simulator finds a fault"});
  if (right != all) wrong.push_back({all, "barriers are taken to matter for speed only"});
  Question q = s.about(barriers.front().line);
  std::string lines;
  for (const Mutant &m : barriers) lines += fmt::format("{}{}", lines.empty() ? "" : ", ", m.line);
  q.text = fmt::format(
      "Your kernel has barriers in lines {}. Which may be left out without a race or a wrong result?", lines);
  q.why = fmt::format("Each was left out and the kernel run at {} and {}.", s.at(*s.odd()), s.at(s.even()));
  return with_choices(std::move(q), right, wrong, dice);
}

std::optional<Question> race_lines(Subject &s, Dice &dice) {
  const std::vector<Mutant> barriers = own_mutants(s, {"barrier: left out"});
  if (barriers.empty()) return std::nullopt;
  const Mutant &m = dice.one_of(barriers);
  Subject::Changed *changed = s.changed(m.text);
  if (!changed) return std::nullopt;
  const Ran ran = changed->runner->run(s.even());
  if (!is_race(ran)) return std::nullopt;
  std::set<std::pair<int, int>> found;
  for (const simt::Diagnostic &d : ran.run.diagnostics)
    if (d.code == simt::Code::race && d.other && d.here.at.file == s.step().file &&
        d.other->at.file == s.step().file)
      found.insert(std::minmax(d.here.at.line, d.other->at.line));
  if (found.empty()) return std::nullopt;
  const auto words = [](std::pair<int, int> p) {
    return p.first == p.second ? fmt::format("line {} and itself", p.first)
                               : fmt::format("lines {} and {}", p.first, p.second);
  };
  // Two lines that both reach shared memory, one of them storing, may race where the simulator did not look on to the
  // end: no wrong answers.
  std::map<int, simt::LineCounters> lines;
  for (const auto &[at, c] : s.counters(s.even()).lines)
    if (s.is_own(at) && (c.shared_requests() > 0 || c.global_requests() > 0)) lines[at.line] = c;
  std::vector<Wrong> wrong;
  for (const auto &[a, first] : lines)
    for (const auto &[b, second] : lines) {
      const bool shared = first.shared_requests() > 0 && second.shared_requests() > 0;
      const bool stores = first.shared_store.requests > 0 || second.shared_store.requests > 0;
      const bool global = first.global_requests() > 0 && second.global_requests() > 0;
      const bool writes = first.global_store.requests > 0 || second.global_store.requests > 0;
      const bool atomics = first.atomic_requests > 0 || second.atomic_requests > 0;
      if (a > b || (shared && stores) || (global && writes) || atomics || found.contains({a, b})) continue;
      wrong.push_back(
          {words({a, b}),
           shared ? "both only read" : "they share no memory that one thread stores and another one reads"});
    }
  dice.shuffle(wrong);
  Question q = s.about(m.line);
  q.text = fmt::format(
      "Suppose the barrier in line {} is left out. Between which two lines is there a race then?", m.line);
  q.why = fmt::format("Without it, the simulator finds at {}: {}", s.at(s.even()), ran.reason);
  return with_choices(std::move(q), words(*found.begin()), wrong, dice);
}

/// The smallest size at which a changed kernel fails; nothing up to `most`.
std::optional<std::int64_t> smallest_failing(Subject &s, Subject::Changed &changed, std::int64_t most) {
  for (std::int64_t n = 1; n <= most; ++n) {
    const auto c = of_size(s, n);
    if (!c) continue;
    if (!changed.runner->run(*c).accepted()) return n;
  }
  return std::nullopt;
}

std::optional<Question> smallest_failing_size(Subject &s, Dice &dice) {
  constexpr std::int64_t most = 70;
  const std::vector<Mutant> all =
      own_mutants(s, {"guard: left out", "guard: one side left out", "guard: always", "bound: one turn less",
                      "comparison: lets one more through"});
  if (all.empty()) return std::nullopt;
  const Mutant &m = dice.one_of(all);
  Subject::Changed *changed = s.changed(m.text);
  if (!changed) return std::nullopt;
  const auto right = smallest_failing(s, *changed, most);
  if (!right) return std::nullopt;
  std::vector<Wrong> wrong;
  for (const std::int64_t n : {1, 2, 33, 32, 31, 17, 64, 65})
    if (n != *right)
      wrong.push_back(
          {std::to_string(n), n < *right ? "it is still right there" : "a smaller one fails already"});
  wrong.insert(wrong.begin(), {std::to_string(*right + 1), "the next one"});
  Question q = s.about(m.line);
  q.text =
      fmt::format("Suppose that {}. What is the smallest n at which the kernel fails, if all sizes are n?",
                  change_in_words(m));
  q.why = "The changed kernel was run at n = 1, 2, 3 and so on until it failed.";
  return with_choices(std::move(q), std::to_string(*right), wrong, dice);
}

std::optional<Question> first_finding(Subject &s, Dice &dice) {
  const std::vector<Mutant> all =
      own_mutants(s, {"comparison: lets one more through", "bound: one turn more", "guard: left out",
                      "barrier: left out", "initial value: never set"});
  if (all.empty()) return std::nullopt;
  const Mutant &m = dice.one_of(all);
  const problem::Case &size = s.odd() ? *s.odd() : s.even();
  Subject::Changed *changed = s.changed(m.text);
  if (!changed) return std::nullopt;
  const std::vector<std::pair<judge::Verdict, std::string>> verdicts = {
      {judge::Verdict::accepted, "nothing: every result is still right"},
      {judge::Verdict::out_of_bounds, "an access outside an array"},
      {judge::Verdict::wrong_answer, "wrong results, and nothing else"},
      {judge::Verdict::race, "a race between threads"},
      {judge::Verdict::uninitialized_read, "a value that nobody has set"}};
  const Ran ran = changed->runner->run(size);
  std::string right;
  std::vector<Wrong> wrong;
  for (const auto &[verdict, words] : verdicts)
    if (verdict == ran.verdict)
      right = words;
    else
      wrong.push_back({words, "the simulator finds something else"});
  if (right.empty() || !ran.also.empty()) return std::nullopt;
  Question q = s.about(m.line);
  q.text =
      fmt::format("Suppose that {}. What does the checker report at {}?", change_in_words(m), s.at(size));
  q.why = ran.reason.empty() ? "The changed kernel was run and is right there."
                             : fmt::format("It says: {}.", ran.reason);
  return with_choices(std::move(q), right, wrong, dice);
}

std::optional<Question> wrong_elements(Subject &s, Dice &dice) {
  const std::vector<Mutant> all =
      own_mutants(s, {"initial value: one", "bound: starts one later", "tail: filled with ones",
                      "factor: forgotten", "term: left out", "sum: the last term only",
                      "index: subscripts exchanged", "guard: never", "bound: one turn less"});
  if (all.empty()) return std::nullopt;
  const Mutant &m = dice.one_of(all);
  const problem::Case &size = s.odd() ? *s.odd() : s.even();
  Subject::Changed *changed = s.changed(m.text);
  if (!changed) return std::nullopt;
  const Ran ran = changed->runner->run(size);
  if (!ran.comparison || (ran.verdict != judge::Verdict::wrong_answer && !ran.accepted()))
    return std::nullopt;
  const std::uint64_t right = ran.comparison->wrong, outputs = ran.comparison->checked;
  const std::vector<problem::Extent> extents = s.problem().extents(size);
  const auto rows = static_cast<std::uint64_t>(extents.back().rows),
             cols = static_cast<std::uint64_t>(extents.back().cols);
  const std::vector<Wrong> wrong = {{grouped(outputs), "every element is taken to be wrong"},
                                    {"0", "the change is taken not to matter at this size"},
                                    {grouped(cols), "one row of the result"},
                                    {"1", "one element"},
                                    {grouped(rows + cols - 1), "one row and one column"},
                                    {grouped(outputs / 2), "half of the result"}};
  Question q = s.about(m.line);
  q.text = fmt::format("Suppose that {}. How many elements of {} are wrong at {}?", change_in_words(m),
                       ran.comparison->output, s.at(size));
  q.why = ran.accepted() ? "The changed kernel was run, and no element differs by more than rounding."
                         : fmt::format("The changed kernel was run: {}.", ran.reason);
  return with_choices(std::move(q), grouped(right), wrong, dice);
}

/// The kernel with a constant halved, if it is still right.
struct Halved {
  std::string name, before, after;
  Subject::Changed *changed = nullptr;
  simt::Counters counters;
  std::uint64_t blocks = 0;
};
std::optional<Halved> with_half_a_constant(Subject &s) {
  Dice dice(s.seed(), "constant");  // one for all questions
  std::vector<Halved> all;
  for (const auto &[name, value] : tune::constants_of(s.source())) {
    const int number = std::stoi(value);
    if (number >= 8 && number % 2 == 0)
      all.push_back({name, value, std::to_string(number / 2), nullptr, {}, 0});
  }
  if (all.empty()) return std::nullopt;
  Halved one = dice.one_of(all);
  const auto text = tune::with_value(s.source(), one.name, one.after);
  if (!text) return std::nullopt;
  one.changed = s.changed(*text);
  if (!one.changed) return std::nullopt;
  Ran ran = one.changed->runner->run(s.even(), {.count = true});
  if (!ran.accepted() || !ran.run.counters) return std::nullopt;
  one.counters = std::move(*ran.run.counters);
  for (const plan::Operation &o : ran.plan.operations)
    if (const auto *launch = std::get_if<plan::Launch>(&o)) one.blocks += launch->grid.count();
  return one;
}

std::optional<Question> about_constant(Subject &s, Dice &dice, const Halved &h, const std::string &what,
                                       std::uint64_t before, std::uint64_t after) {
  if (before == 0) return std::nullopt;
  const std::vector<Wrong> wrong = {{grouped(before), "nothing is taken to change"},
                                    {grouped(before / 2), "it is taken to halve"},
                                    {grouped(2 * before), "it is taken to double"},
                                    {grouped(before / 4), "it is taken to become a quarter"},
                                    {grouped(4 * before), "it is taken to become four times as much"}};
  Question q = s.about(0);
  q.text = fmt::format("Suppose {} is {} instead of {}. {} then?", h.name, h.after, h.before, what);
  q.why = fmt::format("The changed kernel was compiled and run. With {} = {} it is {}.", h.name, h.before,
                      grouped(before));
  return with_choices(std::move(q), grouped(after), wrong, dice);
}

std::optional<Question> constant_and_shared_bytes(Subject &s, Dice &dice) {
  const auto h = with_half_a_constant(s);
  if (!h) return std::nullopt;
  return about_constant(s, dice, *h, "How many bytes of shared memory does each block take",
                        s.build().static_shared_bytes, h->changed->build.static_shared_bytes);
}
std::optional<Question> constant_and_requests(Subject &s, Dice &dice) {
  const auto h = with_half_a_constant(s);
  if (!h) return std::nullopt;
  return about_constant(
      s, dice, *h, fmt::format("How many requests to global memory do all warps make at {}", s.at(s.even())),
      s.counters(s.even()).global_requests(), h->counters.global_requests());
}
std::optional<Question> constant_and_barriers(Subject &s, Dice &dice) {
  const auto h = with_half_a_constant(s);
  if (!h) return std::nullopt;
  return about_constant(s, dice, *h,
                        fmt::format("How many barriers do all blocks together pass at {}", s.at(s.even())),
                        s.counters(s.even()).barriers, h->counters.barriers);
}
std::optional<Question> constant_and_blocks(Subject &s, Dice &dice) {
  const auto h = with_half_a_constant(s);
  const plan::Launch *launch = s.only_launch(s.even());
  if (!h || !launch) return std::nullopt;
  return about_constant(s, dice, *h, fmt::format("How many blocks are launched at {}", s.at(s.even())),
                        launch->grid.count(), h->blocks);
}

}  // namespace

const std::vector<Kind> change_kinds = {
    {"barrier_to_remove", "barriers", 3, true, barrier_to_remove},
    {"race_lines", "races", 3, true, race_lines},
    {"smallest_failing_size", "guards", 3, true, smallest_failing_size},
    {"first_finding", "faults", 2, true, first_finding},
    {"wrong_elements", "results", 2, true, wrong_elements},
    {"constant_and_shared_bytes", "constants", 2, true, constant_and_shared_bytes},
    {"constant_and_requests", "constants", 3, true, constant_and_requests},
    {"constant_and_barriers", "constants", 2, true, constant_and_barriers},
    {"constant_and_blocks", "constants", 2, true, constant_and_blocks},
};

}  // namespace warpgrade::quiz
