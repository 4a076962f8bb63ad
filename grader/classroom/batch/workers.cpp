#include "batch/workers.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/files.hpp"
#include "base/process.hpp"
#include "batch/worker_message.hpp"
#include "sandbox/sandbox.hpp"

namespace warpgrade::batch {

namespace {

constexpr int tick_milliseconds = 250;
constexpr double kill_patience = 10;  // a process in the middle of a driver's call may take a while to vanish
constexpr int most_failed_starts = 3;
constexpr std::size_t last_words_bytes = 1000;
constexpr std::size_t longest_note = 200;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string how_it_ended(std::optional<int> status) {
  if (!status || WIFEXITED(*status)) return warpgrade::how_it_ended(status.value_or(0));
  const int signal = WTERMSIG(*status);
  return fmt::format("{}{}", ::strsignal(signal), signal == SIGKILL ? "; was there too little memory?" : "");
}

}  // namespace

struct Workers::Worker {
  std::vector<std::string> arguments;
  Child child;
  pid_t pid = -1;  ///< of `child`, also when it has ended
  Descriptor socket, words;
  bool ready = false;
  std::optional<Job> job;
  bool sent = false;
  double sent_at = 0, deadline = 0, allowed = 0;
  int answers = 0;
  std::string received;

  /// Until it is retired, also when it has ended.
  bool running() const { return socket.get() >= 0; }
  void allow(double seconds) {
    allowed = seconds;
    deadline = now() + seconds;
  }
  /// The end of what it printed.
  std::string last_words() const {
    std::string text = read_end(fmt::format("/proc/self/fd/{}", words.get()), last_words_bytes);
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
  }
};

Workers::Workers(WorkerOptions options) : options_(std::move(options)) {
  for (const auto &arguments : options_.arguments) {
    workers_.push_back(std::make_unique<Worker>());
    workers_.back()->arguments = arguments;
  }
}

Workers::~Workers() {
  for (const auto &w : workers_) w->child.kill();
  for (const auto &w : workers_)
    if (w->running()) retire(*w, 0);
}

void Workers::start(Worker &w) {
  int sockets[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
    throw std::runtime_error(fmt::format("cannot make a socket: {}", std::strerror(errno)));
  w.socket = Descriptor(sockets[0]);
  const Descriptor theirs(sockets[1]);
  w.words = Descriptor(::memfd_create("words", MFD_CLOEXEC));
  const timeval patience{30, 0};
  ::setsockopt(w.socket.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  w.ready = w.sent = false;
  w.answers = 0;
  w.received.clear();
  w.allow(options_.start_seconds);
  Start start{.program = options_.program, .arguments = {options_.program}};
  start.arguments.insert(start.arguments.end(), w.arguments.begin(), w.arguments.end());
  start.environment = environment_with(options_.environment);
  start.descriptors = {{w.words.get(), 1}, {w.words.get(), 2}, {theirs.get(), worker_socket}};
  start.dies_with_us = true;
  start.yields_memory = true;  // where memory runs out, it should be a worker that goes
  // Whoever clears up behind us is to know of it before it does anything.
  start.announced = [this](pid_t process) {
    if (options_.started) options_.started(process);
  };
  try {
    w.child = Child(start);
  } catch (const std::system_error &e) {
    w.socket.close();
    throw std::runtime_error(fmt::format("processes that grade cannot be started: {}", e.what()));
  }
  w.pid = w.child.id();
}

/// Lets it end by itself for `patience` seconds, then ends it.
void Workers::retire(Worker &w, double patience) {
  ::shutdown(w.socket.get(), SHUT_RDWR);
  if (!w.child.ended(patience)) {
    w.child.kill();
    w.child.ended(kill_patience);
  }
  w.child.forget();
  w.socket.close();
  w.words.close();
  Scratch::remove_left_by(w.pid);
  w.ready = false;
}

bool Workers::working() const {
  return !again_.empty() ||
         std::any_of(workers_.begin(), workers_.end(), [](const auto &w) { return w->job.has_value(); });
}

void Workers::give_work(const std::function<std::optional<Request>()> &next) {
  for (const auto &w : workers_) {
    if (w->job) continue;
    if (!again_.empty()) {
      w->job = std::move(again_.back());
      again_.pop_back();
    } else if (!exhausted_) {
      if (std::optional<Request> request = next())
        w->job = Job{std::move(*request), false};
      else if (!options_.more_may_come)
        exhausted_ = true;
    }
    if (!w->job) return;
    w->sent = false;
    if (w->running() && (w->answers >= options_.answers || w->job->again)) retire(*w, kill_patience);
    if (!w->running()) start(*w);
    if (w->ready) send_job(*w);
  }
}

void Workers::send_job(Worker &w) {
  w.sent = true;
  w.sent_at = now();
  w.allow(options_.start_seconds);                         // until it says more
  send_message(w.socket.get(), 'q', w.job->request.text);  // whether it arrived shows in the answer
}

bool Workers::run(const std::function<std::optional<Request>()> &next, const Take &take,
                  int stop_descriptor) {
  exhausted_ = false;
  again_.clear();
  failed_starts_ = 0;
  for (;;) {
    give_work(next);
    if (!working() && !options_.more_may_come) break;
    std::vector<pollfd> watched = {{stop_descriptor, POLLIN, 0}};
    for (const auto &w : workers_) watched.push_back({w->socket.get(), POLLIN, 0});
    ::poll(watched.data(), watched.size(), tick_milliseconds);
    if (watched[0].revents != 0) {
      for (const auto &w : workers_) w->child.kill();
      for (const auto &w : workers_) {
        w->job.reset();
        if (w->running()) retire(*w, 0);
      }
      return false;
    }
    for (const auto &w : workers_)
      if (w->running()) look_after(*w, take);
    if (meanwhile) meanwhile();
  }
  for (const auto &w : workers_)
    if (w->running()) ::shutdown(w->socket.get(), SHUT_RDWR);
  for (const auto &w : workers_)
    if (w->running()) retire(*w, kill_patience);
  return true;
}

void Workers::look_after(Worker &w, const Take &take) {
  const bool dead = w.child.ended();
  read_from(w, take);  // what it said before its end counts
  if (!w.running()) return;
  if (dead) return lose(w, how_it_ended(w.child.status()), true, take);
  if ((w.job || !w.ready) && now() > w.deadline)
    lose(w, fmt::format("it took longer than {:.0f} s", w.allowed), false, take);
}

void Workers::lose(Worker &w, const std::string &how, bool try_again, const Take &take) {
  const std::string words = w.last_words();
  const std::string ended = words.empty() ? how : fmt::format("{}: {}", how, words);
  const bool was_ready = w.ready, had_it = w.sent;
  const double seconds = now() - w.sent_at;
  std::optional<Job> job = std::exchange(w.job, std::nullopt);
  retire(w, 0);
  if (!was_ready && ++failed_starts_ >= most_failed_starts)
    throw std::runtime_error("processes that grade cannot be started: " + ended);
  if (!job) return;
  if (!had_it) {
    again_.push_back(std::move(*job));  // it never saw it
  } else if (try_again && !job->again) {
    job->again = true;
    again_.push_back(std::move(*job));
  } else {
    take({false, ended, seconds, std::move(job->request.name)});
  }
}

void Workers::read_from(Worker &w, const Take &take) {
  char piece[1 << 16];
  for (ssize_t got; (got = ::recv(w.socket.get(), piece, sizeof piece, MSG_DONTWAIT)) > 0;)
    w.received.append(piece, static_cast<std::size_t>(got));
  try {
    while (w.running())
      if (auto message = take_message(w.received))
        understand(w, message->kind, std::move(message->text), take);
      else
        return;
  } catch (const MessageError &e) {
    lose(w, e.what(), true, take);
  }
}

void Workers::understand(Worker &w, char kind, std::string text, const Take &take) {
  if (kind == 'r' && !w.ready) {
    w.ready = true;
    failed_starts_ = 0;
    if (w.job) send_job(w);
  } else if (kind == 'p' && w.job) {
    w.allow(seconds_of_phase(text));
  } else if (kind == 'n' && w.job) {
    if (options_.noted) options_.noted(w.job->request.name, text.substr(0, longest_note));
  } else if (kind == 'a' && w.job && w.sent) {
    ++w.answers;
    Job job = std::move(*std::exchange(w.job, std::nullopt));
    take({true, std::move(text), now() - w.sent_at, std::move(job.request.name)});
  }
}

}  // namespace warpgrade::batch
