#include "report/csv_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpgrade::report {

namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

char delimiter_of(std::string_view text) {
  bool quoted = false;
  int lines = 0, commas = 0, semicolons = 0;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    commas += c == ',';
    semicolons += c == ';';
    if (c == '\n' && ++lines == 3) break;
  }
  return semicolons > commas ? ';' : ',';
}

/// Where a cell ends that begins at `at`.
std::size_t end_of_cell(std::string_view text, std::size_t at, char delimiter) {
  bool quoted = at < text.size() && text[at] == '"';
  const std::size_t begin = at;
  if (quoted) ++at;
  for (; at < text.size(); ++at) {
    if (quoted) {
      if (text[at] != '"') continue;
      if (at + 1 < text.size() && text[at + 1] == '"')
        ++at;
      else
        quoted = false;
    } else if (text[at] == delimiter || text[at] == '\r' || text[at] == '\n') {
      return at;
    }
  }
  if (quoted)
    throw CsvError(
        fmt::format("line {}: a quote is opened here and never closed",
                    1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(begin), '\n')));
  return at;
}

std::string unquoted(std::string_view bytes) {
  if (bytes.empty() || bytes.front() != '"') return std::string(bytes);
  std::string value;
  for (std::size_t i = 1; i < bytes.size(); ++i) {
    if (bytes[i] == '"' && (i + 1 >= bytes.size() || bytes[i + 1] != '"')) {
      value += bytes.substr(i + 1);  // what some programs leave behind the closing quote
      break;
    }
    if (bytes[i] == '"') ++i;
    value += bytes[i];
  }
  return value;
}

}  // namespace

CsvTable::CsvTable(std::string_view text) {
  if (text.starts_with(byte_order_mark)) {
    mark_ = byte_order_mark;
    text.remove_prefix(byte_order_mark.size());
  }
  delimiter_ = delimiter_of(text);
  for (std::size_t at = 0; at < text.size();) {
    Row row;
    for (;;) {
      const std::size_t end = end_of_cell(text, at, delimiter_);
      const std::string_view bytes = text.substr(at, end - at);
      row.cells.push_back({std::string(bytes), unquoted(bytes)});
      at = end;
      if (at == text.size() || text[at] != delimiter_) break;
      ++at;
    }
    if (at < text.size()) {
      row.end = text.substr(at, text.substr(at).starts_with("\r\n") ? 2 : 1);
      at += row.end.size();
    }
    rows_.push_back(std::move(row));
  }
}

const std::string &CsvTable::cell(std::size_t row, std::size_t column) const {
  static const std::string nothing;
  const std::vector<Cell> &cells = rows_.at(row).cells;
  return column < cells.size() ? cells[column].value : nothing;
}

void CsvTable::set(std::size_t row, std::size_t column, const std::string &ready) {
  std::vector<Cell> &cells = rows_.at(row).cells;
  if (column >= cells.size()) cells.resize(column + 1);
  cells[column] = {ready, unquoted(ready)};
}

std::string CsvTable::text() const {
  std::string text = mark_;
  for (const Row &row : rows_) {
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      if (i > 0) text += delimiter_;
      text += row.cells[i].bytes;
    }
    text += row.end;
  }
  return text;
}

}  // namespace warpgrade::report
