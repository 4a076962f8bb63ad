// From one student file to device code and a worker program.
//
// Takes the pristine starter folder, one student file whose name the course chose, and the entry that it must
// define; returns a Build. Compiler and linker run in a sandbox that contains only the system's toolchain and
// a copy of the starter, with the student's file copied over it. The fat binary is the one that the compiler
// itself kept. The object, and whatever a student put into it, is only linked into the worker, which nothing
// trusts. Never throws because of the student's text; our own failures are Reason::our_failure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "course/toolchain.hpp"
#include "plan/plan.hpp"
#include "ptx/module.hpp"
#include "ptx/sass.hpp"
#include "sandbox/sandbox.hpp"

namespace warpgrade::build {

enum class Reason : std::uint8_t {
  none,
  compile_error,   ///< the compiler or the linker says why, in `log`
  limit,           ///< time, memory or size: the limits of the file, and the machine could give it all of
                   ///< that
  compiler_crash,  ///< twice, although the machine was fine
  missing_entry,   ///< it compiles, but defines no function with the entry's signature
  no_ptx,          ///< the fat binary contains no PTX
  missing_file,    ///< the student's file is missing, or is not a regular file
  our_failure,
};

using course::Toolchain;

struct Build {
  bool ok = false;
  /// This machine stopped it (a full disk, too little memory, a killed compiler): it was tried twice, and may
  /// succeed later. Never cached.
  bool try_again = false;
  std::string file;    ///< the student's, as the course names it
  std::string source;  ///< its text, as it was compiled: the file may have been saved since
  Reason reason = Reason::our_failure;
  std::string message;    ///< if not ok: one sentence or more for a person
  std::string log;        ///< the compiler's output, bounded; file names are the student's
  std::string front_end;  ///< "nvcc 13.0", "clang 14.0"
  double seconds = 0;
  double charged_seconds = 0;  ///< the part of them that the file caused, not a busy machine
  bool from_cache = false;
  std::optional<int> registers;              ///< the most of any kernel; only if SASS was built
  std::optional<std::uint64_t> spill_bytes;  ///< likewise: stores and loads together
  std::string why_no_registers;              ///< set if this compiler never reports them
  std::uint64_t static_shared_bytes = 0;     ///< the most of any kernel
  std::vector<std::byte> fatbin;
  ptx::Module module;
  std::vector<ptx::MachineCode> machine_code;  ///< empty if no SASS was built
  std::vector<plan::KernelLayout> kernels;     ///< for CallRequest::kernels
  std::vector<plan::Buffer> variables;         ///< for CallRequest::variables
  std::filesystem::path worker;                ///< the linked worker; valid while this Build or a copy of it
                                               ///< exists
  std::shared_ptr<const void> keeps_worker;
};

struct Request {
  std::filesystem::path starter;  ///< folder with the Makefile and the headers; its .cu files are ignored
  std::filesystem::path source;   ///< the student's file, wherever it is
  std::string file;               ///< the name it has in the course: "step3_blocktile.cu"
  std::string entry;              ///< "step3"
  /// Headers that students may edit, by the names that the course chose; they replace the starter's.
  std::map<std::string, std::filesystem::path> headers = {};
  std::string parameters;  ///< of the entry: "int n, float *x" (plan/signature.hpp)
  std::string arch = "compute_80";
  std::string sass;  ///< "sm_90" to build machine code as well
  /// Of a file that differs from the one of this build inside kernels only: a compiler that can makes the device code
  /// alone, and the result has the worker of that build. Such results are not cached.
  const Build *same_host = nullptr;
};

/// How many times Limits::wall_seconds a build may take on a machine that is too busy to run it.
inline constexpr double stretch = 4;

struct Limits {
  double wall_seconds = 60;  ///< if it has a processor to itself
  std::uint64_t memory_bytes = std::uint64_t{4}
                               << 30;  ///< address space of each process, and memory of all together
  std::uint64_t file_bytes = std::uint64_t{64} << 20;      ///< of any file that the compiler writes
  std::uint64_t scratch_bytes = std::uint64_t{256} << 20;  ///< of all files, if Sandbox::bounds_space()
  std::uint64_t device_code_bytes = std::uint64_t{32} << 20;
  std::uint64_t device_variable_bytes = std::uint64_t{1}
                                        << 30;  ///< of all __device__ and __constant__ variables
  std::uint64_t source_bytes = std::uint64_t{1} << 20;
  std::uint64_t log_bytes = std::uint64_t{64} << 10;
  std::uint32_t processes = 64;
  bool operator==(const Limits &) const = default;
};

/// The longest that a build takes, with a second one if the machine failed the first before it had used up its time.
inline double most_seconds(double wall_seconds) {
  return (1 + stretch) * wall_seconds;
}

/// A compiler that turns CUDA C++ into PTX and a host object.
class FrontEnd {
 public:
  virtual ~FrontEnd() = default;
  virtual Build build(const Request &) const = 0;
  /// A finished build with the registers, spills and machine code that it has on another GPU ("sm_90"), from
  /// its PTX; unchanged if this compiler makes no machine code, or none for that GPU.
  virtual Build with_machine_code(Build build, const std::string & /*sm*/) const { return build; }
  virtual std::string name() const = 0;  ///< "nvcc 13.0"
};

}  // namespace warpgrade::build
