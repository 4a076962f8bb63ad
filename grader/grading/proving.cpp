#include "grading/proving.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <regex>
#include <stdexcept>

#include "grading/far_end.hpp"
#include "grading/plan_samples.hpp"
#include "grading/region.hpp"
#include "grading/step_grader.hpp"
#include "prove/prove.hpp"

namespace warpgrade::grading {

namespace {

using ProofClock = std::chrono::steady_clock;

constexpr double most_proved_work = 2e8;              // of a case that is run
constexpr std::uint64_t work_for_points = 1'000'000;  // some seconds

}  // namespace

class Prover {
 public:
  Prover(StepGrader &grader, const ProveOptions &how)
      : g_(grader), p_(*grader.step_.problem), how_(how), samples_(grader, how.brief) {}

  Proof prove() {
    Proof made;
    made.sizes = samples_.in_words();
    for (const std::string_view name : prove::property_names)
      made.properties.push_back({std::string(name), "proved", "", "", 0, ""});
    if (!prove::can_decide()) {
      not_decided("this program was built without the library that decides", made, true);
    } else {
      const auto all = samples_.combinations();
      work_ = how_.work / std::max<std::size_t>(all.size(), 1);
      if (how_.brief && all.size() > 1)
        not_decided("time", made, true);  // a longer look may decide it
      else
        for (std::size_t i = 0; i < all.size(); ++i)
          prove_branches(all[i], share_until(how_.seconds, all.size() - i), made);
    }
    made.seconds = seconds();
    if (g_.seconds() > g_.most_seconds_)  // plans may be missing for that reason alone
      for (PropertyRecord &one : made.properties) one.open = one.open || one.result == "not decided";
    return made;
  }

 private:
  double seconds() const { return std::chrono::duration<double>(ProofClock::now() - begin_).count(); }

  /// When the first of so many parts that take turns until then is to end.
  double share_until(double until, std::size_t parts) const {
    return seconds() + (until - seconds()) / static_cast<double>(parts);
  }

  static void not_decided(const std::string &why, Proof &made, bool open = false) {
    for (PropertyRecord &one : made.properties)
      if (one.result == "proved") one = {one.property, "not decided", "", "", 0, why, open};
  }

  /// What holds with these values of the switches, of each branch of the launcher.
  void prove_branches(const std::vector<std::int64_t> &chosen, double until, Proof &made) {
    if (const std::string why = samples_.record(chosen); !why.empty()) return not_decided(why, made);
    const std::vector<launches::Branch> branches = samples_.branches();
    if (branches.empty())
      return not_decided("no simple condition says which kernels are launched at which sizes", made);
    const std::uint64_t work = work_;
    for (std::size_t i = 0; i < branches.size(); ++i) {
      until_ = share_until(until, branches.size() - i);
      work_ = work / branches.size();
      prove_branch(branches[i], made);
    }
    work_ = work;
  }

  void prove_branch(const launches::Branch &branch, Proof &made) {
    conditions_ = branch.conditions;
    if (branch.kernels.empty()) return not_decided("at some sizes nothing is launched", made);
    const PlanSamples::OfBranch plans = samples_.of(branch);
    if (std::ssize(plans.fitted) < PlanSamples::least_fitted ||
        std::ssize(plans.checked) < PlanSamples::least_checked)
      return not_decided("too few plans could be recorded", made);
    const launches::Launches found = launches::fit_launches(samples_.names(), plans.fitted, plans.checked,
                                                            g_.build_.module, samples_.preferred());
    if (!found.why_not.empty()) return not_decided(found.why_not, made);
    for (const launches::Launch &one : found.launches) made.launches.push_back(in_words(one));
    decide(found, made.properties);
  }

  std::string in_words(const launches::Launch &l) const {
    std::vector<std::string> conditions = samples_.chosen_in_words();
    conditions.insert(conditions.end(), conditions_.begin(), conditions_.end());
    return fmt::format("{}{}: {}grid {} x {} x {}, block {} x {} x {}",
                       conditions.empty() ? "" : fmt::format("for {}: ", fmt::join(conditions, ", ")),
                       ptx::demangle(l.kernel), l.turns.empty() ? "" : l.turns + " launches, ", l.grid[0],
                       l.grid[1], l.grid[2], l.block[0], l.block[1], l.block[2]);
  }

  std::optional<std::string> fitted(const std::function<std::int64_t(const problem::Case &)> &value) const {
    std::vector<launches::Observation> seen;
    for (const launches::Recorded *one : samples_.all())
      if (const auto c = samples_.case_of(one->sizes)) seen.push_back({one->sizes, value(*c)});
    const auto found = launches::fit(samples_.names(), seen, {});
    return found ? std::optional(found->text) : std::nullopt;
  }

  /// The judge's buffers with their shapes, and what the launcher allocates. A kernel whose argument is in none of them
  /// is not decided about.
  std::vector<prove::Buffer> buffers(const launches::Launches &found) const {
    std::vector<prove::Buffer> all;
    const auto c = samples_.case_of(samples_.all().front()->sizes);
    problem::Case small = *c;
    const std::vector<plan::Buffer> judges = p_.buffers(small);
    const std::vector<run::HostBuffer> inputs = p_.inputs(small_case(), 1);
    for (std::size_t b = 0; b < judges.size() && b < inputs.size(); ++b) {
      prove::Buffer one;
      one.name = judges[b].name;
      one.element_bytes = static_cast<std::uint32_t>(inputs[b].element_bytes);
      const auto elements = fitted([&](const problem::Case &at) {
        return static_cast<std::int64_t>(p_.buffers(at).at(b).bytes / inputs[b].element_bytes);
      });
      if (elements) one.shape = matrix(b).value_or(std::vector<std::string>{*elements});
      one.output = elements && inputs[b].role == run::Role::in_out && is_written_by_one(found, one.name);
      all.push_back(std::move(one));
    }
    for (const launches::Scratch &s : found.scratch)
      all.push_back({s.name, {fmt::format("({}) / 4", s.bytes)}, 4, false});
    return all;
  }

  problem::Case small_case() const {
    const problem::Case *best = nullptr;
    for (const course::Case &c : g_.step_.cases)
      if (!best || p_.work(c.values) < p_.work(*best)) best = &c.values;
    return *best;
  }

  /// Rows and columns of a buffer that is a matrix without gaps.
  std::optional<std::vector<std::string>> matrix(std::size_t buffer) const {
    const auto extent = [&](const problem::Case &at) { return p_.extents(at).at(buffer); };
    for (const launches::Recorded *one : samples_.all())
      if (const auto c = samples_.case_of(one->sizes)) {
        const problem::Extent e = extent(*c);
        if (e.pitch != (e.by_columns ? e.rows : e.cols)) return std::nullopt;
      }
    const auto rows = fitted([&](const problem::Case &at) {
      const problem::Extent e = extent(at);
      return e.by_columns ? e.cols : e.rows;
    });
    const auto columns = fitted([&](const problem::Case &at) { return extent(at).pitch; });
    if (!rows || !columns || *rows == "1") return std::nullopt;
    std::vector<std::string> shape = factors(*rows);
    shape.push_back(*columns);
    return shape;
  }

  /// "depth * height" as depth and height: planes, and rows of each.
  static std::vector<std::string> factors(const std::string &text) {
    static const std::regex product(R"(([A-Za-z_]\w*) \* ([A-Za-z_]\w*))");
    std::smatch found;
    if (!std::regex_match(text, found, product)) return {text};
    return {found[1], found[2]};
  }

  static bool is_written_by_one(const launches::Launches &found, const std::string &buffer) {
    return std::count_if(found.launches.begin(), found.launches.end(), [&](const launches::Launch &l) {
             return std::any_of(l.arguments.begin(), l.arguments.end(),
                                [&](const launches::Argument &a) { return a.buffer == buffer; });
           }) == 1;
  }

  /// A loop of a few launches, each with its number in place of the symbol: products with it are linear then. Only
  /// where the number of turns grows with one size, so that the largest sizes have the most.
  std::vector<launches::Launch> turn_by_turn(const std::vector<launches::Launch> &all) const {
    constexpr std::int64_t most_turns = 4;
    static const std::regex grows(R"(ceil_div\(\w+, \d+\))");
    prove::Sizes largest;
    for (std::size_t s = 0; s < samples_.sizes().size(); ++s)
      largest[samples_.names()[s]] = samples_.sizes()[s].most;
    std::vector<launches::Launch> made;
    for (const launches::Launch &l : all) {
      const std::int64_t turns = std::regex_match(l.turns, grows) ? prove::evaluate(l.turns, largest) : 0;
      if (turns < 1 || turns > most_turns) {
        made.push_back(l);
        continue;
      }
      for (std::int64_t turn = 0; turn < turns; ++turn) made.push_back(at_turn(l, turn));
    }
    return made;
  }

  static launches::Launch at_turn(launches::Launch l, std::int64_t turn) {
    const std::regex name("\\b" + std::string(launches::turn_name) + "\\b");
    const auto put = [&](std::string &text) { text = std::regex_replace(text, name, std::to_string(turn)); };
    for (std::string &text : l.grid) put(text);
    for (std::string &text : l.block) put(text);
    put(l.dynamic_shared_bytes);
    for (launches::Argument &a : l.arguments) put(a.value);
    l.only_if = fmt::format("{} < {}", turn, l.turns);
    l.turns.clear();
    return l;
  }

  prove::Problem problem_of(const launches::Launch &l, const std::vector<prove::Buffer> &buffers) const {
    prove::Problem made;
    made.module = &g_.build_.module;
    made.kernel = l.kernel;
    made.sizes = samples_.names();
    if (!l.turns.empty()) {
      made.sizes.emplace_back(launches::turn_name);
      made.assumptions.push_back(fmt::format("{} >= 0", launches::turn_name));
      made.assumptions.push_back(fmt::format("{} < {}", launches::turn_name, l.turns));
    }
    if (!l.only_if.empty()) made.assumptions.push_back(l.only_if);
    made.grid = l.grid;
    made.block = l.block;
    made.dynamic_shared_bytes = l.dynamic_shared_bytes;
    for (const launches::Argument &a : l.arguments) made.arguments.push_back(argument(a, buffers));
    for (const prove::Buffer &b : buffers)
      if (std::any_of(l.arguments.begin(), l.arguments.end(),
                      [&](const launches::Argument &a) { return a.buffer == b.name; }))
        made.buffers.push_back(b);
    for (std::size_t s = 0; s < samples_.sizes().size(); ++s) {
      made.assumptions.push_back(fmt::format("{} >= {}", samples_.names()[s], samples_.sizes()[s].least));
      made.assumptions.push_back(fmt::format("{} <= {}", samples_.names()[s], samples_.sizes()[s].most));
      if (samples_.sizes()[s].divisor > 1)
        made.assumptions.push_back(
            fmt::format("{} % {} == 0", samples_.names()[s], samples_.sizes()[s].divisor));
    }
    made.assumptions.insert(made.assumptions.end(), conditions_.begin(), conditions_.end());
    return made;
  }

  static prove::Argument argument(const launches::Argument &a, const std::vector<prove::Buffer> &buffers) {
    using Kind = launches::Argument::Kind;
    if (a.kind == Kind::integer) return {prove::Argument::Kind::integer, a.value, ""};
    const auto to =
        std::find_if(buffers.begin(), buffers.end(), [&](const auto &b) { return b.name == a.buffer; });
    if (a.kind == Kind::data || to == buffers.end()) return {};
    return {prove::Argument::Kind::pointer,
            a.value == "0" ? a.value : fmt::format("({}) / {}", a.value, to->element_bytes), a.buffer};
  }

  /// A property of the step holds if it holds of each launch.
  void decide(const launches::Launches &found, std::vector<PropertyRecord> &all) {
    const std::vector<prove::Buffer> known = buffers(found);
    const std::vector<launches::Launch> launches = turn_by_turn(found.launches);
    std::vector<prove::Buffer> of_turn = known;  // what a turn alone leaves unwritten is not the question
    const bool turns = found.launches.size() == 1 && !found.launches.front().turns.empty();
    const std::uint64_t work = work_ / (launches.size() + (turns ? 1 : 0));
    if (turns)
      for (prove::Buffer &one : of_turn) one.output = false;
    for (const launches::Launch &l : launches)
      for (const prove::Property &one : decide(problem_of(l, of_turn), work))
        if (!turns || one.name != "written") join(one, all);
    if (turns) {
      prove::Problem together = problem_of(found.launches.front(), known);
      together.turn = launches::turn_name;
      for (const prove::Property &one : decide(together, work))
        if (one.name == "written") join(one, all);
    }
    const bool has_output = std::any_of(known.begin(), known.end(), [](const auto &b) { return b.output; });
    if (!has_output)
      for (PropertyRecord &one : all)
        if (one.property == "written" && one.result == "proved")
          one = {one.property, "not decided", "", "", 0, "no single launch is known to write the output"};
  }

  std::vector<prove::Property> decide(const prove::Problem &problem, std::uint64_t work) {
    prove::Limits limits;
    limits.seconds = std::max(0.05, until_ - seconds());
    limits.work = how_.work > 0 ? std::max<std::uint64_t>(work, 1) : 0;
    try {
      const prove::Runner runner = [this](const prove::Sizes &at) { return run(at); };
      return prove::decide(problem, how_.brief ? prove::Runner() : runner, limits);
    } catch (const std::invalid_argument &e) {
      std::vector<prove::Property> none;
      for (const std::string_view name : prove::property_names) {
        none.emplace_back();
        none.back().name = name;
        none.back().why = e.what();
      }
      return none;
    }
  }

  /// What fails says most, and what is not decided says more than what is proved.
  void join(const prove::Property &one, std::vector<PropertyRecord> &all) const {
    PropertyRecord &to = *std::find_if(all.begin(), all.end(),
                                       [&](const PropertyRecord &r) { return r.property == one.name; });
    const auto rank = [](std::string_view result) {
      return result == "fails" ? 2 : result == "proved" ? 0 : 1;
    };
    const std::string result = prove::name_of(one.result);
    if (one.result == prove::Result::proved && to.result == "proved") {
      if (to.why.empty()) to.why = one.condition;
      return;
    }
    const bool closes = to.open && rank(result) == 1 && !one.stopped_by_clock;
    if (rank(result) <= rank(to.result) && !closes) return;
    to.result = result;
    to.open = one.stopped_by_clock;
    to.file = one.where.file;
    to.line = one.where.line;
    to.why = one.why;
    if (one.failing)
      if (const auto c = samples_.case_of(sizes_from(*one.failing))) {
        to.at = p_.case_name(*c);
        to.region = region(one.name, *c);
      }
  }

  std::optional<RegionRecord> region(const std::string &property, const problem::Case &c) const {
    if (is_too_large(p_, c)) return std::nullopt;
    const auto recording = g_.record(c);
    if (recording->outcome != record::Recording::Outcome::plan) return std::nullopt;
    return find_region(property, g_.simulator_, recording->plan, p_, c, seed_of(g_.options_, p_, c),
                       simulate_options(g_.assignment_, g_.options_));
  }

  std::vector<std::int64_t> sizes_from(const prove::Sizes &at) const {
    std::vector<std::int64_t> sizes;
    for (std::size_t s = 0; s < samples_.sizes().size(); ++s) {
      const auto found = at.find(samples_.names()[s]);
      sizes.push_back(found == at.end() ? samples_.sizes()[s].least : found->second);
    }
    return sizes;
  }

  /// The case as a step's case is run: by its launcher, on the simulator.
  std::optional<prove::Seen> run(const prove::Sizes &at) {
    const auto c = samples_.case_of(sizes_from(at));
    if (!c) return std::nullopt;
    judge::CaseVerdict v;
    if (is_too_large(p_, *c)) {
      const auto recording = g_.record(*c);
      if (recording->outcome != record::Recording::Outcome::plan) return std::nullopt;
      v.values = *c;
      v.verdict = judge::Verdict::grader_error;
      g_.look_at_the_far_end(v, recording->plan);
      if (v.verdict == judge::Verdict::grader_error) return std::nullopt;
    } else {
      if (p_.work(*c) > most_proved_work) return std::nullopt;
      auto made = g_.try_case(*c, seed_of(g_.options_, p_, *c), enough_instructions(p_, *c), false);
      if (!made.verdict) return std::nullopt;
      v = std::move(*made.verdict);
    }
    return seen_in(v);
  }

  static prove::Seen seen_in(const judge::CaseVerdict &v) {
    prove::Seen seen;
    const auto has = [&](judge::Verdict wanted) {
      return v.verdict == wanted || std::find(v.also.begin(), v.also.end(), wanted) != v.also.end();
    };
    seen.outside = has(judge::Verdict::out_of_bounds);
    seen.race = has(judge::Verdict::race);
    seen.barrier = has(judge::Verdict::barrier_error);
    seen.unwritten = v.comparison && v.comparison->never_written > 0;
    for (const judge::Finding &f : v.findings)
      if (seen.text.empty() && f.severity == "error") seen.text = f.message;
    if (seen.text.empty()) seen.text = v.reason;
    return seen;
  }

  StepGrader &g_;
  const problem::Problem &p_;
  const ProveOptions how_;
  const ProofClock::time_point begin_ = ProofClock::now();
  PlanSamples samples_;
  std::vector<std::string> conditions_;  // of the branch that is looked at
  double until_ = 0;                     // it may take
  std::uint64_t work_ = 0;               // likewise; 0: no limit
};

void StepGrader::prove_if_wanted() {
  if (only_) return;
  if (!step_.proof.empty())
    record_.properties =
        Prover(*this, {std::max(0.0, most_seconds_ - seconds()), false, work_for_points}).prove().properties;
  else if (options_.prove)
    prove_briefly();
}

/// Nothing is said if nothing is proved.
void StepGrader::prove_briefly() {
  const Proof proof = Prover(*this, {0.5, true}).prove();
  const bool any = std::any_of(proof.properties.begin(), proof.properties.end(),
                               [](const PropertyRecord &p) { return p.result == "proved"; });
  if (any) record_.properties = proof.properties;
}

Proof Grader::prove(const course::Step &step, const build::Build &build, const std::string &source,
                    const ProveOptions &how) const {
  if (!build.ok)
    throw std::runtime_error(fmt::format("{} does not build: {}\n{}", step.file, build.message, build.log));
  Environment environment = environment_;
  environment.gpu.reset();
  Options options = options_;
  options.only.clear();
  options.measure = false;
  CaseData data;
  StepGrader grader(assignment_, environment, options, data, nullptr, step, build, source);
  if (!grader.begin()) throw std::runtime_error(build.message);
  return Prover(grader, how).prove();
}

}  // namespace warpgrade::grading
