#include <fmt/format.h>

#include "pack/kit.hpp"
#include "setup/files.hpp"
#include "setup/selection.hpp"

namespace warpgrade::pack {

namespace fs = std::filesystem;

namespace {

std::vector<Program> programs_for(const KitOptions &w) {
  if (w.programs.empty()) return programs_beside(fs::read_symlink("/proc/self/exe").parent_path() / "grade");
  std::vector<Program> all;
  for (const std::string &file : w.programs) {
    all.push_back(read_program(file));
    for (const Program &p : all)
      if (&p != &all.back() && p.machine == all.back().machine)
        throw UsageError(fmt::format("--program: {} and {} are both for {}", p.file.string(),
                                     all.back().file.string(), p.machine));
  }
  return all;
}

void describe(const std::vector<Program> &programs) {
  for (const Program &p : programs) {
    const std::string glibc = glibc_of(p.bytes);
    fmt::print("For students with Linux on {}{}.\n", p.machine,
               glibc.empty() ? "" : fmt::format(" and glibc {} or newer", glibc));
    if (fs::last_write_time(p.file) < fs::last_write_time(programs.front().file))
      fmt::print("  note: {} is older than {}; 'make kit' builds both\n", p.file.string(),
                 programs.front().file.string());
  }
  if (programs.size() == 1 && programs.front().machine == "x86_64")
    fmt::print("  without aarch64 ('tools/setup --arm' installs what 'make kit' needs to build for it)\n");
}

/// With a roster, students have variants of their own, where the assignment has any.
std::optional<variants::Variants> variants_for(const KitOptions &w, const fs::path &root,
                                               const std::string &name, bool named) {
  if (w.roster.empty()) return std::nullopt;
  auto all = variants::read_variants(fs::relative(root / "assignments" / name));
  if (!all && named)
    throw UsageError(
        fmt::format("--roster: {} has no variants, so one kit serves everybody: leave it out", name));
  return all;
}

}  // namespace

int write_kits(KitOptions w) {
  const fs::path root = find_root();
  const std::vector<std::string> known = assignment_names(root);
  const bool named = !w.names.empty();
  if (!named) w.names = known;
  for (const std::string &name : w.names)
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw UsageError(
          fmt::format("there is no assignment '{}' (there are: {})", name, fmt::join(known, ", ")));
  const std::vector<Program> programs = programs_for(w);
  // Outside of the course, as with a course that is installed, the kits are written here.
  const bool inside = *fs::relative(fs::current_path(), root).begin() != "..";
  if (w.own_out && inside) w.out = fs::relative(root / w.out).string();
  if (w.own_handouts) w.handouts = fs::relative(root / w.handouts).string();

  describe(programs);
  for (const std::string &name : w.names) {
    if (const auto variants = variants_for(w, root, name, named)) {
      write_variant_kits(root, *variants, programs, w);
      continue;
    }
    const Kit kit = make_kit(root, name, programs, w.handouts);
    fs::create_directories(w.out);
    const fs::path file = fs::path(w.out) / (name + ".tar.gz");
    const std::string bytes = batch::tar_gz(kit.files);
    write_whole(file, bytes);
    fmt::print("{}: {} files, {:.1f} MB\n", file.string(), kit.files.size(),
               static_cast<double>(bytes.size()) / 1e6);
    for (const std::string &sentence : kit.missing) fmt::print("  {}\n", sentence);
    for (const std::string &sentence : kit.remarks) fmt::print("  note: {}\n", sentence);
  }
  return full_score;
}

}  // namespace warpgrade::pack
