// What passes between a run and its workers: a letter, a length, bytes. Internal to batch/.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace warpgrade::batch {

inline constexpr int worker_socket = 3;  ///< where a worker finds its end

struct WorkerMessage {
  char kind = 0;
  std::string text;
};

/// False when the other side is gone.
bool send_message(int socket, char kind, std::string_view text);
/// The first whole message of what has arrived, which is taken out.
std::optional<WorkerMessage> take_message(std::string &received);

}  // namespace warpgrade::batch
