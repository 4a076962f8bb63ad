// Files that somebody edits: which of them were saved since they were last looked at.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/descriptor.hpp"
#include "course/assignment.hpp"

namespace warpgrade::steps {

/// The files of some steps in a folder, to be watched. Several steps may use the same header.
class FilesOfSteps {
 public:
  FilesOfSteps(std::vector<const course::Step *> steps, const std::filesystem::path &submission);
  /// Each once, the first step's own file first.
  const std::vector<std::filesystem::path> &all() const { return files_; }
  /// The steps that use one of these files, in their order.
  std::vector<const course::Step *> using_any(const std::set<std::filesystem::path> &) const;

 private:
  std::vector<const course::Step *> steps_;
  std::vector<std::filesystem::path> files_;
  std::map<std::filesystem::path, std::set<const course::Step *>> used_by_;
};

class Watch {
 public:
  /// The files need not exist yet; their folders must. What counts is how the files look: the
  /// system's word that something happened in a folder (inotify) only says when to look. Where it says
  /// nothing, as on network drives and on Windows' drives in WSL, they are looked at every half second.
  explicit Watch(std::vector<std::filesystem::path> files);

  /// Waits until at least one was saved and no more follow for a moment, so that a burst of saves, or an
  /// editor that writes a file anew and renames it, is one change. Files that are gone are waited for. Gives
  /// nothing once `stop`, a descriptor, can be read from.
  std::optional<std::set<std::filesystem::path>> next(int stop);

 private:
  struct Look {
    std::uint64_t device = 0, inode = 0;
    std::int64_t size = -1, seconds = 0, nanoseconds = 0;
    bool operator==(const Look &) const = default;
  };
  static std::map<std::filesystem::path, Look> look(const std::vector<std::filesystem::path> &);
  /// Whether `stop` can be read from; `milliseconds` at most.
  bool wait(int stop, int milliseconds);

  std::vector<std::filesystem::path> files_;
  std::map<std::filesystem::path, Look> known_;
  Descriptor events_;
};

}  // namespace warpgrade::steps
