// What one student handed in, read from a folder or an archive: the one thing that taking in gives and
// grading takes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpgrade::batch {

/// A file of a step, named as the assignment names it.
struct HandedFile {
  std::string name;  ///< "step3_blocktile.cu", or "beyond/beyond1_column.cu"
  std::string content;
  bool operator==(const HandedFile &) const = default;
};

/// All text but HandedFile::content is valid UTF-8 without control characters, whatever was handed in.
struct Handin {
  /// The id that the layout's pattern found in the name, spelled as in the roster where it is there. It can
  /// name a file: not empty, no slash, no leading dot or dash, at most 255 bytes.
  std::string student;
  /// As it was found, for people: "20261234_HW6.zip". Empty: the roster has the student, and nothing was
  /// handed in.
  std::string source;
  std::string name;            ///< what the roster calls the student; empty: it does not say. Untrusted
  std::int64_t handed_in = 0;  ///< seconds since 1970, from the name where the layout has it, else the file's
  bool time_known = false;     ///< handed_in is the platform's: else it is a file's, and may say anything
  bool late = false;           ///< the platform says that it is
  std::vector<HandedFile> files;   ///< those of the assignment's steps alone, by name
  std::vector<std::string> notes;  ///< what the student should know: "step2_share.cu is no file of hw6"
  std::string refused;  ///< why nothing of it is graded (a hostile archive); then there are no files
  std::string
      superseded_by;  ///< the source of a later submission of the same student; empty: this one counts
  /// Why it may be another student's: an id that is not on the roster, or another one in the name of a file.
  /// It is graded all the same. Empty: nothing speaks against it.
  std::string id_mismatch;
  bool operator==(const Handin &) const = default;
};

}  // namespace warpgrade::batch
