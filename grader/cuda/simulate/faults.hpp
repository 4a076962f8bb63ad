// Signals that end a program: says why a host that follows a device pointer dies, and saves what was found.
#pragma once

namespace warpgrade::cuda {

/// Only where the program has no handler of its own. The program then dies as it would have without.
void catch_fatal_signals();
/// Whether a fault still comes to us: the program may have set a handler of its own since.
bool handles_faults();

}  // namespace warpgrade::cuda
