#include "batch/workers.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "batch/worker_message.hpp"
#include "sandbox/sandbox.hpp"

namespace warpgrade::batch {

namespace {

constexpr int tick_milliseconds = 250;
constexpr double kill_patience = 10;  // a process in the middle of a driver's call may take a while to vanish
constexpr int most_failed_starts = 3;
constexpr std::size_t last_words_bytes = 1000;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string how_it_ended(int status) {
  if (WIFEXITED(status)) return fmt::format("exit status {}", WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
  return fmt::format("{}{}", ::strsignal(signal), signal == SIGKILL ? "; was there too little memory?" : "");
}

[[noreturn]] void become(const std::string &program, const std::vector<std::string> &arguments,
                         const std::vector<std::string> &environment, int socket, int words, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);
  ::setpgid(0, 0);  // Ctrl-C is for whoever waits for us
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  // Where memory runs out, it should be a worker that goes.
  if (const int file = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC); file >= 0) {
    [[maybe_unused]] const ssize_t ignored = ::write(file, "500", 3);
    ::close(file);
  }
  char word = 0;  // until whoever clears up behind us knows that we are there
  if (::recv(socket, &word, 1, 0) != 1) ::_exit(127);
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  // Both may have any number: first out of the way of those that they get.
  const int far_socket = ::fcntl(socket, F_DUPFD_CLOEXEC, 10),
            far_words = ::fcntl(words, F_DUPFD_CLOEXEC, 10);
  ::dup2(nothing, 0);
  ::dup2(far_words, 1);
  ::dup2(far_words, 2);
  ::dup2(far_socket, worker_socket);
  ::syscall(SYS_close_range, worker_socket + 1, ~0u, 0);
  std::vector<char *> words_of_command = {const_cast<char *>(program.c_str())};
  for (const std::string &argument : arguments)
    words_of_command.push_back(const_cast<char *>(argument.c_str()));
  words_of_command.push_back(nullptr);
  for (const std::string &variable : environment) ::putenv(const_cast<char *>(variable.c_str()));
  ::execv(program.c_str(), words_of_command.data());
  ::_exit(127);
}

}  // namespace

struct Workers::Worker {
  std::vector<std::string> arguments;
  pid_t pid = -1;
  int socket = -1, words = -1;
  bool ready = false;
  std::optional<Job> job;
  bool sent = false;
  double sent_at = 0, deadline = 0, allowed = 0;
  int answers = 0;
  std::string received;
  std::optional<int> status;  ///< once reaped

  bool running() const { return pid > 0; }
  void allow(double seconds) {
    allowed = seconds;
    deadline = now() + seconds;
  }
  /// The end of what it printed.
  std::string last_words() const {
    const off_t size = ::lseek(words, 0, SEEK_END);
    std::string text(std::min<std::size_t>(last_words_bytes, size > 0 ? static_cast<std::size_t>(size) : 0),
                     '\0');
    const ssize_t got = ::pread(words, text.data(), text.size(), size - static_cast<off_t>(text.size()));
    text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
  }
  bool reap(double seconds) {
    for (const double end = now() + seconds;;) {
      int code = 0;
      if (::waitpid(pid, &code, WNOHANG) == pid) {
        status = code;
        return true;
      }
      if (now() >= end) return false;
      ::poll(nullptr, 0, 2);
    }
  }
};

Workers::Workers(WorkerOptions options) : options_(std::move(options)) {
  for (const auto &arguments : options_.arguments) {
    workers_.push_back(std::make_unique<Worker>());
    workers_.back()->arguments = arguments;
  }
}

Workers::~Workers() {
  for (const auto &w : workers_)
    if (w->running()) ::kill(w->pid, SIGKILL);
  for (const auto &w : workers_)
    if (w->running()) retire(*w, 0);
}

void Workers::start(Worker &w) {
  int sockets[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
    throw std::runtime_error(fmt::format("cannot make a socket: {}", std::strerror(errno)));
  const int words = ::memfd_create("words", MFD_CLOEXEC);
  const pid_t parent = ::getpid(), child = words < 0 ? -1 : ::fork();
  if (child == 0) become(options_.program, w.arguments, options_.environment, sockets[1], words, parent);
  const int error = errno;
  ::close(sockets[1]);
  if (child < 0) {
    ::close(sockets[0]);
    if (words >= 0) ::close(words);
    throw std::runtime_error(fmt::format("cannot start a process: {}", std::strerror(error)));
  }
  const timeval patience{30, 0};
  ::setsockopt(sockets[0], SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  w.pid = child;
  w.socket = sockets[0];
  w.words = words;
  w.ready = w.sent = false;
  w.answers = 0;
  w.received.clear();
  w.status.reset();
  w.allow(options_.start_seconds);
  if (options_.started) options_.started(child);
  [[maybe_unused]] const ssize_t go = ::send(w.socket, "x", 1, MSG_NOSIGNAL);
}

/// Lets it end by itself for `patience` seconds, then ends it.
void Workers::retire(Worker &w, double patience) {
  ::shutdown(w.socket, SHUT_RDWR);
  if (!w.status && !(patience > 0 && w.reap(patience))) {
    ::kill(w.pid, SIGKILL);
    w.reap(kill_patience);
  }
  ::close(w.socket);
  ::close(w.words);
  sandbox::Scratch::remove_left_by(w.pid);
  w.pid = w.socket = w.words = -1;
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
      else
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
  w.allow(options_.start_seconds);                   // until it says more
  send_message(w.socket, 'q', w.job->request.text);  // whether it arrived shows in the answer
}

bool Workers::run(const std::function<std::optional<Request>()> &next, const Take &take,
                  int stop_descriptor) {
  exhausted_ = false;
  again_.clear();
  failed_starts_ = 0;
  for (;;) {
    give_work(next);
    if (!working()) break;
    std::vector<pollfd> watched = {{stop_descriptor, POLLIN, 0}};
    for (const auto &w : workers_) watched.push_back({w->socket, POLLIN, 0});
    ::poll(watched.data(), watched.size(), tick_milliseconds);
    if (watched[0].revents != 0) {
      for (const auto &w : workers_)
        if (w->running()) ::kill(w->pid, SIGKILL);
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
    if (w->running()) ::shutdown(w->socket, SHUT_RDWR);
  for (const auto &w : workers_)
    if (w->running()) retire(*w, kill_patience);
  return true;
}

void Workers::look_after(Worker &w, const Take &take) {
  const bool dead = w.reap(0);
  read_from(w, take);  // what it said before its end counts
  if (!w.running()) return;
  if (dead) return lose(w, how_it_ended(*w.status), true, take);
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
  for (ssize_t got; (got = ::recv(w.socket, piece, sizeof piece, MSG_DONTWAIT)) > 0;)
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
  } else if (kind == 'a' && w.job && w.sent) {
    ++w.answers;
    Job job = std::move(*std::exchange(w.job, std::nullopt));
    take({true, std::move(text), now() - w.sent_at, std::move(job.request.name)});
  }
}

}  // namespace warpgrade::batch
