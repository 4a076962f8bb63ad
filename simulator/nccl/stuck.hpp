// Reports a deadlock: which ranks wait, in which calls, and for which other ranks.
#pragma once

#include "nccl/communicator.hpp"

namespace warpgrade::nccl {

/// Reports each call that still waits; nothing where none does.
void report_stuck(const State &);

}  // namespace warpgrade::nccl
