// The members of the class: a CSV with a header, custom or exported from a platform's gradebook.
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
  /// semicolons or tabs, in UTF-8 or UTF-16. Throws course::ConfigError with file and line.
  static Roster read(const std::filesystem::path &);
  static Roster parse(const std::string &bytes, const std::string &name);

  struct Row {
    std::vector<std::string> ids;  ///< by column of columns(); empty if the cell is
    int line = 0;
    std::string name;  ///< of a person, as the file writes it; empty: there is no such column
    bool operator==(const Row &) const = default;
  };
  const std::vector<std::string> &columns() const { return columns_; }  ///< columns with ids, best first
  const std::vector<Row> &rows() const { return rows_; }

  /// Chooses the column in which most of `ids` are found, or the first if none is. Throws course::ConfigError
  /// if that column has an id twice or lacks one.
  void choose_key(const std::vector<std::string> &ids);
  /// Valid for Handin::student. Call after choose_key.
  std::string student(const Row &) const;
  /// The row with that id in any of its columns, in upper or lower case; nothing if there are several.
  const Row *find(std::string_view id) const;
  bool has_id(const Row &, std::string_view id) const;
  /// Throws course::ConfigError: the roster is that of another class, or submissions use other ids. `ids` are
  /// theirs, `layout` says how they were read.
  [[noreturn]] void fail_for_nobody(const std::vector<std::string> &ids, const std::string &layout) const;

 private:
  std::string name_;
  std::vector<std::string> columns_;
  std::vector<Row> rows_;
  std::size_t key_ = 0;
  std::map<std::string, std::vector<std::size_t>, std::less<>> by_id_;
};

}  // namespace warpgrade::batch
