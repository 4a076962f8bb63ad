// What students type in the workspace: every version of every file, on the disk before the page says so. The
// latest version that no other tab contradicts is the current one; what a second tab saved meanwhile is kept
// beside it. Times are seconds since 1970. Everything throws batch::StoreError.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "service/service_store.hpp"

namespace warpgrade::service {

/// Whose draft of which file.
struct DraftOf {
  std::string person, assignment, file;  ///< file: as the assignment names it, "step3_blocktile.cu"
};

struct Draft {
  std::int64_t id = 0;     ///< grows with time
  std::int64_t saved = 0;  ///< when
  bool aside = false;      ///< another tab had saved before: it was never the current one
  bool kept = false;       ///< it was run or handed in, or somebody asked to keep it
  std::string tab;         ///< of the browser that saved it
  std::string text;        ///< not in lists
  std::size_t lines = 0;
};

struct SaveHow {
  std::int64_t based_on = 0;  ///< the version that was changed; 0: the starter's file
  bool keep = false;          ///< it will be run or handed in, and is never merged with the next one
  bool apart = false;         ///< another text takes the place of the current one, which is kept too
  /// A name that the page made for itself. What a tab saves contradicts others alone: if an answer was lost, it may
  /// not know its own latest version. Empty: without a script
  std::string tab = {};
};

/// What became of a text that was saved.
struct Saved {
  std::int64_t version = 0;  ///< that has the text now
  bool conflict = false;     ///< it was put aside, since `current` is newer than what it is based on
  std::int64_t current = 0;
};

class Drafts {
 public:
  explicit Drafts(ServiceStore &store) : store_(store) {}

  /// The current version; none: the file is still the starter's.
  std::optional<Draft> current(const DraftOf &);
  /// A version of this file of this person; somebody else's looks like one that does not exist.
  std::optional<Draft> version(const DraftOf &, std::int64_t id);
  /// Without texts, the newest first.
  std::vector<Draft> history(const DraftOf &, int most);

  /// Versions of one minute are merged, so that typing fills no disk. Of those that nobody kept, the latest
  /// most_versions stay; of all, those that fit most_bytes; the current one always.
  Saved save(const DraftOf &, const std::string &text, const SaveHow &, std::int64_t now);
  /// The current version is run or handed in.
  void keep(const DraftOf &);

  static constexpr std::int64_t merged_seconds = 60;
  static constexpr int most_versions = 300;
  static constexpr std::int64_t most_bytes = 16 << 20;  ///< compressed, of a person's file

 private:
  // Within a transaction.
  void keep_row(std::int64_t id);
  void forget_old(const DraftOf &, std::int64_t but);
  ServiceStore &store_;
};

}  // namespace warpgrade::service
