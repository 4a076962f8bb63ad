// A folder for what a run leaves, removed at its end.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <stdexcept>

namespace warpgrade {

/// This machine lacks what running a program takes: room, a process, a right.
class MachineError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A directory in which programs can run, removed with its contents when this object is destroyed.
class Scratch {
 public:
  Scratch();  ///< throws MachineError
  ~Scratch();
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;
  const std::filesystem::path &path() const { return path_; }
  /// Removes what killed processes left behind.
  static void remove_left_by(pid_t process);

 private:
  std::filesystem::path path_;
};

}  // namespace warpgrade
