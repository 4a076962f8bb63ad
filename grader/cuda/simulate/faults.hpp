// Signals that end a program: says why a host that follows a device pointer dies, and saves what was found.
#pragma once

namespace warpgrade::cuda {

/// Only where the program has no handler of its own. The program then dies as it would have without.
void catch_fatal_signals();

}  // namespace warpgrade::cuda
