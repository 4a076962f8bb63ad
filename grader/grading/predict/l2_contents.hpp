// What the L2 cache holds between the launches of a call. Internal to predict.
#pragma once

#include <map>
#include <string>

#include "predict/predict.hpp"

namespace warpgrade::predict {

struct L2Contents {
  std::map<std::string, double> of_buffer;  ///< bytes
  double dirty = 0;                         ///< bytes that must go to DRAM to make room
};

/// Bytes of this buffer that all blocks store, at most all of it. Blocks side by side may fill the same sectors, so that
/// four of them touch hardly more than one.
double stored_to(const std::string &buffer, const Call &, const run::SampledLaunch &);

/// After a launch that accessed `here` (bytes, by buffer): what is accessed last stays, and what was there before as
/// far as there is room.
void leave(L2Contents &, std::map<std::string, double> here, double room);

}  // namespace warpgrade::predict
