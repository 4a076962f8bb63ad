// Is this machine set up, and what to do where it is not?
#pragma once

namespace warpgrade::doctor {

/// ./grade doctor: looks at the machine and prints its findings. Gives the exit status: below 0 what is good
/// enough to grade.
int examine();

}  // namespace warpgrade::doctor
