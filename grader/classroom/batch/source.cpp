#include "batch/source.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <vector>

#include "batch/names.hpp"

namespace warpgrade::batch {

namespace {

/// Of a whole class; beyond them, whoever called pointed at something else.
constexpr ArchiveBounds class_bounds = {5'000'000, 4096};
constexpr std::size_t deepest_folder = 200;

class Folder final : public Source {
 public:
  explicit Folder(std::filesystem::path path) : path_(std::move(path)) {}
  bool is_archive() const override { return false; }
  const Bytes *bytes() const override { return nullptr; }

  void walk(const EachEntry &each) const override {
    const auto names = names_in(path_);
    if (!names) throw std::system_error(errno, std::generic_category(), path_.string());
    for (const std::string &name : *names) walk_below(name, each, 1);
  }

 private:
  static std::optional<std::vector<std::string>> names_in(const std::filesystem::path &folder) {
    const std::unique_ptr<DIR, int (*)(DIR *)> opened(::opendir(folder.c_str()), ::closedir);
    if (!opened) return std::nullopt;
    std::vector<std::string> names;
    while (const struct dirent *entry = ::readdir(opened.get()))
      if (const std::string name = entry->d_name; name != "." && name != "..") names.push_back(name);
    std::sort(names.begin(), names.end());
    return names;
  }

  void walk_below(const std::string &path, const EachEntry &each, std::size_t depth) const {
    const std::filesystem::path here = path_ / path;
    struct stat status {};
    Entry entry{path, Entry::Kind::unreadable, 0, 0, false, false};
    if (::lstat(here.c_str(), &status) != 0) unreadable(here, errno);
    entry.modified = status.st_mtime;
    if (S_ISREG(status.st_mode)) {
      entry.kind = Entry::Kind::file;
      entry.size = static_cast<std::uint64_t>(status.st_size);
      entry.set_id = (status.st_mode & 06000) != 0;
      each(entry, [&](std::uint64_t most) { return read(here, most); });
    } else if (S_ISDIR(status.st_mode)) {
      const auto names = depth < deepest_folder ? names_in(here) : std::nullopt;
      if (!names && depth < deepest_folder) unreadable(here, errno);
      if (names) entry.kind = Entry::Kind::folder;
      each(entry, nothing);
      if (names)
        for (const std::string &name : *names) walk_below(path + "/" + name, each, depth + 1);
    } else {
      entry.kind = S_ISLNK(status.st_mode) ? Entry::Kind::symbolic_link : Entry::Kind::special;
      each(entry, nothing);
    }
  }

  static std::optional<std::string> nothing(std::uint64_t) { return ""; }

  /// That a file on our disk cannot be read is not the student's fault: there is no verdict on it.
  [[noreturn]] static void unreadable(const std::filesystem::path &path, int error) {
    throw std::system_error(
        error, std::generic_category(),
        fmt::format("{}: the account that grades must be able to read every submission", path.string()));
  }

  static std::optional<std::string> read(const std::filesystem::path &file, std::uint64_t most) {
    try {
      const FileBytes bytes(file);
      if (bytes.size() > most) return std::nullopt;
      std::string content(bytes.size(), '\0');
      content.resize(bytes.read(0, content));
      return content;
    } catch (const std::system_error &e) {
      unreadable(file, e.code().value());
    }
  }

  std::filesystem::path path_;
};

class Archive final : public Source {
 public:
  Archive(std::unique_ptr<Bytes> bytes, std::string name)
      : bytes_(std::move(bytes)), name_(std::move(name)) {}
  bool is_archive() const override { return true; }
  const Bytes *bytes() const override { return bytes_.get(); }
  void walk(const EachEntry &each) const override { read_archive(*bytes_, name_, class_bounds, each); }

 private:
  std::unique_ptr<Bytes> bytes_;
  std::string name_;
};

}  // namespace

std::unique_ptr<Source> memory_source(std::string_view bytes, const std::string &name) {
  return std::make_unique<Archive>(std::make_unique<MemoryBytes>(bytes), name);
}

std::unique_ptr<Source> open_source(const std::filesystem::path &path) {
  const std::filesystem::path real =
      std::filesystem::canonical(path);  // a link that the caller named is the caller's
  if (std::filesystem::is_directory(real)) return std::make_unique<Folder>(real);
  if (std::filesystem::is_regular_file(real))
    return std::make_unique<Archive>(std::make_unique<FileBytes>(real), real.filename().string());
  throw std::runtime_error(
      fmt::format("{}: neither a folder nor an archive; submissions are expected here", path.string()));
}

}  // namespace warpgrade::batch
