// What can be seen of a program before it is started: whether it will find the simulator's runtime, and
// whether there is device code in it that the simulator can run.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace warpgrade::cuda {

struct Program {
  enum class Kind { executable, other_machine, no_program };
  Kind kind = Kind::no_program;
  std::vector<std::string> needed;  ///< shared libraries that it names
  bool fixed_path = false;          ///< DT_RPATH, which LD_LIBRARY_PATH does not override
  bool has_device_code = false;     ///< nvcc's section is there
  bool has_ptx = false;
  int machine_code_sm = 0;  ///< of some machine code with a function in it, 0 without
  bool operator==(const Program &) const = default;
};

/// Reads an ELF file; damaged ones are not programs. throws std::runtime_error when the file cannot be read
Program inspect(const std::filesystem::path &);

/// Why it cannot run on the simulator and how to build it instead; empty when it can.
std::string obstacle(const Program &, const std::string &name);

}  // namespace warpgrade::cuda
