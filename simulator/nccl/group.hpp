// Calls of ranks come together here: those of a group at its end, each other one at once. A call returns when all that it
// needs of other ranks has been called; a program whose ranks wait for each other for ever ends with a report of who waits
// for whom.
//
// NCCL only promises that a call may wait for the other ranks; here it does. Work is done at once in the simulator, so that
// what a stream is asked to do after a collective must find its result.
#pragma once

#include "nccl/communicator.hpp"

namespace warpgrade::nccl {

void start_group();
ncclResult_t end_group();

// These two want group_of_thread() to have been called before the lock was taken.
/// A call of the rank, checked, or the sends and receives that it is made of; in a group they are kept until the end.
ncclResult_t post(std::unique_lock<std::mutex> &, Communicator &, const std::vector<Call> &,
                  std::uint64_t stream);
/// A rank has joined; outside a group, waits until all have.
ncclResult_t join(std::unique_lock<std::mutex> &, Clique &);
/// The calls of the rank that wait are given up.
void abandon(Communicator &);

/// At the end of the program: what still waits, groups that were never ended, communicators that were never destroyed.
void report_end();

/// Keeps the text for ncclGetLastError, and reports it.
ncclResult_t report(const char *call, const char *code, const std::string &message,
                    const std::string &hint = "", ncclResult_t result = ncclInvalidUsage);

}  // namespace warpgrade::nccl
