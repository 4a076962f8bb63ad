// A child of gpu/: this program started again, with one socket, one shared memory segment and its output
// captured.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "base/process.hpp"
#include "gpu/gpu.hpp"
#include "gpu/wire.hpp"

namespace warpgrade::gpu {

/// Where a child finds what its parent passed to it.
inline constexpr int child_socket = 3, child_memory = 4;

/// This process's monotonic clock, in seconds.
double now();

struct Answer {
  enum class Kind { message, died, deadline };
  Kind kind = Kind::died;
  Message type{};
  std::vector<std::byte> payload;
  std::string how;  ///< died: "signal 11 (Segmentation fault)" or "exit status 1", and its last words
  std::vector<Descriptor> files;  ///< files that came with it, from a child that may send some
};

class ChildProcess {
 public:
  /// Starts `options.program` with `argument` as argv[1]; throws std::system_error when that is impossible.
  ChildProcess(const ChildOptions &options, const char *argument);
  ~ChildProcess();
  ChildProcess(const ChildProcess &) = delete;
  ChildProcess &operator=(const ChildProcess &) = delete;

  /// Memory that the child maps too, at least `bytes` long; it grows and never shrinks.
  std::span<std::byte> share(std::size_t bytes);
  /// False if the child is gone or no longer reads.
  bool send(Message type, const Writer &payload, std::span<const int> files = {});
  /// From now on, files may come with messages. Not for a child that runs student code: files that it sends
  /// are not even opened.
  void accept_files() { accepts_files_ = true; }
  /// The child's next message, until `deadline` (of now()); reads its output meanwhile.
  Answer wait(double deadline);
  /// What the child printed since the last call, truncated.
  std::string take_output();
  /// SIGKILL, then waits until it is gone: false if it is still there after options.kill_seconds.
  bool kill();

 private:
  void drain_output();
  bool take_message(Answer &answer);
  void read_socket();
  Answer died();

  ChildOptions options_;
  Child child_;
  Descriptor socket_, output_, memory_;
  std::byte *mapped_ = nullptr;
  std::size_t mapped_bytes_ = 0;
  std::vector<std::byte> received_;
  std::vector<Descriptor> files_;
  bool accepts_files_ = false, hung_up_ = false;
  std::string printed_;
  std::size_t dropped_ = 0;
};

}  // namespace warpgrade::gpu
