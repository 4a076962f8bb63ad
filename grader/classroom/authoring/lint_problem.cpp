#include "authoring/lint_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

namespace warpgrade::authoring {

namespace {

using problem::Problem;
using problem::Type;
using Buffers = std::vector<run::HostBuffer>;
using Place = Problem::Place;

std::uint64_t bits_at(const Buffers &buffers, const Place &p) {
  std::uint64_t bits = 0;
  const std::size_t size = problem::bytes_of(p.type);
  std::memcpy(&bits, buffers[p.buffer].bytes.data() + p.element * size, size);
  return bits;
}

void put(Buffers &buffers, const Place &p, std::uint64_t bits) {
  const std::size_t size = problem::bytes_of(p.type);
  std::memcpy(buffers[p.buffer].bytes.data() + p.element * size, &bits, size);
}

/// The first element of the type beyond value + allowed, in the direction away from zero.
std::uint64_t just_beyond(Type type, double value, double allowed) {
  const double sign = value < 0 ? -1 : 1;
  std::uint64_t bits = problem::encode(type, value + sign * allowed);
  // The bits of floating-point numbers grow with their magnitudes, and integers with theirs.
  const bool downwards = problem::is_integer(type) && sign < 0;
  for (int step = 0; step < 3 && std::fabs(problem::value_of(type, bits) - value) <= allowed; ++step)
    bits += downwards ? ~std::uint64_t{0} : 1;
  return bits;
}

/// One case of a problem with its correct result.
class Trial {
 public:
  Trial(const Problem &p, const problem::Case &c, double tolerance)
      : problem_(p),
        case_(c),
        tolerance_(tolerance),
        inputs_(p.inputs(c, seed)),
        reference_(p.reference(c, inputs_)),
        places_(p.places(c)),
        correct_(inputs_) {
    for (std::size_t e = 0; e < places_.size(); ++e) put(correct_, places_[e], wanted(e));
  }

  std::vector<std::string> mistakes() {
    try_inputs();
    if (places_.size() == reference_.want.size() && !places_.empty()) {
      if (!refused(correct_))
        try_perturbed();
      else
        say("the reference itself, rounded to the type of the output, is refused");
    }
    return std::move(found_);
  }

  /// None: no result is in floats or doubles, or none changes when it is rounded.
  std::optional<bool> accepts_half_precision() const {
    Buffers rounded = correct_;
    bool changed = false;
    for (std::size_t e = 0; e < std::min(places_.size(), reference_.want.size()); ++e) {
      const Place &p = places_[e];
      if (p.type != Type::f32 && p.type != Type::f64) continue;
      const std::uint64_t half = problem::half_bits(static_cast<float>(reference_.want[e]));
      const std::uint64_t bits = problem::encode(p.type, problem::value_of(Type::f16, half));
      changed |= bits != wanted(e);
      put(rounded, p, bits);
    }
    return changed ? std::optional(!refused(rounded)) : std::nullopt;
  }

 private:
  static constexpr std::uint64_t seed = 42;

  std::uint64_t wanted(std::size_t e) const {
    return reference_.words.empty() ? problem::encode(places_[e].type, reference_.want[e])
                                    : reference_.words[e];
  }
  double allowed(std::size_t e) const { return tolerance_ * reference_.scale[e]; }
  bool free(const Place &p) const {
    const auto found = reference_.in_any_order.find(p.buffer);
    return found != reference_.in_any_order.end() && p.element < found->second;
  }
  std::string name(const Place &p) const { return fmt::format("{}[{}]", inputs_[p.buffer].name, p.element); }
  bool refused(const Buffers &result) const {
    const problem::Comparison c = problem_.compare(case_, inputs_, reference_, result, tolerance_);
    return c.wrong > 0 || !c.changed_inputs.empty();
  }
  void say(const std::string &what) {
    found_.push_back(fmt::format("problem '{}' at {}: {}", problem_.name(), problem_.case_name(case_), what));
  }
  void must_be_refused(const Buffers &result, const std::string &what) {
    if (!refused(result)) say("a result is accepted although " + what);
  }

  void try_inputs() {
    const Buffers again = problem_.inputs(case_, seed);
    const auto same = [](const Buffers &a, const Buffers &b) {
      return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                        [](const auto &x, const auto &y) { return x.bytes == y.bytes; });
    };
    if (!same(inputs_, again)) say("the inputs of one seed differ from one time to the next");
    const problem::Reference other = problem_.reference(case_, inputs_);
    if (other.want != reference_.want || other.scale != reference_.scale || other.words != reference_.words ||
        other.in_any_order != reference_.in_any_order)
      say("the reference differs from one time to the next");
    constexpr std::size_t too_few = 16;  // bytes that may be equal by chance
    for (std::size_t a = 0; a < inputs_.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) {
        const auto &later = inputs_[a].bytes, &earlier = inputs_[b].bytes;
        const std::size_t both = std::min(later.size(), earlier.size());
        if (both >= too_few && std::memcmp(later.data(), earlier.data(), both) == 0)
          say(fmt::format(
              "{} and {} {} the same numbers, so that confusing them has {} effect; draw them from different "
              "streams",
              inputs_[b].name, inputs_[a].name, later.size() == earlier.size() ? "hold" : "begin with",
              later.size() == earlier.size() ? "no" : "little"));
      }
  }

  /// The places of one output, which follow each other.
  struct Output {
    std::size_t first, end;
  };
  std::vector<Output> outputs() const {
    std::vector<Output> all;
    for (std::size_t e = 0; e < places_.size(); ++e) {
      if (e == 0 || places_[e].buffer != places_[e - 1].buffer) all.push_back({e, e});
      all.back().end = e + 1;
    }
    return all;
  }

  void try_perturbed() {
    for (const Output &output : outputs()) {
      try_elements(output);
      try_exchanged(output);
      try_unwritten(output);
    }
    for (std::size_t b = 0; b < inputs_.size(); ++b) {
      if (inputs_[b].role != run::Role::input || inputs_[b].bytes.empty()) continue;
      Buffers changed = correct_;
      changed[b].bytes.back() ^= std::byte{1};
      must_be_refused(changed, fmt::format("the input {} was changed", inputs_[b].name));
    }
  }

  void try_elements(const Output &output) {
    const std::size_t last = output.end - 1;
    for (const std::size_t e : {output.first, output.first + (last - output.first) / 2, last}) {
      const Place &p = places_[e];
      must_be_refused(with(e, problem::encode(p.type, reference_.want[e] + far(e))),
                      fmt::format("{} is off by {:g}", name(p), far(e)));
      must_be_refused(with(e, just_beyond(p.type, reference_.want[e], allowed(e))),
                      fmt::format("{} is one step beyond the bound", name(p)));
      if (!problem::is_integer(p.type))
        must_be_refused(with(e, problem::encode(p.type, std::numeric_limits<double>::quiet_NaN())),
                        fmt::format("{} is NaN", name(p)));
    }
  }

  void try_exchanged(const Output &output) {
    const std::size_t first = output.first;
    if (free(places_[first])) return;
    for (std::size_t e = first + 1; e < output.end; ++e) {
      if (free(places_[e]) || !apart(first, e)) continue;
      Buffers exchanged = with(first, wanted(e));
      put(exchanged, places_[e], wanted(first));
      must_be_refused(exchanged,
                      fmt::format("{} and {} are exchanged", name(places_[first]), name(places_[e])));
      return;
    }
  }

  void try_unwritten(const Output &output) {
    constexpr std::size_t block = 32;
    const std::string &of = inputs_[places_[output.first].buffer].name;
    Buffers ends_early = correct_;
    for (std::size_t e = std::max(output.first, output.end - std::min(output.end, block)); e < output.end;
         ++e)
      put(ends_early, places_[e], bits_at(inputs_, places_[e]));
    if (differs(ends_early))
      must_be_refused(ends_early, fmt::format("the last elements of {} were never written", of));
    Buffers zero = correct_;
    for (std::size_t e = output.first; e < output.end; ++e) put(zero, places_[e], 0);
    if (differs(zero)) must_be_refused(zero, fmt::format("all of {} is zero", of));
  }

  /// A difference that no rounding explains.
  double far(std::size_t e) const { return std::max(1.0, 1000 * allowed(e)); }
  bool apart(std::size_t a, std::size_t b) const {
    return std::fabs(reference_.want[a] - reference_.want[b]) > 2 * std::max(allowed(a), allowed(b));
  }
  /// From the correct result, by more than the bound, anywhere.
  bool differs(const Buffers &result) const {
    for (std::size_t e = 0; e < places_.size(); ++e) {
      const double value = problem::value_of(places_[e].type, bits_at(result, places_[e]));
      if (!(std::fabs(value - reference_.want[e]) <= 2 * allowed(e))) return true;
    }
    return false;
  }
  Buffers with(std::size_t e, std::uint64_t bits) const {
    Buffers result = correct_;
    put(result, places_[e], bits);
    return result;
  }

  const Problem &problem_;
  const problem::Case &case_;
  double tolerance_;
  Buffers inputs_;
  problem::Reference reference_;
  std::vector<Place> places_;
  Buffers correct_;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> mistakes_in_problem(const Problem &p, const std::vector<problem::Case> &cases,
                                             double tolerance) {
  std::vector<std::string> found;
  for (const problem::Case &c : cases)
    for (std::string &one : Trial(p, c, tolerance).mistakes()) found.push_back(std::move(one));
  return found;
}

bool accepts_half_precision(const Problem &p, const std::vector<problem::Case> &cases, double tolerance) {
  bool accepted = false;
  for (const problem::Case &c : cases)
    if (const auto accepts = Trial(p, c, tolerance).accepts_half_precision()) {
      if (!*accepts) return false;
      accepted = true;
    }
  return accepted;
}

}  // namespace warpgrade::authoring
