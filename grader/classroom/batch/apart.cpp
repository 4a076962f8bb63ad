#include "batch/apart.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <ctime>
#include <new>
#include <system_error>

#include "base/descriptor.hpp"
#include "base/process.hpp"
#include "batch/archive.hpp"
#include "sandbox/confine.hpp"

namespace warpgrade::batch {

namespace {

/// The first byte of an answer; the last one is `complete`.
enum class Answer : char { done = 'd', refused = 'r', memory = 'm', failed = 'f' };
constexpr char complete = '.';

int answers = -1;  // of this child; what it calls gets no argument

void answer_out_of_memory() {
  const char answer[] = {static_cast<char>(Answer::memory), complete};
  [[maybe_unused]] const ssize_t ignored = ::write(answers, answer, sizeof answer);
  ::_exit(0);
}

int answer_to(int pipe, int descriptor, std::uint64_t memory, const std::function<std::string()> &work) {
  if (const int null = ::open("/dev/null", O_RDWR); null >= 0)
    for (const int standard : {0, 1, 2}) ::dup2(null, standard);
  sandbox::close_all_but(pipe, descriptor);
  answers = pipe;
  sandbox::limit_memory(memory, answer_out_of_memory);
  const struct rlimit no_core = {0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  std::string answer;
  if (!sandbox::only_compute()) {
    answer = std::string(1, static_cast<char>(Answer::failed)) + "the system call filter cannot be set";
  } else {
    try {
      answer = std::string(1, static_cast<char>(Answer::done)) + work();
    } catch (const Refused &e) {
      answer = std::string(1, static_cast<char>(Answer::refused)) + e.what();
    } catch (const std::bad_alloc &) {
      answer = static_cast<char>(Answer::memory);
    } catch (const std::exception &e) {
      answer = std::string(1, static_cast<char>(Answer::failed)) + e.what();
    }
  }
  answer += complete;
  write_all(pipe, answer);
  return 0;
}

constexpr const char *what_to_do = "Pack the step files again, as a .zip, and hand them in again.";

/// What the child wrote, until it closes the pipe; kills it at the deadline.
std::string collect(int pipe, Child &child, double wall_seconds, bool &late) {
  using Clock = std::chrono::steady_clock;
  const auto deadline =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(wall_seconds));
  std::string bytes;
  std::array<char, 65536> block{};
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0 && !late) {
      late = true;
      child.kill();
    }
    struct pollfd wait = {pipe, POLLIN, 0};
    const int ready =
        ::poll(&wait, 1, late ? -1 : static_cast<int>(std::min<std::int64_t>(left + 1, INT_MAX)));
    if (ready <= 0) continue;
    const ssize_t n = ::read(pipe, block.data(), block.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return bytes;
    bytes.append(block.data(), static_cast<std::size_t>(n));
  }
}

}  // namespace

std::string run_apart(const ApartLimits &limits, int descriptor, const std::function<std::string()> &work) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "a pipe");
  const Descriptor from(ends[0]);
  Descriptor to(ends[1]);
  ::tzset();  // reads a file, which the child may not
  Child child = Child::copy([&] { return answer_to(to.get(), descriptor, limits.memory_bytes, work); });
  to.close();
  bool late = false;
  std::string answer = collect(from.get(), child, limits.wall_seconds, late);
  child.ended(10);
  const int status = child.status().value_or(0);
  if (late)
    throw Refused(fmt::format("Reading it took more than {:g} seconds and was stopped. {}",
                              limits.wall_seconds, what_to_do));
  if (answer.size() < 2 || answer.back() != complete)
    throw Refused(fmt::format("The archive reader failed on it ({}). {}",
                              WIFSIGNALED(status) ? fmt::format("signal {}", WTERMSIG(status)) : "no answer",
                              what_to_do));
  answer.pop_back();
  const auto kind = static_cast<Answer>(answer.front());
  answer.erase(0, 1);
  switch (kind) {
    case Answer::done:
      return answer;
    case Answer::refused:
      throw Refused(answer);
    case Answer::memory:
      throw Refused(fmt::format("Reading it takes more than {:g} MiB of memory. {}",
                                static_cast<double>(limits.memory_bytes) / (1 << 20), what_to_do));
    case Answer::failed:
      break;
  }
  throw std::runtime_error(fmt::format("an archive cannot be read: {}", answer));
}

}  // namespace warpgrade::batch
