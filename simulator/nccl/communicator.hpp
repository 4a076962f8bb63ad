// Communicators, and the calls of their ranks that have not been done yet. Everything here is guarded by State::mutex.
#pragma once

#include <nccl.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "nccl/call.hpp"

namespace warpgrade::nccl {

struct Clique;

/// A call that was let in. It is done when all that it needs of other ranks is there.
struct Posted {
  Call call;
  std::uint64_t stream = 0;  ///< as Services::name_stream gave it
  bool done = false;
  ncclResult_t result = ncclSuccess;
};

/// The calls of a rank that may wait for each other: those of one group, or one alone.
struct Batch {
  std::vector<std::shared_ptr<Posted>> calls;
  bool begun = false;
  std::vector<std::uint64_t> starts;  ///< marks in its streams, before anything of it
  bool done() const {
    for (const auto &one : calls)
      if (!one->done) return false;
    return true;
  }
};

/// A rank of a clique; what ncclComm_t points at.
struct Communicator {
  enum class State { live, finalized, destroyed, aborted };
  Clique *clique = nullptr;
  int rank = 0, device = 0;
  State state = State::live;
  int thread = 0;  ///< that made its last call
  std::deque<std::shared_ptr<Batch>> queue;
  std::vector<std::uint64_t> ends;   ///< marks behind its last batch
  std::string last_call;             ///< in words, with what became of it
  std::map<int, Scaled> reductions;  ///< that were made for it, by their numbers
  Member member() const { return {rank, device}; }
  bool is_gone() const { return state == State::destroyed || state == State::aborted; }
};

/// What one ncclCommSplit of all ranks gives.
struct Split {
  struct Wish {
    int color = 0, key = 0;
    Communicator *made = nullptr;  ///< null: of no color, or not done yet
  };
  std::map<int, Wish> wishes;  ///< of the ranks that have called
  bool done = false;
};

struct Clique {
  std::vector<Communicator *> ranks;          ///< null: has not joined yet
  std::deque<std::shared_ptr<Split>> splits;  ///< that some ranks have not called yet
  int joined = 0;
  int size() const { return static_cast<int>(ranks.size()); }
  bool complete() const { return joined == size(); }
};

/// What a call waits for, and what it does then, with the lock.
struct Awaited {
  std::function<bool()> done;
  std::function<void()> then = [] {};
};

/// What a thread gathers between ncclGroupStart and ncclGroupEnd.
struct Group {
  int depth = 0;
  std::vector<std::pair<Communicator *, std::shared_ptr<Posted>>> calls;
  std::vector<Awaited> awaited;  ///< of communicators that it makes
  ncclResult_t error = ncclSuccess;
};

/// Never destroyed: exit handlers of the program still call.
struct State {
  std::mutex mutex;
  std::condition_variable changed;
  std::uint64_t progress = 0;  ///< calls that were posted or done, and ranks that joined
  std::map<std::string, std::unique_ptr<Clique>> cliques;  ///< by unique id
  std::map<const void *, std::unique_ptr<Communicator>> communicators;
  std::vector<std::unique_ptr<Group>> groups;  ///< of all threads
  /// Threads that wait in a call of NCCL, and whether what they wait for is there.
  std::map<int, const std::function<bool()> *> waiting;
  std::string last_error;
  std::uint64_t ids = 0;
  int reductions = reduction_count;  ///< the number of the next one that is made
};
State &state();
Group &group_of_thread();

}  // namespace warpgrade::nccl
