#include "gpu/messages.hpp"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace warpgrade::gpu {
namespace {

/// Room for the descriptors, aligned as the headers in it want.
struct alignas(cmsghdr) Control {
  std::array<std::byte, CMSG_SPACE(most_files * sizeof(int))> bytes{};
};

ssize_t send_some(int socket, std::span<const std::byte> bytes, std::span<const int> files) {
  iovec piece{const_cast<std::byte *>(bytes.data()), bytes.size()};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  Control control;
  if (!files.empty()) {
    message.msg_control = control.bytes.data();
    message.msg_controllen = CMSG_SPACE(files.size_bytes());
    cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(files.size_bytes());
    std::memcpy(CMSG_DATA(header), files.data(), files.size_bytes());
  }
  return ::sendmsg(socket, &message, MSG_NOSIGNAL);
}

bool send_all(int socket, std::span<const std::byte> bytes, std::span<const int> files) {
  while (!bytes.empty()) {
    const auto sent = send_some(socket, bytes, files);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    files = {};
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
  return true;
}

}  // namespace

bool send_message(int socket, Message type, const Writer &payload, std::span<const int> files) {
  const Header header{.type = static_cast<std::uint32_t>(type), .bytes = payload.bytes().size()};
  return send_all(socket, std::as_bytes(std::span(&header, 1)), files) &&
         send_all(socket, payload.bytes(), {});
}

ssize_t receive_with_files(int socket, std::span<std::byte> bytes, int flags,
                           std::vector<Descriptor> &files) {
  iovec piece{bytes.data(), bytes.size()};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  Control control;
  message.msg_control = control.bytes.data();
  message.msg_controllen = control.bytes.size();
  const auto size = ::recvmsg(socket, &message, flags | MSG_CMSG_CLOEXEC);
  if (size < 0) return size;
  for (cmsghdr *header = CMSG_FIRSTHDR(&message); header != nullptr; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int file = -1;
      std::memcpy(&file, CMSG_DATA(header) + i * sizeof(int), sizeof file);
      files.emplace_back(file);
    }
  }
  return size;
}

}  // namespace warpgrade::gpu
