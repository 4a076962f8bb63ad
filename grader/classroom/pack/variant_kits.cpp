#include <fmt/format.h>

#include <map>

#include "base/csv.hpp"
#include "batch/roster.hpp"
#include "batch/scoring.hpp"
#include "course/handout.hpp"
#include "pack/kit.hpp"
#include "setup/files.hpp"
#include "variants/variants.hpp"

namespace warpgrade::pack {

namespace fs = std::filesystem;

namespace {

/// The written handout as the variant has it; PDFs are not made again, and translations are left out.
void edit_handouts(const fs::path &from, const std::string &name, const variants::Variants &all,
                   const variants::Variant &v, const fs::path &to) {
  fs::create_directories(to);
  if (const fs::path page = from / (name + ".html"); fs::is_regular_file(page))
    write_scratch(to / page.filename(), variants::edited_page(all, v, read_whole(page)));
}

void say_in_readme(Kit &kit, const std::string &sentences) {
  for (batch::PackedFile &file : kit.files)
    if (file.path == kit.files.front().path.substr(0, kit.files.front().path.find('/')) + "/README.md") {
      const std::size_t heading = file.content.find("\n\n");
      file.content.insert(heading == std::string::npos ? 0 : heading + 2,
                          "**Your variant.** " + sentences + "\n\n");
    }
}

Kit kit_of(const fs::path &root, const variants::Variants &all, const variants::Variant &v,
           const std::vector<Program> &programs, const fs::path &handouts) {
  const Scratch course;
  variants::write_course(root, all, v, course.path());
  edit_handouts(handouts, all.assignment, all, v, course.path() / "written");
  Kit kit = make_kit(course.path(), all.assignment, programs, course.path() / "written");
  std::erase_if(kit.missing,
                [](const std::string &sentence) { return sentence.find(".pdf") != std::string::npos; });
  if (!course::translations_of(root / "handouts" / (all.assignment + ".md")).empty())
    kit.missing.emplace_back("handouts in other languages are left out: variants edit the English one only");
  say_in_readme(kit, all.says(v));
  return kit;
}

}  // namespace

void write_variant_kits(const fs::path &root, const variants::Variants &all,
                        const std::vector<Program> &programs, const KitOptions &w) {
  batch::Roster roster = batch::Roster::read(w.roster);
  roster.choose_key({});
  const std::string secret = variants::secret_or_new(
      w.secret.empty() ? root / variants::secrets_file : fs::path(w.secret), all, w.new_secret);
  const fs::path folder = fs::path(w.out) / all.assignment;
  fs::create_directories(folder);
  std::map<variants::Variant, std::string> packed;  // students with the same variant have the same kit
  std::string table = csv_row({"student", "variant", "kit"});
  for (const batch::Roster::Row &row : roster.rows()) {
    const std::string student = roster.student(row);
    const variants::Variant v = variants::variant_of(all, student, secret);
    std::string &bytes = packed[v];
    if (bytes.empty()) {
      const Kit kit = kit_of(root, all, v, programs, w.handouts);
      bytes = batch::tar_gz(kit.files);
      if (packed.size() == 1)
        for (const std::string &sentence : kit.missing) fmt::print("  {}\n", sentence);
    }
    const std::string file = batch::folder_name(student) + ".tar.gz";
    write_whole(folder / file, bytes);
    table += csv_row({csv_text(student), csv_text(all.name_of(v)), csv_text(file)});
  }
  write_whole(folder / "variants.csv", table);
  fmt::print("{}: {} kits of {} of {} variants; variants.csv in it is for you alone\n", folder.string(),
             roster.rows().size(), packed.size(), all.size());
}

}  // namespace warpgrade::pack
