#include "course/name_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "base/did_you_mean.hpp"

namespace warpgrade::course {

namespace {

constexpr std::size_t longest_pattern = 1000;
constexpr std::uint64_t most_steps = 2000;  // of a pattern, for each character of a name
constexpr std::size_t most_groups = 32;     // copied at each step
constexpr std::array<std::string_view, 4> known_groups = {"student", "attempt", "file", "late"};
constexpr char student_mark = '\1';

/// The name in `(?<name>` or `(?P<name>` that begins at `at`, and where it ends; lookarounds have none.
std::optional<std::pair<std::string, std::size_t>> group_name(const std::string &pattern, std::size_t at) {
  for (const std::string_view opening : {"(?<", "(?P<"}) {
    if (pattern.compare(at, opening.size(), opening) != 0) continue;
    const std::size_t begin = at + opening.size(), end = pattern.find('>', begin);
    if (end == std::string::npos || pattern.find_first_of("=!", begin) == begin) return std::nullopt;
    return std::pair(pattern.substr(begin, end - begin), end + 1);
  }
  return std::nullopt;
}

struct Plain {
  std::string pattern;
  std::vector<std::size_t> opens;  // where each group does, in `pattern`
  std::map<std::string, std::size_t, std::less<>> groups;
  std::size_t count = 0;
  bool looks_ahead = false;
};

/// std::regex does not support names: counts the groups and removes the names.
Plain without_names(const std::string &pattern) {
  Plain plain;
  bool in_class = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '\\' && i + 1 < pattern.size()) {
      // std::regex reads the number of a group without checking its length.
      const std::size_t end = std::min(pattern.find_first_not_of("0123456789", i + 1), pattern.size());
      if (end - i > 4)
        throw PatternError(fmt::format("the pattern refers to group {}, which does not exist",
                                       pattern.substr(i + 1, end - i - 1)));
      plain.pattern += pattern.substr(i++, 2);
      continue;
    }
    if (c == '[' && !in_class)
      in_class = true;
    else if (c == ']' && in_class)
      in_class = false;
    if (c != '(' || in_class) {
      plain.pattern += c;
      continue;
    }
    if (const auto named = group_name(pattern, i)) {
      const auto &[name, end] = *named;
      if (std::find(known_groups.begin(), known_groups.end(), name) == known_groups.end())
        throw PatternError(fmt::format("the pattern has a group '{}'{} (known: {})", name,
                                       did_you_mean(name, {known_groups.begin(), known_groups.end()}),
                                       fmt::join(known_groups, ", ")));
      if (!plain.groups.emplace(name, ++plain.count).second)
        throw PatternError(fmt::format("the pattern has two groups '{}'", name));
      plain.opens.push_back(plain.pattern.size());
      plain.pattern += '(';
      i = end - 1;
      continue;
    }
    if (pattern.compare(i, 2, "(?") != 0) {
      ++plain.count;
      plain.opens.push_back(plain.pattern.size());
    }
    plain.looks_ahead |= pattern.compare(i, 3, "(?=") == 0 || pattern.compare(i, 3, "(?!") == 0;
    plain.pattern += c;
  }
  return plain;
}

/// About how many steps the expression takes for one character: its parts, multiplied by their repeat counts.
/// For an invalid pattern, some number.
std::uint64_t steps_of(std::string_view pattern) {
  std::vector<std::uint64_t> sums = {0};  // of the open groups
  std::uint64_t last = 0;                 // the part that a count would repeat
  const auto next = [&](std::uint64_t part) { sums.back() += std::exchange(last, part); };
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    switch (pattern[i]) {
      case '\\':
        next(1);
        ++i;
        break;
      case '[':
        next(1);
        for (++i; i < pattern.size() && pattern[i] != ']'; ++i)
          if (pattern[i] == '\\') ++i;
        break;
      case '(':
        next(0);
        sums.push_back(1);
        break;
      case ')':
        next(0);
        if (sums.size() == 1) return 0;
        last = std::exchange(sums.back(), 0) + 1;
        sums.pop_back();
        break;
      case '{': {
        std::uint64_t most = 1, number = 0;
        for (++i; i < pattern.size() && pattern[i] != '}'; ++i) {
          number = pattern[i] == ','
                       ? 0
                       : std::min<std::uint64_t>(10 * number + (pattern[i] - '0') % 10u, 100'000);
          most = std::max(most, number);
        }
        last = std::min<std::uint64_t>(last * most, 1 << 30);
        break;
      }
      default:
        next(1);
    }
  }
  next(0);
  return std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
}

/// std::regex takes a pattern's steps for each character of a name, and more in two cases.
void refuse_what_takes_too_long(const Plain &plain) {
  // Each scans the rest of a name again, and a nested one again for each of those.
  if (plain.looks_ahead)
    throw PatternError(
        "the pattern looks ahead, with (?= or (?!, which takes too long for names of a student's choice");
  if (const std::uint64_t steps = steps_of(plain.pattern); steps > most_steps)
    throw PatternError(
        fmt::format("the pattern repeats too much: about {} steps for each character of a name, at most "
                    "{} are accepted; are the counts in {{}} that large?",
                    steps, most_steps));
  if (plain.count > most_groups)
    throw PatternError(
        fmt::format("the pattern has {} groups, at most {} are accepted; (?:...) is not counted", plain.count,
                    most_groups));
}

enum class Kind : std::uint8_t { digit, letter, other };

Kind kind_of(char c) {
  if (c >= '0' && c <= '9') return Kind::digit;
  const bool letter =
      (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
  return letter ? Kind::letter : Kind::other;
}

}  // namespace

NamePattern::NamePattern(const std::string &pattern, bool any_case) {
  if (pattern.size() > longest_pattern)
    throw PatternError(fmt::format("the pattern is {} bytes long, at most {} are accepted", pattern.size(),
                                   longest_pattern));
  Plain plain = without_names(pattern);
  refuse_what_takes_too_long(plain);
  if (plain.count == 0)
    throw PatternError(
        "the pattern needs a group for the student's id: (?<student>[0-9]+), or ([0-9]+) as its first group");
  groups_ = std::move(plain.groups);
  if (!groups_.contains("student")) {
    for (const auto &[name, index] : groups_)
      if (index == 1)
        throw PatternError(
            fmt::format("the first group of the pattern is '{}', and none is 'student'", name));
    groups_.emplace("student", 1);
  }
  // libstdc++'s other algorithm backtracks without bounds, and recurses with every character.
  auto flags = std::regex::ECMAScript | std::regex_constants::__polynomial;
  if (any_case) flags |= std::regex::icase;
  try {
    regex_.assign(plain.pattern, flags);
    plain.pattern.insert(plain.opens.at(index_of_student() - 1), 1, student_mark);
    marked_.assign(plain.pattern, flags);
  } catch (const std::regex_error &e) {
    throw PatternError(fmt::format("'{}' is not an accepted regular expression: {}", pattern, e.what()));
  }
}

std::optional<NamePattern::Match> NamePattern::match(std::string_view name) const {
  if (name.size() > longest_name) return std::nullopt;
  std::match_results<std::string_view::const_iterator> found;
  if (!std::regex_match(name.begin(), name.end(), found, regex_)) return std::nullopt;
  const auto text = [&](std::string_view group) {
    const auto index = groups_.find(group);
    return index == groups_.end() ? std::string() : found[index->second].str();
  };
  Match match{text("student"), text("attempt"), text("file"), !text("late").empty()};
  if (match.student.empty()) return std::nullopt;
  return match;
}

std::string NamePattern::other_student(std::string_view given) const {
  if (given.size() > longest_name) return "";
  std::string name(given);
  std::replace(name.begin(), name.end(), student_mark, '\2');
  std::smatch found;
  if (!std::regex_match(name, found, regex_)) return "";
  const auto begin = static_cast<std::size_t>(found.position(index_of_student()));
  const std::size_t end = begin + static_cast<std::size_t>(found.length(index_of_student()));
  // A student begins where digits, letters or other characters do: a part of a number is not another
  // reading.
  for (std::size_t at = 0; at < name.size(); ++at) {
    const bool border = at == 0 || kind_of(name[at]) != kind_of(name[at - 1]);
    if (!border || (at >= begin && at < end)) continue;
    const std::string marked = name.substr(0, at) + student_mark + name.substr(at);
    if (!std::regex_match(marked, found, marked_)) continue;
    const std::string other = found[index_of_student()].str();
    if (!other.empty() && (at >= end || at + other.size() <= begin)) return other;
  }
  return "";
}

}  // namespace warpgrade::course
