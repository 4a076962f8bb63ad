#include "quiz/question.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "problem/random.hpp"

namespace warpgrade::quiz {

Dice::Dice(std::uint64_t seed, std::string_view purpose) : seed_(problem::mix(seed)) {
  for (const char c : purpose) seed_ = problem::mix(seed_ ^ static_cast<unsigned char>(c));
}

std::uint64_t Dice::below(std::uint64_t n) {
  return n == 0 ? 0 : problem::random_bits(seed_, 42, drawn_++) % n;
}

std::optional<Question> with_choices(Question q, std::string right, const std::vector<Wrong> &wrong,
                                     Dice &dice) {
  constexpr std::size_t wanted = 4;
  std::vector<Wrong> all = {{std::move(right), ""}};
  for (const Wrong &w : wrong) {
    const bool known = std::any_of(all.begin(), all.end(), [&](const Wrong &a) { return a.text == w.text; });
    if (!w.text.empty() && !known && all.size() < wanted) all.push_back(w);
  }
  if (all.size() < wanted) return std::nullopt;
  dice.shuffle(all);
  for (const Wrong &one : all) {
    if (one.mistake.empty()) q.answer = q.choices.size();
    q.choices.push_back(one.text);
    q.mistakes.push_back(one.mistake);
  }
  return q;
}

std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

}  // namespace warpgrade::quiz
