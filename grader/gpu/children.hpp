// The mains of the child processes. Built as stubs that say so where the CUDA Toolkit's headers are missing.
#pragma once

#include <string>

namespace warpgrade::gpu {

/// library  the driver's file name. Gives the exit status; the answers went over the socket.
int replay_child(const std::string &library);
int referee_child(const std::string &library);

}  // namespace warpgrade::gpu
