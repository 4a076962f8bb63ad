#include "setup/did_you_mean.hpp"

#include <algorithm>
#include <filesystem>

namespace warpgrade {

namespace {

/// How many letters are added, left out, replaced, or exchanged with their neighbour.
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

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string> &known) {
  constexpr std::size_t longest = 64;
  if (word.size() > longest) return "";
  std::string best;
  std::size_t least = std::min<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string &one : known) {
    const std::size_t differ = distance(word, one);
    if (differ < least)
      best = one;
    else if (differ == least)
      best.clear();  // of step9, any other step is as near
    least = std::min(least, differ);
  }
  return best;
}

std::string nearest_step(const std::string &word, const course::Assignment &a) {
  const std::filesystem::path name = std::filesystem::path(word).filename();
  std::vector<std::string> ids;
  for (const course::Step &s : a.steps) {
    if (name == s.file || name == std::filesystem::path(s.file).stem()) return s.id;
    ids.push_back(s.id);
  }
  return nearest(word, ids);
}

}  // namespace warpgrade
