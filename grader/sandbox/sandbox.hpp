// Runs one program contained: what it sees, what it may use, how long it lives, and that nothing of it stays
// behind.
//
// Takes a command and limits, gives how the program ended and what it printed. Nothing that a student chose
// reaches a shell, an environment variable or an argument here; those are the caller's. Throws SandboxError
// only when the machine refuses something that the grader needs (no memory, no descriptors), never because of
// the program.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace warpgrade::sandbox {

class SandboxError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Of one sandbox. The memory, processor time and file sizes are per process, as the kernel counts them, but
/// for `total_memory_bytes`.
struct Limits {
  double wall_seconds = 10;                             ///< for all of it; 0: until it ends or is killed
  std::uint32_t cpu_seconds = 10;                       ///< 0: no limit
  std::uint64_t memory_bytes = std::uint64_t{4} << 30;  ///< address space; 0: no limit
  /// Memory that all its processes hold together, but for files; looked at 50 times a second. 0: no limit,
  /// and nobody looks: Outcome::machine stays as it is, and `stretch` is 1.
  std::uint64_t total_memory_bytes = 0;
  /// How many times `wall_seconds` it may take on a machine that is too busy to run it: until it has had
  /// `wall_seconds` of processor time, or waits for something else than a processor.
  double stretch = 1;
  std::uint64_t file_bytes = std::uint64_t{64} << 20;
  std::uint64_t bounded_bytes = std::uint64_t{256} << 20;    ///< all of Command::bounded, where it can be
  std::uint64_t temporary_bytes = std::uint64_t{256} << 20;  ///< all of /tmp, with bubblewrap
  std::uint32_t processes = 64;                              ///< where the sandbox has a user of its own
  std::uint64_t output_bytes = std::uint64_t{64} << 10;      ///< kept of standard output and error together
  bool operator==(const Limits &) const = default;
};

/// What of the machine's files a program sees with bubblewrap.
enum class View : std::uint8_t {
  nothing,    ///< only the program's own file
  toolchain,  ///< compilers, libraries and headers of the system, read only; no /usr/local, /home, /etc,
              ///< /proc
};

/// Where Command::work appears with bubblewrap, for those who clean a log of it.
inline constexpr const char *inside_directory = "/warpgrade-work";

struct Command {
  View view = View::toolchain;
  /// The program (a path under the toolchain) and its arguments. With View::nothing arguments[0] is only a
  /// name.
  std::vector<std::string> arguments;
  std::filesystem::path program;         ///< View::nothing: the static executable to run, outside
  std::vector<std::string> environment;  ///< "NAME=value", all of it; TMPDIR is added
  /// The working directory, writable, outside. The program should name files relative to it: inside it has
  /// another path. With a user of its own for the sandbox it is given to that user. Empty with View::nothing.
  std::filesystem::path work;
  std::vector<std::filesystem::path>
      read_only;  ///< further directories, at the same path inside: the CUDA Toolkit
  /// A folder within the working directory, "build", of a size that is limited and that nobody else shares:
  /// memory, which is gone when the program ends. Where Sandbox::bounds_space() is false it is on the disk.
  std::string bounded;
  /// A folder of ours, read only, at a place within the working directory; see Sandbox::can_show.
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
    killed,        ///< by Process::kill or because the grader went away
    not_started,   ///< code: errno; the program or bubblewrap could not be executed
    memory_limit,  ///< killed: its processes held more than Limits::total_memory_bytes
  };
  End end = End::not_started;
  int code = 0;
  std::string output;  ///< standard output and error as they came
  bool truncated = false;
  double seconds = 0, cpu_seconds = 0;
  bool starved = false;  ///< with wall_limit: the machine ran it too seldom, however long it was given
  /// What the machine had to give while it ran, where Limits::total_memory_bytes is set.
  struct Machine {
    std::uint64_t least_memory = ~std::uint64_t{0};  ///< bytes, swap included
    std::uint64_t least_space = ~std::uint64_t{0};   ///< bytes where the working directory is
    bool killed_for_memory = false;                  ///< the kernel killed processes, here or elsewhere
    bool operator==(const Machine &) const = default;
  } machine = {};
  bool ok() const { return end == End::exited && code == 0; }
  bool operator==(const Outcome &) const = default;
};

/// A program under way. Its end, or that of this object, is the end of everything it started.
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
    bubblewrap_own_user,  ///< we are root: each sandbox runs as another, unprivileged user
    bubblewrap,
    none,  ///< limits, an own session, and no process left behind; files and network are as for the caller
  };

  /// The best this machine offers, tried out. `bubblewrap`: another one than the system's.
  static Sandbox detect(const std::string &bubblewrap = "");
  /// No bubblewrap, `--no-sandbox`. `reason` goes into describe().
  static Sandbox none(const std::string &reason = "switched off");

  Mode mode() const { return mode_; }
  /// One sentence for a person: what contains student code here, and if little does, why and what to do.
  const std::string &describe() const { return description_; }
  /// Whether Command::shown can hold this folder: there is bubblewrap, and its user may reach the folder.
  bool can_show(const std::filesystem::path &folder) const;
  /// Whether Command::bounded and /tmp are limited in size: bubblewrap can since 0.7.0, unless it is setuid.
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

/// A directory that is removed with all it holds when this goes. `throws SandboxError`
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;
  const std::filesystem::path &path() const { return path_; }
  /// Removes what a process that was killed could not.
  static void remove_left_by(pid_t process);

 private:
  std::filesystem::path path_;
};

}  // namespace warpgrade::sandbox
