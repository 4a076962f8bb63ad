#include "simulate/simulator.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <optional>
#include <system_error>

#include "base/files.hpp"
#include "base/process.hpp"
#include "base/processor_time.hpp"
#include "simulate/simulator_protocol.hpp"

namespace warpgrade::run {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int look_milliseconds = 20;  // how often the process's memory is checked

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Resident bytes of a process; 0 when it has ended.
std::uint64_t resident_bytes(pid_t process) {
  unsigned long long pages = 0;
  const std::string facts = read_or_empty(fmt::format("/proc/{}/statm", process));
  if (std::sscanf(facts.c_str(), "%*u %llu", &pages) != 1) return 0;
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

/// A copy of the program in memory, in case folders for temporary files forbid execution.
Descriptor copy_in_memory(const std::filesystem::path &program) {
  Descriptor copy(::memfd_create("simulator", MFD_CLOEXEC));
  if (!write_all(copy.get(), read_or_empty(program))) copy.close();
  return copy;
}

std::vector<std::byte> frame_of(const std::vector<std::byte> &payload) {
  const std::uint64_t length = payload.size();
  std::vector<std::byte> frame(sizeof length + payload.size());
  std::memcpy(frame.data(), &length, sizeof length);
  if (!payload.empty()) std::memcpy(frame.data() + sizeof length, payload.data(), payload.size());
  return frame;
}

Run ended(End end, std::string message) {
  Run run;
  run.end = end;
  run.message = std::move(message);
  return run;
}

}  // namespace

struct Simulator::State {
  const std::filesystem::path program;
  const std::vector<std::byte> load;  // the frame that a process begins with
  const SimulatorLimits limits;
  Child child;
  Descriptor socket;
  std::vector<std::byte> to_send;  // of this process, not yet sent to it
  double seconds = 0, used = 0;    // by the wall clock; of a processor, by stopped processes

  State(std::filesystem::path file, const std::vector<std::byte> &fatbin, SimulatorLimits within)
      : program(std::move(file)), load(frame_of(fatbin)), limits(within) {}
  ~State() { stop(); }

  void start() {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
      throw std::system_error(errno, std::generic_category(), "a socket for the simulator");
    socket = Descriptor(ends[0]);
    const Descriptor theirs(ends[1]);
    ::fcntl(socket.get(), F_SETFL, O_NONBLOCK);
    Start how{.program = program, .arguments = {"simulator"}, .environment = std::vector<std::string>{}};
    how.descriptors = {{theirs.get(), simulator_socket}};
    Descriptor copy;
    for (int attempt = 0; !child.running(); ++attempt) try {
        child = Child(how);
      } catch (const std::system_error &e) {
        if (e.code().value() != EACCES || attempt > 0)
          throw std::system_error(e.code(), "the simulator's process cannot be started");
        copy = copy_in_memory(program);
        how.program = fmt::format("/proc/{}/fd/{}", ::getpid(), copy.get());
      }
    to_send = load;
  }

  /// How it ended, for people; "" when it was not running.
  std::string stop() {
    socket.close();
    to_send.clear();
    if (!child.running() && !child.status()) return "";
    used += warpgrade::processor_seconds(child.id()).value_or(0);
    child.kill();
    child.ended(10);
    const int status = child.status().value_or(0);
    child = Child();
    failure = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return how_it_ended(status);
  }
  int failure = -1;  // exit status of the process that was stopped last; -1 when a signal ended it

  enum class Got { answer, late, memory, nothing };

  /// Sends pending bytes, and reads one frame of at most `most` bytes.
  Got exchange(std::uint64_t most, Clock::time_point deadline, std::vector<std::byte> &answer) {
    std::size_t sent = 0;
    std::uint64_t length = 0;
    std::size_t got_length = 0, got = 0;
    auto looked = Clock::now();
    for (;;) {
      const auto now = Clock::now();
      if (now >= deadline) return Got::late;
      if (now - looked >= std::chrono::milliseconds(look_milliseconds)) {
        looked = now;
        if (resident_bytes(child.id()) > limits.memory_bytes) return Got::memory;
      }
      const bool sending = sent < to_send.size();
      pollfd wait{socket.get(), static_cast<short>(sending ? POLLIN | POLLOUT : POLLIN), 0};
      if (::poll(&wait, 1, look_milliseconds) <= 0) continue;
      if ((wait.revents & POLLOUT) != 0 && sending) {
        const ssize_t n = ::send(socket.get(), to_send.data() + sent, to_send.size() - sent, MSG_NOSIGNAL);
        if (n > 0) sent += static_cast<std::size_t>(n);
        if (n < 0 && errno != EAGAIN && errno != EINTR) return Got::nothing;
        if (sent == to_send.size()) {
          to_send.clear();
          sent = 0;
        }
      }
      if ((wait.revents & (POLLIN | POLLHUP | POLLERR)) == 0) continue;
      const bool header = got_length < sizeof length;
      void *const to = header ? static_cast<void *>(reinterpret_cast<char *>(&length) + got_length)
                              : static_cast<void *>(answer.data() + got);
      const ssize_t n =
          ::recv(socket.get(), to, header ? sizeof length - got_length : answer.size() - got, 0);
      if (n < 0 && (errno == EAGAIN || errno == EINTR)) continue;
      if (n <= 0) return Got::nothing;
      if (!header) {
        got += static_cast<std::size_t>(n);
      } else if (got_length += static_cast<std::size_t>(n); got_length == sizeof length) {
        if (length == 0 || length > most) return Got::nothing;
        answer.resize(length);
      }
      if (got_length == sizeof length && got == length) return Got::answer;
    }
  }

  /// Decides whose fault it is: a busy machine gives a simulation little processor time.
  Run too_late() const {
    if (used < limits.wall_seconds / 2)
      return ended(End::our_failure,
                   fmt::format("this machine was too busy to simulate the step: in {:g} s it had "
                               "{:.1f} s of a processor",
                               limits.wall_seconds, used));
    Run run = ended(
        End::time_limit,
        fmt::format("the simulation was stopped after {:.3g} s, which is all the time that the step had left",
                    limits.wall_seconds));
    run.by_clock = true;
    return run;
  }

  std::vector<Run> ask(const plan::LaunchPlan &plan, const std::vector<std::vector<HostBuffer>> &inputs,
                       const SimulateOptions &options, const CodeChanges &changes) {
    const auto begin = Clock::now();
    const double left = limits.wall_seconds - seconds;
    const auto deadline = begin + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(std::max(left, 0.0)));
    std::vector<Run> runs = ask(plan, inputs, options, changes, deadline);
    seconds += seconds_since(begin);
    return runs;
  }

  std::vector<Run> ask(const plan::LaunchPlan &plan, const std::vector<std::vector<HostBuffer>> &inputs,
                       const SimulateOptions &options, const CodeChanges &changes,
                       Clock::time_point deadline) try {
    const std::vector<std::byte> request = frame_of(encode(options, changes, plan, inputs));
    const std::uint64_t most = longest_answer(inputs, options);
    std::string how;
    for (int attempt = 0; attempt < 2; ++attempt) {
      if (!child.running()) start();
      to_send.insert(to_send.end(), request.begin(), request.end());
      std::vector<std::byte> answer;
      Got got = exchange(most, deadline, answer);
      if (got == Got::answer) try {
          return decode_simulator_answer(answer, inputs, options);
        } catch (const BadAnswer &e) {
          stop();
          how = fmt::format("its answer is malformed: {}", e.what());
          continue;
        }
      // A process that closed its socket is about to end: its own status says more than our SIGKILL.
      if (got == Got::nothing) child.ended(0.2);
      how = stop();
      if (got == Got::nothing && failure == simulator_out_of_memory) got = Got::memory;
      if (got == Got::late) return {too_late()};
      if (got == Got::memory)
        return {ended(End::device_error,
                      fmt::format("the simulation takes more than {} MiB of memory; each byte of device "
                                  "memory that a kernel uses takes up to eight",
                                  limits.memory_bytes >> 20))};
      if (failure == simulator_without_filter)
        return {ended(End::our_failure,
                      "this machine's kernel takes no system call filter, without which "
                      "nothing is simulated")};
    }
    return {ended(End::our_failure, "the simulator's process failed twice: " + how)};
  } catch (const std::system_error &e) {
    stop();
    return {ended(End::our_failure, e.what())};
  }
};

Simulator::Simulator(std::filesystem::path program, std::vector<std::byte> fatbin, SimulatorLimits limits)
    : state_(std::make_unique<State>(std::move(program), fatbin, limits)) {}
Simulator::~Simulator() = default;

void Simulator::start_early() {
  State &s = *state_;
  try {
    if (!s.child.running()) s.start();
    const ssize_t n = ::send(s.socket.get(), s.to_send.data(), s.to_send.size(), MSG_NOSIGNAL);
    if (n > 0) s.to_send.erase(s.to_send.begin(), s.to_send.begin() + n);
  } catch (const std::system_error &) {
    s.stop();  // the first run tries again, and says what is wrong
  }
}

std::vector<Run> Simulator::simulate_in_turn(const plan::LaunchPlan &plan,
                                             const std::vector<std::vector<HostBuffer>> &inputs,
                                             const SimulateOptions &options, const CodeChanges &changes) {
  return state_->ask(plan, inputs, options, changes);
}

Run Simulator::simulate(const plan::LaunchPlan &plan, const std::vector<HostBuffer> &inputs,
                        const SimulateOptions &options, const CodeChanges &changes) {
  return std::move(simulate_in_turn(plan, {inputs}, options, changes).front());
}

double Simulator::seconds() const {
  return state_->seconds;
}
double Simulator::processor_seconds() const {
  const bool runs = state_->child.running();
  return state_->used + (runs ? warpgrade::processor_seconds(state_->child.id()).value_or(0) : 0);
}
pid_t Simulator::process() const {
  return state_->child.id();
}

}  // namespace warpgrade::run
