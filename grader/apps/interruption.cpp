#include "apps/interruption.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <iterator>
#include <system_error>

namespace warpgrade::apps {

namespace {

constexpr int caught[] = {SIGINT, SIGTERM, SIGHUP};
int ends[2] = {-1, -1};
volatile std::sig_atomic_t first = 0;
struct sigaction before[std::size(caught)];

void note(int signal) {
  const int error = errno;
  if (first == 0) first = signal;
  [[maybe_unused]] const ssize_t ignored = ::write(ends[1], "x", 1);
  errno = error;
}

}  // namespace

Interruption::Interruption() {
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
    throw std::system_error(errno, std::generic_category(), "cannot make a pipe");
  first = 0;
  struct sigaction action {};
  action.sa_handler = note;
  for (std::size_t i = 0; i < std::size(caught); ++i) ::sigaction(caught[i], &action, &before[i]);
}

Interruption::~Interruption() {
  for (std::size_t i = 0; i < std::size(caught); ++i) ::sigaction(caught[i], &before[i], nullptr);
  for (const int end : ends) ::close(end);
}

int Interruption::descriptor() const {
  return ends[0];
}

std::optional<int> Interruption::signal() const {
  return first == 0 ? std::nullopt : std::optional<int>(first);
}

}  // namespace warpgrade::apps
