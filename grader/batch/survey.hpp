// The first look at what a class handed in: names alone. Finds the folder that holds the class, the layout of
// the names, and what belongs to which submission.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "batch/layout.hpp"
#include "batch/source.hpp"

namespace warpgrade::batch {

/// One submission: a folder, an archive, or loose files that carry their student in their names.
struct Slot {
  Named named;
  std::string source;               ///< fit for Handin::source
  bool archive = false;             ///< there is one, and it is an archive
  bool open_archives = true;        ///< of a folder: no step file lies beside the archives in it
  std::uint64_t entries = 0;        ///< how many there will be
  std::int64_t modified = 0;        ///< of the newest
  std::vector<std::string> claims;  ///< ids in the names that the student gave: "20261234_HW6.zip"
  std::vector<std::string> notes;
  std::string
      refused;  ///< why nothing of it is read, by its name alone: whole sentences; then it has no place
};

struct Surveyed {
  Layout layout;
  bool decided = false;  ///< by looking, not by being told
  bool whole = false;    ///< the source is one student's: everything in it belongs to slot 0
  std::vector<Slot> slots;
  std::vector<std::string> remarks;  ///< for whoever runs it: what lay there and is no submission
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
  /// What an entry of that path belongs to; no place: nothing.
  Found find(std::string_view path) const;
};

struct SurveyOptions {
  std::string layout;  ///< a layout's name; empty: that of the assignment
  bool apart = true;   ///< an archive is looked at in a process of its own
};

/// `name` is that of the source. Throws course::ConfigError, std::runtime_error.
Surveyed survey(const Source &, const std::string &name, const course::Assignment &, const SurveyOptions &);

}  // namespace warpgrade::batch
