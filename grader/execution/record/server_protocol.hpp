// The frames between a Recorder and its record server. Each is preceded by its length as 64 bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/wire.hpp"

namespace warpgrade::record {

/// The server's descriptors, besides 0 (/dev/null).
inline constexpr int server_requests = 3, server_answers = 4, server_worker = 5;

/// A call may exceed its time limit by this factor if the machine is too busy to give it
/// a processor.
inline constexpr double stretch = 10;

struct ServerRequest {
  double wall_seconds = 0;
  double most_seconds = 0;  ///< if the machine is too busy
  std::uint32_t cpu_seconds = 0;
  std::uint64_t memory_bytes = 0, output_bytes = 0, plan_bytes = 0;
  std::vector<std::byte> call;  ///< plan::encode(CallRequest)
};

struct ServerAnswer {
  enum class End : std::uint8_t {
    exited,
    signalled,
    wall_limit,
    cpu_limit,
    plan_limit,
    not_started,
    starved,  ///< it was always ready to run, but the machine was too busy
  };
  End end = End::not_started;
  std::int32_t code = 0;  ///< exit status, signal, or errno
  double wall_seconds = 0, cpu_seconds = 0;
  double waited_seconds = 0;  ///< the longest time without any processor time
  bool truncated = false;     ///< of output
  std::vector<std::byte> plan, output;
};

inline std::vector<std::byte> encode(const ServerRequest &request) {
  Writer to;
  to.put(request.wall_seconds);
  to.put(request.most_seconds);
  to.put(request.cpu_seconds);
  to.put(request.memory_bytes);
  to.put(request.output_bytes);
  to.put(request.plan_bytes);
  to.put_bytes(request.call);
  return to.bytes();
}

/// throws WireError, as decode_answer does
inline ServerRequest decode_server_request(std::span<const std::byte> bytes) {
  Reader from(bytes);
  ServerRequest request;
  request.wall_seconds = from.get<double>();
  request.most_seconds = from.get<double>();
  request.cpu_seconds = from.get<std::uint32_t>();
  request.memory_bytes = from.get<std::uint64_t>();
  request.output_bytes = from.get<std::uint64_t>();
  request.plan_bytes = from.get<std::uint64_t>();
  request.call = from.copy_bytes();
  return request;
}

inline std::vector<std::byte> encode(const ServerAnswer &answer) {
  Writer to;
  to.put(answer.end);
  to.put(answer.code);
  to.put(answer.wall_seconds);
  to.put(answer.cpu_seconds);
  to.put(answer.waited_seconds);
  to.put<std::uint8_t>(answer.truncated);
  to.put_bytes(answer.plan);
  to.put_bytes(answer.output);
  return to.bytes();
}

inline ServerAnswer decode_answer(std::span<const std::byte> bytes) {
  Reader from(bytes);
  ServerAnswer answer;
  const auto end = from.get<std::uint8_t>();
  if (end > static_cast<std::uint8_t>(ServerAnswer::End::starved)) throw WireError("unknown end of a worker");
  answer.end = static_cast<ServerAnswer::End>(end);
  answer.code = from.get<std::int32_t>();
  answer.wall_seconds = from.get<double>();
  answer.cpu_seconds = from.get<double>();
  answer.waited_seconds = from.get<double>();
  answer.truncated = from.get<std::uint8_t>() != 0;
  answer.plan = from.copy_bytes();
  answer.output = from.copy_bytes();
  return answer;
}

}  // namespace warpgrade::record
