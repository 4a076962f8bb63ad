#include "record/answer.hpp"

#include <fmt/format.h>

#include <cctype>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <optional>

#include "plan/decode.hpp"
#include "plan/request.hpp"

namespace warpgrade::record {
namespace {

using Outcome = Recording::Outcome;
using End = ServerAnswer::End;

const char *signal_meaning(int number) {
  switch (number) {
    case SIGSEGV:
      return "SIGSEGV (invalid memory access)";
    case SIGBUS:
      return "SIGBUS (invalid memory access)";
    case SIGFPE:
      return "SIGFPE (integer division by zero)";
    case SIGILL:
      return "SIGILL (illegal instruction)";
    case SIGABRT:
      return "SIGABRT (abort, a failed assertion or a corrupted heap)";
    case SIGTRAP:
      return "SIGTRAP (breakpoint)";
    case SIGKILL:
      return "SIGKILL";
    case SIGTERM:
      return "SIGTERM";
    case SIGPIPE:
      return "SIGPIPE (wrote to a closed pipe)";
    default:
      return nullptr;
  }
}

/// Of a null pointer: of an object, or of an element or member near its start.
constexpr std::uint64_t end_of_null = 4096;

std::string signal_name(int number, const std::optional<plan::Trace::Fault> &fault) {
  if (number == SIGSEGV && fault && fault->signal == number && fault->address < end_of_null)
    return "SIGSEGV (a null pointer is read or written)";
  if (const char *known = signal_meaning(number)) return known;
  const char *name = ::sigabbrev_np(number);
  return name == nullptr ? fmt::format("signal {}", number) : fmt::format("SIG{}", name);
}

constexpr std::size_t longest_quotation = 400;  // bytes

/// The worker's own message, as one line in quotation marks that it cannot close. Our library writes
/// these words, but it runs in the student's process, so a launcher can write any others instead.
std::string quoted(std::string text) {
  if (text.size() > longest_quotation) {
    std::size_t end = longest_quotation;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;  // whole characters
    text = text.substr(0, end) + "...";
  }
  for (char &c : text) {
    if (c == '"') c = '\'';
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = ' ';
  }
  return '"' + text + '"';
}

Recording recording(Outcome outcome, std::string message) {
  Recording made;
  made.outcome = outcome;
  made.message = std::move(message);
  return made;
}

// Why a process without a refusal and without an end mark stopped.
Recording unfinished(const ServerAnswer &answer, const plan::Trace *trace, const Limits &limits) {
  const bool before = trace != nullptr && !trace->started;
  const char *where = before ? " before the launcher was called (in the constructor of a global object)" : "";
  switch (answer.end) {
    case End::wall_limit:
      return recording(Outcome::time_limit,
                       fmt::format("the launcher did not return within {} s{}", limits.wall_seconds,
                                   before ? ": the time was spent" + std::string(where) : ""));
    case End::starved:
      return recording(
          Outcome::our_failure,
          fmt::format("this machine was too busy to run the launcher: in {:.1f} s it had less than {:g} s "
                      "of a processor",
                      answer.wall_seconds, limits.wall_seconds));
    case End::cpu_limit:
      return recording(
          Outcome::time_limit,
          fmt::format("the launcher used more than {} s of processor time{}", limits.cpu_seconds, where));
    case End::plan_limit:
      return recording(Outcome::bad_plan, fmt::format("the plan is longer than {} bytes, uploads included",
                                                      limits.plan.plan_bytes));
    case End::signalled: {
      const std::optional<plan::Trace::Fault> none;
      const std::optional<plan::Trace::Fault> &fault = trace ? trace->fault : none;
      Recording made = recording(Outcome::crashed, fmt::format("the host code of this step crashed with {}{}",
                                                               signal_name(answer.code, fault), where));
      made.signal = answer.code;
      if (fault && fault->signal == answer.code) made.callers = trace->refused_at;
      return made;
    }
    case End::exited:
      if (before) {
        return recording(Outcome::crashed,
                         fmt::format("the process ended with exit status {}{}", answer.code, where));
      }
      if (answer.code == plan::returned_status) {
        return recording(
            Outcome::bad_plan,
            "the plan did not arrive: the launcher closed or replaced descriptors that it did not open");
      }
      return recording(Outcome::crashed,
                       fmt::format("the launcher ended its process with exit status {} instead of returning",
                                   answer.code));
    case End::not_started:
      // The file exists and is open: these errors mean that the student's object turned it into something that
      // cannot run.
      if (answer.code == ENOENT || answer.code == ENOEXEC || answer.code == EINVAL ||
          answer.code == ELIBBAD) {
        return recording(Outcome::crashed,
                         "this step does not link to a program that can be started (does it name sections?)");
      }
      break;
  }
  return recording(Outcome::our_failure,
                   fmt::format("the worker could not be started: {}", std::strerror(answer.code)));
}

std::vector<Allocation> allocations_of(const plan::Trace &trace) {
  std::vector<Allocation> all;
  for (const auto &[index, callers] : trace.allocated_at) {
    const plan::Buffer &buffer = trace.plan.buffers.at(index);
    all.push_back({buffer.name, buffer.bytes, callers});
  }
  return all;
}

/// Interprets a complete stream.
Recording understood(const ServerAnswer &answer, plan::Trace &trace, const plan::CallRequest &request,
                     const Limits &limits) {
  const auto bad_plan = [&](std::string message) {
    Recording made = recording(Outcome::bad_plan, std::move(message));
    made.callers = trace.refused_at;
    made.allocations = allocations_of(trace);
    return made;
  };
  if (trace.refused)
    return bad_plan(trace.refused->empty() ? "the launcher made a call that it may not make"
                                           : "the launcher may not do this: " + quoted(*trace.refused));
  if (trace.device_access) {
    return bad_plan(
        fmt::format("the launcher reads or writes device memory{} on the host; only a kernel may do that",
                    trace.accessed.empty() ? "" : " (" + trace.accessed + ")"));
  }
  if (trace.ended ||
      trace.failed_launch) {  // a launch failed and the launcher stopped there: the plan shows it
    Recording made = recording(Outcome::plan, "");
    made.allocations = allocations_of(trace);
    made.failed_launch = trace.failed_at;
    made.refused = plan::first_refused_launch(trace.plan, request.kernels, request.device);
    made.plan = std::move(trace.plan);
    return made;
  }
  if (trace.thrown) {
    const bool memory = *trace.thrown == "std::bad_alloc";
    return recording(
        Outcome::crashed,
        "the launcher threw an exception: " + quoted(*trace.thrown) +
            (memory ? fmt::format(" (it may use {} MiB of memory)", limits.memory_bytes >> 20) : ""));
  }
  return unfinished(answer, &trace, limits);
}

Recording read(const ServerAnswer &answer, const plan::CallRequest &request, const Limits &limits) {
  if (answer.end == End::not_started) return unfinished(answer, nullptr, limits);
  std::optional<plan::Trace> trace;
  std::string malformed;
  try {
    trace = plan::read_trace(answer.plan, request, limits.plan);
  } catch (const plan::PlanError &e) {
    malformed = e.what();
  }
  if (!trace) {
    // Killed in the middle of a record: report how it ended.
    if (answer.end != End::exited) return unfinished(answer, nullptr, limits);
    return recording(Outcome::bad_plan, malformed);
  }
  Recording made = understood(answer, *trace, request, limits);
  made.first_call = trace->first_call;
  made.launched_at = std::move(trace->launched_at);
  return made;
}

}  // namespace

namespace {

/// "_ZL10cudaMallocIfE9cudaErrorPPT_m"
bool is_of_the_runtime(std::string_view mangled) {
  for (std::size_t at = 1; (at = mangled.find("cuda", at)) != std::string_view::npos; ++at) {
    const bool begins = std::isdigit(static_cast<unsigned char>(mangled[at - 1])) != 0;
    const bool goes_on =
        at + 4 < mangled.size() && std::isupper(static_cast<unsigned char>(mangled[at + 4])) != 0;
    if (begins && goes_on) return mangled.find_first_of("0123456789") + 3 > at;  // the function's own name
  }
  return false;
}

/// The host function that a compiler generates for a kernel, at the kernel's line. With nvcc, these are two:
/// "_Z21__device_stub__Z1kPfPf", and "_Z1kPf", which calls it.
class KernelStubs {
 public:
  bool hold(std::string_view mangled) {
    constexpr std::string_view mark = "__device_stub_";
    const std::size_t at = mangled.find(mark);
    if (at == std::string_view::npos) return !inner_.empty() && inner_.starts_with(mangled);
    inner_ = mangled.substr(at + mark.size());
    return true;
  }

 private:
  std::string_view inner_;
};

}  // namespace

int line_in(std::string_view printed, const std::string &file) {
  std::string_view name;
  KernelStubs stubs;
  bool is_name = true;
  for (std::size_t at = 0; at < printed.size(); is_name = !is_name) {
    const std::size_t end = std::min(printed.find('\n', at), printed.size());
    std::string_view line = printed.substr(at, end - at);
    at = end + 1;
    if (is_name) {
      name = stubs.hold(line) ? std::string_view() : line;
      continue;
    }
    if (name.empty()) continue;
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || is_of_the_runtime(name)) continue;
    std::string_view place = line.substr(0, colon);
    if (const std::size_t slash = place.rfind('/'); slash != std::string_view::npos)
      place.remove_prefix(slash + 1);
    int number = 0;
    std::from_chars(line.data() + colon + 1, line.data() + line.size(), number);
    if (place == file && number > 0) return number;
  }
  return 0;
}

Recording read_answer(const ServerAnswer &answer, const plan::CallRequest &request, const Limits &limits) {
  Recording made = read(answer, request, limits);
  made.printed.assign(reinterpret_cast<const char *>(answer.output.data()), answer.output.size());
  made.printed_more = answer.truncated;
  made.seconds = answer.wall_seconds;
  made.charged_seconds = std::min(answer.wall_seconds, answer.cpu_seconds + answer.waited_seconds);
  return made;
}

}  // namespace warpgrade::record
