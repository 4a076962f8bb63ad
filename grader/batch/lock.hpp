// One gradebook at a time changes a class: a file that the system locks, and lets go of whatever becomes of
// its holder.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <vector>

namespace warpgrade::batch {

class ClassLock {
 public:
  /// Waits a little for the last moments of one that was killed, and removes the temporary folders that it
  /// left. Throws StoreError with who holds the lock.
  explicit ClassLock(const std::filesystem::path &folder);
  ~ClassLock();
  ClassLock(const ClassLock &) = delete;
  ClassLock &operator=(const ClassLock &) = delete;

  /// Notes a process of ours, so that whoever comes after a crash can clear up behind it.
  void note(pid_t process);

 private:
  std::vector<pid_t> clear_up();  ///< gives those that have not ended
  std::filesystem::path file_;
  int descriptor_ = -1;
};

}  // namespace warpgrade::batch
