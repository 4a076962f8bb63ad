// Does what matching calls ask for, step by step: bytes, arithmetic, order between streams, and traffic.
#pragma once

#include "nccl/communicator.hpp"

namespace warpgrade::nccl {

/// Before the first operation of a batch: it comes after all that its streams were asked to do, and after the last batch.
void begin(Communicator &, Batch &);
/// After the last one. With several streams, each then waits for all.
void end(Communicator &, Batch &);

/// The same collective of all ranks, by rank.
ncclResult_t perform(Clique &, const std::vector<Posted *> &, Algorithm);
/// A send with its receive.
ncclResult_t perform(Communicator &sender, const Batch &, const Posted &sent, Communicator &receiver,
                     const Posted &received);

}  // namespace warpgrade::nccl
