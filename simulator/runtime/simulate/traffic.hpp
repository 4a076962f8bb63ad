// What the program's operations move between devices and the host, for the journal. Nothing is kept unless the options
// ask for it.
#pragma once

#include <string>

#include "links/operation.hpp"
#include "machine/device.hpp"
#include "runtime/simulate/addresses.hpp"
#include "runtime/simulate/stream_order.hpp"
#include "runtime/work.hpp"
#include "streams/traffic.hpp"

namespace warpgrade::cuda {

class Runtime;

class Traffic {
 public:
  /// A kernel has run on the current device, in the stream of the call in progress. Before its footprint is given away.
  void kernel(Runtime &, const std::string &name, const simt::LaunchResult &);
  /// A copy or fill of so many bytes in so many pieces. A side: the block, or null for pageable memory of the host.
  struct Side {
    bool used = true;  ///< a fill has one side
    const Block *block = nullptr;
  };
  void copy(Runtime &, const char *call, const Side &to, const Side &from, const Box &);
  /// An operation of a library, with what it moves between devices and in the memory of its own.
  void step(Runtime &, std::string what, std::vector<links::Transfer>, std::uint64_t device_bytes);

 private:
  bool is_on(const Runtime &) const;
  void add(Runtime &, links::Operation);
  streams::History history_;
};

}  // namespace warpgrade::cuda
