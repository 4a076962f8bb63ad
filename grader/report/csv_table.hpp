// A CSV file that another program wrote, with some cells replaced: every other byte stays as it is.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace warpgrade::report {

/// The file is not what it should be; what() says where and what was expected.
class CsvError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class CsvTable {
 public:
  /// Cells are parted by commas, or by semicolons where the first three lines have more of these. Throws
  /// CsvError for a quote that is never closed.
  explicit CsvTable(std::string_view text);

  std::size_t rows() const { return rows_.size(); }
  std::size_t columns(std::size_t row) const { return rows_.at(row).cells.size(); }
  /// What a cell says, without its quotes; empty beyond the row's end.
  const std::string &cell(std::size_t row, std::size_t column) const;
  /// `ready`: as it stands in the file, from csv_text() or csv_points(). A row that is too short becomes
  /// longer.
  void set(std::size_t row, std::size_t column, const std::string &ready);
  std::string text() const;

 private:
  struct Cell {
    std::string bytes, value;
  };
  struct Row {
    std::vector<Cell> cells;
    std::string end;
  };
  std::string mark_;  ///< of the byte order, where there is one
  char delimiter_ = ',';
  std::vector<Row> rows_;
};

}  // namespace warpgrade::report
