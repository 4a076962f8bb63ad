// One student's submission, read from a folder or an archive: the result of reading a class and the input of
// grading.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpgrade::batch {

/// A file of a step, named as the assignment names it.
struct HandedFile {
  std::string name;  ///< "step3_blocktile.cu", or "beyond/beyond1_column.cu"
  std::string content;
  std::string variant = {};  ///< of the assignment, for which it is graded; empty: the files as they are
  bool operator==(const HandedFile &) const = default;
};

/// All text but HandedFile::content is valid UTF-8 without control characters, whatever was handed in.
struct Handin {
  /// The id that the layout's pattern found in the name, spelled as in the roster if it is there. It can name
  /// a file: not empty, no slash, no leading dot or dash, at most 255 bytes.
  std::string student;
  /// As found, for people: "20261234_HW6.zip". Empty: the student is on the roster but handed in nothing.
  std::string source;
  std::string name;               ///< the name on the roster; empty: unknown. Untrusted
  std::int64_t handed_in = 0;     ///< seconds since 1970, from the name if the layout has it, else the file's
  bool time_known = false;        ///< handed_in is the platform's; else it is a file's, and may be anything
  bool late = false;              ///< according to the platform
  std::vector<HandedFile> files;  ///< only those of the assignment's steps, by name
  std::vector<std::string> notes;  ///< what the student should know: "step2_share.cu is not a file of hw6"
  std::string refused;             ///< why none of it is graded (a hostile archive); then there are no files
  std::string
      superseded_by;  ///< the source of a later submission of the same student; empty: this one counts
  /// Why it may be another student's: an id that is not on the roster, or a different one in the name of a
  /// file. It is graded nevertheless. Empty: no sign of this.
  std::string id_mismatch;
  bool operator==(const Handin &) const = default;
};

}  // namespace warpgrade::batch
