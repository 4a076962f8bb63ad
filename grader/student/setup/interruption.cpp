#include "setup/interruption.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <iterator>
#include <system_error>

namespace warpgrade {

namespace {

constexpr int caught[] = {SIGINT, SIGTERM, SIGHUP};
int pipe_ends[2] = {-1, -1};
volatile std::sig_atomic_t first_signal = 0;
struct sigaction actions_before[std::size(caught)];

void note(int signal) {
  const int error = errno;
  if (first_signal == 0) first_signal = signal;
  [[maybe_unused]] const ssize_t ignored = ::write(pipe_ends[1], "x", 1);
  errno = error;
}

}  // namespace

Interruption::Interruption() {
  if (::pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK) != 0)
    throw std::system_error(errno, std::generic_category(), "cannot make a pipe");
  first_signal = 0;
  struct sigaction action {};
  action.sa_handler = note;
  for (std::size_t i = 0; i < std::size(caught); ++i) ::sigaction(caught[i], &action, &actions_before[i]);
}

Interruption::~Interruption() {
  for (std::size_t i = 0; i < std::size(caught); ++i) ::sigaction(caught[i], &actions_before[i], nullptr);
  for (const int end : pipe_ends) ::close(end);
}

int Interruption::descriptor() const {
  return pipe_ends[0];
}

std::optional<int> Interruption::signal() const {
  return first_signal == 0 ? std::nullopt : std::optional<int>(first_signal);
}

}  // namespace warpgrade
