#include "report/csv.hpp"

#include <fmt/format.h>

#include "report/text.hpp"

namespace warpgrade::report {

std::string csv_text(std::string_view text) {
  // What a spreadsheet runs as a formula, some also after blanks that they drop.
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool formula = first != std::string_view::npos &&
                       std::string_view("=+-@|%\t\r\n").find(text[first]) != std::string_view::npos;
  const bool blank = !text.empty() && std::string_view("\t\r\n").find(text.front()) != std::string_view::npos;
  std::string cell = (formula || blank ? "'" : "") + for_json(text);
  if (cell.find_first_of(",\"\n;\t") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string csv_points(double points) {
  std::string text = fmt::format("{:.2f}", points);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string csv_row(const std::vector<std::string> &cells) {
  return fmt::format("{}\r\n", fmt::join(cells, ","));
}

}  // namespace warpgrade::report
