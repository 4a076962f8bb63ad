#include "setup/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <system_error>

#include "setup/course_root.hpp"

namespace warpgrade {

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
  throw UsageError(fmt::format(
      "--out {}: this file exists and is not {}, so it is not overwritten; name another, or remove it first",
      file.string(), what));
}

}  // namespace warpgrade
