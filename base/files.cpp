#include "base/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

namespace warpgrade {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const fs::path &path, int error) {
  throw std::system_error(error, std::generic_category(), path.string());
}

template <class Error>
[[noreturn]] void fail(const char *what, const fs::path &path, int error) {
  throw Error(fmt::format("cannot {} {}: {}", what, path.string(), std::strerror(error)));
}

/// False, with errno, when it cannot be read to its end.
bool read_rest(int file, std::string &text) {
  char piece[1 << 16];
  for (;;) {
    const ssize_t got = ::read(file, piece, sizeof piece);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got == 0;
    text.append(piece, static_cast<std::size_t>(got));
  }
}

bool read_into(const fs::path &path, std::string &text) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat facts {};
  if (file.get() < 0) return false;
  if (::fstat(file.get(), &facts) == 0 && facts.st_size > 0)
    text.reserve(static_cast<std::size_t>(facts.st_size));
  return read_rest(file.get(), text);
}

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

/// Writes to an open file, and removes it on failure.
void fill(Descriptor file, const fs::path &at, const fs::path &named, std::span<const std::byte> bytes,
          bool to_the_disk, bool removable) {
  if (file.get() >= 0 && write_all(file.get(), bytes) && (!to_the_disk || ::fsync(file.get()) == 0) &&
      file.close())
    return;
  const int error = errno;
  if (removable) ::unlink(at.c_str());
  fail<FileError>("write", named, error);
}

}  // namespace

std::string read_whole(const fs::path &path) {
  std::string text;
  if (!read_into(path, text)) fail<ReadError>("read", path, errno);
  return text;
}

std::string read_or_empty(const fs::path &path) {
  std::string text;
  return read_into(path, text) ? text : "";
}

std::string read_end(const fs::path &path, std::size_t most) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  if (file.get() < 0) return text;
  if (const off_t size = ::lseek(file.get(), 0, SEEK_END); size > static_cast<off_t>(most))
    ::lseek(file.get(), size - static_cast<off_t>(most), SEEK_SET);
  else
    ::lseek(file.get(), 0, SEEK_SET);
  read_rest(file.get(), text);
  return text;
}

RegularFile::RegularFile(const fs::path &path)
    : path_(path), file_(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)) {
  if (file_.get() < 0) fail(path, errno);
  struct stat status {};
  if (::fstat(file_.get(), &status) != 0) fail(path, errno);
  if (!S_ISREG(status.st_mode)) fail(path, EINVAL);
  size_ = static_cast<std::uint64_t>(status.st_size);
}

std::size_t RegularFile::read(std::uint64_t offset, std::span<char> out) const {
  std::size_t done = 0;
  while (done < out.size() && offset + done < size_) {
    const ssize_t n =
        ::pread(file_.get(), out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(path_, errno);
    if (n == 0) break;
    done += static_cast<std::size_t>(n);
  }
  return done;
}

std::optional<std::vector<std::byte>> read_regular(const fs::path &path, std::uint64_t most) try {
  const RegularFile file(path);
  if (file.size() > most) return std::nullopt;
  std::vector<std::byte> bytes(file.size());
  bytes.resize(file.read(0, {reinterpret_cast<char *>(bytes.data()), bytes.size()}));
  return bytes;
} catch (const std::system_error &) {
  return std::nullopt;
}

void write_whole(const fs::path &path, std::string_view text, unsigned mode) {
  std::error_code none;
  if (const fs::file_status there = fs::status(path, none); fs::exists(there) && !fs::is_regular_file(there))
    return fill(Descriptor(::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC)), path, path, bytes_of(text),
                false, false);
  // Machines may share the folder: a process id alone is not unique.
  const fs::path fresh =
      path.parent_path() / fmt::format(".{}.{}.{}.new", path.filename().string(), host_name(), ::getpid());
  constexpr int anew = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW;
  fill(Descriptor(::open(fresh.c_str(), anew, mode)), fresh, path, bytes_of(text), true, true);
  if (::rename(fresh.c_str(), path.c_str()) != 0) {
    const int error = errno;
    ::unlink(fresh.c_str());
    fail<FileError>("write", path, error);
  }
}

void sync_folder(const fs::path &folder) {
  const Descriptor file(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (file.get() >= 0) ::fsync(file.get());
}

void write_scratch(const fs::path &path, std::span<const std::byte> bytes) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (file.get() < 0) fail<FileError>("write", path, errno);
  fill(std::move(file), path, path, bytes, false, true);
}
void write_scratch(const fs::path &path, std::string_view text) {
  write_scratch(path, bytes_of(text));
}

std::string host_name() {
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  return name;
}

}  // namespace warpgrade
