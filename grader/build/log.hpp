// Reading what the compiler, ptxas and the preprocessor left behind. Everything here is text that a student
// can influence: the functions look for facts in it and never let it decide more than its own wording.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpgrade::build {

/// Most registers and most spilled bytes of any kernel, from `ptxas -v`. Forged lines can only make it look
/// worse.
struct Resources {
  std::optional<int> registers;
  std::optional<std::uint64_t> spill_bytes;
};
Resources read_resources(std::string_view log);

/// The log as a student should see it: without ptxas's figures and make's remarks, without the sandbox's
/// paths.
std::string readable_log(std::string_view log, const std::string &work, bool truncated);

/// The functions that the linker did not find, demangled, each once; at most `most`.
std::vector<std::string> undefined_functions(std::string_view linker, std::size_t most);

/// "cublas_v2.h" when the preprocessed text includes a header of a library that submissions may not use.
std::optional<std::string> library_header(std::string_view preprocessed);

/// Whether a name as in #include <...> is of such a library.
bool is_library_header(const std::string &name);

/// clang's first complaint about syntax, as a line of a log ("clang says: step0.cu:12:7: error: expected ';'
/// after expression"), where it names a line before the one at which nvcc stumbled; else empty.
std::string clang_says(std::string_view clang, std::string_view nvcc, const std::string &file);

/// The files that a Makefile's rule (clang -MD) depends on, as the line markers that library_header reads.
std::string markers_of(std::string_view dependencies);

/// clang's words, with a note behind every error that is about something of CUDA C++ that the headers of
/// cudart/include do not have, and without the lines that only count errors.
std::string explain_missing(std::string_view log);

/// What the words of a failed build say besides that a file is wrong. A file can have any of them said
/// (`#error`): they count together with what is known of the machine.
enum class Sign : std::uint8_t {
  memory,     ///< none could be had
  file_size,  ///< a file became larger than it may
  time,       ///< the processor time is used up
  space,      ///< a disk is full
  stopped,    ///< by SIGKILL or a quota, which is nobody's doing who compiles
  crash,      ///< of the compiler
};
std::optional<Sign> sign_in(std::string_view log);

}  // namespace warpgrade::build
