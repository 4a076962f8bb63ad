#include "base/scratch.hpp"

#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>
#include <vector>

namespace warpgrade {
namespace fs = std::filesystem;
namespace {

std::string scratch_prefix(pid_t process) {
  return fmt::format("warpgrade-{}-", process);
}

}  // namespace

Scratch::Scratch() {
  std::error_code missing;
  const fs::path folder = fs::temp_directory_path(missing);
  if (missing) throw MachineError("there is no folder for temporary files; TMPDIR should name one");
  if (struct statvfs facts{}; ::statvfs(folder.c_str(), &facts) == 0 && (facts.f_flag & ST_NOEXEC) != 0)
    throw MachineError(fmt::format(
        "programs cannot run in {} (mounted noexec); name a folder where they can: export TMPDIR=$HOME/tmp",
        folder.string()));
  std::string name = (folder / (scratch_prefix(::getpid()) + "XXXXXX")).string();
  if (::mkdtemp(name.data()) == nullptr)
    throw MachineError(fmt::format("cannot make a directory like {}: {}", name, std::strerror(errno)));
  path_ = name;
}

void Scratch::remove_left_by(pid_t process) {
  std::error_code ignored;
  const std::string prefix = scratch_prefix(process);
  std::vector<fs::path> left;
  for (const fs::directory_entry &entry : fs::directory_iterator(fs::temp_directory_path(ignored), ignored)) {
    if (entry.path().filename().string().starts_with(prefix)) left.push_back(entry.path());
  }
  for (const fs::path &folder : left) fs::remove_all(folder, ignored);
}

Scratch::~Scratch() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace warpgrade
