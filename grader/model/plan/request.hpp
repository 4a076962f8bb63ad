// The request as sent to the worker, and the tags of the records that it sends back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plan/plan.hpp"

namespace warpgrade::plan {

std::vector<std::byte> encode(const CallRequest &, const Limits &);

struct WorkerOrders {
  CallRequest request;
  Limits limits;
  bool operator==(const WorkerOrders &) const = default;
};
/// throws WireError
WorkerOrders decode_request(std::span<const std::byte>);

/// One record of the worker's stream: a tag, then the fields named here, unpadded. Addresses are those of
/// addresses.hpp; kernels and variables are indices into the request.
enum class Tag : std::uint8_t {
  started = 1,          ///< main was reached
  allocate = 2,         ///< u64 address, u64 bytes, u8 device: takes the next slot
  variable = 3,         ///< u32 variable, u64 address, u8 device: takes the next slot
  free = 4,             ///< u64 address
  set_memory = 5,       ///< u64 to, u8 value, u64 width, u64 rows, u64 pitch
  copy_in = 6,          ///< u64 to, bytes
  copy_within = 7,      ///< u64 to, u64 from, u64 width, u64 rows, u64 to_pitch, u64 from_pitch
  attribute = 8,        ///< u32 kernel, u8 attribute, i32 value
  launch = 9,           ///< u32 kernel, 3 u32 grid, 3 u32 block, u32 dynamic shared bytes, argument bytes
  cluster = 10,         ///< 3 u32 blocks: the shape of the clusters of the next launch
  stream = 11,          ///< u8 device, u8 blocking: takes the next number of a stream
  event = 12,           ///< takes the next number of an event
  use_stream = 13,      ///< u32 stream
  record_event = 14,    ///< u32 event
  wait_for_event = 15,  ///< u32 event
  host_waits = 16,      ///< u8 for what, u32 number
  peer_access = 17,     ///< u8 device, u8 owner, u8 allowed
  failed_launch = 20,   ///< string: why the runtime refused the previous launch
  refused = 21,         ///< string: the call and the rule it breaks
  device_access = 22,   ///< u64 address that host code dereferenced, 0 if not known
  thrown = 23,          ///< string: what escaped from the launcher
  ended = 24,           ///< the launcher returned, and exit handlers ran; nothing follows
  fault = 26,           ///< u8 signal, u64 address: what is about to kill the launcher
  called_from = 25,     ///< u8 count, that many u64: return addresses, innermost first, of the call whose
                        ///< record this one follows: allocate, failed_launch, refused, device_access,
                        ///< fault; launch when the launcher is called more than once; and launch, copies and
                        ///< set_memory when there are several devices
  called_again = 27,    ///< the launcher returned, and is called once more in the same process
};

/// Exit status of a worker whose launcher returned. If its plan has no end mark, the launcher closed or
/// replaced the descriptor to which the plan is written.
inline constexpr int returned_status = 86;

}  // namespace warpgrade::plan
