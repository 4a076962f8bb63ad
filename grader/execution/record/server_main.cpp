// The record server: the trusted parent of workers inside one recorder sandbox.
//
// One request, one worker: a fresh process under limits and a system call filter, with a deadline. The server
// collects its output and reports how it ended. It keeps nothing from one worker to the next, and ends when
// there are no more requests. Descriptors: 0 is /dev/null, the others are in server_protocol.hpp.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>

#include "base/descriptor.hpp"
#include "base/processor_time.hpp"
#include "record/server_protocol.hpp"
#include "record/worker_filter.hpp"

namespace warpgrade::record {
namespace {

using Clock = std::chrono::steady_clock;
using End = ServerAnswer::End;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Pipe {
  int read = -1, write = -1;
  bool open() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return false;
    read = ends[0];
    write = ends[1];
    return true;
  }
  static void close(int &end) {
    if (end >= 0) ::close(end);
    end = -1;
  }
  ~Pipe() {
    close(read);
    close(write);
  }
};

void limit(int what, std::uint64_t soft, std::uint64_t hard) {
  const rlimit value{soft, hard};
  ::setrlimit(static_cast<__rlimit_resource_t>(what), &value);
}

// In the child, which shares our memory: system calls alone. Returns the errno of what failed.
int become_worker(const ServerRequest &request, WorkerFilter &filter, int input, int plan, int output) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::signal(SIGPIPE, SIG_DFL);
  ::dup2(output, 1);
  ::dup2(output, 2);
  ::dup2(input, 3);
  ::dup2(plan, 4);
  ::fcntl(server_worker, F_SETFD, FD_CLOEXEC);
  // The pipes' own descriptors, all above the named ones, close at the execution.
  limit(RLIMIT_AS, request.memory_bytes, request.memory_bytes);
  limit(RLIMIT_CPU, request.cpu_seconds, request.cpu_seconds + 1);
  limit(RLIMIT_STACK, 8 << 20, 8 << 20);
  for (const int none : {RLIMIT_FSIZE, RLIMIT_CORE, RLIMIT_NPROC, RLIMIT_MEMLOCK, RLIMIT_MSGQUEUE})
    limit(none, 0, 0);
  limit(RLIMIT_NOFILE, 64, 64);
  ::personality(ADDR_NO_RANDOMIZE);  // two recordings of the same call see the same addresses
  if (!filter.restrict_this_process()) return errno != 0 ? errno : EPERM;
  char name[] = "worker";
  char *const arguments[] = {name, nullptr};
  char *const environment[] = {nullptr};
  // A moment ago, a process that another thread just forked may have had the file open for writing.
  for (int attempt = 0; attempt < 100; ++attempt) {
    ::syscall(SYS_execveat, server_worker, "", arguments, environment, AT_EMPTY_PATH);
    if (errno != ETXTBSY) break;
    const timespec pause{0, 2'000'000};
    ::nanosleep(&pause, nullptr);
  }
  return errno;
}

struct Ends {
  int input, plan, output, started;  ///< of the worker
};

/// vfork() copies no page tables and causes no faults here afterwards, and a step has a hundred workers. Its child has
/// executed the worker or failed when this returns.
[[gnu::noinline]] pid_t start(const ServerRequest &request, WorkerFilter &filter, const Ends &ends) {
  const pid_t worker = ::vfork();
  if (worker != 0) return worker;
  const std::int32_t error = become_worker(request, filter, ends.input, ends.plan, ends.output);
  write_all(ends.started, std::as_bytes(std::span(&error, 1)));
  ::_exit(127);
}

/// Follows one worker until it and everything it wrote are gone.
class Watch {
 public:
  Watch(const ServerRequest &request, pid_t worker, Pipe &input, Pipe &plan, Pipe &output)
      : request_(request), worker_(worker), input_(input), plan_(plan), output_(output), rest_(request.call) {
    ::fcntl(input_.write, F_SETFL, O_NONBLOCK);
    process_ = static_cast<int>(::syscall(SYS_pidfd_open, worker, 0));
  }
  ~Watch() {
    if (process_ >= 0) ::close(process_);
  }

  ServerAnswer follow() {
    while (!reaped_) step();
    drain();
    answer_.wall_seconds = seconds_since(start_);
    return std::move(answer_);
  }

 private:
  int milliseconds_left() const {
    if (killed_) return 100;  // it is ending; check again
    const double left = request_.wall_seconds - seconds_since(start_);
    const int wait = std::clamp(static_cast<int>(left * 1000) + 1, 5, 50);
    return process_ >= 0 ? wait : std::min(wait, 2);  // without a pidfd, its end is not an event
  }

  void step() {
    std::array<pollfd, 4> wait{{{process_, POLLIN, 0},
                                {plan_.read, POLLIN, 0},
                                {output_.read, POLLIN, 0},
                                {rest_.empty() ? -1 : input_.write, POLLOUT, 0}}};
    ::poll(wait.data(), wait.size(), milliseconds_left());
    if (wait[1].revents != 0) take_plan();
    if (wait[2].revents != 0) take_output();
    if (wait[3].revents != 0) feed();
    if (!killed_) check_time();
    reap();
  }

  /// A busy machine gives a worker less processor time, which is not the launcher's fault: the deadline
  /// is for a worker that computes all the time, or waits for something that never happens.
  void check_time() {
    const double elapsed = seconds_since(start_), used = processor_seconds(worker_).value_or(used_);
    if (used > used_) progress_ = elapsed;
    used_ = std::max(used_, used);
    answer_.waited_seconds = std::max(answer_.waited_seconds, elapsed - progress_);
    if (elapsed < request_.wall_seconds) return;
    const bool waits = elapsed - progress_ >= std::max(1.0, request_.wall_seconds / 2);
    ran_dry_ = elapsed >= request_.most_seconds;
    if (used_ >= request_.wall_seconds || waits || ran_dry_) kill(End::wall_limit);
    ran_dry_ = ran_dry_ && !waits && used_ < request_.wall_seconds;
  }

  void feed() {
    const ssize_t put = ::write(input_.write, rest_.data(), rest_.size());
    if (put > 0) rest_ = rest_.subspan(static_cast<std::size_t>(put));
    if (put < 0 && errno != EAGAIN && errno != EINTR) rest_ = {};
    if (rest_.empty()) Pipe::close(input_.write);  // the worker reads until the end
  }

  // Appends up to `most` bytes in all; returns false when more came.
  static bool take(Pipe &from, std::vector<std::byte> &to, std::uint64_t most) {
    std::byte block[1 << 16];
    const ssize_t got = ::read(from.read, block, sizeof block);
    if (got == 0) Pipe::close(from.read);
    if (got <= 0) return true;
    const auto count = static_cast<std::uint64_t>(got);
    const std::uint64_t kept = std::min(count, most - std::min<std::uint64_t>(most, to.size()));
    to.insert(to.end(), block, block + kept);
    return kept == count;
  }
  void take_plan() {
    if (!take(plan_, answer_.plan, request_.plan_bytes)) kill(End::plan_limit);
  }
  void take_output() {
    if (!take(output_, answer_.output, request_.output_bytes)) answer_.truncated = true;
  }

  // What is left in the pipes after the end. No process holds their other ends any more, so this ends.
  void drain() {
    while (plan_.read >= 0) take_plan();
    while (output_.read >= 0) take_output();
  }

  void kill(End why) {
    if (!killed_) answer_.end = why;
    killed_ = true;
    if (!reaped_) ::kill(worker_, SIGKILL);
  }

  void reap() {
    int status = 0;
    rusage used{};
    if (::wait4(worker_, &status, WNOHANG, &used) != worker_) return;
    reaped_ = true;
    const auto seconds = [](const timeval &t) {
      return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    answer_.cpu_seconds = seconds(used.ru_utime) + seconds(used.ru_stime);
    // A process that sleeps often gets as little as one that is kept waiting, and yields the processor each time.
    constexpr long few_naps = 1000;
    if (answer_.end == End::wall_limit && ran_dry_ && used.ru_nvcsw < few_naps) answer_.end = End::starved;
    if (killed_) return;
    if (WIFEXITED(status)) {
      answer_.end = End::exited;
      answer_.code = WEXITSTATUS(status);
      return;
    }
    answer_.code = WTERMSIG(status);
    const bool spent = answer_.cpu_seconds >= request_.cpu_seconds;
    const bool by_cpu = answer_.code == SIGXCPU || (answer_.code == SIGKILL && spent);
    answer_.end = by_cpu ? End::cpu_limit : End::signalled;
  }

  const ServerRequest &request_;
  pid_t worker_;
  Pipe &input_, &plan_, &output_;
  std::span<const std::byte> rest_;  // of the request
  int process_ = -1;
  bool killed_ = false, reaped_ = false, ran_dry_ = false;
  double used_ = 0,
         progress_ = 0;  ///< processor time, and when there was more of it, in seconds from the start
  Clock::time_point start_ = Clock::now();
  ServerAnswer answer_;
};

ServerAnswer run(const ServerRequest &request, WorkerFilter &filter) {
  ServerAnswer failed;
  Pipe input, plan, output, started;
  if (!input.open() || !plan.open() || !output.open() || !started.open()) {
    failed.code = errno;
    return failed;
  }
  const pid_t worker = start(request, filter, {input.read, plan.write, output.write, started.write});
  if (worker < 0) {
    failed.code = errno;
    return failed;
  }
  Pipe::close(input.read);
  Pipe::close(plan.write);
  Pipe::close(output.write);
  Pipe::close(started.write);
  std::int32_t error = 0;
  if (read_all(started.read, std::as_writable_bytes(std::span(&error, 1)))) {  // else: it was executed
    ::waitpid(worker, nullptr, 0);
    failed.code = error;
    return failed;
  }
  return Watch(request, worker, input, plan, output).follow();
}

void serve() {
  ::signal(SIGPIPE, SIG_IGN);
  WorkerFilter filter(server_worker);
  for (;;) {
    std::uint64_t length = 0;
    if (!read_all(server_requests, std::as_writable_bytes(std::span(&length, 1)))) return;
    std::vector<std::byte> frame(length);
    if (!read_all(server_requests, frame)) return;
    const std::vector<std::byte> answer = encode(run(decode_server_request(frame), filter));
    length = answer.size();
    if (!write_all(server_answers, std::as_bytes(std::span(&length, 1)))) return;
    if (!write_all(server_answers, std::span(answer))) return;
  }
}

}  // namespace
}  // namespace warpgrade::record

int main() {
  warpgrade::record::serve();
  return 0;
}
