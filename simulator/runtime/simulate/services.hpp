// What the simulator's stand-ins for other libraries of NVIDIA (libnccl.so.2) ask of the runtime in the same process: one
// table of functions, which the exported function cudaWarpgradeServices gives. They hand over views, never memory to free:
// each library has an allocator of its own.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "counters/diagnostic.hpp"

namespace warpgrade::cuda {

struct ByteRange {
  const void *at = nullptr;
  std::uint64_t bytes = 0;
};

/// Bytes that a step brings from another device.
struct Arrival {
  int from = 0;
  std::uint64_t bytes = 0;
};

/// An operation of a library in a stream: what it accesses is checked for races and counted as traffic. The caller moves
/// the bytes.
struct StreamStep {
  const char *call = "";                 ///< of the program: "ncclAllReduce"
  std::string_view what;                 ///< "ncclAllReduce, ring, step 2 of 6"
  int device = 0;                        ///< that of the stream
  std::uint64_t stream = 0;              ///< as Services::name_stream gave it
  std::span<const std::uint64_t> after;  ///< marks: it begins when they have been passed
  std::span<const ByteRange> reads, writes;
  std::span<const Arrival> arrivals;
  std::uint64_t device_bytes = 0;  ///< moved in the memory of its own device
  std::uint64_t mark = 0;          ///< to be set behind it; 0: none
};

/// Memory that a call of the program names.
struct NamedBuffer {
  const char *call = "";
  std::string_view name;  ///< "the send buffer of rank 1"
  ByteRange range;
  int device = 0;  ///< whose memory it should be
};

struct LibraryFinding {
  const char *code = "";
  simt::Severity severity = simt::Severity::error;
  const char *call = "";
  std::string_view message, hint;
};

struct Services {
  bool (*in_host_function)();
  int (*device_count)();
  int (*current_device)();
  /// Of a stream that was created; -1 for a default stream, which each device has; -2 if there is no such stream.
  int (*device_of)(cudaStream_t);
  bool (*is_captured)(cudaStream_t);
  /// A number that means this stream of this device in every thread.
  std::uint64_t (*name_stream)(int device, cudaStream_t);
  /// Whether one live allocation of the device, or of the host, holds all the bytes; reports it if not.
  bool (*check)(const NamedBuffer &);
  /// What every call of CUDA returns from now on, since a failure is known to the program; success if there is none.
  cudaError_t (*known_error)();
  /// Whether a kernel has failed, known or not: what is asked for afterwards is not done.
  bool (*has_failed)();
  const char *(*environment)(const char *name);  ///< null: not set
  /// For StreamStep::mark. A mark that was never set orders nothing.
  std::uint64_t (*new_mark)();
  void (*forget_mark)(std::uint64_t);
  /// An error code of CUDA if an earlier failure is known to the program.
  cudaError_t (*step)(const StreamStep &);
  /// Memory that check() found good. Reports bytes that were never written.
  void (*read)(const NamedBuffer &, std::byte *to);
  void (*write)(const char *call, void *to, const std::byte *from, std::uint64_t bytes);
  void (*note)(const LibraryFinding &);
  /// Reports that the simulator lacks the call.
  void (*refuse)(const char *call, std::string_view why);
  cudaError_t (*allocate)(void **, std::size_t bytes);
  cudaError_t (*release)(void *);
  /// To be called when the program ends by itself, before the report is closed.
  void (*at_end)(void (*)());
  /// Ends the program with the report: it would wait for ever.
  void (*end)();
};

/// What was registered with Services::at_end.
void end_libraries();

}  // namespace warpgrade::cuda

extern "C" const warpgrade::cuda::Services *cudaWarpgradeServices();
