// The archive that a student hands in: what it is called and what it holds besides the steps.
#pragma once

#include <string>
#include <string_view>

#include "setup/selection.hpp"

namespace warpgrade::pack {

/// What is wrong with a student's ID as a part of a file name; empty when nothing is.
std::string wrong_with_id(std::string_view id);

/// "20261234_HW6.zip", as `gradebook run` expects it.
std::string archive_name(std::string_view id, std::string_view assignment);

struct PackOptions {
  Common common;
  std::string student, out = ".";  ///< the ID; the folder for the archive
  bool anyway = false;             ///< although a file is missing or does not build
};
/// ./grade package: checks that everything is there and builds, and writes the archive to hand in. Gives the
/// exit status. Throws UsageError.
int pack(const PackOptions &);

}  // namespace warpgrade::pack
