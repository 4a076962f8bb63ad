// Finds a host that reads or writes pinned or managed memory before it has waited for the kernel or copy that
// uses it. The simulator has done the work by then, so nothing goes wrong here; between two calls of the
// program, the pages that only unfinished work may touch are therefore protected. An access faults, is
// remembered, and goes on.
#pragma once

#include <cstdint>

#include "runtime/simulate/addresses.hpp"

namespace warpgrade::cuda {

class Runtime;

class HostWatch {
 public:
  /// A call of the program begins: gives the pages back, and reports what the host has touched.
  void lift(Runtime &);
  /// It ends.
  void protect(Runtime &);
  /// In a signal handler: gives back the page at an address that is protected. False if it is not.
  static bool forgive(Address);
};

}  // namespace warpgrade::cuda
