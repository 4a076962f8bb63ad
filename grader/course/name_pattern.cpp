#include "course/name_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace warpgrade::course {

namespace {

constexpr std::size_t longest_pattern = 1000;
constexpr std::array<std::string_view, 3> known_groups = {"student", "attempt", "file"};

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
  std::map<std::string, std::size_t, std::less<>> groups;
  std::size_t count = 0;
};

/// std::regex knows no names: counts the groups and takes the names out.
Plain without_names(const std::string &pattern) {
  Plain plain;
  bool in_class = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '\\' && i + 1 < pattern.size()) {
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
        throw PatternError(
            fmt::format("the pattern has a group '{}' (known: {})", name, fmt::join(known_groups, ", ")));
      if (!plain.groups.emplace(name, ++plain.count).second)
        throw PatternError(fmt::format("the pattern has two groups '{}'", name));
      plain.pattern += '(';
      i = end - 1;
      continue;
    }
    if (pattern.compare(i, 2, "(?") != 0) ++plain.count;
    plain.pattern += c;
  }
  return plain;
}

}  // namespace

NamePattern::NamePattern(const std::string &pattern, bool any_case) {
  if (pattern.size() > longest_pattern)
    throw PatternError(fmt::format("the pattern is {} bytes long, at most {} are accepted", pattern.size(),
                                   longest_pattern));
  Plain plain = without_names(pattern);
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
  // libstdc++'s other way of matching goes back and forth without bounds, and deeper with every character.
  auto flags = std::regex::ECMAScript | std::regex_constants::__polynomial;
  if (any_case) flags |= std::regex::icase;
  try {
    regex_.assign(plain.pattern, flags);
  } catch (const std::regex_error &e) {
    throw PatternError(
        fmt::format("'{}' is no regular expression that is accepted here: {}", pattern, e.what()));
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
  Match match{text("student"), text("attempt"), text("file")};
  if (match.student.empty()) return std::nullopt;
  return match;
}

}  // namespace warpgrade::course
