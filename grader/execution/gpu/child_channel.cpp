#include "gpu/child_channel.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <thread>

#include "gpu/child_process.hpp"
#include "gpu/messages.hpp"

namespace warpgrade::gpu {
namespace {

void receive_all(std::span<std::byte> bytes, std::vector<Descriptor> &files) {
  while (!bytes.empty()) {
    const auto size = receive_with_files(child_socket, bytes, 0, files);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) throw ParentGone();
    bytes = bytes.subspan(static_cast<std::size_t>(size));
  }
}

}  // namespace

Request ParentChannel::receive() {
  Header header;
  Request request;
  receive_all(std::as_writable_bytes(std::span(&header, 1)), request.files);
  request.type = Message{header.type};
  request.payload.resize(header.bytes);
  receive_all(request.payload, request.files);
  return request;
}

void ParentChannel::send(Message type, const Writer &payload, std::span<const int> files) {
  if (!send_message(child_socket, type, payload, files)) throw ParentGone();
}

void ParentChannel::send_after_output(Message type, const Writer &payload) {
  std::fflush(nullptr);
  send(type, payload);
}

std::span<std::byte> ParentChannel::shared(std::size_t bytes) {
  if (bytes > mapped_bytes_) {
    if (mapped_ != nullptr) ::munmap(mapped_, mapped_bytes_);
    mapped_ = nullptr;
    mapped_bytes_ = 0;
    void *address = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, child_memory, 0);
    if (address == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "shared memory");
    mapped_ = static_cast<std::byte *>(address);
    mapped_bytes_ = bytes;
  }
  return {mapped_, mapped_bytes_};
}

void settle_in_child() {
  const rlimit none{.rlim_cur = 0, .rlim_max = 0};
  ::setrlimit(RLIMIT_CORE, &none);
  std::thread([] {
    while (true) {
      pollfd file{.fd = child_socket, .events = POLLRDHUP, .revents = 0};
      if (::poll(&file, 1, -1) > 0 && (file.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL)) != 0)
        ::kill(::getpid(), SIGKILL);
    }
  }).detach();
}

int serve_parent(Message set_up, const std::function<void(ParentChannel &, Reader &)> &serve) {
  ParentChannel parent;
  try {
    const auto request = parent.receive();
    if (request.type != set_up) return 1;
    try {
      Reader reader(request.payload);
      serve(parent, reader);
    } catch (const ParentGone &) {
      throw;
    } catch (const std::exception &error) {
      parent.send_after_output(Message::failed, Writer().put_string(bounded(error.what())));
      parent.receive();
    }
  } catch (const ParentGone &) {
  }
  return 0;
}

std::string bounded(std::string text) {
  constexpr std::size_t longest = 4000;
  if (text.size() > longest) text = text.substr(0, longest) + "...";
  return text;
}

}  // namespace warpgrade::gpu
