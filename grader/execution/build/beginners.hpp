// The commonest errors of beginners in our words, from what the compiler says and from the text.
#pragma once

#include <string>
#include <string_view>

namespace warpgrade::build {

/// One sentence or more on those errors of a compiler's log, of nvcc or clang, that are known; they name the
/// lines of `file`. Empty when none is. Decides only how a failed build is worded.
std::string in_plain_words(std::string_view log, std::string_view source, const std::string &file);

}  // namespace warpgrade::build
