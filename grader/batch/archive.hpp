// Entries of an archive, one after another, from memory or a file, by libarchive; nothing is ever written to
// disk. Takes hostile bytes; throws Refused when there is anything in them that an honest archive has not.
// Knows nothing of courses.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>

#include "batch/bytes.hpp"

namespace warpgrade::batch {

/// Why nothing of a submission is taken in: whole sentences for the student, without control characters.
class Refused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Entry {
  enum class Kind : std::uint8_t {
    file,
    folder,
    symbolic_link,
    hard_link,
    special,     ///< a device, a FIFO, a socket
    unreadable,  ///< on disk, deeper than anybody looks
  };
  std::string path;  ///< as it was found: any bytes
  Kind kind = Kind::file;
  std::uint64_t size = 0;     ///< as the archive declares it
  std::int64_t modified = 0;  ///< seconds since 1970; 0: unknown
  bool set_id = false;        ///< runs as its owner
  bool encrypted = false;
};

/// All bytes of the entry at hand; nothing when there are more than `most`. Throws Refused when they are
/// damaged. Once.
using ReadContent = std::function<std::optional<std::string>(std::uint64_t most)>;
using EachEntry = std::function<void(const Entry &, const ReadContent &)>;

struct ArchiveBounds {
  std::uint64_t entries = 0, name_bytes = 0;
};

/// Calls `each` for every entry of a zip, a tar (plain, or by gzip, xz, bzip2 or zstd) or a 7z. What is not
/// read through ReadContent is skipped, for a zip without unpacking it. `name` stands for the archive in
/// sentences. Throws Refused; what `each` throws passes through.
void read_archive(const Bytes &, const std::string &name, const ArchiveBounds &, const EachEntry &each);

/// Reads what libarchive wants from disk, for a process that soon may not.
void prepare_to_read();

/// Throws Refused with the reason when this is no entry that a student hands in by accident: a link, a
/// device, an encrypted file, an unsafe name.
void check_entry(const Entry &, std::uint64_t most_name_bytes);

}  // namespace warpgrade::batch
