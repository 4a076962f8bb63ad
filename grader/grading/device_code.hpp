// Device code without what a student chooses freely.
#pragma once

#include <string>

#include "ptx/module.hpp"

namespace warpgrade::grading {

/// A hash of the instructions and variables of a module, 16 hexadecimal digits. Lines do not count, nor do the names of
/// kernels, functions, parameters and variables: each becomes a number, in the order in which they come. So two sources that
/// the same compiler makes the same code of have equal hashes.
std::string hash_without_names(const ptx::Module &);

}  // namespace warpgrade::grading
