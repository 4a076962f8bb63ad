#include "base/csv.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace warpgrade {

namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf", blanks = " \t\r\n";

std::string quoted(std::string_view cell) {
  std::string bytes = "\"";
  for (const char c : cell) bytes += c == '"' ? std::string("\"\"") : std::string(1, c);
  return bytes + "\"";
}

char delimiter_of(std::string_view text, const CsvFormat &format) {
  bool inside = false;
  int lines = 0;
  std::vector<int> seen(format.delimiters.size());
  for (const char c : text) {
    if (c == '"') inside = !inside;
    if (inside) continue;
    if (const std::size_t at = format.delimiters.find(c); at != std::string_view::npos) ++seen[at];
    if (c == '\n' && ++lines == format.lines) break;
  }
  return format
      .delimiters[static_cast<std::size_t>(std::max_element(seen.begin(), seen.end()) - seen.begin())];
}

/// The end of the cell that begins at `at`.
std::size_t end_of_cell(std::string_view text, std::size_t at, char delimiter, bool trims) {
  while (trims && at < text.size() && (text[at] == ' ' || text[at] == '\t') && text[at] != delimiter) ++at;
  bool inside = at < text.size() && text[at] == '"';
  const std::size_t begin = at;
  if (inside) ++at;
  for (; at < text.size(); ++at) {
    if (inside) {
      if (text[at] != '"') continue;
      if (at + 1 < text.size() && text[at + 1] == '"')
        ++at;
      else
        inside = false;
    } else if (text[at] == delimiter || text[at] == '\r' || text[at] == '\n') {
      return at;
    }
  }
  if (inside) {
    const auto line = static_cast<int>(
        1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(begin), '\n'));
    throw CsvError(fmt::format("line {}: a quote is opened here and never closed", line), line);
  }
  return at;
}

std::string unquoted(std::string_view bytes) {
  if (bytes.empty() || bytes.front() != '"') return std::string(bytes);
  std::string value;
  for (std::size_t i = 1; i < bytes.size(); ++i) {
    if (bytes[i] == '"' && (i + 1 >= bytes.size() || bytes[i + 1] != '"')) {
      value += bytes.substr(i + 1);  // some programs write this after the closing quote
      break;
    }
    if (bytes[i] == '"') ++i;
    value += bytes[i];
  }
  return value;
}

}  // namespace

std::string csv_text(std::string_view text) {
  // Spreadsheets run these as formulas, some also after blanks, which they drop.
  const std::size_t first = text.find_first_not_of(blanks);
  const bool formula = first != std::string_view::npos &&
                       std::string_view("=+-@|%\t\r\n").find(text[first]) != std::string_view::npos;
  const bool blank = !text.empty() && std::string_view("\t\r\n").find(text.front()) != std::string_view::npos;
  const std::string cell = (formula || blank ? "'" : "") + for_json(text);
  return cell.find_first_of(",\"\n;\t") == std::string::npos ? cell : quoted(cell);
}

std::string csv_row(const std::vector<std::string> &cells) {
  return fmt::format("{}\r\n", fmt::join(cells, ","));
}

CsvTable::CsvTable(std::string_view text, const CsvFormat &format) {
  if (text.starts_with(byte_order_mark)) {
    mark_ = byte_order_mark;
    text.remove_prefix(byte_order_mark.size());
  }
  delimiter_ = delimiter_of(text, format);
  int line = 1;
  for (std::size_t at = 0; at < text.size();) {
    Row row;
    row.line = line;
    const std::size_t begin = at;
    for (;;) {
      const std::size_t end = end_of_cell(text, at, delimiter_, format.trimmed);
      const std::string_view bytes = text.substr(at, end - at);
      row.cells.push_back(
          {std::string(bytes), format.trimmed ? trimmed(unquoted(trimmed(bytes))) : unquoted(bytes)});
      at = end;
      if (at == text.size() || text[at] != delimiter_) break;
      ++at;
    }
    if (at < text.size()) {
      row.end = text.substr(at, text.substr(at).starts_with("\r\n") ? 2 : 1);
      at += row.end.size();
    }
    const std::string_view whole = text.substr(begin, at - begin);
    line += row.end == "\r" ? 1 : static_cast<int>(std::count(whole.begin(), whole.end(), '\n'));
    rows_.push_back(std::move(row));
  }
}

const std::string &CsvTable::cell(std::size_t row, std::size_t column) const {
  static const std::string nothing;
  const std::vector<Cell> &cells = rows_.at(row).cells;
  return column < cells.size() ? cells[column].value : nothing;
}

std::vector<std::string> CsvTable::cells(std::size_t row) const {
  std::vector<std::string> values;
  for (const Cell &cell : rows_.at(row).cells) values.push_back(cell.value);
  return values;
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

}  // namespace warpgrade
