// What a program has said about its managed memory: cudaMemAdvise and cudaMemPrefetchAsync. Nothing runs
// otherwise for it; the program may ask for it again.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>

#include "runtime/simulate/addresses.hpp"

namespace warpgrade::cuda {

/// As cudaMemLocation, which CUDA 12.1 lacks.
struct Location {
  int type = 0;  ///< 0: none, 1: device, 2: host, 3: NUMA node of the host
  int id = cudaInvalidDeviceId;
  bool operator==(const Location &) const = default;
  bool operator<(const Location &other) const {
    return type != other.type ? type < other.type : id < other.id;
  }
  /// As calls without types of locations count: cudaCpuDeviceId is the host.
  int device() const { return type == 1 ? id : type == 0 ? cudaInvalidDeviceId : cudaCpuDeviceId; }
};

struct Advice {
  bool read_mostly = false;
  Location preferred, prefetched;
  std::set<Location> accessed_by;
};

class ManagedAdvice {
 public:
  /// Of all pages of a range.
  template <class Change>
  void change(Address begin, std::uint64_t bytes, const Change &change) {
    const auto first = split(page(begin)), last = split(page(begin + bytes + page_bytes - 1));
    for (auto one = first; one != last; ++one) change(one->second);
  }
  /// Whether it holds for all of them.
  template <class Test>
  bool all(Address begin, std::uint64_t bytes, const Test &test) const {
    auto one = std::prev(advice_.upper_bound(begin));
    for (; one != advice_.end() && one->first < begin + bytes; ++one)
      if (!test(one->second)) return false;
    return true;
  }
  const Advice &at(Address address) const { return std::prev(advice_.upper_bound(address))->second; }

 private:
  static constexpr std::uint64_t page_bytes = 4096;
  static Address page(Address address) { return address / page_bytes * page_bytes; }
  std::map<Address, Advice>::iterator split(Address at) {
    return advice_.try_emplace(at, this->at(at)).first;
  }
  std::map<Address, Advice> advice_{{0, {}}};  ///< from each address to the next
};

}  // namespace warpgrade::cuda
