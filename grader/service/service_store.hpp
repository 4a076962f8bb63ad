// The service's own facts, in DIR/service.db: people and their tokens, what was submitted, the queue, the
// audit log. Several processes use the file at a time, each with connections of its own; every commit reaches
// the disk before it returns. The results of a class are in its own store (DIR/<assignment>/gradebook.db).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>

#include "batch/database.hpp"

namespace warpgrade::service {

inline constexpr const char *service_store_name = "service.db";

class ServiceStore {
 public:
  enum class Access {
    create,  ///< makes folder and file where they are missing, and brings older files up to date
    open,    ///< they must exist
    read,    ///< as open, and nothing is written: for other accounts, and for backups that are read-only
  };
  /// Throws batch::StoreError.
  ServiceStore(const std::filesystem::path &folder, Access);
  batch::Database &database() { return database_; }
  std::filesystem::path folder() const { return database_.file().parent_path(); }
  /// All changes of `work`, or none if it throws. No other process writes in between.
  void change(const std::function<void()> &work);
  /// Of the inputs of a class, as it was last graded.
  std::optional<std::uint64_t> class_seed(const std::string &assignment);
  void keep_class_seed(const std::string &assignment, std::uint64_t seed);

 private:
  batch::Database database_;
};

/// Appends to the audit log, which nothing ever shortens. `actor`: a person's id, or "the administrator" for
/// a command on the machine itself. `at`: seconds since 1970.
void note_in_audit(batch::Database &, std::int64_t at, std::string_view actor, std::string_view what,
                   std::string_view subject, std::string_view detail);

/// The same for a command of the administrator on the folder of a class. Nothing where that class is not of a
/// service, whose store would be beside it.
void note_command_in_audit(const std::filesystem::path &class_folder, std::string_view what,
                           std::string_view subject, std::string_view detail);

}  // namespace warpgrade::service
