// ./simt run: a program of nvcc's on the simulator, unchanged.
#pragma once

#include <string>
#include <vector>

namespace warpgrade::apps {

/// words: what follows "run". Gives the exit status.
int simt_run(const std::vector<std::string> &words);

}  // namespace warpgrade::apps
