// The text of a file laid out by clang-format, where this machine has it. It reads what a student wrote, so it runs in
// the sandbox of the compilers.
#pragma once

#include <filesystem>
#include <string>

#include "sandbox/sandbox.hpp"

namespace warpgrade::service {

/// clang-format; empty: this machine has none. Looked for once.
const std::filesystem::path &formatter();

/// `text` in the style of `starter`/.clang-format, and without that file in the style of our starters. `name`: the file's
/// name, by which the language is known. Throws std::runtime_error with a sentence about why there is no result.
std::string formatted(const sandbox::Sandbox &, const std::filesystem::path &starter, const std::string &name,
                      const std::string &text);

}  // namespace warpgrade::service
