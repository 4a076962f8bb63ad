// The process around a command: whatever becomes of the command, nothing of it stays behind.
#pragma once

#include <functional>
#include <string>

namespace warpgrade {

/// Does the work in a child process and gives its exit status. When the child is interrupted, by Ctrl-C or a
/// closed pipe, the caller ends in the same way; when it crashes, that is said on standard error, and the
/// status is grader_failed. In every case the sandboxes have ended and the temporary folders are gone before
/// this returns. Call it before anything is printed and before threads exist.
int supervise(const std::string &program, const std::function<int()> &work);

/// Gives descriptors 0 to 2 to /dev/null where the caller closed them, so that no file of ours takes their
/// place. Writing to them fails then.
void occupy_standard_descriptors();

}  // namespace warpgrade
