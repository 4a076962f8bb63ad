#include <fmt/format.h>

#include "pack/kit.hpp"
#include "setup/files.hpp"
#include "setup/selection.hpp"

namespace warpgrade::pack {

namespace fs = std::filesystem;

int write_kits(KitOptions w) {
  const fs::path root = find_root();
  const std::vector<std::string> known = assignment_names(root);
  if (w.names.empty()) w.names = known;
  for (const std::string &name : w.names)
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw UsageError(
          fmt::format("there is no assignment '{}' (there are: {})", name, fmt::join(known, ", ")));
  if (w.program.empty()) w.program = (fs::read_symlink("/proc/self/exe").parent_path() / "grade").string();
  // Outside of the course, as with a course that is installed, the kits are written here.
  const bool inside = *fs::relative(fs::current_path(), root).begin() != "..";
  if (w.own_out && inside) w.out = fs::relative(root / w.out).string();
  if (w.own_handouts) w.handouts = fs::relative(root / w.handouts).string();

  if (const std::string glibc = glibc_of(read_whole(w.program)); !glibc.empty())
    fmt::print("The program for students runs where glibc is {} or newer.\n", glibc);
  for (const std::string &name : w.names) {
    const Kit kit = make_kit(root, name, w.program, w.handouts);
    fs::create_directories(w.out);
    const fs::path file = fs::path(w.out) / (name + ".tar.gz");
    const std::string bytes = batch::tar_gz(kit.files);
    write_whole(file, bytes);
    fmt::print("{}: {} files, {:.1f} MB\n", file.string(), kit.files.size(),
               static_cast<double>(bytes.size()) / 1e6);
    for (const std::string &sentence : kit.missing) fmt::print("  without it: {}\n", sentence);
    for (const std::string &sentence : kit.remarks) fmt::print("  note: {}\n", sentence);
  }
  return full_score;
}

}  // namespace warpgrade::pack
