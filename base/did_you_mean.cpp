#include "base/did_you_mean.hpp"

#include <algorithm>
#include <cctype>
#include <regex>
#include <system_error>

namespace warpgrade {

namespace {

/// The number of letters that are added, left out, replaced, or exchanged with their neighbour.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      const bool same = a[i - 1] == b[j - 1];
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

constexpr std::size_t longest_word = 64;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string digits_of(const std::string &name) {
  std::string digits;
  std::copy_if(name.begin(), name.end(), std::back_inserter(digits), is_digit);
  return digits;
}

/// Without what browsers, desktops and editors add: "(1)", " - Copy", ".txt".
std::string as_it_was_named(std::string name) {
  static const std::regex copies(R"( ?\([0-9]{1,3}\)|[ _-]+copy( [0-9]{1,3})?)", std::regex::icase);
  if (name.size() > longest_word) return name;
  name = std::regex_replace(name, copies, "");
  if (const std::string_view added = ".txt"; name.ends_with(added)) name.resize(name.size() - added.size());
  return plain_name(name);
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string> &known) {
  if (word.size() > longest_word) return "";
  std::string best;
  std::size_t least = std::min<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string &one : known) {
    const std::size_t differ = distance(word, one);
    if (differ < least)
      best = one;
    else if (differ == least)
      best.clear();  // from step9, any other step is as near
    least = std::min(least, differ);
  }
  return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string> &known) {
  const std::string meant = nearest(word, known);
  return meant.empty() ? "" : "; did you mean " + meant + "?";
}

std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char c : name)
    if (const auto u = static_cast<unsigned char>(c); u >= 0x80 || std::isalnum(u) || c == '.')
      plain += static_cast<char>(std::tolower(u));
  return plain;
}

std::string misnamed_file(const std::filesystem::path &folder, const std::string &name) {
  const std::string wanted = plain_name(name);
  std::vector<std::string> same, others;
  std::error_code none;
  for (const auto &entry : std::filesystem::directory_iterator(folder, none)) {
    const std::string file = entry.path().filename().string();
    if (file == name || !entry.is_regular_file(none)) continue;
    if (as_it_was_named(file) == wanted)
      same.push_back(file);
    else if (digits_of(file) == digits_of(name))
      others.push_back(file);
  }
  if (same.empty()) return nearest(name, others);
  return same.size() == 1 ? same.front() : "";
}

}  // namespace warpgrade
