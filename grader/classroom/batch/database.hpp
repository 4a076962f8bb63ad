// SQLite for C++: statements and transactions that clean up after themselves, errors as sentences. Internal
// to batch/.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace warpgrade::batch {

/// Why a class's store cannot be used or written. what() is for people: the file, the reason, what to do.
class StoreError : public std::runtime_error {
 public:
  enum class Kind {
    unusable,  ///< something that the user can change: a folder, permissions, another gradebook, a version
    failed,    ///< the disk is full, the file damaged, the machine failed
  };
  StoreError(Kind of, const std::string &what) : std::runtime_error(what), kind(of) {}
  Kind kind;
};

class Database;

/// A prepared statement: bind in the order of its question marks, then step.
class Statement {
 public:
  Statement(Statement &&other) noexcept;
  Statement &operator=(Statement &&) = delete;
  ~Statement();

  Statement &text(std::string_view);
  Statement &blob(std::string_view);
  Statement &integer(std::int64_t);
  Statement &real(double);
  Statement &real_or_null(std::optional<double>);
  /// True while there is a row to read.
  bool step();
  /// For statements without result rows. Resets it to be bound and run again.
  void run();

  std::string text_at(int column) const;  ///< of a blob too
  std::int64_t integer_at(int column) const;
  double real_at(int column) const;
  bool null_at(int column) const;

 private:
  friend class Database;
  Statement(Database &, std::string_view sql);
  void bound(int status);
  Database *database_;
  sqlite3_stmt *statement_ = nullptr;
  int next_ = 1;
};

class Database {
 public:
  enum class Mode { create, write, read };
  /// Throws StoreError.
  Database(const std::filesystem::path &file, Mode);
  ~Database();
  Database(const Database &) = delete;
  Database &operator=(const Database &) = delete;

  Statement prepare(std::string_view sql) { return {*this, sql}; }
  void execute(const std::string &sql);  ///< one or more statements without parameters
  std::int64_t last_id() const;
  /// Rows changed by the last statement.
  std::int64_t changed() const;
  const std::filesystem::path &file() const { return file_; }
  /// The error of a call that failed, in words.
  [[noreturn]] void fail(int status) const;

 private:
  int settle_for_reading();
  bool disk_is_full() const;
  friend class Statement;
  std::filesystem::path file_;
  sqlite3 *handle_ = nullptr;
};

/// All or nothing: changes are undone unless commit() is reached. A nested one is a part of the outer one.
class Transaction {
 public:
  explicit Transaction(Database &);
  ~Transaction();
  Transaction(const Transaction &) = delete;
  Transaction &operator=(const Transaction &) = delete;
  void commit();

 private:
  Database &database_;
  bool open_ = true;
};

}  // namespace warpgrade::batch
