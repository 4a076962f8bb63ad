#include "counters/diagnostic.hpp"

#include <fmt/format.h>

#include "machine/device.hpp"

namespace warpgrade::simt {

std::string_view name_of(Code code) {
  switch (code) {
    case Code::out_of_bounds:
      return "out_of_bounds";
    case Code::misaligned:
      return "misaligned";
    case Code::use_after_free:
      return "use_after_free";
    case Code::peer_access:
      return "peer_access";
    case Code::barrier_divergence:
      return "barrier_divergence";
    case Code::deadlock:
      return "deadlock";
    case Code::race:
      return "race";
    case Code::uninitialized_read:
      return "uninitialized_read";
    case Code::fragment_layout:
      return "fragment_layout";
    case Code::invalid_shuffle:
      return "invalid_shuffle";
    case Code::launch_error:
      return "launch_error";
    case Code::time_limit:
      return "time_limit";
    case Code::unsupported:
      return "unsupported";
    case Code::trap:
      return "trap";
    case Code::lock:
      return "lock";
    case Code::scope:
      return "scope";
    case Code::local_memory:
      return "local_memory";
  }
  return "unknown";
}

std::string_view name_of(Cure cure) {
  constexpr std::string_view names[] = {
      "none",           "atomic_update",     "same_element", "scatter",        "one_word",
      "barrier",        "barrier_or_atomic", "syncwarp",     "lock_fences",    "one_lock",
      "same_new_value", "look_before_swap",  "look_ahead",   "between_blocks", "both_atomic"};
  const auto index = static_cast<std::size_t>(cure);
  return index < std::size(names) ? names[index] : "none";
}

std::string_view name_of(Severity severity) {
  switch (severity) {
    case Severity::info:
      return "info";
    case Severity::warning:
      return "warning";
    case Severity::error:
      return "error";
  }
  return "unknown";
}

std::string_view name_of(Status status) {
  switch (status) {
    case Status::completed:
      return "completed";
    case Status::fault:
      return "fault";
    case Status::launch_error:
      return "launch_error";
    case Status::time_limit:
      return "time_limit";
    case Status::unsupported:
      return "unsupported";
  }
  return "unknown";
}

namespace {

std::string text_of(const Dim3 &d) {
  return fmt::format("({},{},{})", d.x, d.y, d.z);
}

std::string text_of(const Side &side) {
  std::string text = fmt::format("thread {} of block {}", text_of(side.thread), text_of(side.block));
  return text;
}

}  // namespace

std::string to_text(const Diagnostic &d) {
  std::string text;
  if (d.here.at.line > 0) text += fmt::format("{}:{}: ", d.here.at.file, d.here.at.line);
  text += fmt::format("{}: {}", name_of(d.severity), d.message);
  if (d.code != Code::launch_error) text += fmt::format(", {} of {}", text_of(d.here), d.kernel);
  if (d.other) {
    text += fmt::format("; the other is {}", text_of(*d.other));
    if (d.other->at.line > 0) text += fmt::format(" at {}:{}", d.other->at.file, d.other->at.line);
  }
  if (d.consequence) text += "; possibly a consequence of the bad access above";
  if (d.count > 1) text += fmt::format(" ({} times)", d.count);
  return text;
}

}  // namespace warpgrade::simt
