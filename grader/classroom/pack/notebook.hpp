// An assignment as a notebook for Jupyter and Colab.
#pragma once

#include <functional>
#include <string>

#include "course/assignment.hpp"

namespace warpgrade::pack {

/// The text of NAME.ipynb (nbformat 4.5): for each step a cell that writes each file and one that grades it;
/// then the report, shown in the notebook, and the command that packs what is handed in. starter  gives the
/// text of a starter file. Text that is not UTF-8 is replaced, as JSON allows no other.
std::string make_notebook(const course::Assignment &,
                          const std::function<std::string(const std::string &file)> &starter);

}  // namespace warpgrade::pack
