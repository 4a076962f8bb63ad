// What students get of an assignment: which files, and where they lie.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "batch/tarball.hpp"
#include "course/assignment.hpp"
#include "pack/programs.hpp"
#include "variants/variants.hpp"

namespace warpgrade::pack {

struct Kit {
  std::vector<batch::PackedFile> files;  ///< paths begin with the assignment's name
  std::vector<std::string> missing;      ///< sentences about what a kit should have and this one has not
  std::vector<std::string> remarks;      ///< sentences about what else the instructor should know
};

/// The starter, also as a notebook, and a README.md where the starter has none; beside it the programs, the headers for clang, assignment.yaml and
/// thresholds, the handout where there is one, and hashes of those answers that `in_kit: check` lets a kit
/// judge. Throws UsageError where there is no starter for a step, where one still has the marks of a
/// solution, or where a file cannot be read.
Kit make_kit(const std::filesystem::path &root, const std::string &assignment, const std::vector<Program> &,
             const std::filesystem::path &handouts);

/// Rates of libraries that were measured for an assignment, by their place in its folder; predictions need them.
std::map<std::filesystem::path, std::string> library_files(const std::filesystem::path &root,
                                                           const course::Assignment &);

struct KitOptions {
  std::vector<std::string> names;  ///< of assignments; none: all
  std::string out = "build/kit", handouts = "build/handouts";
  bool own_out = false,
       own_handouts = false;   ///< nobody named these folders: they are below the course's root
  std::string roster, secret;  ///< a CSV of the class: a kit for each student; the file of secrets, or empty
  bool new_secret = false;     ///< everybody may get another variant than before
  std::vector<std::string> programs;  ///< one for each kind of machine; none: those beside this program
};
/// For each student of w.roster, out/NAME/STUDENT.tar.gz with the student's own variant, and out/NAME/variants.csv.
void write_variant_kits(const std::filesystem::path &root, const variants::Variants &,
                        const std::vector<Program> &, const KitOptions &w);
/// ./gradebook kit: writes out/NAME.tar.gz for each, or with a roster a kit a student. Gives the exit status. Throws UsageError.
int write_kits(KitOptions);

}  // namespace warpgrade::pack
