// The source lines of copies, from the debug information of the program (nvcc -g).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "links/operation.hpp"

namespace warpgrade::program {

/// Sets the line of each copy whose callers have one. Nothing changes where there is no debug information, or no addr2line.
void find_call_lines(std::vector<links::Operation> &, const std::filesystem::path &program);

/// The lines of `count` places in what `addr2line -a -i` prints: of functions that are inlined at a place, the innermost
/// that is in no header of CUDA, if there is one. Line 0: not known.
std::vector<ptx::SourceLine> lines_in(const std::string &output, std::size_t count);

}  // namespace warpgrade::program
