// The first pass over a class's submissions: only names. Finds the folder that contains the class, the layout
// of the names, and which entries belong to which submission.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "batch/layout.hpp"
#include "batch/source.hpp"

namespace warpgrade::batch {

/// One submission: a folder, an archive, or loose files whose names contain the student.
struct Slot {
  Named named;
  std::string source;               ///< valid for Handin::source
  bool archive = false;             ///< there is one, and it is an archive
  bool open_archives = true;        ///< of a folder: there is no step file next to the archives in it
  std::uint64_t entries = 0;        ///< how many there will be
  std::int64_t modified = 0;        ///< of the newest
  std::vector<std::string> claims;  ///< ids in the names that the student gave: "20261234_HW6.zip"
  std::vector<std::string> notes;
  std::string refused;  ///< why none of it is read, from its name alone: whole sentences; then it has no slot
};

struct Surveyed {
  Layout layout;
  bool decided = false;  ///< detected, not specified
  bool whole = false;    ///< the source is one student's: everything in it belongs to slot 0
  std::vector<Slot> slots;
  std::vector<std::string> remarks;  ///< for the user: entries that are not submissions
  /// By path in the source: of an archive, a loose file, or the folder that holds the submission.
  struct Place {
    std::size_t slot = 0;
    std::string name;  ///< a loose file's, without student and number
  };
  std::unordered_map<std::string, Place> places;
  std::size_t root_parts = 0;  ///< folders around the class

  struct Found {
    const Place *place = nullptr;
    std::string below;
  };
  /// The slot to which an entry of that path belongs; no slot: none.
  Found find(std::string_view path) const;
};

struct SurveyOptions {
  std::string layout;  ///< a layout's name; empty: the assignment's
  bool apart = true;   ///< an archive is read in a process of its own
};

/// `name` is that of the source. Throws course::ConfigError, std::runtime_error.
Surveyed survey(const Source &, const std::string &name, const course::Assignment &, const SurveyOptions &);

}  // namespace warpgrade::batch
