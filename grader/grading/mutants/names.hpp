// A source without the names that its author chose.
#pragma once

#include <string>

namespace warpgrade::mutants {

/// Lines for the preprocessor, and the tokens with a blank between any two; no comments. Names that the language,
/// CUDA or a header gives stay; the others become numbers, in the order in which they first come. So two sources have
/// equal results where one is the other with consistently changed names. Empty for a text without code.
std::string without_names(const std::string &source);

}  // namespace warpgrade::mutants
