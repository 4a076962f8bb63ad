// The main functions of the child processes. If the CUDA Toolkit's headers are missing, they are stubs that
// say so.
#pragma once

#include <string>

namespace warpgrade::gpu {

/// library  the driver's file name. Returns the exit status; the answers went over the socket.
int replay_child(const std::string &library);
int referee_child(const std::string &library);
int probe_child(const std::string &library);

}  // namespace warpgrade::gpu
