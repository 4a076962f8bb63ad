// The programs in a kit: a `grade` for each kind of machine, and the script that starts the right one.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace warpgrade::pack {

/// A `grade` for one kind of machine.
struct Program {
  std::string machine;  ///< as `uname -m` calls it: "x86_64"
  std::filesystem::path file;
  std::string bytes;
};

/// The machine that an ELF program is for, as `uname -m` calls it. Empty if it is no such program, or one for
/// a machine that students do not have.
std::string machine_of(std::string_view program);

/// Throws UsageError if the file is missing, or is not a program for x86_64 or aarch64.
Program read_program(const std::filesystem::path &);

/// `program`, and those for other machines that were built beside it: grade-aarch64, for example, in the same
/// folder or in build/arm.
std::vector<Program> programs_beside(const std::filesystem::path &program);

/// The kit's `grade`: a script that starts bin/MACHINE/grade, or says what to do on another machine.
std::string start_script(const std::vector<Program> &);

/// The newest glibc that a program asks for, "2.34", from the versions of symbols in it; empty where it names
/// none.
std::string glibc_of(const std::string &program);

}  // namespace warpgrade::pack
