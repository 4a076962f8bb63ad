// What the Tab key offers on a command line of ./grade, from the same descriptions that --help prints.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace warpgrade::apps {

/// The words that may stand where the cursor is. before: the words between the command and the cursor.
/// begun: what is typed of the word under the cursor. positionals: what a positional argument may be. Empty
/// when any text or file may stand there.
std::vector<std::string> candidates(const CLI::App &, const std::vector<std::string> &before,
                                    const std::string &begun, const std::vector<std::string> &positionals);

/// The lines that teach a shell: "bash", "zsh" or "fish"; empty for another.
std::string completion_script(const std::string &shell);

}  // namespace warpgrade::apps
