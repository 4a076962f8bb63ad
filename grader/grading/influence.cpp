#include "grading/influence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "grading/alone.hpp"

namespace warpgrade::grading {

namespace {

using run::HostBuffer;

constexpr std::size_t most_inputs = 4000;  // each is changed for the reference
constexpr double most_work = 4e7;          // of the reference, for all of them
constexpr std::size_t most_runs = 12;      // of the program, for each of two questions

/// An element of an input.
struct Input {
  std::size_t buffer = 0;
  std::uint64_t element = 0;
  bool operator==(const Input &) const = default;
};

class Search {
 public:
  Search(const problem::Problem &p, const problem::Case &c, const std::vector<HostBuffer> &inputs,
         const std::vector<HostBuffer> &outputs, double tolerance, const RunAgain &run_again)
      : p_(p),
        c_(c),
        inputs_(inputs),
        tolerance_(tolerance),
        run_again_(run_again),
        places_(p.places(c)),
        right_(p.reference(c, inputs)),
        got_(values(outputs)) {}

  std::string sentence() {
    if (places_.empty() || places_.size() != right_.want.size() || !right_.words.empty() ||
        !right_.in_any_order.empty())
      return "";
    const std::vector<Input> all = changeable();
    if (all.empty() || all.size() > most_inputs ||
        static_cast<double>(all.size()) * std::max(p_.work(c_), p_.flops(c_)) > most_work)
      return "";
    std::size_t wrong = 0;
    while (wrong < places_.size() && is_right(wrong)) ++wrong;
    if (wrong == places_.size()) return "";
    std::vector<Input> own, others;
    for (const Input &input : all) (belongs(input, wrong) ? own : others).push_back(input);
    if (own.empty()) return "";
    for (const Input &input : from_both_ends(own))
      if (changes(input, wrong) == false)
        return fmt::format("{} does not change with {}, and should", name_of(wrong), name_of(input));
    for (const Input &input : nearest(others, own))
      if (changes(input, wrong) == true) return foreign(input, wrong);
    return "";
  }

 private:
  /// Of the outputs, in the order of the reference.
  std::vector<double> values(const std::vector<HostBuffer> &buffers) const {
    std::vector<double> all;
    for (const auto &place : places_) all.push_back(value_at(buffers, place));
    return all;
  }
  bool is_right(std::size_t e) const {
    return std::fabs(got_[e] - right_.want[e]) <= tolerance_ * right_.scale[e];
  }
  std::vector<Input> changeable() const {
    std::vector<Input> all;
    const auto types = p_.on_device(c_);
    for (std::size_t b = 0; types && b < inputs_.size(); ++b)
      if (types->is_output[b] == 0 && types->types[b] == static_cast<std::uint32_t>(problem::Type::f32) &&
          p_.may_exchange(c_, b))
        for (std::uint64_t i = 0; i < types->elements[b] && all.size() <= most_inputs; ++i)
          all.push_back({b, i});
    return all;
  }
  /// The inputs with another value in that place.
  std::vector<HostBuffer> changed(const Input &input) const {
    std::vector<HostBuffer> made = inputs_;
    float &x = made[input.buffer].as<float>()[input.element];
    x = other_than(x);
    return made;
  }
  /// The results that should change.
  std::vector<bool> influenced(const Input &input) const {
    const problem::Reference other = p_.reference(c_, changed(input));
    std::vector<bool> all(right_.want.size());
    for (std::size_t e = 0; e < all.size(); ++e)
      all[e] = std::fabs(other.want[e] - right_.want[e]) > tolerance_ * (right_.scale[e] + other.scale[e]);
    return all;
  }
  bool belongs(const Input &input, std::size_t e) const { return influenced(input)[e]; }
  /// None if the program does not end well.
  std::optional<bool> changes(const Input &input, std::size_t e) const {
    const auto outputs = run_again_(changed(input));
    if (!outputs) return std::nullopt;
    const double now = values(*outputs)[e];
    return now != got_[e] && !(std::isnan(now) && std::isnan(got_[e]));
  }

  /// Of the first buffer alone. What is left out is mostly at an end.
  static std::vector<Input> from_both_ends(std::vector<Input> all) {
    std::vector<Input> chosen;
    std::erase_if(all, [first = all.front().buffer](const Input &input) { return input.buffer != first; });
    for (std::size_t i = 0; 2 * i < all.size() && chosen.size() < most_runs; ++i) {
      chosen.push_back(all[i]);
      if (all.size() - 1 - i != i) chosen.push_back(all[all.size() - 1 - i]);
    }
    return chosen;
  }
  static std::vector<Input> nearest(std::vector<Input> others, const std::vector<Input> &own) {
    const auto distance = [&](const Input &other) {
      std::uint64_t least = UINT64_MAX;
      for (const Input &input : own)
        if (input.buffer == other.buffer)
          least = std::min(least, input.element > other.element ? input.element - other.element
                                                                : other.element - input.element);
      return least;
    };
    std::vector<std::pair<std::uint64_t, Input>> by_distance;
    for (const Input &other : others) by_distance.emplace_back(distance(other), other);
    std::stable_sort(by_distance.begin(), by_distance.end(),
                     [](const auto &a, const auto &b) { return a.first < b.first; });
    std::vector<Input> chosen;
    for (const auto &[away, other] : by_distance)
      if (chosen.size() < most_runs && away < UINT64_MAX) chosen.push_back(other);
    return chosen;
  }

  std::string foreign(const Input &input, std::size_t e) const {
    const std::vector<bool> owners = influenced(input);
    const auto owner = std::find(owners.begin(), owners.end(), true);
    if (owner == owners.end())
      return fmt::format("{} changes with {}, and should not", name_of(e), name_of(input));
    return fmt::format("{} changes with {}, which belongs to {}", name_of(e), name_of(input),
                       name_of(static_cast<std::size_t>(owner - owners.begin())));
  }
  std::string name_of(const Input &input) const { return p_.element_name(c_, input.buffer, input.element); }
  std::string name_of(std::size_t e) const {
    return p_.element_name(c_, places_[e].buffer, places_[e].element);
  }

  const problem::Problem &p_;
  const problem::Case &c_;
  const std::vector<HostBuffer> &inputs_;
  const double tolerance_;
  const RunAgain &run_again_;
  const std::vector<problem::Problem::Place> places_;
  const problem::Reference right_;
  const std::vector<double> got_;
};

}  // namespace

std::string wrong_influence(const problem::Problem &p, const problem::Case &c,
                            const std::vector<HostBuffer> &inputs, const std::vector<HostBuffer> &outputs,
                            double tolerance, const RunAgain &run_again) {
  if (!p.on_device(c)) return "";
  return Search(p, c, inputs, outputs, tolerance, run_again).sentence();
}

}  // namespace warpgrade::grading
