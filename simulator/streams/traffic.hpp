// What operations of streams move between devices and the host, and which operations they follow: the input of
// links::plan(). Takes what ran; returns links::Operation; throws nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "links/operation.hpp"
#include "machine/device.hpp"
#include "streams/order.hpp"

namespace warpgrade::streams {

/// A variable of the device code, as it is on one device.
struct Placed {
  std::uint64_t begin = 0, end = 0;
  int device = 0;
};

/// The place whose memory something is: a device, or links::host. None: it is not counted.
struct Places {
  std::function<std::optional<int>(const std::string &buffer)> of_buffer;
  std::function<std::optional<int>(std::uint64_t address)> of_address;
  /// Where a variable is, by device; empty for other buffers. Its name does not say which one a kernel accessed.
  std::function<std::vector<Placed>(const std::string &buffer)> of_variable = {};
};

/// A kernel that ran on `device`. Its loads and stores count by the buffer that they access, those of variables and its
/// atomics by their words in the footprint.
links::Operation kernel(std::string name, int device, const simt::LaunchResult &, const Places &);

/// A copy or fill by a stream of `device`: `rows` pieces of `width` bytes. A fill has no `from`.
struct Copied {
  std::optional<int> to, from;
  bool fill = false;
  std::uint64_t width = 0, rows = 1;
};
links::Operation copy(std::string call, int device, const Copied &);

/// The operations so far, by stream and number.
class History {
 public:
  /// Sets `after` of the next operation. number: within its stream, ascending; known: what has ended when it begins.
  void add(links::Operation &, std::uint64_t stream, std::uint64_t number, const Clock &known);
  std::size_t size() const { return count_; }

 private:
  /// The numbers of a stream's operations, with their places among all.
  std::map<std::uint64_t, std::vector<std::pair<std::uint64_t, std::size_t>>> of_stream_;
  std::size_t count_ = 0;
};

}  // namespace warpgrade::streams
