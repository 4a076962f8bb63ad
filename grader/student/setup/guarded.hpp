// The outermost layer of a program: whatever is thrown becomes a sentence on standard error and an exit
// status.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace warpgrade {

/// Does the work and gives its exit status: `usage` for a mistake in the configuration or the command line,
/// `grader_failed` for everything else that is thrown. `ours` stands before the reason of the latter.
int guarded(const std::string &program, const std::function<int()> &work, const std::string &ours = "");

/// A line on standard error, with text from outside made harmless. Standard error may be closed or full: then
/// nobody hears it, and the exit status says it alone.
void complain(std::string_view text);

}  // namespace warpgrade
