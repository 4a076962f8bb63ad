// The contents of one submission: reads its files and archives one by one, keeps only the bytes of step
// files, and lists what else there was. The limits of assignment.yaml apply to all of it together.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "batch/archive.hpp"
#include "batch/handin.hpp"
#include "course/assignment.hpp"

namespace warpgrade::batch {

class Contents {
 public:
  /// `open_loose_archives`: whether archives among loose files may be needed; inside archives they always
  /// may.
  Contents(const course::Assignment &assignment, bool open_loose_archives)
      : assignment_(assignment), open_loose_archives_(open_loose_archives) {}

  /// A loose file of the submission; `entry.path` is relative to it. Throws Refused, which refuses the whole
  /// submission.
  void add(const Entry &entry, const ReadContent &);
  /// The archive that was handed in. Throws Refused likewise.
  void add_archive(const Bytes &, const std::string &name);

  struct Result {
    std::vector<HandedFile> files;
    std::vector<std::string> notes;
    std::vector<std::string> top_folders;  ///< the first folders of the step files: "20261234_HW6"
    /// For the way between two processes; unpack throws std::runtime_error.
    std::string pack() const;
    static Result unpack(std::string_view);
  };
  /// Call after everything was added. Opens nested archives if no step file was found next to them. Throws
  /// Refused.
  Result finish();
  /// Whether finish() will open an archive.
  bool will_open() const { return steps_.empty() && !nested_.empty(); }

 private:
  struct Found {
    std::string path;
    std::string content;
    bool too_large = false;
  };
  struct Nested {
    std::string path, bytes;
    std::uint64_t depth = 0;  ///< in how many archives it lies
    bool too_large = false;
  };
  void count(std::uint64_t unpacked);
  void add_file(const Entry &, const std::string &folder, const ReadContent &, std::uint64_t depth);
  void open(const Bytes &, const std::string &name, const std::string &folder, std::uint64_t depth);
  void open_nested();
  void take(const course::Step &, const std::vector<Found> &, Result &) const;
  void note_others(const std::vector<const course::Step *> &missing, Result &) const;
  /// Whether a step has a file or a header of that name.
  bool is_wanted(std::string_view file) const;
  /// The one text of a file, however often it occurs; none if it cannot be used, which is noted.
  std::optional<std::string> only_one(const std::string &file, const std::vector<Found> &, Result &) const;

  const course::Assignment &assignment_;
  const bool open_loose_archives_;
  std::map<std::string, std::vector<Found>, std::less<>> steps_;  // by the file's name, without folders
  std::vector<Nested> nested_;
  std::vector<std::string> others_;  // paths
  std::uint64_t entries_ = 0, unpacked_ = 0;
  std::uint64_t packed_ = 0;    // 0: no archive was handed in
  std::set<std::string> seen_;  // folded
};

}  // namespace warpgrade::batch
