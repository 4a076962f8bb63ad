#include "grading/terms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

#include "grading/alone.hpp"
#include "grading/follow.hpp"
#include "problem/random.hpp"

namespace warpgrade::grading {

namespace {

using run::HostBuffer;
using Buffers = std::vector<HostBuffer>;

constexpr std::size_t most_elements = 1 << 16;  // of the input that is coded
constexpr std::size_t most_asked = 4000;        // whose part in the reference is asked one by one
constexpr double most_reference_work = 4e7;     // for all of them
constexpr std::size_t most_ranges = 6;          // that a sentence lists

/// Thrown where no more can be found out: a run that does not end well, or too many of them.
struct Enough {};

/// An element that is added and does not belong there.
struct Foreign {
  std::size_t first = 0, last = 0;  ///< elements of the buffer
  double times = 0;
};

bool near(double a, double b, double magnitude) {
  return std::fabs(a - b) <= 1e-5 * std::max(magnitude, 1.0);
}

/// One element of the result as a function of the inputs.
class Element {
 public:
  Element(const problem::Problem &p, const problem::Case &c, const Buffers &inputs, std::size_t number,
          const RunAgain &run_again, std::size_t most_runs)
      : p_(p),
        c_(c),
        number_(number),
        place_(p.places(c).at(number)),
        run_again_(run_again),
        left_(most_runs),
        plain_(inputs) {
    for (std::size_t b = 0; b < plain_.size(); ++b) types_.push_back(free_type(p, c, plain_, b));
    for (std::size_t b = 0; b < plain_.size(); ++b) {
      if (plain_[b].role == run::Role::in_out)
        std::fill(plain_[b].bytes.begin(), plain_[b].bytes.end(), std::byte{0});
      else if (may_change(b))
        for (std::uint64_t i = 0; i < elements(b); ++i) put(plain_, b, i, 1);
    }
  }

  bool may_change(std::size_t b) const {
    return plain_[b].role == run::Role::input && types_.at(b).has_value() && p_.may_exchange(c_, b);
  }
  std::uint64_t elements(std::size_t b) const {
    return plain_[b].bytes.size() / std::max<std::uint64_t>(plain_[b].element_bytes, 1);
  }
  std::size_t buffers() const { return plain_.size(); }
  const problem::Problem::Place &place() const { return place_; }
  /// All ones, and zeros where results go.
  const Buffers &plain() const { return plain_; }

  void put(Buffers &to, std::size_t b, std::uint64_t i, double value) const {
    const std::uint64_t bits = problem::encode(types_.at(b).value_or(place_.type), value);
    std::memcpy(to[b].bytes.data() + i * to[b].element_bytes, &bits, to[b].element_bytes);
  }
  double right(const Buffers &inputs) const { return p_.reference(c_, inputs).want.at(number_); }
  double got(const Buffers &inputs) {
    if (left_ == 0) throw Enough();
    --left_;
    const auto outputs = run_again_(inputs);
    if (!outputs) throw Enough();
    const double value = value_at(*outputs, place_);
    if (!std::isfinite(value)) throw Enough();
    return value;
  }

 private:
  const problem::Problem &p_;
  const problem::Case &c_;
  std::size_t number_;
  problem::Problem::Place place_;
  const RunAgain &run_again_;
  std::size_t left_;
  Buffers plain_;
  std::vector<std::optional<problem::Type>> types_;
};

/// Small whole numbers, the same each time: sums of products of them are exact.
class Draw {
 public:
  double next(std::uint64_t most) {
    return static_cast<double>(1 + problem::random_bits(29, 3, ++count_) % most);
  }

 private:
  std::uint64_t count_ = 0;
};

/// How one input contributes to the element.
class Input {
 public:
  Input(Element &element, const problem::Problem &p, const problem::Case &c, std::size_t buffer,
        std::size_t number)
      : e_(element), p_(p), c_(c), b_(buffer), number_(number) {}

  /// Which elements belong, with their factors; false if that is not known or the problem is not linear in them.
  bool find_own() {
    const std::uint64_t count = e_.elements(b_);
    factor_.assign(count, 0);
    if (const auto product = p_.product(c_)) {
      const std::int64_t row = static_cast<std::int64_t>(number_) / product->n;
      for (std::int64_t k = 0; k < product->k; ++k) {
        own_.push_back(static_cast<std::size_t>(product->a.at(row, k)));
        factor_[own_.back()] = static_cast<double>(product->alpha);
      }
      return product->alpha != 0;
    }
    const double work = std::max(p_.work(c_), p_.flops(c_));
    if (count > most_asked || static_cast<double>(count) * work > most_reference_work || !is_linear())
      return false;
    Buffers one = e_.plain();
    for (std::uint64_t i = 0; i < count; ++i) e_.put(one, b_, i, 0);
    const double none = e_.right(one);
    for (std::uint64_t i = 0; i < count; ++i) {
      e_.put(one, b_, i, 1);
      factor_[i] = e_.right(one) - none;
      e_.put(one, b_, i, 0);
      if (factor_[i] != 0) own_.push_back(i);
    }
    return !own_.empty() && none == 0;
  }

  void measure() {
    offset_ = e_.got(with({}));
    Buffers with_old = with({});
    e_.put(with_old, e_.place().buffer, e_.place().element, 1);
    old_ = e_.got(with_old) - offset_;
    right_old_ = e_.right(with_old);
    times_.assign(own_.size(), 0);
    measure_own(0, own_.size());
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < factor_.size(); ++i)
      if (factor_[i] == 0) others.push_back(i);
    measure_others(others, 0, others.size());
  }

  /// Whether what was measured predicts the result for other values of this input alone.
  bool is_confirmed_alone() {
    for (int round = 0; round < 2; ++round) {
      Buffers in = e_.plain();
      std::vector<double> value(factor_.size());
      double want = offset_, magnitude = std::fabs(offset_);
      for (std::size_t i = 0; i < value.size(); ++i) e_.put(in, b_, i, value[i] = draw_.next(15));
      const auto add = [&](double part) { want += part, magnitude += std::fabs(part); };
      for (std::size_t t = 0; t < own_.size(); ++t) add(times_[t] * factor_[own_[t]] * value[own_[t]]);
      for (const Foreign &f : foreign_)
        for (std::size_t i = f.first; i <= f.last; ++i) add(f.times * value[i]);
      if (!near(e_.got(in), want, magnitude)) return false;
    }
    return true;
  }

  /// Whether the same holds whatever the other inputs are: then each term is multiplied by what belongs to it.
  bool is_confirmed_with_others() {
    for (int round = 0; round < 2; ++round) {
      Buffers in = e_.plain();
      for (std::size_t b = 0; b < e_.buffers(); ++b)
        for (std::uint64_t i = 0; e_.may_change(b) && i < e_.elements(b); ++i)
          e_.put(in, b, i, value_of(b, i, round));
      Buffers scaled = in;
      for (std::size_t t = 0; t < own_.size(); ++t)
        e_.put(scaled, b_, own_[t], times_[t] * value_of(b_, own_[t], round));
      const double want = e_.right(scaled) + offset_;
      if (!near(e_.got(in), want, std::max(std::fabs(want), std::fabs(e_.right(in))))) return false;
    }
    return true;
  }

  bool is_complete() const {
    return foreign_.empty() && near(old_, right_old_, 1) &&
           std::all_of(times_.begin(), times_.end(), [](double times) { return near(times, 1, 1); });
  }
  /// How often what the element held before is in it, and should be.
  double old() const { return old_; }
  double right_old() const { return right_old_; }
  const std::vector<double> &times() const { return times_; }
  const std::vector<std::size_t> &own() const { return own_; }
  const std::vector<Foreign> &foreign() const { return foreign_; }
  /// A few elements whose part in the result is wrong.
  std::vector<std::uint64_t> suspects() const {
    constexpr std::size_t most = 3;
    std::vector<std::uint64_t> all;
    for (std::size_t t = 0; t < own_.size() && all.size() < most; ++t)
      if (!near(times_[t], 1, 1)) all.push_back(own_[t]);
    for (const Foreign &f : foreign_)
      if (all.size() < most) all.push_back(f.first);
    return all;
  }

 private:
  static double value_of(std::size_t b, std::uint64_t i, int round) {
    return static_cast<double>(1 + problem::random_bits(31 + static_cast<std::uint64_t>(round), b, i) % 15);
  }

  /// These elements have these values, all others of the input are 0.
  Buffers with(const std::vector<std::pair<std::size_t, double>> &values) const {
    Buffers in = e_.plain();
    std::fill(in[b_].bytes.begin(), in[b_].bytes.end(), std::byte{0});
    for (const auto &[i, value] : values) e_.put(in, b_, i, value);
    return in;
  }

  bool is_linear() {
    std::vector<std::pair<std::size_t, double>> x, y, both, twice;
    for (std::size_t i = 0; i < factor_.size(); ++i) {
      const double a = draw_.next(15), b = draw_.next(15);
      x.emplace_back(i, a), y.emplace_back(i, b), both.emplace_back(i, a + b), twice.emplace_back(i, -2 * a);
    }
    const double zero = e_.right(with({})), of_x = e_.right(with(x)), of_y = e_.right(with(y));
    return near(e_.right(with(both)) - zero, of_x + of_y - 2 * zero, std::fabs(of_x) + std::fabs(of_y)) &&
           near(e_.right(with(twice)) - zero, -2 * (of_x - zero), 2 * std::fabs(of_x));
  }

  /// How many times each of the elements [first, last) is there, if all alike. Where parts of them are not, a
  /// whole number comes out by chance at most, and then the check with other inputs fails.
  std::optional<double> alike(const std::vector<std::size_t> &elements, std::size_t first, std::size_t last,
                              bool own) {
    std::optional<double> before;
    for (;;) {
      std::vector<std::pair<std::size_t, double>> values;
      double sum = 0;
      for (std::size_t t = first; t < last; ++t) {
        values.emplace_back(elements[t], draw_.next(250));
        sum += values.back().second * (own ? factor_[elements[t]] : 1);
      }
      const double exact = (e_.got(with(values)) - offset_) / sum, whole = std::round(exact);
      const double times = near(exact, whole, std::fabs(exact)) ? whole : exact;
      if (last - first == 1 || times == whole) return times;
      if (before) return near(*before, times, std::fabs(times)) ? before : std::nullopt;
      before = times;
    }
  }

  void measure_own(std::size_t first, std::size_t last) {
    if (first == last) return;
    if (const auto times = alike(own_, first, last, true)) {
      std::fill(times_.begin() + static_cast<std::ptrdiff_t>(first),
                times_.begin() + static_cast<std::ptrdiff_t>(last), *times);
      return;
    }
    const std::size_t middle = first + (last - first) / 2;
    measure_own(first, middle);
    measure_own(middle, last);
  }

  void measure_others(const std::vector<std::size_t> &others, std::size_t first, std::size_t last) {
    if (first == last) return;
    const auto times = alike(others, first, last, false);
    if (times && near(*times, 0, 1)) return;
    const bool neighbours = others[last - 1] - others[first] == last - 1 - first;
    if (times && neighbours) return add_foreign({others[first], others[last - 1], *times});
    if (last - first == 1) throw Enough();
    const std::size_t middle = first + (last - first) / 2;
    measure_others(others, first, middle);
    measure_others(others, middle, last);
  }
  void add_foreign(const Foreign &f) {
    if (!foreign_.empty() && foreign_.back().last + 1 == f.first && foreign_.back().times == f.times)
      foreign_.back().last = f.last;
    else
      foreign_.push_back(f);
  }

  Element &e_;
  const problem::Problem &p_;
  const problem::Case &c_;
  std::size_t b_, number_;
  Draw draw_;
  std::vector<std::size_t> own_;  ///< elements that belong, in the order of the terms
  std::vector<double> factor_;    ///< of each element; 0: does not belong
  double offset_ = 0;             ///< the result where this input is 0
  double old_ = 0, right_old_ = 0;
  std::vector<double> times_;
  std::vector<Foreign> foreign_;
};

/// What was measured, as facts and as a sentence.
class Words {
 public:
  Words(const problem::Problem &p, const problem::Case &c, const Buffers &inputs, std::size_t buffer,
        const Input &input, std::string element, bool by_terms)
      : p_(p), c_(c), buffer_(buffer), input_(input), by_k_(p.is_product() && by_terms) {
    terms_.element = std::move(element);
    terms_.at = p.case_name(c);
    terms_.over = p.is_product() ? "k" : inputs[buffer].name;
    put_ranges();
  }

  problem::Terms of_weights() && {
    const auto &times = input_.times();
    const bool whole = std::all_of(times.begin(), times.end(), [](double t) { return t == 1; });
    terms_.sentence = terms_.element + " adds ";
    if (whole)
      terms_.sentence += "all that belongs to it once";
    else
      terms_.sentence += (by_k_ ? "the products for k = " : "") +
                         (terms_.ranges.size() <= most_ranges ? listed() : counted());
    if (!input_.foreign().empty()) terms_.sentence += ", and also " + foreign();
    if (!near(input_.old(), input_.right_old(), 1))
      terms_.sentence += fmt::format(", and what it held before {} instead of {}",
                                     times_in_words(input_.old()), times_in_words(input_.right_old()));
    return std::move(terms_);
  }
  problem::Terms with(std::string sentence) && {
    terms_.ranges.clear();
    terms_.sentence = std::move(sentence);
    return std::move(terms_);
  }

 private:
  void put_ranges() {
    const auto &own = input_.own();
    for (std::size_t t = 0; t < own.size(); ++t) {
      const auto number = by_k_ ? static_cast<std::int64_t>(t) : static_cast<std::int64_t>(own[t]);
      auto &all = terms_.ranges;
      if (!all.empty() && all.back().last + 1 == number && all.back().times == input_.times()[t])
        all.back().last = number;
      else
        all.push_back({number, number, input_.times()[t]});
    }
    if (!by_k_ && p_.is_product()) terms_.over = std::string(1, p_.product(c_)->names[0]);
  }
  std::string name(std::int64_t number) const {
    return by_k_ ? std::to_string(number) : name_of(p_, c_, buffer_, static_cast<std::uint64_t>(number));
  }
  std::string name(std::int64_t first, std::int64_t last) const {
    return first == last ? name(first) : fmt::format("{} to {}", name(first), name(last));
  }
  std::string listed() const {
    std::vector<std::string> parts;
    for (const problem::TermRange &r : terms_.ranges)
      parts.push_back(fmt::format("{} {}", name(r.first, r.last), times_in_words(r.times)));
    return fmt::format("{}", fmt::join(parts, ", "));
  }
  /// "0 and 16 others once, 1 and 15 others never": the first of each and how many more
  std::string counted() const {
    std::map<double, std::pair<std::int64_t, std::int64_t>, std::greater<>> by_times;
    for (const problem::TermRange &r : terms_.ranges)
      by_times.emplace(r.times, std::pair(std::int64_t{0}, r.first)).first->second.first +=
          r.last - r.first + 1;
    std::vector<std::string> parts;
    for (const auto &[times, many] : by_times)
      parts.push_back(fmt::format("{}{} {}", name(many.second),
                                  many.first == 1   ? ""
                                  : many.first == 2 ? " and another one"
                                                    : fmt::format(" and {} others", many.first - 1),
                                  times_in_words(times)));
    return fmt::format("{}", fmt::join(parts, ", "));
  }
  std::string foreign() const {
    std::vector<std::string> parts;
    std::size_t more = 0;
    for (const Foreign &f : input_.foreign())
      if (parts.size() < 3)
        parts.push_back(
            fmt::format("{} {}", name(static_cast<std::int64_t>(f.first), static_cast<std::int64_t>(f.last)),
                        times_in_words(f.times)));
      else
        more += f.last - f.first + 1;
    const bool one = input_.foreign().size() == 1 && input_.foreign()[0].first == input_.foreign()[0].last;
    return fmt::format("{}{}, which {} not belong to it", fmt::join(parts, ", "),
                       more == 0 ? "" : fmt::format(" and {} more", more), one ? "does" : "do");
  }

  const problem::Problem &p_;
  const problem::Case &c_;
  std::size_t buffer_;
  const Input &input_;
  bool by_k_;  ///< each term is the product for one k
  problem::Terms terms_;
};

std::optional<std::size_t> number_of(const problem::Problem &p, const problem::Case &c,
                                     const std::string &element) {
  const auto places = p.places(c);
  for (std::size_t i = 0; i < places.size(); ++i)
    if (same_element(name_of(p, c, places[i].buffer, places[i].element), element)) return i;
  return std::nullopt;
}

}  // namespace

std::string times_in_words(double times) {
  if (times == 0) return "never";
  if (times == 1) return "once";
  if (times == 2) return "twice";
  static constexpr std::array<const char *, 8> numbers = {"three", "four",  "five", "six",
                                                          "seven", "eight", "nine", "ten"};
  if (times > 2 && times <= 10 && times == std::round(times))
    return fmt::format("{} times", numbers.at(static_cast<std::size_t>(times) - 3));
  return fmt::format("with weight {:.4g}", times);
}

std::optional<problem::Terms> terms_of(const problem::Problem &p, const problem::Case &c,
                                       const Buffers &inputs, const std::string &element,
                                       const RunAgain &run_again, std::size_t most_runs) {
  const auto number = number_of(p, c, element);
  if (!number) return std::nullopt;
  // What is done to a sum at the end may hide what it consists of: of a negative one, nothing is left.
  if (const auto product = p.product(c); product && product->finish != problem::Finish::none)
    return std::nullopt;
  Element e(p, c, inputs, *number, run_again, most_runs);
  const std::size_t inspected = p.is_product() ? 1 : e.buffers();
  for (std::size_t b = 0; b < inspected; ++b) {
    if (!e.may_change(b) || e.elements(b) > most_elements) continue;
    Input input(e, p, c, b, *number);
    if (!input.find_own()) continue;
    try {
      input.measure();
      const auto words = [&](bool by_terms) { return Words(p, c, inputs, b, input, element, by_terms); };
      if (!input.is_confirmed_alone()) {
        if (auto found = followed(p, c, inputs, *number, element, run_again, most_runs)) return found;
        return words(false).with(fmt::format(
            "{} is not a sum of elements of {} with fixed weights: what is added depends on their "
            "values",
            element, inputs[b].name));
      }
      const auto with_proof = [&](problem::Terms found) {
        found.alone = wrong_alone(p, c, inputs, b, input.suspects(), *number, run_again);
        return found;
      };
      if (!input.foreign().empty()) return with_proof(words(false).of_weights());
      if (input.is_confirmed_with_others()) {
        if (input.is_complete()) return std::nullopt;
        return with_proof(words(true).of_weights());
      }
      if (input.is_complete())
        return words(false).with(
            fmt::format("{} takes all elements of {} that belong to it, but not each with its partner",
                        element, inputs[b].name));
      problem::Terms found = words(false).of_weights();
      found.sentence += ", not each with its partner";
      return with_proof(std::move(found));
    } catch (const Enough &) {
    }
    return std::nullopt;
  }
  return followed(p, c, inputs, *number, element, run_again, most_runs);
}

}  // namespace warpgrade::grading
