#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "batch/worker_message.hpp"
#include "batch/workers.hpp"

namespace warpgrade::batch {

bool send_message(int socket, char kind, std::string_view text) {
  const auto size = static_cast<std::uint32_t>(text.size());
  std::string bytes(1, kind);
  bytes.append(reinterpret_cast<const char *>(&size), sizeof size);
  bytes += text;
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t sent = ::send(socket, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    at += static_cast<std::size_t>(sent);
  }
  return true;
}

std::optional<WorkerMessage> take_message(std::string &received) {
  constexpr std::size_t header = 1 + sizeof(std::uint32_t);
  if (received.size() < header) return std::nullopt;
  std::uint32_t size = 0;
  std::memcpy(&size, received.data() + 1, sizeof size);
  if (std::string_view("qrpna").find(received[0]) == std::string_view::npos || size > WorkerMessage::longest)
    throw MessageError("it sent something that is not a message");
  if (received.size() - header < size) return std::nullopt;
  WorkerMessage message{received[0], received.substr(header, size)};
  received.erase(0, header + size);
  return message;
}

double seconds_of_phase(const std::string &text) {
  double seconds = 0;
  const char *const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, seconds);
  if (error != std::errc() || end != last || !(seconds >= 0 && seconds <= longest_phase))
    throw MessageError("it sent something that is not a time");
  return seconds;
}

WorkerChannel::WorkerChannel() {
  ::fcntl(worker_socket, F_SETFD, FD_CLOEXEC);
}

void WorkerChannel::send(char kind, std::string_view text) {
  if (!send_message(worker_socket, kind, text)) std::exit(0);  // nobody waits for us any more
}

void WorkerChannel::ready() {
  send('r', "");
}
void WorkerChannel::phase(double seconds) {
  send('p', fmt::format("{}", seconds));
}
void WorkerChannel::note(std::string_view words) {
  send('n', words);
}
void WorkerChannel::answer(const std::string &text) {
  send('a', text);
}

std::optional<std::string> WorkerChannel::receive() {
  char piece[1 << 16];
  for (;;) {
    if (auto message = take_message(received_)) return std::move(message->text);
    const ssize_t got = ::recv(worker_socket, piece, sizeof piece, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return std::nullopt;
    received_.append(piece, static_cast<std::size_t>(got));
  }
}

}  // namespace warpgrade::batch
