// Files that several students of a class handed in. A person decides what that means: in a short file it may be
// chance.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "batch/store.hpp"
#include "gradebook/class_run.hpp"

namespace warpgrade::gradebook {

enum class Likeness : std::uint8_t {
  same_file,
  same_code,         ///< but for comments and spaces
  renamed,           ///< but for these and the names that the file declares
  same_device_code,  ///< other text, of which the compiler makes the same code but for names
};
/// "the same file"
std::string_view in_words(Likeness);

struct SharedFile {
  Likeness likeness = Likeness::same_file;
  std::vector<std::pair<std::string, std::string>>
      files;             ///< student and name of the file, at least two students
  bool renamed() const;  ///< not all have the same name
};

/// Of the submissions that count, without files of answers and without what is the starter's but for comments,
/// spaces and names. Reads all of them, and their results: device code is known of those that were graded since it is
/// kept with them.
std::vector<SharedFile> shared_files(const batch::Store &, const ClassCourse &);

/// "s1, s2 (step1_coalesced.cu)" or "s1 (step1.cu), s2 (step2.cu)"
std::string words_of(const SharedFile &);

}  // namespace warpgrade::gradebook
