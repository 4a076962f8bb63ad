// A connection of a client, with one end for everything that comes over it, however slowly its bytes come.
#pragma once

#include <httplib.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>

namespace warpgrade::service {

class Connection : public httplib::Stream {
 public:
  using Clock = std::chrono::steady_clock;
  /// patience: how long to wait for the next byte.
  Connection(int socket, Clock::duration patience, Clock::time_point end)
      : socket_(socket), patience_(patience), end_(end) {}

  // Nothing here says "override": which of these functions the library's Stream has depends on its release.
  bool is_readable() const { return at_ < filled_ || ready(POLLIN); }
  bool is_writable() const { return ready(POLLOUT); }
  bool wait_readable() const { return is_readable(); }  // these three since cpp-httplib 0.20
  bool wait_writable() const { return is_writable(); }
  time_t duration() const {
    return std::chrono::floor<std::chrono::milliseconds>(Clock::now() - begin_).count();
  }

  ssize_t read(char *to, std::size_t size) {
    if (at_ == filled_) {
      if (!ready(POLLIN)) return -1;
      const ssize_t got = ::recv(socket_, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
      if (got <= 0) return got;
      at_ = 0;
      filled_ = static_cast<std::size_t>(got);
    }
    const std::size_t some = std::min(size, filled_ - at_);
    std::copy_n(buffer_.begin() + static_cast<std::ptrdiff_t>(at_), some, to);
    at_ += some;
    return static_cast<ssize_t>(some);
  }

  ssize_t write(const char *from, std::size_t size) {
    for (std::size_t sent = 0; sent < size;) {
      if (!ready(POLLOUT)) return -1;
      const ssize_t n = ::send(socket_, from + sent, size - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
      if (n < 0 && (errno == EAGAIN || errno == EINTR)) continue;
      if (n <= 0) return -1;
      sent += static_cast<std::size_t>(n);
    }
    return static_cast<ssize_t>(size);
  }

  void get_remote_ip_and_port(std::string &ip, int &port) const { address(::getpeername, ip, port); }
  void get_local_ip_and_port(std::string &ip, int &port) const { address(::getsockname, ip, port); }
  socket_t socket() const { return socket_; }

 private:
  bool ready(short what) const {
    for (;;) {
      const auto left = std::min(end_ - Clock::now(), patience_);
      if (left <= Clock::duration::zero()) return false;
      pollfd waits{socket_, what, 0};
      const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(left).count();
      const int found = ::poll(&waits, 1, static_cast<int>(milliseconds));
      if (found < 0 && errno == EINTR) continue;
      return found > 0;
    }
  }
  template <class Name>
  void address(Name name, std::string &ip, int &port) const {
    sockaddr_storage storage{};
    socklen_t size = sizeof storage;
    auto *const address = reinterpret_cast<sockaddr *>(&storage);
    std::array<char, NI_MAXHOST> host{};
    std::array<char, NI_MAXSERV> service{};
    if (name(socket_, address, &size) != 0 ||
        ::getnameinfo(address, size, host.data(), host.size(), service.data(), service.size(),
                      NI_NUMERICHOST | NI_NUMERICSERV) != 0)
      return;
    ip = host.data();
    port = std::atoi(service.data());
  }

  int socket_;
  Clock::duration patience_;
  Clock::time_point end_, begin_ = Clock::now();
  std::array<char, 4096> buffer_{};
  std::size_t at_ = 0, filled_ = 0;
};

}  // namespace warpgrade::service
