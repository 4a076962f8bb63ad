#include "build/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace warpgrade::build {

std::optional<std::vector<std::byte>> read_file(const std::filesystem::path &path, std::uint64_t most) {
  // O_NONBLOCK: opening a FIFO that someone put there must not wait.
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return std::nullopt;
  struct stat facts {};
  std::optional<std::vector<std::byte>> bytes;
  if (::fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) &&
      static_cast<std::uint64_t>(facts.st_size) <= most) {
    bytes.emplace(static_cast<std::size_t>(facts.st_size));
    std::size_t done = 0;
    while (done < bytes->size()) {
      const ssize_t got = ::read(file, bytes->data() + done, bytes->size() - done);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      done += static_cast<std::size_t>(got);
    }
    bytes->resize(done);
  }
  ::close(file);
  return bytes;
}

std::vector<std::filesystem::path> support_files(const std::filesystem::path &starter) {
  std::vector<std::filesystem::path> names;
  std::error_code none;
  for (const auto &entry : std::filesystem::directory_iterator(starter, none)) {
    const std::filesystem::path name = entry.path().filename();
    const bool for_people = name.extension() == ".md" || name.string().starts_with('.');
    if (entry.is_regular_file() && name.extension() != ".cu" && !for_people) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

void write_file(const std::filesystem::path &path, std::span<const std::byte> bytes) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (file < 0) throw std::runtime_error("cannot write " + path.string() + ": " + std::strerror(errno));
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t put = ::write(file, bytes.data() + done, bytes.size() - done);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) {
      const int error = errno;
      ::close(file);
      throw std::runtime_error("cannot write " + path.string() + ": " + std::strerror(error));
    }
    done += static_cast<std::size_t>(put);
  }
  ::close(file);
}

}  // namespace warpgrade::build
