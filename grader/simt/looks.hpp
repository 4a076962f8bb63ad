// What a block has looked at and stored to: see looks.cpp. Internal to simt.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>

namespace warpgrade::simt {

struct Looks {
  std::uint32_t executed = 0;  ///< basic blocks of this window
  bool looked = false, acted = false, changed = false, fresh = false;
  bool recording = false, stores_change = false;
  std::uint32_t windows = 0;          ///< that were noted one after the other
  std::uint32_t pause = 0, rest = 0;  ///< windows that are not noted: of a pause, and what is left of it
  std::unordered_set<std::uint64_t> words;
  std::unordered_map<std::uint64_t, std::uint64_t> stored;  ///< what plain stores have left, by address
};

}  // namespace warpgrade::simt
