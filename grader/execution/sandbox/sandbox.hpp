// Runs one program in isolation: controls what it sees, what it may use and how long it lives, and leaves
// nothing of it behind.
//
// Takes a command and limits, and returns how the program ended and what it printed. Nothing that a student
// chose reaches a shell, an environment variable or an argument here; these come from the caller. Throws
// SandboxError only if the machine refuses something that the grader needs (memory, descriptors), never
// because of the program.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/scratch.hpp"

namespace warpgrade::sandbox {

using SandboxError = MachineError;

/// Limits of one sandbox. Memory, processor time and file sizes are per process, as the kernel counts them,
/// except `total_memory_bytes`.
struct Limits {
  double wall_seconds = 10;                             ///< for all of it; 0: until it ends or is killed
  std::uint32_t cpu_seconds = 10;                       ///< 0: no limit
  std::uint64_t memory_bytes = std::uint64_t{4} << 30;  ///< address space; 0: no limit
  /// Memory of all its processes together, files excluded; checked 50 times per second. 0: no limit and no
  /// checks: Outcome::machine stays unset, and `stretch` is 1.
  std::uint64_t total_memory_bytes = 0;
  /// How many times `wall_seconds` it may take on a machine that is too busy to run it: until it has used
  /// `wall_seconds` of processor time, or waits for something other than a processor.
  double stretch = 1;
  std::uint64_t file_bytes = std::uint64_t{64} << 20;
  std::uint64_t bounded_bytes = std::uint64_t{256} << 20;    ///< all of Command::bounded, if possible
  std::uint64_t temporary_bytes = std::uint64_t{256} << 20;  ///< all of /tmp, with bubblewrap
  std::uint32_t processes = 64;                              ///< if the sandbox has a separate user
  std::uint64_t output_bytes = std::uint64_t{64} << 10;      ///< kept of standard output and error together
  bool operator==(const Limits &) const = default;
};

/// The part of the machine's files that a program sees with bubblewrap.
enum class View : std::uint8_t {
  nothing,    ///< only the program's own file
  toolchain,  ///< compilers, libraries and headers of the system, read only; no /usr/local, /home, /etc,
              ///< /proc
};

/// Where Command::work appears with bubblewrap, for code that cleans a log.
inline constexpr const char *inside_directory = "/warpgrade-work";

struct Command {
  View view = View::toolchain;
  /// The program (a path under the toolchain) and its arguments. With View::nothing arguments[0] is only a
  /// name.
  std::vector<std::string> arguments;
  std::filesystem::path program;         ///< View::nothing: the static executable to run, outside
  std::vector<std::string> environment;  ///< "NAME=value", all of it; TMPDIR is added
  /// The working directory, writable, as a path outside. The program should use relative paths: inside, the
  /// directory has another path. If the sandbox has a separate user, that user owns the directory.
  /// Empty with View::nothing.
  std::filesystem::path work;
  std::vector<std::filesystem::path>
      read_only;  ///< further directories, at the same path inside: the CUDA Toolkit
  /// A folder in the working directory, "build", of limited size and not shared with anyone: memory that is
  /// gone when the program ends. If Sandbox::bounds_space() is false, it is on the disk.
  std::string bounded;
  /// One of our folders, read-only, at a place in the working directory; see Sandbox::can_show.
  struct Shown {
    std::filesystem::path outside;
    std::string inside;
  };
  std::vector<Shown> shown;
  struct Descriptor {
    int ours = -1, theirs = -1;
  };
  std::vector<Descriptor> descriptors;  ///< inherited besides 0 (/dev/null), 1 and 2 (captured)
  Limits limits;
};

struct Outcome {
  enum class End : std::uint8_t {
    exited,      ///< code: its exit status
    signalled,   ///< code: the signal
    wall_limit,  ///< killed at the deadline
    cpu_limit,
    killed,        ///< by Process::kill or because the grader ended
    not_started,   ///< code: errno; the program or bubblewrap could not be executed
    memory_limit,  ///< killed: its processes used more than Limits::total_memory_bytes
  };
  End end = End::not_started;
  int code = 0;
  std::string output;  ///< standard output and error as they came
  bool truncated = false;
  double seconds = 0, cpu_seconds = 0;
  bool starved = false;  ///< with wall_limit: the machine was too busy to run it, however long it got
  /// What the machine had left while it ran, if Limits::total_memory_bytes is set.
  struct Machine {
    std::uint64_t least_memory = ~std::uint64_t{0};  ///< bytes, swap included
    std::uint64_t least_space = ~std::uint64_t{0};   ///< bytes where the working directory is
    bool killed_for_memory = false;                  ///< the kernel killed processes, here or elsewhere
    bool operator==(const Machine &) const = default;
  } machine = {};
  bool ok() const { return end == End::exited && code == 0; }
  bool operator==(const Outcome &) const = default;
};

/// A running program. Its end, or that of this object, ends everything that it started.
class Process {
 public:
  Process(Process &&) noexcept;
  Process &operator=(Process &&) noexcept;
  ~Process();
  Outcome wait();  ///< once
  void kill();     ///< asks for the end; wait() says when it has come

 private:
  friend class Sandbox;
  struct State;
  explicit Process(std::unique_ptr<State>);
  std::unique_ptr<State> state_;
};

class Sandbox {
 public:
  enum class Mode : std::uint8_t {
    bubblewrap_own_user,  ///< we are root: each sandbox runs as a different, unprivileged user
    bubblewrap,
    none,  ///< limits, a session of its own, and no leftover process; files and network are those of the
           ///< caller
  };

  /// The best sandbox that this machine offers, found by trial. `bubblewrap`: use this one instead of the
  /// system's.
  static Sandbox detect(const std::string &bubblewrap = "");
  /// No bubblewrap, `--no-sandbox`. `reason` appears in describe().
  static Sandbox none(const std::string &reason = "switched off");

  Mode mode() const { return mode_; }
  /// One sentence for a person: what isolates student code here and, if that is weak, why and how to improve
  /// it.
  const std::string &describe() const { return description_; }
  /// Whether Command::shown works for this folder: bubblewrap exists, and its user can reach the folder.
  bool can_show(const std::filesystem::path &folder) const;
  /// Whether the sizes of Command::bounded and /tmp are limited: bubblewrap supports this since 0.7.0, unless
  /// it is setuid.
  bool bounds_space() const { return bounds_space_; }

  Process start(const Command &) const;
  Outcome run(const Command &) const;

 private:
  Sandbox(Mode mode, std::string bubblewrap, bool bounds_space, std::string description)
      : mode_(mode),
        bubblewrap_(std::move(bubblewrap)),
        bounds_space_(bounds_space),
        description_(std::move(description)) {}
  std::vector<std::string> wrapped(const Command &, int program_descriptor) const;

  Mode mode_;
  std::string bubblewrap_;  ///< its path
  bool bounds_space_;
  std::string description_;
};

}  // namespace warpgrade::sandbox
