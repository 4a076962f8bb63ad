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

struct Handin {
  std::string student;         ///< the id that the layout's pattern found in the name
  std::string source;          ///< as it was found, for people: "20261234_HW6.zip"
  std::int64_t handed_in = 0;  ///< seconds since 1970, from the name where the layout has it, else the file's
  std::vector<HandedFile> files;   ///< those of the assignment's steps alone, by name
  std::vector<std::string> notes;  ///< what the student should know: "step2_share.cu is no file of hw6"
  std::string refused;  ///< why nothing of it is graded (a hostile archive); then there are no files
  bool operator==(const Handin &) const = default;
};

}  // namespace warpgrade::batch
