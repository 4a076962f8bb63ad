#include "nccl/group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <new>
#include <set>

#include "nccl/perform.hpp"
#include "nccl/services.hpp"
#include "nccl/stuck.hpp"
#include "nccl/threads.hpp"

namespace warpgrade::nccl {

State &state() {
  static State *const made = [] {
    services().at_end([] { report_end(); });
    return new State;
  }();
  return *made;
}

Group &group_of_thread() {
  thread_local Group *const mine = [] {
    const std::lock_guard lock(state().mutex);
    state().groups.push_back(std::make_unique<Group>());
    return state().groups.back().get();
  }();
  return *mine;
}

namespace {

/// NCCL_ALGO names one or several ways; the first that the simulator has counts.
Algorithm algorithm_of_environment() {
  const char *const text = services().environment("NCCL_ALGO");
  if (text == nullptr || *text == '\0') return Algorithm::ring;
  std::string lower = text;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  const std::size_t ring = lower.find("ring"), tree = lower.find("tree");
  if (ring == std::string::npos && tree == std::string::npos)
    services().note({"not_supported", simt::Severity::warning, "ncclAllReduce",
                     fmt::format("NCCL_ALGO={}: the simulator has Ring and Tree, and takes Ring", text), ""});
  return tree < ring ? Algorithm::tree : Algorithm::ring;
}

Algorithm algorithm() {
  static const Algorithm chosen = algorithm_of_environment();
  return chosen;
}

/// The first collective that the rank waits in.
Posted *next_collective(const Communicator *c) {
  if (c == nullptr || c->queue.empty()) return nullptr;
  for (const auto &one : c->queue.front()->calls)
    if (!one->done && one->call.is_collective()) return one.get();
  return nullptr;
}

void finish_call(Communicator &c, Posted &one, ncclResult_t result) {
  one.done = true;
  one.result = result;
  c.last_call = words_of(one.call);
  ++state().progress;
}

/// What is too large for the host's memory has failed for all ranks alike.
template <class Body>
ncclResult_t without_exceptions(const Body &body) {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return ncclSystemError;
  }
}

bool do_collective(Clique &clique) {
  std::vector<Posted *> calls;
  for (const Communicator *c : clique.ranks) calls.push_back(next_collective(c));
  if (std::find(calls.begin(), calls.end(), nullptr) != calls.end()) return false;
  ncclResult_t result = ncclSuccess;
  for (std::size_t r = 1; r < calls.size() && result == ncclSuccess; ++r)
    if (const auto difference = difference_of(calls[0]->call, clique.ranks[0]->member(), calls[r]->call,
                                              clique.ranks[r]->member()))
      result = report(calls[r]->call.name, "nccl_mismatch",
                      *difference + "; nothing was moved, and the calls returned ncclInvalidUsage",
                      "On a GPU such calls wait for ever or leave wrong values.");
  if (result == ncclSuccess) {
    for (Communicator *c : clique.ranks) begin(*c, *c->queue.front());
    result = without_exceptions([&] { return perform(clique, calls, algorithm()); });
  }
  for (std::size_t r = 0; r < calls.size(); ++r) finish_call(*clique.ranks[r], *calls[r], result);
  return true;
}

/// All sends whose receives are there. What each batch waits for is marked before any of them.
bool do_sends(Clique &clique) {
  struct Pair {
    Communicator *sender, *receiver;
    Posted *sent, *received;
  };
  std::vector<Pair> pairs;
  std::set<const Posted *> taken;
  for (Communicator *sender : clique.ranks) {
    if (sender == nullptr || sender->queue.empty()) continue;
    for (const auto &sent : sender->queue.front()->calls) {
      if (sent->done || sent->call.what != What::send) continue;
      Communicator *const receiver = clique.ranks[static_cast<std::size_t>(sent->call.peer)];
      if (receiver == nullptr || receiver->queue.empty()) continue;
      for (const auto &received : receiver->queue.front()->calls) {
        if (received->done || received->call.what != What::receive || received->call.peer != sender->rank ||
            !taken.insert(received.get()).second)
          continue;
        pairs.push_back({sender, receiver, sent.get(), received.get()});
        break;
      }
    }
  }
  for (const Pair &one : pairs) {
    begin(*one.sender, *one.sender->queue.front());
    begin(*one.receiver, *one.receiver->queue.front());
  }
  for (const Pair &one : pairs) {
    ncclResult_t result = ncclSuccess;
    if (const auto difference =
            difference_of(one.sent->call, one.sender->member(), one.received->call, one.receiver->member()))
      result = report(one.received->call.name, "nccl_mismatch",
                      *difference + "; nothing was moved, and the calls returned ncclInvalidUsage",
                      "On a GPU such calls wait for ever or leave wrong values.");
    else
      result = without_exceptions([&] {
        return perform(*one.sender, *one.sender->queue.front(), *one.sent, *one.receiver, *one.received);
      });
    finish_call(*one.sender, *one.sent, result);
    finish_call(*one.receiver, *one.received, result);
  }
  return !pairs.empty();
}

/// Does everything that no longer waits.
void advance(Clique &clique) {
  for (bool moved = true; moved;) {
    moved = false;
    while (do_collective(clique)) moved = true;
    while (do_sends(clique)) moved = true;
    for (Communicator *c : clique.ranks)
      while (c != nullptr && !c->queue.empty() && c->queue.front()->done()) {
        end(*c, *c->queue.front());
        c->queue.pop_front();
        moved = true;
      }
  }
  state().changed.notify_all();
}

/// Calls of one batch happen at the same time: what one receives must be in nobody else's buffer.
void check_overlaps(const Communicator &c, const Batch &batch) {
  const auto bytes_at = [](const Call &call) {
    const auto *const begin =
        static_cast<const std::byte *>(call.what == What::send ? call.send : call.receive);
    return std::pair(begin, begin + call.count * bytes_of(call.type));
  };
  for (std::size_t i = 0; i < batch.calls.size(); ++i)
    for (std::size_t j = 0; j < batch.calls.size(); ++j) {
      const Call &one = batch.calls[i]->call, &other = batch.calls[j]->call;
      if (i == j || one.is_collective() || other.what != What::receive) continue;
      if (one.what == What::receive && i > j) continue;  // each pair once
      const auto [begin, end] = bytes_at(one);
      const auto [other_begin, other_end] = bytes_at(other);
      if (begin == end || other_begin == other_end || end <= other_begin || other_end <= begin) continue;
      if (one.what == What::send && begin == other_begin && one.peer == c.rank && other.peer == c.rank)
        continue;  // a rank's part of a gather or scatter in place
      report(other.name, "nccl_usage",
             fmt::format("{}: the buffers of {} and {} overlap, and both calls happen at the same time",
                         c.member().words(), words_of(one), words_of(other)),
             "Receive into memory of its own, and copy it after ncclGroupEnd().");
    }
}

/// Returns when `done` is true. Ends the program where no thread can make it so.
void wait(std::unique_lock<std::mutex> &lock, const std::function<bool()> &done) {
  constexpr auto between_looks = std::chrono::milliseconds(100);
  constexpr int looks_where_little_is_known = 100;  // ten seconds
  State &s = state();
  const int me = this_thread();
  s.waiting[me] = &done;
  const auto who = [&s] {
    std::set<int> threads;
    for (const auto &[thread, its_done] : s.waiting) threads.insert(thread);
    return threads;
  };
  // One whose call is done, and which the machine has not run since, may make the next call.
  const auto nobody_goes_on = [&s] {
    return std::none_of(s.waiting.begin(), s.waiting.end(), [](const auto &one) { return (*one.second)(); });
  };
  Look last;
  std::uint64_t seen = 0;
  int equal = 0;
  while (!done()) {
    const std::uint64_t progress = s.progress;
    // By the system's clock: with the steady one, C++ calls a function that old systems lack.
    s.changed.wait_until(lock, std::chrono::system_clock::now() + between_looks,
                         [&] { return done() || s.progress != progress; });
    if (done()) break;
    const std::set<int> waiting = who();
    const std::uint64_t before = s.progress;
    lock.unlock();  // a thread that only waits for this lock is not stuck
    const Look now = look_at_threads(waiting);
    lock.lock();
    const bool same = before == s.progress && seen == before && now == last && waiting == who();
    equal = same ? equal + 1 : 0;
    if (same && (now.all_wait || (now.all_may_wait && equal >= looks_where_little_is_known)) &&
        nobody_goes_on()) {
      report_stuck(s);
      services().end();
    }
    last = now;
    seen = before;
  }
  s.waiting.erase(me);
}

ncclResult_t wait_for(std::unique_lock<std::mutex> &lock,
                      const std::vector<std::pair<Communicator *, std::shared_ptr<Posted>>> &calls) {
  wait(lock, [&] {
    return std::all_of(calls.begin(), calls.end(), [](const auto &one) { return one.second->done; });
  });
  for (const auto &[communicator, one] : calls)
    if (one->result != ncclSuccess) return one->result;
  return ncclSuccess;
}

ncclResult_t run(std::unique_lock<std::mutex> &lock,
                 const std::vector<std::pair<Communicator *, std::shared_ptr<Posted>>> &calls) {
  std::vector<std::pair<Communicator *, std::shared_ptr<Batch>>> batches;
  for (const auto &[communicator, one] : calls) {
    const auto *const wanted = communicator;
    auto found =
        std::find_if(batches.begin(), batches.end(), [&](const auto &b) { return b.first == wanted; });
    if (found == batches.end()) {
      batches.emplace_back(communicator, std::make_shared<Batch>());
      found = batches.end() - 1;
    }
    found->second->calls.push_back(one);
  }
  std::set<Clique *> cliques;
  for (const auto &[communicator, batch] : batches) {
    check_overlaps(*communicator, *batch);
    communicator->queue.push_back(batch);
    cliques.insert(communicator->clique);
  }
  ++state().progress;
  for (Clique *one : cliques) advance(*one);
  return wait_for(lock, calls);
}

}  // namespace

ncclResult_t report(const char *call, const char *code, const std::string &message, const std::string &hint,
                    ncclResult_t result) {
  services().note({code, simt::Severity::error, call, message, hint});
  state().last_error = fmt::format("{}: {}", call, message);
  return result;
}

void start_group() {
  ++group_of_thread().depth;
}

ncclResult_t end_group(std::unique_lock<std::mutex> &lock) {
  Group &mine = group_of_thread();
  if (mine.depth == 0)
    return report("ncclGroupEnd", "nccl_usage",
                  "is called without ncclGroupStart; returned ncclInvalidUsage");
  if (--mine.depth > 0) return ncclSuccess;
  const auto calls = std::exchange(mine.calls, {});
  const auto awaited = std::exchange(mine.awaited, {});
  if (const ncclResult_t error = std::exchange(mine.error, ncclSuccess); error != ncclSuccess) return error;
  wait(lock, [&] {
    return std::all_of(awaited.begin(), awaited.end(), [](const Awaited &one) { return one.done(); });
  });
  for (const Awaited &one : awaited) one.then();
  return calls.empty() ? ncclSuccess : run(lock, calls);
}

ncclResult_t post(std::unique_lock<std::mutex> &lock, Communicator &c, const std::vector<Call> &calls,
                  std::uint64_t stream) {
  std::vector<std::pair<Communicator *, std::shared_ptr<Posted>>> posted;
  for (const Call &call : calls) {
    posted.emplace_back(&c, std::make_shared<Posted>());
    posted.back().second->call = call;
    posted.back().second->stream = stream;
  }
  c.thread = this_thread();
  Group &mine = group_of_thread();
  if (mine.depth == 0) return run(lock, posted);
  mine.calls.insert(mine.calls.end(), posted.begin(), posted.end());
  return ncclSuccess;
}

ncclResult_t await(std::unique_lock<std::mutex> &lock, Awaited awaited) {
  ++state().progress;
  state().changed.notify_all();
  if (Group &mine = group_of_thread(); mine.depth > 0) {
    mine.awaited.push_back(std::move(awaited));
    return ncclSuccess;
  }
  wait(lock, awaited.done);
  awaited.then();
  return ncclSuccess;
}

std::size_t calls_in_groups(const Communicator &c) {
  std::size_t count = 0;
  for (const auto &group : state().groups)
    count += static_cast<std::size_t>(std::count_if(group->calls.begin(), group->calls.end(),
                                                    [&](const auto &one) { return one.first == &c; }));
  return count;
}

void abandon(Communicator &c) {
  for (const auto &group : state().groups)
    if (std::erase_if(group->calls, [&](const auto &one) { return one.first == &c; }) > 0 &&
        group->error == ncclSuccess)
      group->error = ncclInternalError;
  for (const auto &batch : c.queue)
    for (const auto &one : batch->calls)
      if (!one->done) finish_call(c, *one, ncclInternalError);
  advance(*c.clique);
}

void report_end() {
  State &s = state();
  const std::lock_guard lock(s.mutex);
  if (!s.waiting.empty()) report_stuck(s);
  for (const auto &one : s.groups)
    if (one->depth > 0 && !one->calls.empty())
      report("ncclGroupStart", "nccl_usage",
             fmt::format("has no ncclGroupEnd: {} call{} in the group, the first one {} of {}, never began",
                         one->calls.size(), one->calls.size() == 1 ? "" : "s",
                         words_of(one->calls[0].second->call), one->calls[0].first->member().words()));
  std::string names;
  int count = 0;
  for (const auto &[handle, c] : s.communicators)
    if (!c->is_gone()) names += (count++ == 0 ? "" : ", ") + c->member().words();
  if (count > 0)
    services().note(
        {"leak", simt::Severity::info, "ncclCommDestroy",
         fmt::format("never called for {} communicator{}: {}", count, count == 1 ? "" : "s", names), ""});
}

}  // namespace warpgrade::nccl
