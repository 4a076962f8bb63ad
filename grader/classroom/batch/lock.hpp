// One gradebook at a time changes a class: a file lock, which the system releases whatever happens to its
// holder.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <vector>

namespace warpgrade::batch {

class ClassLock {
 public:
  /// Waits briefly for a killed holder to disappear, and removes the temporary folders that it left. Throws
  /// StoreError that names the holder of the lock.
  explicit ClassLock(const std::filesystem::path &folder);
  ~ClassLock();
  ClassLock(const ClassLock &) = delete;
  ClassLock &operator=(const ClassLock &) = delete;

  /// Notes a process of ours, so that a later run can clean up after a crash.
  void note(pid_t process);

 private:
  std::vector<pid_t> clear_up();  ///< returns those that have not ended
  std::filesystem::path file_;
  int descriptor_ = -1;
};

}  // namespace warpgrade::batch
