// Messages between a run and its workers: a letter, a length, bytes. Internal to batch/.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace warpgrade::batch {

inline constexpr int worker_socket = 3;  ///< where a worker finds its end

/// The received bytes are not a message: a process that damaged its own memory may send anything.
class MessageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// 'q' asks; 'r' ready, 'p' phase, 'n' note, 'a' answer are a worker's.
struct WorkerMessage {
  static constexpr std::uint32_t longest = 256 << 20;  ///< bytes of text; records have some megabytes at most
  char kind = 0;
  std::string text;
};

/// False if the other side is gone.
bool send_message(int socket, char kind, std::string_view text);
/// The first complete message in the received bytes, which is removed from them. Throws MessageError.
std::optional<WorkerMessage> take_message(std::string &received);
/// The longest allowed phase of a job, in seconds: a week, during which a worker waits for its turn on a GPU.
inline constexpr double longest_phase = 7 * 86400.0;
/// How many seconds the next message may take, from a 'p'. Throws MessageError unless it is a number from 0
/// to `longest_phase`.
double seconds_of_phase(const std::string &text);

}  // namespace warpgrade::batch
