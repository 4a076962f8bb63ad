// Messages between gpu/ and its children: a type, a length, and bytes that base/wire.hpp writes and reads.
#pragma once

#include <cstdint>

#include "base/wire.hpp"

namespace warpgrade::gpu {

enum class Message : std::uint32_t {
  // from the parent
  query = 1,
  set_up_replay,
  device_code,  ///< of all runs that follow
  set_up_referee,
  adopt,    ///< with files: the memory in which later runs find their judge buffers
  run,      ///< a plan, or a library's routine: prepare it
  go,       ///< start it now
  product,  ///< what is dealt, multiplied and checked from now on
  arrays,   ///< or the arrays of a problem.cu
  routine,  ///< or the routine of a library that is run from now on
  deal,     ///< draw fresh inputs
  check,    ///< check the result of a run
  set_up_probes,
  probe,  ///< run a microbenchmark
  // from a child
  devices = 100,
  ready,     ///< set up; what it found
  failed,    ///< could not: a sentence
  armed,     ///< prepared, the GPU idle
  finished,  ///< how it ended and the event time
  outputs,   ///< the shared memory holds the results
  exchange,  ///< where inputs will be dealt; with files if another process can map that memory
  dealt,
  checked,
  probed,  ///< its times
};

struct Header {
  std::uint32_t type = 0;
  std::uint32_t reserved = 0;
  std::uint64_t bytes = 0;
};

/// The longest message that a parent accepts from a child; bulk data goes through shared memory.
inline constexpr std::uint64_t max_answer_bytes = std::uint64_t{1} << 20;

}  // namespace warpgrade::gpu
