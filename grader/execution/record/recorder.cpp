#include "record/recorder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <map>
#include <optional>

#include "base/descriptor.hpp"
#include "plan/again.hpp"
#include "plan/describe.hpp"
#include "plan/request.hpp"
#include "plan/signature.hpp"
#include "record/answer.hpp"
#include "record/server_protocol.hpp"

namespace warpgrade::record {
namespace {

using Clock = std::chrono::steady_clock;
using Outcome = Recording::Outcome;

constexpr double patience = 10;  // seconds that the server may take beyond the worker's deadline

// Waits until the descriptor is ready; false at the deadline.
bool ready(int descriptor, short events, Clock::time_point deadline) {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd wait{descriptor, events, 0};
    const int got = ::poll(&wait, 1, static_cast<int>(left));
    if (got > 0) return true;
    if (got < 0 && errno != EINTR) return false;
  }
}

// Moves all the bytes, or reports that the other side is gone or too slow.
template <typename Byte, typename Move>
bool transfer(int descriptor, short events, std::span<Byte> bytes, Clock::time_point deadline, Move move) {
  while (!bytes.empty()) {
    if (!ready(descriptor, events, deadline)) return false;
    const ssize_t moved = move(descriptor, bytes.data(), bytes.size());
    if (moved < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (moved <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(moved));
  }
  return true;
}

Recording failed(std::string message) {
  Recording made;
  made.message = std::move(message);
  return made;
}

}  // namespace

struct Recorder::Server {
  const sandbox::Sandbox sandbox;
  const build::Build build;  // keeps the worker's file
  const Limits limits;
  const std::filesystem::path program;
  const Descriptor worker;
  std::optional<sandbox::Process> process;
  std::map<std::vector<std::uint64_t>, int> lines;
  int requests = -1, answers = -1;

  Server(const sandbox::Sandbox &in, const build::Build &built, const Limits &within,
         const std::filesystem::path &server)
      : sandbox(in),
        build(built),
        limits(within),
        program(server),
        worker(::open(built.worker.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (worker.get() < 0) {
      throw sandbox::SandboxError("cannot open the worker " + built.worker.string() + ": " +
                                  std::strerror(errno));
    }
    start();
  }
  ~Server() { stop(); }

  void start() {
    // A socket for our writes: when the server is gone, send() reports it without a signal.
    int request_ends[2], answer_pipe[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, request_ends) != 0) {
      throw sandbox::SandboxError("cannot open a socket");
    }
    requests = request_ends[1];
    const Descriptor request_end(request_ends[0]);
    if (::pipe2(answer_pipe, O_CLOEXEC) != 0) throw sandbox::SandboxError("cannot open a pipe");
    answers = answer_pipe[0];
    const Descriptor answer_end(answer_pipe[1]);
    ::fcntl(requests, F_SETFL, O_NONBLOCK);
    sandbox::Command command;
    command.view = sandbox::View::nothing;
    command.arguments = {"record_server"};
    command.program = program;
    command.descriptors = {{request_end.get(), server_requests},
                           {answer_end.get(), server_answers},
                           {worker.get(), server_worker}};
    command.limits.wall_seconds = 0;  // it lives as long as its Recorder; each worker has its own deadline
    command.limits.cpu_seconds = 0;
    command.limits.memory_bytes = 0;
    process.emplace(sandbox.start(command));
  }

  void stop() {
    if (requests >= 0) ::close(requests);
    if (answers >= 0) ::close(answers);
    requests = answers = -1;
    process.reset();
  }

  std::optional<ServerAnswer> ask(const ServerRequest &request) {
    const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                             std::chrono::duration<double>(request.most_seconds + patience));
    const std::vector<std::byte> frame = encode(request);
    std::uint64_t length = frame.size();
    const auto send = [](int to, const void *bytes, std::size_t count) {
      return ::send(to, bytes, count, MSG_NOSIGNAL);
    };
    const auto put = [&](std::span<const std::byte> bytes) {
      return transfer(requests, POLLOUT, bytes, deadline, send);
    };
    const auto get = [&](std::span<std::byte> bytes) {
      return transfer(answers, POLLIN, bytes, deadline, ::read);
    };
    if (!put(std::as_bytes(std::span(&length, 1))) || !put(frame)) return std::nullopt;
    if (!get(std::as_writable_bytes(std::span(&length, 1)))) return std::nullopt;
    if (length > request.plan_bytes + request.output_bytes + 4096) return std::nullopt;
    std::vector<std::byte> answer(length);
    if (!get(answer)) return std::nullopt;
    try {
      return decode_answer(answer);
    } catch (const WireError &) {
      return std::nullopt;
    }
  }

  Recording record_once(const plan::CallRequest &call, double most) {
    ServerRequest request;
    request.wall_seconds = limits.wall_seconds * call.calls;
    request.most_seconds = std::max(request.wall_seconds, std::min(stretch * request.wall_seconds, most));
    request.cpu_seconds = limits.cpu_seconds * call.calls;
    request.memory_bytes = limits.memory_bytes * call.calls;
    request.output_bytes = limits.output_bytes * call.calls;
    request.plan_bytes = limits.plan.plan_bytes * call.calls;
    request.call = plan::encode(call, limits.plan);
    std::optional<ServerAnswer> answer = process ? ask(request) : std::nullopt;
    if (!answer) {  // somebody killed it, or the machine is short of memory: try once more, with a new server
      stop();
      start();
      answer = ask(request);
    }
    if (!answer) return failed("the record server does not answer");
    return read_answer(*answer, call, limits);
  }

  int line_of(const std::vector<std::uint64_t> &callers) {
    const auto known = lines.find(callers);
    if (known != lines.end()) return known->second;
    constexpr std::size_t most_looked_up = 64;  // each starts a process, and a launcher may have thousands
    if (lines.size() >= most_looked_up) return 0;
    return lines[callers] = ask_addr2line(callers);
  }

  // A return address belongs to the code after the call, so we look up the byte before it. If the call is in
  // an inlined function (-i), as in templates of cuda_runtime.h, addr2line prints the outer function
  // too.
  int ask_addr2line(const std::vector<std::uint64_t> &callers) const try {
    const Scratch folder;
    std::filesystem::copy_file(build.worker, folder.path() / "worker");
    sandbox::Command command;
    command.arguments = {"/usr/bin/addr2line", "-f", "-i", "-e", "worker"};
    for (const std::uint64_t caller : callers) command.arguments.push_back(fmt::format("{:#x}", caller - 1));
    command.environment = {"LC_ALL=C"};
    command.work = folder.path();
    command.limits.wall_seconds = 5;
    command.limits.memory_bytes = std::uint64_t{1} << 30;
    return line_in(sandbox.run(command).output, build.file);
  } catch (const std::exception &) {
    return 0;  // a message without its line is still a message
  }
};

int Recorder::line_of(const std::vector<std::uint64_t> &callers) const {
  return callers.empty() ? 0 : server_->line_of(callers);
}

Recorder::Recorder(const sandbox::Sandbox &sandbox, const build::Build &build, const Limits &limits,
                   const std::filesystem::path &server)
    : server_(std::make_unique<Server>(sandbox, build, limits, server)) {}
Recorder::~Recorder() = default;

namespace {
/// Whether there is a value for each parameter.
bool fits(const plan::CallRequest &call) {
  const plan::Signature signature(call.parameters);
  const auto has = [&](const std::string &name, std::size_t device) {
    return std::any_of(call.buffers.begin(), call.buffers.end(),
                       [&](const plan::Buffer &b) { return b.name == name && b.device == device; });
  };
  const auto has_buffer = [&](const plan::Parameter &p) {
    if (p.passed == plan::Passed::pointer) return has(p.name, 0);
    bool all = true;
    if (p.passed == plan::Passed::pointers)
      for (std::size_t d = 0; d < call.devices; ++d) all = all && has(plan::name_on_device(p.name, d), d);
    return all;
  };
  const std::vector<plan::Parameter> &all = signature.parameters();
  return call.integers.size() == signature.count(plan::Passed::integer) &&
         call.reals.size() == signature.count(plan::Passed::real) && call.devices >= 1 &&
         call.devices <= plan::most_devices &&
         call.buffers.size() == signature.count(plan::Passed::pointer) +
                                    signature.count(plan::Passed::pointers) * call.devices &&
         std::all_of(all.begin(), all.end(), has_buffer);
}

/// The result of a process that called the launcher twice.
Recording in_its_call(Recording second) {
  if (second.first_call && second.outcome != Outcome::our_failure)
    second.message = "when it is called a second time in the same program: " + second.message;
  return second;
}

/// Keeps the two calls of one process if they differ.
void compare_calls(Recording &first, Recording &second, std::span<const plan::KernelLayout> kernels) {
  auto difference = plan::difference_of_calls(second.plan, *second.first_call, kernels);
  if (!difference) return;
  first.again = SecondCall{std::move(second.plan), *second.first_call, std::move(difference->words), {}};
  if (const auto place = second.launched_at.find(difference->operation); place != second.launched_at.end())
    first.again->callers = place->second;
}

}  // namespace

Recording Recorder::record(plan::CallRequest call, double most) const try {
  if (!fits(call)) return failed("the call does not have the arguments of (" + call.parameters + ")");
  call.kernels = server_->build.kernels;
  call.variables = server_->build.variables;
  Recording first = server_->record_once(call, most);
  if (first.outcome != Outcome::plan) return first;
  call.calls = first.refused ? 1 : 2;
  Recording second = server_->record_once(call, most);
  if (second.outcome != Outcome::plan) return in_its_call(second);
  plan::LaunchPlan once = second.plan;
  if (second.first_call) {
    once.operations.resize(*second.first_call);
    once.buffers.resize(std::min(once.buffers.size(), first.plan.buffers.size()));
    once.streams.resize(std::min(once.streams.size(), first.plan.streams.size()));
    once.events = std::min(once.events, first.plan.events);
  }
  if (const auto difference = plan::first_difference(first.plan, once)) {
    first.outcome = Outcome::bad_plan;
    first.message = "two recordings of the same call differ at " + *difference;
    first.plan = {};
  } else if (second.first_call) {
    compare_calls(first, second, call.kernels);
  }
  return first;
} catch (const std::exception &e) {
  return failed(std::string("the launcher could not be recorded: ") + e.what());
}

}  // namespace warpgrade::record
