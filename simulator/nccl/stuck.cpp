#include "nccl/stuck.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "nccl/group.hpp"

namespace warpgrade::nccl {
namespace {

constexpr int most_reports = 16;

const Posted *waiting_call(const Communicator &c, bool (*wanted)(const Call &)) {
  if (c.queue.empty()) return nullptr;
  for (const auto &one : c.queue.front()->calls)
    if (!one->done && wanted(one->call)) return one.get();
  return nullptr;
}
bool any(const Call &) {
  return true;
}
bool collective(const Call &call) {
  return call.is_collective();
}

bool is_in_open_group(const State &s, const Communicator &c) {
  return std::any_of(s.groups.begin(), s.groups.end(), [&](const auto &group) {
    return std::any_of(group->calls.begin(), group->calls.end(),
                       [&](const auto &one) { return one.first == &c; });
  });
}

/// What the rank does that is waited for; follows "which".
std::string what_it_does(const State &s, const Communicator &c) {
  if (c.state == Communicator::State::destroyed) return "whose communicator was destroyed";
  if (c.state == Communicator::State::aborted) return "whose communicator was aborted";
  if (const Posted *const waits = waiting_call(c, any)) return "which waits in " + words_of(waits->call);
  const auto &splits = c.clique->splits;
  if (std::any_of(splits.begin(), splits.end(), [&](const auto &one) { return one->wishes.count(c.rank); }))
    return "which waits in ncclCommSplit";
  if (is_in_open_group(s, c)) return "whose calls are in a group without ncclGroupEnd";
  if (c.last_call.empty()) return "which has called nothing";
  return "whose last call was " + c.last_call;
}

class Reporter {
 public:
  explicit Reporter(const State &s) : state_(s) {}

  void collectives(const Clique &clique) {
    for (const Communicator *c : clique.ranks) {
      const Posted *const mine = c == nullptr ? nullptr : waiting_call(*c, collective);
      if (mine == nullptr) continue;
      std::string others;
      bool same_thread = false;
      for (const Communicator *other : clique.ranks) {
        if (other == nullptr || waiting_call(*other, collective) != nullptr) continue;
        others += fmt::format("{}{}, {}", others.empty() ? "" : "; and for ", other->member().words(),
                              what_it_does(state_, *other));
        same_thread |= other->thread == c->thread && waiting_call(*other, any) == nullptr;
      }
      if (others.empty()) continue;
      add(mine->call.name, fmt::format("{} waits for ever for {}", c->member().words(), others),
          same_thread
              ? "One thread that calls for several ranks does so between ncclGroupStart() and ncclGroupEnd()."
              : "All ranks of a communicator must call the same collectives in the same order.");
    }
  }

  void sends_and_receives(const Clique &clique) {
    for (const Communicator *c : clique.ranks) {
      if (c == nullptr || c->queue.empty()) continue;
      for (const auto &one : c->queue.front()->calls) {
        if (one->done || one->call.is_collective()) continue;
        const Communicator *const other = clique.ranks[static_cast<std::size_t>(one->call.peer)];
        if (other == nullptr) continue;
        const bool sends = one->call.what == What::send;
        const bool circle = waiting_call(*other, any) != nullptr;
        add(one->call.name,
            fmt::format("{} waits for ever for {} to {}, {}", c->member().words(), other->member().words(),
                        sends ? "receive" : "send", what_it_does(state_, *other)),
            circle || other->thread == c->thread
                ? "Calls that need each other must be in one group: ncclGroupStart(), the sends and "
                  "receives, "
                  "ncclGroupEnd()."
                : fmt::format("{} needs a call of {} by that rank, with this one as its peer.",
                              one->call.name, sends ? "ncclRecv" : "ncclSend"));
      }
    }
  }

  void splits(const Clique &clique) {
    for (const auto &one : clique.splits) {
      std::string here, missing;
      for (const Communicator *c : clique.ranks) {
        if (c == nullptr) continue;
        const bool called = one->wishes.count(c->rank) != 0;
        std::string &list = called ? here : missing;
        list += fmt::format("{}{}", list.empty() ? "" : called ? ", " : "; and for ", c->member().words());
        if (!called) list += ", " + what_it_does(state_, *c);
      }
      add("ncclCommSplit", fmt::format("{} waits for ever for {}", here, missing),
          "All ranks of a communicator must call ncclCommSplit, those without a color with "
          "NCCL_SPLIT_NOCOLOR; one thread that calls for several ranks does so between ncclGroupStart() and "
          "ncclGroupEnd().");
    }
  }

  void joins(const Clique &clique) {
    if (clique.complete()) return;
    std::string here, missing;
    for (int r = 0; r < clique.size(); ++r) {
      const Communicator *const c = clique.ranks[static_cast<std::size_t>(r)];
      std::string &list = c == nullptr ? missing : here;
      list += (list.empty() ? "" : ", ") + (c == nullptr ? fmt::format("rank {}", r) : c->member().words());
    }
    add("ncclCommInitRank",
        fmt::format("waits for ever: of {} ranks with this unique id, {} called it, and never {}",
                    clique.size(), here, missing),
        "Give each rank a thread of its own, or put the calls of one thread between ncclGroupStart() and "
        "ncclGroupEnd().");
  }

 private:
  void add(const char *call, const std::string &message, const std::string &hint) {
    if (++reports_ <= most_reports) report(call, "nccl_wait", message, hint);
  }

  const State &state_;
  int reports_ = 0;
};

}  // namespace

void report_stuck(const State &s) {
  Reporter reporter(s);
  for (const auto &[id, clique] : s.cliques) {
    reporter.joins(*clique);
    reporter.splits(*clique);
    reporter.collectives(*clique);
    reporter.sends_and_receives(*clique);
  }
}

}  // namespace warpgrade::nccl
