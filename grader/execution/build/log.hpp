// Reading the output of compiler, ptxas and preprocessor. All of it is text that a student can influence:
// these functions look for facts in it, which decide only how a message is worded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpgrade::build {

/// The most registers and the most spilled bytes of any kernel, from `ptxas -v`. Forged lines can only make
/// these look worse.
struct Resources {
  std::optional<int> registers;
  std::optional<std::uint64_t> spill_bytes;
};
Resources read_resources(std::string_view log);

/// The log as a student should see it: without ptxas's figures, make's remarks and the sandbox's paths.
std::string readable_log(std::string_view log, const std::string &work, bool truncated);

/// The functions that the linker did not find, demangled, each once; at most `most`.
std::vector<std::string> undefined_functions(std::string_view linker, std::size_t most);

/// "cublas_v2.h" if the preprocessed text includes a header of a library that submissions may not use.
std::optional<std::string> library_header(std::string_view preprocessed);

/// Whether a name as in #include <...> belongs to such a library.
bool is_library_header(const std::string &name);

/// clang's first syntax error, as a line of a log ("clang says: step0.cu:12:7: error: expected ';' after
/// expression"), if its line is before the one at which nvcc failed; else empty.
std::string clang_says(std::string_view clang, std::string_view nvcc, const std::string &file);

/// The files that a Makefile's rule (clang -MD) depends on, in the form of line markers for library_header.
std::string markers_of(std::string_view dependencies);

/// clang's output, with a note after every error about a CUDA C++ feature that the headers of build/include
/// lack, and without the lines that only count errors.
std::string explain_missing(std::string_view log);

/// What the messages of a failed build indicate besides a mistake in the file. A file can forge any of them
/// (`#error`): they count only together with the state of the machine.
enum class Sign : std::uint8_t {
  memory,     ///< no memory was available
  file_size,  ///< a file exceeded its size limit
  time,       ///< the processor time is used up
  space,      ///< a disk is full
  stopped,    ///< by SIGKILL or a quota, which the compiled file cannot cause
  crash,      ///< of the compiler
};
std::optional<Sign> sign_in(std::string_view log);

}  // namespace warpgrade::build
