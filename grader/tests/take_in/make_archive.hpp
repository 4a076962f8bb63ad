// Archives for tests: honest ones through libarchive's writer, and zips made by hand, byte by byte, for what
// no writer agrees to write.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "batch/handin.hpp"
#include "batch/take_in.hpp"
#include "course/assignment.hpp"

namespace warpgrade::batch {

inline void PrintTo(const HandedFile &file, std::ostream *out) {
  *out << file.name << " (" << file.content.size() << " bytes)";
}

struct Item {
  std::string path;
  std::string content;
  unsigned mode = 0100644;  ///< with its type: 0120777 is a symbolic link to `content`
  std::string hard_link = {};
  std::int64_t modified = 1'772'366'400;  // 2026-03-01 12:00 UTC
};

/// "zip", "tar", "tar.gz", "tar.xz", "tar.bz2", "tar.zst", "7z"; zips deflate.
std::string pack(const std::string &format, const std::vector<Item> &items);
/// The bytes once through gzip.
std::string gzipped(const std::string &);
/// A zip that requires a password.
std::string pack_encrypted(const std::vector<Item> &items);

/// A zip that stores without compression and checks nothing.
class ZipBytes {
 public:
  struct Odd {
    unsigned mode = 0100644;
    std::uint16_t flags = 0x800;   ///< names are UTF-8
    std::string local_name = {};   ///< another name in front of the content
    std::uint32_t crc_off_by = 0;  ///< added to the checksum in the directory
    bool trailed = false;          ///< checksum and sizes follow the content instead of preceding it
  };
  ZipBytes &add(const std::string &name, const std::string &content);
  ZipBytes &add(const std::string &name, const std::string &content, const Odd &);
  /// An entry `outer` whose content is a whole other entry, and with `listed` that one too.
  ZipBytes &add_nested(const std::string &outer, const std::string &inner, bool listed);
  std::string bytes() const;

 private:
  struct Listed {
    std::string name;
    std::uint32_t crc = 0, size = 0, offset = 0;
    Odd odd;
  };
  std::string data_;
  std::vector<Listed> listed_;
};

/// The five step files of hw6 with a text of their own.
std::vector<Item> all_steps(const std::string &folder = "", const std::string &text = "");

const course::Assignment &hw6();

/// A folder that is removed with all it holds.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;
  const std::filesystem::path &path() const { return path_; }
  /// Writes below it, folders included; gives the file.
  std::filesystem::path write(const std::string &name, const std::string &content,
                              std::int64_t modified = 0) const;
  /// The same for a folder of files.
  std::filesystem::path write_all(const std::string &folder, const std::vector<Item> &items) const;

 private:
  std::filesystem::path path_;
};

struct Taken {
  std::vector<Handin> handins;  ///< by student, the one that counts first
  Survey survey;
  /// Of the only one; of that student, the one that counts.
  const Handin &only() const;
  const Handin &of(const std::string &student) const;
};
Taken taken(const std::filesystem::path &submissions, TakeInOptions options = {},
            const course::Assignment &assignment = hw6());

/// "step0_naive.cu", ...: the names of its files.
std::vector<std::string> names_of(const Handin &);
std::string joined(const std::vector<std::string> &);

}  // namespace warpgrade::batch
