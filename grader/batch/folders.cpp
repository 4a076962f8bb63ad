#include "batch/folders.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <system_error>

#include "build/files.hpp"

namespace warpgrade::batch {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 20;  // of a source file, as build::Limits has it

Handin handin_of(const fs::path &folder, const course::Assignment &a) {
  Handin handin;
  handin.student = handin.source = folder.filename().string();
  for (const course::Step &step : a.steps) {
    const fs::path file = folder / step.path();
    struct stat status {};
    if (::lstat(file.c_str(), &status) != 0) continue;
    const auto bytes = build::read_file(file, most_bytes);
    if (!bytes) {
      handin.notes.push_back(fmt::format("{} is no file of at most {} KiB that can be read",
                                         step.path().string(), most_bytes >> 10));
      continue;
    }
    handin.handed_in = std::max<std::int64_t>(handin.handed_in, status.st_mtime);
    handin.files.push_back(
        {step.path().string(), std::string(reinterpret_cast<const char *>(bytes->data()), bytes->size())});
  }
  return handin;
}

}  // namespace

void take_in_folders(const fs::path &submissions, const course::Assignment &a,
                     const std::function<void(Handin)> &each) {
  std::vector<fs::path> folders;
  std::error_code error;
  for (fs::directory_iterator at(submissions, error), end; !error && at != end; at.increment(error))
    if (fs::is_directory(at->symlink_status()) && !at->path().filename().string().starts_with("."))
      folders.push_back(at->path());
  if (error)
    throw std::runtime_error(fmt::format("{} cannot be read: {}", submissions.string(), error.message()));
  std::sort(folders.begin(), folders.end());
  for (const fs::path &folder : folders) each(handin_of(folder, a));
}

}  // namespace warpgrade::batch
