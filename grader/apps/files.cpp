#include "apps/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <system_error>

#include "apps/course_root.hpp"

namespace warpgrade::apps {

namespace {

/// Without this, a power cut after the renaming could leave an empty file.
void reach_the_disk(const std::filesystem::path &file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

void write_or_remove(const std::filesystem::path &fresh, const std::filesystem::path &file, const char *begin,
                     const char *end, bool removable) {
  std::string why;
  {
    std::ofstream out(fresh, std::ios::binary);
    out.write(begin, end - begin);
    out.flush();
    if (!out) why = std::strerror(errno);
  }
  if (why.empty()) return;
  std::error_code none;
  if (removable) std::filesystem::remove(fresh, none);
  throw std::runtime_error(fmt::format("cannot write {}: {}", file.string(), why));
}

}  // namespace

void write_scratch(const std::filesystem::path &file, const char *begin, const char *end) {
  write_or_remove(file, file, begin, end, true);
}

std::string why_not_writable(const std::filesystem::path &file) {
  std::error_code none;
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  const auto cannot = [&](std::string why) { return fmt::format("cannot write {}: {}", file.string(), why); };
  if (std::filesystem::is_directory(file, none)) return cannot("it is a folder");
  if (!std::filesystem::is_directory(folder, none))
    return cannot(fmt::format("there is no folder '{}'", folder.string()));
  if (std::filesystem::exists(file, none) && !std::filesystem::is_regular_file(file, none))
    return ::access(file.c_str(), W_OK) == 0 ? "" : cannot(std::strerror(errno));
  std::string trial = fmt::format("{}.XXXXXX", file.string());
  const int descriptor = ::mkostemp(trial.data(), O_CLOEXEC);
  if (descriptor < 0) return cannot(std::strerror(errno));
  ::close(descriptor);
  ::unlink(trial.c_str());
  return "";
}

void write_whole(const std::filesystem::path &file, const std::string &text) {
  // What is no regular file (/dev/stdout, a pipe) cannot be replaced; it is written as it stands.
  const bool replace = !std::filesystem::exists(file) || std::filesystem::is_regular_file(file);
  const std::filesystem::path fresh =
      replace ? std::filesystem::path(fmt::format("{}.{}.new", file.string(), ::getpid())) : file;
  write_or_remove(fresh, file, text.data(), text.data() + text.size(), replace);
  if (!replace) return;
  reach_the_disk(fresh);
  std::filesystem::rename(fresh, file);
}

void refuse_to_replace(const std::filesystem::path &file, const std::string &beginning,
                       const std::string &what) {
  if (std::filesystem::is_directory(file))
    throw UsageError(fmt::format("--out {}: this is a folder; name a file in it", file.string()));
  if (!std::filesystem::is_regular_file(file)) return;  // nothing is there, or nothing that could be replaced
  std::ifstream in(file, std::ios::binary);
  std::string found(beginning.size(), '\0');
  in.read(found.data(), static_cast<std::streamsize>(found.size()));
  found.resize(static_cast<std::size_t>(in.gcount()));
  if (found == beginning || (in.eof() && found.empty())) return;
  throw UsageError(
      fmt::format("--out {}: a file is there that is not {}, and it is left as it is; name another, or "
                  "remove it first",
                  file.string(), what));
}

std::string read_whole(const std::filesystem::path &file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw UsageError(fmt::format("cannot read {}", file.string()));
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> lines_of(const std::string &text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace warpgrade::apps
