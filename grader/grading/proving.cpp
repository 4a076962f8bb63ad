#include "grading/proving.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <numeric>
#include <regex>
#include <stdexcept>

#include "grading/far_end.hpp"
#include "grading/step_grader.hpp"
#include "launches/plans.hpp"
#include "plan/describe.hpp"
#include "prove/prove.hpp"

namespace warpgrade::grading {

namespace {

using ProofClock = std::chrono::steady_clock;

/// Sizes at which plans are recorded: no two tiles of them are alike.
constexpr std::int64_t ordinary[] = {37, 64, 1, 129, 1000, 33, 200, 4097, 20'011, 17, 513, 257, 96, 5};
constexpr std::size_t brief_rows = 6, brief_literals = 4, most_literals = 16;
constexpr double most_proved_work = 2e8;  // of a case that is run

std::int64_t to_multiple(std::int64_t value, std::int64_t of) {
  return of > 1 ? (value + of - 1) / of * of : value;
}

/// "m, n, k from 1 to 32768", "n from 64 to 4096, a multiple of 64"
std::string range_in_words(const std::vector<std::string> &names, std::int64_t least, std::int64_t most,
                           std::int64_t divisor) {
  return fmt::format(
      "{} from {} to {}{}", fmt::join(names, ", "), least, most,
      divisor > 1 ? fmt::format(", multiple{} of {}", names.size() == 1 ? "" : "s", divisor) : "");
}

}  // namespace

class Prover {
 public:
  Prover(StepGrader &grader, const ProveOptions &how) : g_(grader), p_(*grader.step_.problem), how_(how) {
    find_sizes();
  }

  Proof prove() {
    Proof made;
    made.sizes = sizes_in_words();
    std::string why = record_plans();
    launches::Launches found;
    if (why.empty()) {
      found = launches::fit_launches(names_, fitted_, checked_, g_.build_.module, preferred());
      why = found.why_not;
    }
    if (why.empty() && !prove::can_decide()) why = "this program was built without the library that decides";
    if (!why.empty()) {
      for (const std::string_view name : prove::property_names)
        made.properties.push_back({std::string(name), "not decided", "", "", 0, why});
    } else {
      for (const launches::Launch &one : found.launches) made.launches.push_back(in_words(one));
      made.properties = decide(found);
    }
    made.seconds = seconds();
    return made;
  }

 private:
  struct Size {
    std::size_t integer = 0;  ///< of the problem
    std::int64_t least = 1, most = 1, divisor = 1;
  };

  double seconds() const { return std::chrono::duration<double>(ProofClock::now() - begin_).count(); }

  /// The contract's sizes: those of the problem, and other integers that the step's cases vary. Divisors are what all
  /// cases have in common.
  void find_sizes() {
    const auto &integers = p_.integers();
    for (std::size_t i = 0; i < integers.size(); ++i) {
      std::set<std::int64_t> values;
      std::int64_t divisor = 0;
      for (const course::Case &c : g_.step_.cases) {
        if (c.visibility != course::Visibility::open) continue;
        values.insert(c.values.integers.at(i));
        divisor = std::gcd(divisor, c.values.integers.at(i));
      }
      const bool varies = values.size() > 1 && g_.step_.with.find(integers[i].name) == g_.step_.with.end();
      if (!integers[i].size && !varies) continue;
      divisor = std::max<std::int64_t>(divisor, 1);
      sizes_.push_back({i, to_multiple(std::max<std::int64_t>(integers[i].least, 1), divisor),
                        integers[i].most / divisor * divisor, divisor});
      names_.push_back(integers[i].name);
    }
  }

  std::string sizes_in_words() const {
    std::vector<std::string> parts;
    std::vector<bool> said(sizes_.size());
    for (std::size_t s = 0; s < sizes_.size(); ++s) {
      if (said[s]) continue;
      std::vector<std::string> alike;
      for (std::size_t t = s; t < sizes_.size(); ++t)
        if (sizes_[t].least == sizes_[s].least && sizes_[t].most == sizes_[s].most &&
            sizes_[t].divisor == sizes_[s].divisor)
          alike.push_back(names_[t]), said[t] = true;
      parts.push_back(range_in_words(alike, sizes_[s].least, sizes_[s].most, sizes_[s].divisor));
    }
    return fmt::format("{}", fmt::join(parts, "; "));
  }

  /// The whole case of these sizes; nothing if the problem has none.
  std::optional<problem::Case> case_of(const std::vector<std::int64_t> &sizes) const {
    if (g_.step_.cases.empty()) return std::nullopt;
    problem::Given given = problem::sizes_of(p_, g_.step_.cases.front().values);
    for (std::size_t s = 0; s < sizes.size(); ++s) given.integers[sizes_[s].integer] = sizes[s];
    try {
      problem::Case c = problem::complete(p_, given, g_.step_.with);
      if (!p_.needs_kernel(c)) return std::nullopt;
      return c;
    } catch (const std::invalid_argument &) {
      return std::nullopt;
    }
  }

  /// factor: of the case, all alike; none: numbers that nothing else is, so that a factor is not taken for a size
  bool record_at(std::vector<std::int64_t> sizes, std::vector<launches::Recorded> &to,
                 std::optional<double> factor = {}) {
    for (std::size_t s = 0; s < sizes.size(); ++s)
      sizes[s] = std::clamp(to_multiple(sizes[s], sizes_[s].divisor), sizes_[s].least, sizes_[s].most);
    auto c = case_of(sizes);
    if (!c) return true;
    for (std::size_t r = 0; r < c->reals.size(); ++r)
      c->reals[r] = factor.value_or(0.3125 + 0.015625 * static_cast<double>(r) +
                                    0.0009765625 * static_cast<double>(to.size()));
    const auto recording = g_.record(*c);
    if (recording->outcome != record::Recording::Outcome::plan) return false;
    to.push_back({sizes, c->reals, recording->plan});
    return true;
  }

  /// Returns why there are too few.
  std::string record_plans() {
    if (sizes_.empty()) return "the problem has no sizes";
    constexpr std::size_t count = std::size(ordinary);
    const auto at = [&](std::size_t row) {
      std::vector<std::int64_t> sizes;
      for (std::size_t s = 0; s < sizes_.size(); ++s)
        sizes.push_back(ordinary[(row * (2 * s + 1) + 5 * s) % count]);
      return sizes;
    };
    const std::size_t rows = how_.brief ? brief_rows : count - 2;
    for (std::size_t row = 0; row < rows; ++row)
      if (!record_at(at(row), row % 3 == 2 ? checked_ : fitted_)) return "the launcher fails at some sizes";
    // Where a number of blocks has an upper bound, it shows itself at the largest sizes.
    for (std::size_t s = 0; s < sizes_.size(); ++s) {
      std::vector<std::int64_t> sizes(sizes_.size());
      for (const std::int64_t less : {0, 1, 2}) {
        if (how_.brief && less == 2) continue;
        // The others differ from plan to plan, or a product with one of them would look like a multiple.
        for (std::size_t other = 0; other < sizes.size(); ++other)
          sizes[other] = 3 + 2 * less + static_cast<std::int64_t>(other);
        sizes[s] = less == 2 ? sizes_[s].most / 4 * 3 : sizes_[s].most - less * sizes_[s].divisor;
        record_at(sizes, less == 2 ? checked_
                                   : fitted_);  // a size that is too large for a GPU is not the point here
      }
    }
    // A launcher may choose by the factors, by all sizes together, or by numbers that are in its text.
    for (const double factor : {0.0, 1.0}) record_at(at(1), checked_, factor);
    const auto alike = [&](std::int64_t size) {
      record_at(std::vector<std::int64_t>(sizes_.size(), size), checked_);
    };
    alike(1);
    alike(std::int64_t{1} << 40);  // as large as the contract has it
    std::size_t literals = 0;
    for (const auto &[value, line] : search::literals_of(g_.source_)) {
      const bool power = std::has_single_bit(static_cast<std::uint64_t>(value));
      if ((how_.brief && power) || literals >= (how_.brief ? brief_literals : most_literals)) continue;
      ++literals;
      alike(value);
      if (!how_.brief) alike(value + 1);
    }
    return fitted_.size() < 4 ? "too few plans could be recorded" : "";
  }

  /// Sides of blocks, and the integers of the source.
  std::set<std::int64_t> preferred() const {
    std::set<std::int64_t> all;
    for (const launches::Recorded &one : fitted_)
      for (const plan::Operation &o : one.plan.operations)
        if (const auto *launch = std::get_if<plan::Launch>(&o))
          for (const std::uint64_t side :
               {std::uint64_t{launch->block.x}, std::uint64_t{launch->block.y}, launch->block.count()})
            if (side > 1) all.insert(static_cast<std::int64_t>(side));
    for (const auto &[value, line] : search::literals_of(g_.source_)) all.insert(value);
    return all;
  }

  static std::string in_words(const launches::Launch &l) {
    return fmt::format("{}: {}grid {} x {} x {}, block {} x {} x {}", ptx::demangle(l.kernel),
                       l.turns.empty() ? "" : l.turns + " launches, ", l.grid[0], l.grid[1], l.grid[2],
                       l.block[0], l.block[1], l.block[2]);
  }

  std::optional<std::string> fitted(const std::function<std::int64_t(const problem::Case &)> &value) const {
    std::vector<launches::Observation> seen;
    for (const auto *some : {&fitted_, &checked_})
      for (const launches::Recorded &one : *some)
        if (const auto c = case_of(one.sizes)) seen.push_back({one.sizes, value(*c)});
    const auto found = launches::fit(names_, seen, {});
    return found ? std::optional(found->text) : std::nullopt;
  }

  /// The judge's buffers with their shapes, and what the launcher allocates. A kernel whose argument is in none of them
  /// is not decided about.
  std::vector<prove::Buffer> buffers(const launches::Launches &found) const {
    std::vector<prove::Buffer> all;
    const auto c = case_of(fitted_.front().sizes);
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
    for (const launches::Recorded &one : fitted_)
      if (const auto c = case_of(one.sizes)) {
        const problem::Extent e = extent(*c);
        if (e.pitch != (e.by_columns ? e.rows : e.cols)) return std::nullopt;
      }
    const auto rows = fitted([&](const problem::Case &at) {
      const problem::Extent e = extent(at);
      return e.by_columns ? e.cols : e.rows;
    });
    const auto columns = fitted([&](const problem::Case &at) { return extent(at).pitch; });
    if (!rows || !columns || *rows == "1") return std::nullopt;
    return std::vector<std::string>{*rows, *columns};
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
    for (std::size_t s = 0; s < sizes_.size(); ++s) largest[names_[s]] = sizes_[s].most;
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
    made.sizes = names_;
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
    for (std::size_t s = 0; s < sizes_.size(); ++s) {
      made.assumptions.push_back(fmt::format("{} >= {}", names_[s], sizes_[s].least));
      made.assumptions.push_back(fmt::format("{} <= {}", names_[s], sizes_[s].most));
      if (sizes_[s].divisor > 1)
        made.assumptions.push_back(fmt::format("{} % {} == 0", names_[s], sizes_[s].divisor));
    }
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
  std::vector<PropertyRecord> decide(const launches::Launches &found) {
    const std::vector<prove::Buffer> known = buffers(found);
    std::vector<PropertyRecord> all;
    for (const std::string_view name : prove::property_names)
      all.push_back({std::string(name), "proved", "", "", 0, ""});
    const std::vector<launches::Launch> launches = turn_by_turn(found.launches);
    const bool turns = launches.size() != found.launches.size();
    for (const launches::Launch &l : launches)
      for (const prove::Property &one : decide(problem_of(l, known)))
        if (!turns || one.name != "written") join(one, all);
    if (turns) {
      prove::Problem together = problem_of(found.launches.front(), known);
      together.turn = launches::turn_name;
      for (const prove::Property &one : decide(together))
        if (one.name == "written") join(one, all);
    }
    const bool has_output = std::any_of(known.begin(), known.end(), [](const auto &b) { return b.output; });
    if (!has_output)
      for (PropertyRecord &one : all)
        if (one.property == "written" && one.result == "proved")
          one = {one.property, "not decided", "", "", 0, "several launches take part in writing the output"};
    return all;
  }

  std::vector<prove::Property> decide(const prove::Problem &problem) {
    prove::Limits limits;
    limits.seconds = std::max(0.05, how_.seconds - seconds());
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
    PropertyRecord &to =
        *std::find_if(all.begin(), all.end(), [&](const PropertyRecord &r) { return r.property == one.name; });
    const auto rank = [](std::string_view result) {
      return result == "fails" ? 2 : result == "proved" ? 0 : 1;
    };
    const std::string result = prove::name_of(one.result);
    if (one.result == prove::Result::proved && to.result == "proved") {
      if (to.why.empty()) to.why = one.condition;
      return;
    }
    if (rank(result) <= rank(to.result)) return;
    to.result = result;
    to.file = one.where.file;
    to.line = one.where.line;
    to.why = one.why;
    if (one.failing)
      if (const auto c = case_of(sizes_from(*one.failing))) to.at = p_.case_name(*c);
  }

  std::vector<std::int64_t> sizes_from(const prove::Sizes &at) const {
    std::vector<std::int64_t> sizes;
    for (std::size_t s = 0; s < sizes_.size(); ++s) {
      const auto found = at.find(names_[s]);
      sizes.push_back(found == at.end() ? sizes_[s].least : found->second);
    }
    return sizes;
  }

  /// The case as a step's case is run: by its launcher, on the simulator.
  std::optional<prove::Seen> run(const prove::Sizes &at) {
    const auto c = case_of(sizes_from(at));
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
  std::vector<Size> sizes_;
  std::vector<std::string> names_;
  std::vector<launches::Recorded> fitted_, checked_;
};

/// Nothing is said if nothing is proved.
void StepGrader::prove_briefly() {
  if (only_ || !options_.prove) return;
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
