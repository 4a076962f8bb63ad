// Who is in the class: a CSV with a header, one's own or a platform's export of its gradebook.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpgrade::batch {

class Roster {
 public:
  /// A file with one of the columns that identify a student (see docs/handing-in.md), separated by commas,
  /// semicolons or tabs. Throws course::ConfigError with file and line.
  static Roster read(const std::filesystem::path &);
  static Roster parse(const std::string &csv, const std::string &name);

  struct Row {
    std::vector<std::string> ids;  ///< by column of columns(); empty where the cell is
    int line = 0;
    std::string name;  ///< of a person, as the file writes it; empty: there is no such column
    bool operator==(const Row &) const = default;
  };
  const std::vector<std::string> &columns() const { return columns_; }  ///< those that identify, best first
  const std::vector<Row> &rows() const { return rows_; }

  /// Names students by the column in which most of `ids` are found, by the first where none is. Throws
  /// course::ConfigError when that column has an id twice or lacks one.
  void choose_key(const std::vector<std::string> &ids);
  std::size_t key_column() const { return key_; }
  /// Fit for Handin::student. After choose_key.
  std::string student(const Row &) const;
  /// The row with that id in any of its columns, whatever the case; nothing when there are several.
  const Row *find(std::string_view id) const;
  bool has_id(const Row &, std::string_view id) const;
  /// Throws course::ConfigError: the roster is that of another class, or submissions have other ids. `ids`
  /// are theirs, `layout` says how they were read.
  [[noreturn]] void fail_for_nobody(const std::vector<std::string> &ids, const std::string &layout) const;

 private:
  std::string name_;
  std::vector<std::string> columns_;
  std::vector<Row> rows_;
  std::size_t key_ = 0;
  std::map<std::string, std::vector<std::size_t>, std::less<>> by_id_;
};

}  // namespace warpgrade::batch
