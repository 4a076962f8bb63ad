// What a program asked its devices to do, as plain data: kernels and copies in the order of its calls, what each waits
// for, and the bytes that it moves between devices. The runtime writes it down; schedule.hpp predicts times from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ptx/module.hpp"

namespace warpgrade::links {

constexpr int host = -1;  ///< as a place beside devices 0, 1, ...

/// Bytes that an operation moved in one direction. Accesses of kernels count sectors of 32 bytes, and one message for
/// each request of a warp; an atomic is a message of 32 bytes for each thread.
struct Transfer {
  int from = host, to = host;
  std::uint64_t bytes = 0, messages = 0;
  ptx::SourceLine at;  ///< of a kernel's access; line 0: a copy, or not known
  bool operator==(const Transfer &) const = default;
};

/// A place in the machine code of the program.
struct CodePlace {
  std::string file;      ///< empty: the program itself; else a library
  std::uint64_t at = 0;  ///< as the file numbers its addresses
  auto operator<=>(const CodePlace &) const = default;
};

struct Operation {
  int device = 0;
  bool kernel = false;
  std::string what;                     ///< "add(float*, int)", "cudaMemcpyPeerAsync"
  std::string stream;                   ///< "the default stream", "stream 0x1001"
  std::uint64_t warp_instructions = 0;  ///< of a kernel
  std::uint64_t device_bytes = 0;       ///< that it moves from and to the memory of its own device
  std::vector<Transfer> transfers;      ///< between devices, and between a device and the host
  std::vector<std::size_t> after;       ///< operations that end before it begins, by their places in the list
  std::vector<CodePlace> callers;       ///< of a copy: the calls that led to it, the innermost first
  bool operator==(const Operation &) const = default;
};

}  // namespace warpgrade::links
