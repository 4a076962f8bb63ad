// Matches the calls of different ranks: calls in a group when the group ends, all others immediately. A call returns once
// the other ranks have made the calls that it depends on. If the ranks deadlock, the program ends with a report that names
// each waiting rank and the rank that it waits for.
//
// NCCL allows a call to block until the other ranks have called; here it always does. The simulator runs work immediately,
// so whatever a stream does after a collective needs the result to be there.
#pragma once

#include "nccl/communicator.hpp"

namespace warpgrade::nccl {

// All of these want group_of_thread() to have been called before the lock was taken.
void start_group();
ncclResult_t end_group(std::unique_lock<std::mutex> &);

/// A call of the rank, checked, or the sends and receives that it is made of; in a group they are kept until the end.
ncclResult_t post(std::unique_lock<std::mutex> &, Communicator &, const std::vector<Call> &,
                  std::uint64_t stream);
/// A rank has asked for something that others ask for, too: outside a group, waits for it; in one, its end does.
ncclResult_t await(std::unique_lock<std::mutex> &, Awaited);
/// How many calls of the rank are in groups that have not ended.
std::size_t calls_in_groups(const Communicator &);
/// The calls of the rank that wait, or are in groups that have not ended, are given up.
void abandon(Communicator &);

/// At the end of the program: what still waits, groups that were never ended, communicators that were never destroyed.
void report_end();

/// Keeps the text for ncclGetLastError, and reports it.
ncclResult_t report(const char *call, const char *code, const std::string &message,
                    const std::string &hint = "", ncclResult_t result = ncclInvalidUsage);

}  // namespace warpgrade::nccl
