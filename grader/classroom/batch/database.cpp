#include "batch/database.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <utility>

namespace warpgrade::batch {

namespace {

constexpr int busy_milliseconds = 10'000;  // a reader of the file holds a writer up for moments only

std::string words(int status) {
  switch (status & 0xff) {
    case SQLITE_FULL:
      return "the disk is full";
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return "it cannot be written: check the permissions of the file and of its folder";
    case SQLITE_CANTOPEN:
      return "it cannot be opened: check the permissions of the file and of its folder";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "another program holds it locked, or its file system cannot lock files; then use a folder on a "
             "local disk";
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return "the file is damaged";
    default:
      return "";
  }
}

}  // namespace

/// SQLite calls some of the calls that fail for want of room an error of the disk.
bool Database::disk_is_full() const {
  constexpr std::uintmax_t little = 64 << 10;
  std::error_code none;
  const std::filesystem::space_info room = std::filesystem::space(file_.parent_path(), none);
  return !none && room.available < little;
}

void Database::fail(int status) const {
  if ((status & 0xff) == SQLITE_IOERR && disk_is_full()) status = SQLITE_FULL;
  std::string what = words(status);
  const std::string theirs = handle_ ? sqlite3_errmsg(handle_) : sqlite3_errstr(status);
  what = what.empty() ? theirs : fmt::format("{} ({})", what, theirs);
  switch (status & 0xff) {
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_CANTOPEN:
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      throw StoreError(StoreError::Kind::unusable, fmt::format("{}: {}", file_.string(), what));
    case SQLITE_FULL:
      throw StoreError(StoreError::Kind::failed,
                       fmt::format("{}: {}. What was written before is safe: make room, and the same command "
                                   "continues where it stopped",
                                   file_.string(), what));
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      throw StoreError(
          StoreError::Kind::failed,
          fmt::format("{}: {}. It was left as it is. Put a copy from a backup in its place, or move it "
                      "away and grade the class again",
                      file_.string(), what));
    default:
      throw StoreError(StoreError::Kind::failed, fmt::format("{}: {}", file_.string(), what));
  }
}

Database::Database(const std::filesystem::path &file, Mode mode) : file_(file) {
  const int flags = mode == Mode::create  ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                    : mode == Mode::write ? SQLITE_OPEN_READWRITE
                                          : SQLITE_OPEN_READONLY;
  int status = sqlite3_open_v2(file.c_str(), &handle_, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  if (mode == Mode::read && status == SQLITE_OK) status = settle_for_reading();
  try {
    if (status != SQLITE_OK) fail(status);
    sqlite3_extended_result_codes(handle_, 1);
    sqlite3_busy_timeout(handle_, busy_milliseconds);
  } catch (...) {
    sqlite3_close_v2(std::exchange(handle_, nullptr));
    throw;
  }
}

/// Readers of a WAL write as well, beside the file. Where they cannot, and nobody is at work, the file is
/// all there is, and it is read as one that nobody changes.
int Database::settle_for_reading() {
  const int first = sqlite3_exec(handle_, "PRAGMA schema_version", nullptr, nullptr, nullptr) & 0xff;
  std::error_code none;
  const std::uintmax_t log = std::filesystem::file_size(file_.string() + "-wal", none);
  const bool at_rest = none ? !std::filesystem::exists(file_.string() + "-wal") : log == 0;
  if ((first != SQLITE_READONLY && first != SQLITE_CANTOPEN && first != SQLITE_IOERR) || !at_rest)
    return SQLITE_OK;
  std::string uri = "file:";
  for (const char c : file_.string())
    uri += c == '?' || c == '#' || c == '%' ? fmt::format("%{:02x}", static_cast<unsigned char>(c))
                                            : std::string(1, c);
  sqlite3_close_v2(std::exchange(handle_, nullptr));
  return sqlite3_open_v2((uri + "?immutable=1").c_str(), &handle_,
                         SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr);
}

Database::~Database() {
  sqlite3_close_v2(handle_);
}

void Database::execute(const std::string &sql) {
  const int status = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
  if (status != SQLITE_OK) fail(status);
}

std::int64_t Database::last_id() const {
  return sqlite3_last_insert_rowid(handle_);
}

std::int64_t Database::changed() const {
  return sqlite3_changes64(handle_);
}

Statement::Statement(Database &database, std::string_view sql) : database_(&database) {
  const int status =
      sqlite3_prepare_v2(database.handle_, sql.data(), static_cast<int>(sql.size()), &statement_, nullptr);
  if (status != SQLITE_OK) database.fail(status);
}

Statement::Statement(Statement &&other) noexcept
    : database_(other.database_), statement_(std::exchange(other.statement_, nullptr)), next_(other.next_) {}

Statement::~Statement() {
  sqlite3_finalize(statement_);
}

void Statement::bound(int status) {
  if (status != SQLITE_OK) database_->fail(status);
  ++next_;
}

Statement &Statement::text(std::string_view value) {
  bound(sqlite3_bind_text(statement_, next_, value.data() ? value.data() : "", static_cast<int>(value.size()),
                          SQLITE_TRANSIENT));
  return *this;
}

Statement &Statement::blob(std::string_view value) {
  bound(sqlite3_bind_blob(statement_, next_, value.data() ? value.data() : "", static_cast<int>(value.size()),
                          SQLITE_TRANSIENT));
  return *this;
}

Statement &Statement::integer(std::int64_t value) {
  bound(sqlite3_bind_int64(statement_, next_, value));
  return *this;
}

Statement &Statement::real(double value) {
  bound(sqlite3_bind_double(statement_, next_, value));
  return *this;
}

Statement &Statement::real_or_null(std::optional<double> value) {
  if (value) return real(*value);
  bound(sqlite3_bind_null(statement_, next_));
  return *this;
}

bool Statement::step() {
  const int status = sqlite3_step(statement_);
  if (status == SQLITE_ROW) return true;
  if (status != SQLITE_DONE) database_->fail(status);
  return false;
}

void Statement::run() {
  while (step()) {
  }
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
  next_ = 1;
}

std::string Statement::text_at(int column) const {
  const auto *bytes = static_cast<const char *>(sqlite3_column_blob(statement_, column));
  const int size = sqlite3_column_bytes(statement_, column);
  return bytes ? std::string(bytes, static_cast<std::size_t>(size)) : std::string();
}

std::int64_t Statement::integer_at(int column) const {
  return sqlite3_column_int64(statement_, column);
}

double Statement::real_at(int column) const {
  return sqlite3_column_double(statement_, column);
}

bool Statement::null_at(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

Transaction::Transaction(Database &database) : database_(database) {
  database_.execute("SAVEPOINT here");
}

Transaction::~Transaction() {
  if (!open_) return;
  try {
    database_.execute("ROLLBACK TO here; RELEASE here");
  } catch (const StoreError &) {
    // SQLite has undone it by itself, as it does on a full disk.
  }
}

void Transaction::commit() {
  database_.execute("RELEASE here");
  open_ = false;
}

}  // namespace warpgrade::batch
