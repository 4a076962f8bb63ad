// Makes an assignment of bug hunts from the solutions of another one: for each step, a mutant whose verdict is known.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace warpgrade::hunt {

struct HuntOptions {
  std::string name;                   ///< of the new assignment
  std::string from;                   ///< a folder of solutions, such as solutions/hw6
  std::string difficulty;             ///< a name of difficulty_names(); empty: any
  std::optional<std::uint64_t> seed;  ///< none: a fresh one, which is printed
  std::string toolchain = "auto";     ///< auto: clang where it is, since it compiles faster
  bool no_sandbox = false;
};
/// ./gradebook hunt: writes assignments/NAME, solutions/NAME and starter/NAME, and says where the faults are. Throws
/// UsageError, with nothing written, if there is such an assignment or no mutant is good for a hunt.
int hunt(const HuntOptions &);

}  // namespace warpgrade::hunt
