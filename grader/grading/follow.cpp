#include "grading/follow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "grading/alone.hpp"

namespace warpgrade::grading {

namespace {

using run::HostBuffer;
using Buffers = std::vector<HostBuffer>;

constexpr std::uint64_t most_followed = 2000;  // of the input, each of which is changed for the reference
constexpr double most_work_followed = 4e7;     // for all of them
constexpr std::size_t most_listed = 6;         // that the sentence lists

/// Thrown where a run does not end well, or there were too many.
struct NoAnswer {};

class Follower {
 public:
  Follower(const problem::Problem &p, const problem::Case &c, const Buffers &inputs, std::size_t buffer,
           std::size_t number, const RunAgain &run_again, std::size_t most_runs)
      : p_(p),
        c_(c),
        inputs_(inputs),
        b_(buffer),
        number_(number),
        place_(p.places(c).at(number)),
        run_again_(run_again),
        left_(most_runs) {}

  /// Which elements of the input should have an influence; false if there is none, or no way to tell.
  bool find_own() {
    const std::uint64_t count = inputs_[b_].bytes.size() / sizeof(float);
    if (count == 0 || count > most_followed ||
        static_cast<double>(count) * std::max(p_.work(c_), p_.flops(c_)) > most_work_followed)
      return false;
    const double right = p_.reference(c_, inputs_).want.at(number_);
    for (std::uint64_t i = 0; i < count; ++i) {
      const problem::Reference other = p_.reference(c_, changed(i, i + 1));
      const bool own = std::fabs(other.want.at(number_) - right) > 1e-4 * std::max(1.0, std::fabs(right));
      (own ? own_ : others_).push_back(i);
    }
    return !own_.empty();
  }

  void follow() {
    before_ = value(inputs_);
    used_.assign(own_.size(), true);
    drop_unused(0, own_.size());
    find_foreign();
  }

  bool is_complete() const {
    return foreign_.empty() && std::find(used_.begin(), used_.end(), false) == used_.end();
  }

  problem::Terms found(const std::string &element) const {
    problem::Terms terms;
    terms.element = element;
    terms.at = p_.case_name(c_);
    terms.over = inputs_[b_].name;
    for (std::size_t t = 0; t < own_.size(); ++t) {
      const auto at = static_cast<std::int64_t>(own_[t]);
      const double times = used_[t] ? 1 : 0;
      if (!terms.ranges.empty() && terms.ranges.back().last + 1 == at && terms.ranges.back().times == times)
        terms.ranges.back().last = at;
      else
        terms.ranges.push_back({at, at, times});
    }
    const std::string used = listed(terms.ranges, 1), unused = listed(terms.ranges, 0);
    terms.sentence =
        used.empty() ? fmt::format("{} changes with no element that belongs to it", element)
        : unused.empty()
            ? fmt::format("{} changes with all that belongs to it", element)
            : fmt::format("{} changes with {}, and not with {}, which also belong{} to it", element, used,
                          unused, std::count(used_.begin(), used_.end(), false) == 1 ? "s" : "");
    if (!foreign_.empty())
      terms.sentence +=
          fmt::format("; it changes with {}, which does not belong to it", name(foreign_.front()));
    return terms;
  }

 private:
  /// Other values in [first, last) of the input.
  Buffers changed(std::uint64_t first, std::uint64_t last) const {
    Buffers made = inputs_;
    for (std::uint64_t i = first; i < last; ++i) change(made, i);
    return made;
  }
  void change(Buffers &made, std::uint64_t i) const {
    float &x = made[b_].as<float>()[i];
    x = other_than(x);
  }
  double value(const Buffers &inputs) {
    if (left_ == 0) throw NoAnswer();
    --left_;
    const auto outputs = run_again_(inputs);
    if (!outputs) throw NoAnswer();
    return value_at(*outputs, place_);
  }
  bool changes(const std::vector<std::uint64_t> &elements, std::size_t first, std::size_t last) {
    Buffers made = inputs_;
    for (std::size_t t = first; t < last; ++t) change(made, elements[t]);
    const double now = value(made);
    return now != before_ && !(std::isnan(now) && std::isnan(before_));
  }
  /// Parts that have no influence together have none each, but for changes that cancel; those that have one are
  /// halved down to single elements.
  void drop_unused(std::size_t first, std::size_t last) {
    if (first == last) return;
    if (!changes(own_, first, last)) {
      std::fill(used_.begin() + static_cast<std::ptrdiff_t>(first),
                used_.begin() + static_cast<std::ptrdiff_t>(last), false);
      return;
    }
    if (last - first == 1) return;
    const std::size_t middle = first + (last - first) / 2;
    drop_unused(first, middle);
    drop_unused(middle, last);
  }
  void find_foreign() {
    std::size_t first = 0, last = others_.size();
    if (first == last || !changes(others_, first, last)) return;
    while (last - first > 1) {
      const std::size_t middle = first + (last - first) / 2;
      (changes(others_, first, middle) ? last : first) = middle;
    }
    foreign_.push_back(others_[first]);
  }

  std::string name(std::uint64_t i) const { return name_of(p_, c_, b_, i); }
  std::string listed(const std::vector<problem::TermRange> &ranges, double times) const {
    std::vector<std::string> parts;
    std::int64_t more = 0;
    for (const problem::TermRange &r : ranges) {
      if (r.times != times) continue;
      const std::string first = name(static_cast<std::uint64_t>(r.first));
      if (parts.size() == most_listed / 2)
        more += r.last - r.first + 1;
      else
        parts.push_back(r.first == r.last
                            ? first
                            : fmt::format("{} to {}", first, name(static_cast<std::uint64_t>(r.last))));
    }
    if (more > 0) parts.push_back(fmt::format("{} more", more));
    return fmt::format("{}", fmt::join(parts, ", "));
  }

  const problem::Problem &p_;
  const problem::Case &c_;
  const Buffers &inputs_;
  std::size_t b_, number_;
  problem::Problem::Place place_;
  const RunAgain &run_again_;
  std::size_t left_;
  std::vector<std::uint64_t> own_, others_, foreign_;
  std::vector<bool> used_;
  double before_ = 0;
};

}  // namespace

std::optional<problem::Terms> followed(const problem::Problem &p, const problem::Case &c,
                                       const Buffers &inputs, std::size_t number, const std::string &element,
                                       const RunAgain &run_again, std::size_t most_runs) {
  for (std::size_t b = 0; b < inputs.size(); ++b) {
    if (inputs[b].role != run::Role::input || !p.may_exchange(c, b) ||
        free_type(p, c, inputs, b) != problem::Type::f32)
      continue;
    Follower follower(p, c, inputs, b, number, run_again, most_runs);
    if (!follower.find_own()) continue;
    try {
      follower.follow();
      if (!follower.is_complete()) return follower.found(element);
    } catch (const NoAnswer &) {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace warpgrade::grading
