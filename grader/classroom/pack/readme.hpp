// A kit's README.md: how to build and run the steps, what each file is for, and what it is worth.
#pragma once

#include <string>
#include <vector>

#include "course/assignment.hpp"

namespace warpgrade::pack {

/// What README.md names of a kit besides the steps' files.
struct KitContents {
  std::vector<std::string> support;  ///< of the starter: the headers and the Makefile that files compile with
  std::vector<std::string> handouts;  ///< "hw6.html", "hw6.pdf"; none: the kit has no handout
  bool report = false;                ///< report.md, which `./grade report` fills in
};

std::string make_readme(const course::Assignment &, const KitContents &);

}  // namespace warpgrade::pack
