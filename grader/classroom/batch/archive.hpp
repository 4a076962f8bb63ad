// Entries of an archive, one after another, from memory or a file, through libarchive; nothing is ever
// written to disk. Takes hostile bytes; throws Refused for anything that an honest archive does not contain.
// Knows nothing about courses.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>

#include "batch/bytes.hpp"

namespace warpgrade::batch {

/// Why a submission is refused as a whole: complete sentences for the student, without control characters.
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
    unreadable,  ///< on disk, nested too deep to be read
  };
  std::string path;  ///< as found: any bytes
  Kind kind = Kind::file;
  std::uint64_t size = 0;     ///< as the archive declares it
  std::int64_t modified = 0;  ///< seconds since 1970; 0: unknown
  bool set_id = false;        ///< runs as its owner
  bool encrypted = false;
};

/// All bytes of the current entry; nothing if there are more than `most`. Throws Refused if they are damaged.
/// Call it once.
using ReadContent = std::function<std::optional<std::string>(std::uint64_t most)>;
using EachEntry = std::function<void(const Entry &, const ReadContent &)>;

struct ArchiveBounds {
  std::uint64_t entries = 0, name_bytes = 0;
};

/// Calls `each` for every entry of a zip, a tar (plain, or compressed with gzip, xz, bzip2 or zstd) or a 7z.
/// Contents that are not read through ReadContent are skipped; in a zip, without unpacking them. `name`
/// stands for the archive in sentences. Throws Refused; exceptions of `each` pass through.
void read_archive(const Bytes &, const std::string &name, const ArchiveBounds &, const EachEntry &each);

/// Reads the files that libarchive needs from disk, for a process that will soon lose access.
void prepare_to_read();

/// Throws Refused with the reason if a student would never hand in this entry by accident: a link, a device,
/// an encrypted file, an unsafe name.
void check_entry(const Entry &, std::uint64_t most_name_bytes);

}  // namespace warpgrade::batch
