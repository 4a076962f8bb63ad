// From one student file to device code and a worker program.
//
// Takes the pristine starter folder, one student file of a name that the course chose, and the entry that it
// must define; gives a Build. The compiler and the linker run in a sandbox that sees the system's toolchain
// and a copy of the starter with the student's file laid over it, nothing else. The fat binary is the one
// that the compiler itself kept; the object, and whatever a student wrote into it, is only linked into the
// worker, which nobody trusts. Throws nothing because of the student's text; our own failures are
// Reason::our_failure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plan/plan.hpp"
#include "ptx/module.hpp"
#include "ptx/sass.hpp"
#include "sandbox/sandbox.hpp"

namespace warpgrade::build {

enum class Reason : std::uint8_t {
  none,
  compile_error,   ///< the compiler or the linker says why, in `log`
  limit,           ///< time, memory or size: what the file may use, and the machine had all of it to give
  compiler_crash,  ///< twice, though the machine was well
  missing_entry,   ///< it compiles, but defines no function with the entry's signature
  no_ptx,          ///< the fat binary holds no PTX
  missing_file,    ///< the student's file is not there, or is no regular file
  our_failure,
};

/// Which compiler student files go through.
enum class Toolchain : std::uint8_t {
  automatic,  ///< nvcc where it is installed, else clang
  nvcc,
  clang,
};

struct Build {
  bool ok = false;
  /// This machine stopped it (a full disk, too little memory, a killed compiler): it was tried twice, and may
  /// go well later. Never cached.
  bool try_again = false;
  std::string file;  ///< the student's, as the course names it
  Reason reason = Reason::our_failure;
  std::string message;    ///< when not ok: one sentence or more for a person
  std::string log;        ///< the compiler's words, bounded; file names are the student's
  std::string front_end;  ///< "nvcc 13.0", "clang 14.0"
  double seconds = 0;
  bool from_cache = false;
  std::optional<int> registers;              ///< most of any kernel; only when SASS was built
  std::optional<std::uint64_t> spill_bytes;  ///< likewise: stores and loads together
  std::string why_no_registers;              ///< set when this compiler never tells them
  std::uint64_t static_shared_bytes = 0;     ///< most of any kernel
  std::vector<std::byte> fatbin;
  ptx::Module module;
  std::vector<ptx::MachineCode> machine_code;  ///< empty when no SASS was built
  std::vector<plan::KernelLayout> kernels;     ///< for CallRequest::kernels
  std::vector<plan::Buffer> variables;         ///< for CallRequest::variables
  std::filesystem::path worker;                ///< the linked worker, while this Build or a copy of it lives
  std::shared_ptr<const void> keeps_worker;
};

struct Request {
  std::filesystem::path starter;  ///< folder with the Makefile and the headers; its .cu files are ignored
  std::filesystem::path source;   ///< the student's file, wherever it lies
  std::string file;               ///< the name it has in the course: "step3_blocktile.cu"
  std::string entry;              ///< "step3"
  /// Headers of the student's by the names that the course chose; they replace the starter's.
  std::map<std::string, std::filesystem::path> headers = {};
  std::string problem;  ///< whose signature the entry has: "sgemm" (plan/signature.hpp)
  std::string arch = "compute_80";
  std::string sass;  ///< "sm_90" to build machine code as well
};

struct Limits {
  double wall_seconds = 60;
  std::uint64_t memory_bytes = std::uint64_t{4}
                               << 30;  ///< of each process' address space, and of all they hold
  std::uint64_t file_bytes = std::uint64_t{64} << 20;      ///< of any file that the compiler writes
  std::uint64_t scratch_bytes = std::uint64_t{256} << 20;  ///< of all of them, where Sandbox::bounds_space()
  std::uint64_t device_code_bytes = std::uint64_t{32} << 20;
  std::uint64_t device_variable_bytes = std::uint64_t{1}
                                        << 30;  ///< of all __device__ and __constant__ variables
  std::uint64_t source_bytes = std::uint64_t{1} << 20;
  std::uint64_t log_bytes = std::uint64_t{64} << 10;
  std::uint32_t processes = 64;
  bool operator==(const Limits &) const = default;
};

/// A compiler that makes PTX and a host object of CUDA C++.
class FrontEnd {
 public:
  virtual ~FrontEnd() = default;
  virtual Build build(const Request &) const = 0;
  virtual std::string name() const = 0;  ///< "nvcc 13.0"
};

}  // namespace warpgrade::build
