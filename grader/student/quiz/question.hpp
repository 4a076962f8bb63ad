// A question about a kernel with one right answer: plain data, and how it is put together.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpgrade::quiz {

struct Question {
  std::string kind, topic;  ///< "element_read", "addresses"
  int difficulty = 1;       ///< 1: look it up; 2: work it out; 3: know what the machine does
  std::string file;
  int line = 0;      ///< that it is about; 0: the whole kernel
  std::string code;  ///< the text of that line
  std::string text;
  std::vector<std::string> choices;   ///< four, no two alike
  std::size_t answer = 0;             ///< in `choices`
  std::vector<std::string> mistakes;  ///< beside each choice: what leads to it; empty for the answer
  std::string why;
};

/// Numbers that look random and follow from a seed.
class Dice {
 public:
  Dice(std::uint64_t seed, std::string_view purpose);
  std::uint64_t below(std::uint64_t n);  ///< 0 to n - 1; 0 for n = 0
  template <class T>
  const T &one_of(const std::vector<T> &all) {
    return all[below(all.size())];
  }
  template <class T>
  void shuffle(std::vector<T> &all) {
    for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[below(i)]);
  }

 private:
  std::uint64_t seed_ = 0, drawn_ = 0;
};

/// A wrong answer and the mistake that leads to it.
struct Wrong {
  std::string text, mistake;
};

/// The first three of these that differ from the answer and from each other, and the answer, in any order. Nothing if
/// there are fewer than three.
std::optional<Question> with_choices(Question, std::string right, const std::vector<Wrong> &wrong, Dice &);

/// "16,384"
std::string grouped(std::uint64_t);

}  // namespace warpgrade::quiz
