#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "problem/matrix_problem.hpp"

namespace warpgrade::problem {

namespace {

struct Range {
  std::int64_t first = 0, last = -1;
  void add(std::int64_t i) {
    if (last < first) first = i;
    first = std::min(first, i);
    last = std::max(last, i);
  }
  std::int64_t length() const { return last - first + 1; }
};

/// Runs of three and more as "3 to 5". Empty where there are more than `most` items.
std::string listed(const std::vector<std::int64_t> &numbers, std::size_t most) {
  std::vector<std::string> items;
  for (std::size_t i = 0, end = 0; i < numbers.size() && items.size() <= most; i = end) {
    for (end = i + 1; end < numbers.size() && numbers[end] == numbers[end - 1] + 1;) ++end;
    if (end - i > 2) {
      items.push_back(fmt::format("{} to {}", numbers[i], numbers[end - 1]));
    } else {
      for (std::size_t n = i; n < end; ++n) items.push_back(std::to_string(numbers[n]));
    }
  }
  if (items.empty() || items.size() > most) return "";
  const std::string last = items.back();
  items.pop_back();
  return items.empty() ? last : fmt::format("{} and {}", fmt::join(items, ", "), last);
}

/// "row 128, the last" or "rows 96 to 128".
std::string words(std::string_view what, const Range &r, std::int64_t extent) {
  if (r.length() == 1)
    return fmt::format("{} {}{}", what, r.first, r.first == extent - 1 && extent > 1 ? ", the last" : "");
  return fmt::format("{}s {} to {}", what, r.first, r.last);
}

/// "columns 0, 1, 31 and 32"; "12 of the rows 3 to 60" where they are too many to list.
std::string words(std::string_view what, const std::vector<std::int64_t> &hit, std::int64_t extent) {
  constexpr std::size_t most_listed = 6;
  const Range all{hit.front(), hit.back()};
  if (all.length() == static_cast<std::int64_t>(hit.size())) return words(what, all, extent);
  if (const std::string list = listed(hit, most_listed); !list.empty())
    return fmt::format("{}s {}", what, list);
  return fmt::format("{} of the {}s {} to {}", hit.size(), what, all.first, all.last);
}

/// The largest of the usual tile edges whose full tiles hold no wrong element, so that all wrong ones
/// overhang.
std::optional<std::int64_t> overhung_tile(const std::vector<bool> &wrong, std::int64_t rows,
                                          std::int64_t cols) {
  constexpr std::array<std::int64_t, 5> edges = {128, 64, 32, 16, 8};
  for (const std::int64_t edge : edges) {
    const std::int64_t full_rows = rows / edge * edge, full_cols = cols / edge * edge;
    if (full_rows == 0 || full_cols == 0 || (full_rows == rows && full_cols == cols)) continue;
    bool clean = true;
    for (std::int64_t r = 0; r < full_rows && clean; ++r)
      for (std::int64_t c = 0; c < full_cols && clean; ++c) clean = !wrong[r * cols + c];
    if (clean) return edge;
  }
  return std::nullopt;
}

/// The one step that separates all wrong rows (or columns), such as "every 2nd row from row 1".
std::string strided(std::string_view what, const std::vector<std::int64_t> &hit, std::int64_t extent) {
  if (hit.size() < 3) return "";
  const std::int64_t step = hit[1] - hit[0];
  for (std::size_t i = 2; i < hit.size(); ++i)
    if (hit[i] - hit[i - 1] != step) return "";
  if (step < 2 || hit.back() + step < extent || hit.front() >= step) return "";
  return fmt::format("every {}{} {}, starting with {} {}", step,
                     step == 2   ? "nd"
                     : step == 3 ? "rd"
                                 : "th",
                     what, what, hit.front());
}

}  // namespace

std::string locate(const std::vector<bool> &wrong, std::int64_t rows, std::int64_t cols,
                   std::string_view name) {
  std::vector<std::int64_t> in_row(rows), in_col(cols);
  Range row_range, col_range;
  std::int64_t count = 0;
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < cols; ++c)
      if (wrong[r * cols + c]) {
        ++count, ++in_row[r], ++in_col[c];
        row_range.add(r), col_range.add(c);
      }
  if (count == 0) return "";
  if (count == rows * cols) return "every element";
  if (count == 1) return fmt::format("only {}[{}, {}]", name, row_range.first, col_range.first);
  const bool full_box = count == row_range.length() * col_range.length();
  if (full_box && col_range.length() == cols) return words("row", row_range, rows);
  if (full_box && row_range.length() == rows) return words("column", col_range, cols);
  if (const auto edge = overhung_tile(wrong, rows, cols)) {
    const std::int64_t r0 = rows / *edge * *edge, c0 = cols / *edge * *edge;
    std::string where = fmt::format("rows from {} or columns from {}", r0, c0);
    if (row_range.first >= r0) where = fmt::format("rows from {}", r0);
    if (col_range.first >= c0) where = fmt::format("columns from {}", c0);
    return fmt::format("only in {}, beyond the last full {}x{} tile", where, *edge, *edge);
  }
  std::vector<std::int64_t> rows_hit, cols_hit;
  for (std::int64_t r = 0; r < rows; ++r)
    if (in_row[r]) rows_hit.push_back(r);
  for (std::int64_t c = 0; c < cols; ++c)
    if (in_col[c]) cols_hit.push_back(c);
  if (static_cast<std::int64_t>(rows_hit.size()) < rows)
    if (std::string s = strided("row", rows_hit, rows); !s.empty()) return s;
  if (static_cast<std::int64_t>(cols_hit.size()) < cols)
    if (std::string s = strided("column", cols_hit, cols); !s.empty()) return s;
  if (rows == cols && count >= rows * cols - rows) {
    bool diagonal_right = true;
    for (std::int64_t i = 0; i < rows; ++i) diagonal_right = diagonal_right && !wrong[i * cols + i];
    if (diagonal_right) return "everything except the diagonal; is something transposed?";
  }
  return fmt::format("{}, {}", words("row", rows_hit, rows), words("column", cols_hit, cols));
}

WrongMap map_of(const std::vector<bool> &wrong, std::int64_t rows, std::int64_t cols) {
  if (std::find(wrong.begin(), wrong.end(), true) == wrong.end()) return {};
  WrongMap map{rows, cols, std::min(rows, WrongMap::most_parts), std::min(cols, WrongMap::most_parts), {}};
  map.wrong.assign(static_cast<std::size_t>(map.rows * map.cols), 0);
  const auto part = [](std::int64_t at, std::int64_t extent, std::int64_t parts) {
    return ((at + 1) * parts - 1) / extent;  // the inverse of WrongMap::elements' borders
  };
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < cols; ++c)
      if (wrong[r * cols + c]) ++map.wrong[part(r, rows, map.rows) * map.cols + part(c, cols, map.cols)];
  return map;
}

}  // namespace warpgrade::problem
