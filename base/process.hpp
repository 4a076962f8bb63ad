// Starting programs and following them to their end: every process that the grader starts begins here, except
// those of a sandbox (sandbox/guard.hpp, record/server_main.cpp), which are contained before they
// execute.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace warpgrade {

/// What is started and how. The program gets the given descriptors; 0 to 2 are /dev/null unless given, and
/// all others are closed. It has a process group of its own, so that only we get Ctrl-C from the terminal,
/// and default signals.
struct Start {
  std::string program;                 ///< a path, or a name that is looked up on PATH if `search`
  std::vector<std::string> arguments;  ///< from argv[0] on
  std::optional<std::vector<std::string>> environment = {};  ///< "NAME=value"; nothing: our environment
  struct Given {
    int ours, theirs;  ///< theirs from 0 on, at most 9
  };
  std::vector<Given> descriptors = {};
  bool search = false;
  bool dies_with_us = false;     ///< is killed when the thread that started it ends
  bool yields_memory = false;    ///< is killed first when the machine runs out of memory
  bool fixed_addresses = false;  ///< without address space randomization, where that is allowed
  /// Takes our place: keeps our process group, open files and ignored signals; `descriptors` is not used.
  bool in_our_place = false;
  /// Is called with the process's id before the program is executed.
  std::function<void(pid_t)> announced = {};
};

/// Our environment with these entries in place of those of the same names.
std::vector<std::string> environment_with(const std::vector<std::string> &changes);

/// A process that we started. The destructor kills it and waits for it.
class Child {
 public:
  Child() = default;  ///< none
  /// Throws std::system_error when it cannot be started: with ENOENT, ENOTDIR or EACCES when the program does
  /// not exist.
  explicit Child(const Start &);
  /// A copy of this process that does `work` and exits with the status that it returns; it is killed when the
  /// thread that started it ends, unless `outlives_us`. Only for single-threaded processes or lock-free work. Throws
  /// std::system_error.
  static Child copy(const std::function<int()> &work, bool outlives_us = false);
  Child(Child &&) noexcept;
  Child &operator=(Child &&) noexcept;
  ~Child();

  pid_t id() const { return id_; }  ///< -1: none, or it has ended
  bool running() const { return id_ > 0; }
  /// Whether it has ended, after waiting at most `seconds`; true when there is none.
  bool ended(double seconds = 0);
  /// As waitpid() returns it, once it has ended; nothing when it was not ours to wait for.
  std::optional<int> status() const { return status_; }
  void kill();        ///< SIGKILL; see ended()
  void kill_group();  ///< it and what it started
  void forget();      ///< leaves it running, and no longer waits for it

 private:
  pid_t id_ = -1;
  std::optional<int> status_;
};

/// "signal 11 (Segmentation fault)", "exit status 1"
std::string how_it_ended(int status);
/// The exit status that a shell reports: 128 + the signal's number after a signal.
int exit_status(int status);

struct CommandOutcome {
  bool started = false;  ///< false: the program does not exist
  bool in_time = true;
  int status = -1;  ///< exit_status()
  std::string end;  ///< how_it_ended()
  std::string out, error;
  bool ok() const { return started && in_time && status == 0; }
};
/// Runs a program that we trust to its end and returns its output, at most 64 MiB of each stream; see
/// sandbox/ for others. Standard input is empty. After `seconds`, it is killed with all that it started. Throws
/// std::system_error when no process can be started.
CommandOutcome run_program(Start, double seconds);
/// The same for words; the first is looked up on PATH. No shell is involved.
CommandOutcome run_command(const std::vector<std::string> &words, double seconds);

}  // namespace warpgrade
