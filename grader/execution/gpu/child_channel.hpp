// A child's side of the conversation with its parent.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "gpu/wire.hpp"

namespace warpgrade::gpu {

/// The parent is gone or closed the connection: nothing is left to do.
class ParentGone : public std::runtime_error {
 public:
  ParentGone() : std::runtime_error("the parent process is gone") {}
};

struct Request {
  Message type{};
  std::vector<std::byte> payload;
  std::vector<Descriptor> files;
};

/// Over the descriptors of child_process.hpp. All of it throws ParentGone.
class ParentChannel {
 public:
  Request receive();
  void send(Message type, const Writer &payload = {}, std::span<const int> files = {});
  /// Also flushes everything printed so far, so that it arrives before the message.
  void send_after_output(Message type, const Writer &payload);
  /// The shared memory, at least `bytes` of it; throws std::system_error.
  std::span<std::byte> shared(std::size_t bytes);

 private:
  std::byte *mapped_ = nullptr;
  std::size_t mapped_bytes_ = 0;
};

/// Limits of a child (no core files) and a thread that ends this process as soon as its parent's socket
/// closes, even while the main thread waits for a kernel that never ends.
void settle_in_child();

/// The life of a child that sets itself up from the parent's first message, which must be of this type, and
/// serves until the parent is gone: returns its exit status. What serve() throws becomes a message.
int serve_parent(Message set_up, const std::function<void(ParentChannel &, Reader &)> &serve);

/// Text from exceptions and the driver, short enough for a message.
std::string bounded(std::string text);

}  // namespace warpgrade::gpu
