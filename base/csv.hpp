// Comma-separated values (RFC 4180): written so that a spreadsheet shows them as they are, and read, with
// some cells replaced, so that every other byte stays.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace warpgrade {

/// A cell with text from outside: text that a spreadsheet would run as a formula gets a leading apostrophe;
/// control characters and bytes that are not text become escapes; text with a comma, a quote or a line end is
/// quoted.
std::string csv_text(std::string_view);
/// One line, with its end, from the results of csv_text() and points().
std::string csv_row(const std::vector<std::string> &cells);

/// The file is not what it should be; what() says where and what was expected.
class CsvError : public std::runtime_error {
 public:
  explicit CsvError(const std::string &what, int line = 1) : std::runtime_error(what), line_(line) {}
  int line() const { return line_; }  ///< counted from 1

 private:
  int line_;
};

/// How a file is divided into cells.
struct CsvFormat {
  std::string_view delimiters = ",;";  ///< the one that occurs most often counts; on a tie, the first
  int lines = 3;                       ///< in this many lines at the beginning
  bool trimmed = false;  ///< blanks around a cell are dropped, also those before an opening quote
};

class CsvTable {
 public:
  /// Throws CsvError for a quote that is never closed.
  explicit CsvTable(std::string_view text, const CsvFormat & = {});

  std::size_t rows() const { return rows_.size(); }
  std::size_t columns(std::size_t row) const { return rows_.at(row).cells.size(); }
  int line(std::size_t row) const { return rows_.at(row).line; }  ///< where it begins, counted from 1
  /// The contents of a cell, without its quotes; empty beyond the row's end.
  const std::string &cell(std::size_t row, std::size_t column) const;
  /// All cells of a row.
  std::vector<std::string> cells(std::size_t row) const;
  /// `ready`: as it is to appear in the file, from csv_text() or points(). A row that is too short becomes
  /// longer.
  void set(std::size_t row, std::size_t column, const std::string &ready);
  /// The whole file.
  std::string text() const;

 private:
  struct Cell {
    std::string bytes, value;
  };
  struct Row {
    std::vector<Cell> cells;
    std::string end;
    int line = 1;
  };
  std::string mark_;  ///< the byte order mark, if any
  char delimiter_ = ',';
  std::vector<Row> rows_;
};

}  // namespace warpgrade
