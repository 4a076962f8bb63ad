// A launch plan: the CUDA calls of a student's launcher for one case, as plain data. `record` fills in these
// structures, `run` and `gpu` replay them, and `report` prints them.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "ptx/device_properties.hpp"
#include "ptx/launch_check.hpp"
#include "ptx/tensor_map.hpp"

namespace warpgrade::plan {

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  bool operator==(const Dim3 &) const = default;
  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
};

/// Devices of a plan have numbers below this one.
inline constexpr std::uint8_t most_devices = 8;

/// Streams that launchers create, in all calls together.
inline constexpr std::size_t most_streams = 1024;

/// The owner of a buffer.
enum class Owner : std::uint8_t {
  judge,    ///< an argument of the launcher: A, B, C
  student,  ///< allocated by the launcher (cudaMalloc and similar calls)
  module,   ///< a __device__ or __constant__ variable, bound by its mangled name
};

/// Device memory named by the plan. Its position in LaunchPlan::buffers is its id; the plan contains no
/// addresses.
struct Buffer {
  Owner owner = Owner::judge;
  std::string name;  ///< "A"; "scratch 1"; the variable's mangled name
  std::uint64_t bytes = 0;
  std::uint8_t device = 0;  ///< whose memory it is; a variable of the device code exists once on each device
  bool operator==(const Buffer &) const = default;
};

/// A place in a buffer. `offset` may be outside 0..bytes: then the launcher passed a pointer outside its
/// buffer, and the replay reproduces exactly that.
struct Place {
  std::uint32_t buffer = 0;
  std::int64_t offset = 0;  ///< bytes
  bool operator==(const Place &) const = default;
};

/// 8 argument bytes at `at` that are a device pointer.
struct PointerArgument {
  std::uint32_t at = 0;  ///< offset in Launch::arguments
  Place to;
  bool operator==(const PointerArgument &) const = default;
};

/// 128 bytes at `at` that are a CUtensorMap. The replay encodes it for its own device, with the address of
/// `to` there.
struct TensorMapArgument {
  std::uint32_t at = 0;  ///< offset in Launch::arguments or CopyIn::bytes
  Place to;
  ptx::TensorMap map;  ///< its address is 0
  bool operator==(const TensorMapArgument &) const = default;
};

struct Allocate {
  std::uint32_t buffer = 0;
  bool operator==(const Allocate &) const = default;
};
struct Free {
  std::uint32_t buffer = 0;
  bool operator==(const Free &) const = default;
};
/// `rows` runs of `width` bytes, `pitch` bytes apart, set to `value`. A plain cudaMemset has one row.
struct SetMemory {
  Place to;
  std::uint8_t value = 0;
  std::uint64_t width = 0, rows = 1, pitch = 0;
  bool operator==(const SetMemory &) const = default;
};
/// Bytes from the host, also to a symbol (its module buffer).
struct CopyIn {
  Place to;
  std::vector<std::byte> bytes;                     ///< tensor maps are zero here
  std::vector<TensorMapArgument> tensor_maps = {};  ///< by ascending `at`
  bool operator==(const CopyIn &) const = default;
};
/// Device to device; one row for a plain cudaMemcpy.
struct CopyWithin {
  Place to, from;
  std::uint64_t width = 0, rows = 1, to_pitch = 0, from_pitch = 0;
  bool operator==(const CopyWithin &) const = default;
};
enum class FunctionAttribute : std::uint8_t {
  max_dynamic_shared_bytes,
  preferred_shared_carveout,
  large_clusters,  ///< of more than 8 blocks: 1 if allowed
};
struct SetFunctionAttribute {
  std::string kernel;  ///< mangled
  FunctionAttribute attribute = FunctionAttribute::max_dynamic_shared_bytes;
  std::int32_t value = 0;
  bool operator==(const SetFunctionAttribute &) const = default;
};
struct Launch {
  std::string kernel;  ///< mangled name of the .entry
  Dim3 grid, block;
  std::uint32_t dynamic_shared_bytes = 0;
  std::vector<std::byte>
      arguments;  ///< packed as the kernel's parameters are laid out; pointers and tensor maps are zero here
  std::vector<PointerArgument> pointers;            ///< by ascending `at`
  std::vector<TensorMapArgument> tensor_maps = {};  ///< likewise
  /// Where each parameter begins in `arguments`, if there are tensor maps: a GPU aligns them in its own way,
  /// so a driver must get the parameters one by one.
  std::vector<std::uint32_t> parameters = {};
  ptx::ClusterShape cluster{};  ///< as the launch requests; zeros: none (see ptx::cluster_of)
  bool operator==(const Launch &) const = default;
};

/// The operations after it go into this stream, until the next one of these.
struct UseStream {
  std::uint32_t stream = 0;  ///< its position in LaunchPlan::streams
  bool operator==(const UseStream &) const = default;
};
/// In the stream in use, of whose device the event is.
struct RecordEvent {
  std::uint32_t event = 0;
  bool operator==(const RecordEvent &) const = default;
};
/// What follows in the stream in use waits until the event has happened as it was last recorded.
struct WaitForEvent {
  std::uint32_t event = 0;
  bool operator==(const WaitForEvent &) const = default;
};
/// The host waits before it does anything more.
struct HostWaits {
  enum class For : std::uint8_t { device, stream, event };
  For what = For::device;
  std::uint32_t number = 0;  ///< of that device, stream or event
  bool operator==(const HostWaits &) const = default;
};
/// From now on kernels of `device` may access the memory of `owner`, or may not.
struct PeerAccess {
  std::uint8_t device = 0, owner = 0;
  bool allowed = true;
  bool operator==(const PeerAccess &) const = default;
};

using Operation = std::variant<Allocate, Free, SetMemory, CopyIn, CopyWithin, SetFunctionAttribute, Launch,
                               UseStream, RecordEvent, WaitForEvent, HostWaits, PeerAccess>;

/// A queue of a device.
struct DeviceStream {
  std::uint8_t device = 0;
  bool blocking = true;  ///< it waits for the device's default stream, and that one for it
  bool operator==(const DeviceStream &) const = default;
};

struct LaunchPlan {
  std::vector<Buffer> buffers;  ///< the judge's first, in the order of the request
  std::vector<Operation> operations;
  /// Where there are several devices: the default stream of each, then those that the launcher created. A plan begins
  /// in stream 0. Empty: there is one device, and everything happens in the order of the operations.
  std::vector<DeviceStream> streams = {};
  std::uint32_t events = 0;  ///< they are numbered from 0
  bool operator==(const LaunchPlan &) const = default;
};

using ptx::DeviceProperties;
using ptx::KernelLayout;
using ptx::ParameterLayout;
using ptx::simulated_device;

/// What the worker needs to call the launcher. It contains shapes, but no data, no seed and none of our
/// addresses.
struct CallRequest {
  std::string parameters;              ///< of the entry, as text: see plan/signature.hpp
  std::vector<std::int64_t> integers;  ///< those that the entry takes, in order: M, N, K
  std::vector<double> reals;           ///< likewise: alpha, beta
  std::vector<Buffer> buffers;         ///< the judge's; each pointer takes the one of its name
  std::vector<KernelLayout> kernels;   ///< of the device code the judge compiled
  std::vector<Buffer> variables;       ///< its __device__ and __constant__ variables, owner `module`
  DeviceProperties device;
  std::uint32_t calls = 1;   ///< of the launcher, one after the other in one process
  std::uint8_t devices = 1;  ///< all alike; an array of pointers has one pointer for each
  bool operator==(const CallRequest &) const = default;
};

/// Limits on an untrusted plan, for each call of the launcher; each is a number in the assignment's YAML.
struct Limits {
  std::uint64_t plan_bytes = std::uint64_t{32} << 20;  ///< the encoded plan, uploads included
  std::uint32_t operations = 10000, launches = 1000, buffers = 1000;
  std::uint64_t scratch_bytes = std::uint64_t{4} << 30;  ///< the launcher's allocations, at any one time
  std::uint64_t threads = std::uint64_t{1} << 34;        ///< of all launches together
  bool operator==(const Limits &) const = default;
};

}  // namespace warpgrade::plan
