// Remembers what a file was promised, so that the report of the next version can say what has come of it.
#pragma once

#include <filesystem>
#include <string>

#include "predict/step.hpp"

namespace warpgrade::whatif {

/// "line 41 coalesced", "lines 41 and 50 without waste"; lines of another file than `file` with its name.
std::string in_words(const predict::Promise &, const std::string &file);

/// Compares a prediction with what the version of the file before this one was promised on the same GPU at the same
/// size, and keeps its own promises. The same version again gets the same answer. A folder that cannot be written
/// keeps nothing.
///
/// folder      for all files that are remembered; created if missing
/// submission  where the student's file is
/// source      its text
void remember(const std::filesystem::path &folder, const std::filesystem::path &submission,
              const std::string &assignment, const std::string &source, predict::StepPrediction &);

}  // namespace warpgrade::whatif
