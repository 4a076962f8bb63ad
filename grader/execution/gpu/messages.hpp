// Messages on a socket between a parent and its child, and open files that are sent with them.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <span>
#include <vector>

#include "base/descriptor.hpp"
#include "gpu/wire.hpp"

namespace warpgrade::gpu {

/// Files that one message may carry.
inline constexpr std::size_t most_files = 24;

/// Sends a whole message; false if the other side is gone or no longer reads.
bool send_message(int socket, Message type, const Writer &payload, std::span<const int> files);

/// Like recv(); files that came with the message are added to `files`.
ssize_t receive_with_files(int socket, std::span<std::byte> bytes, int flags, std::vector<Descriptor> &files);

}  // namespace warpgrade::gpu
