// Functions of nccl.h that make communicators, split them and end them.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "nccl/entry.hpp"
#include "nccl/threads.hpp"

namespace warpgrade::nccl {
namespace {

constexpr char id_prefix[] = "warpgrade";
constexpr int no_color = -1;  // NCCL_SPLIT_NOCOLOR, which early headers lack

std::string text_of(const ncclUniqueId &id) {
  return std::string(id.internal, ::strnlen(id.internal, sizeof id.internal));
}

ncclUniqueId new_id() {
  ncclUniqueId id{};
  const std::string text = fmt::format("{} {} {}", id_prefix, ::getpid(), ++state().ids);
  std::memcpy(id.internal, text.data(), text.size());
  return id;
}

Communicator *add_rank(Clique &clique, int rank, int device) {
  auto made = std::make_unique<Communicator>();
  made->clique = &clique;
  made->rank = rank;
  made->device = device;
  made->thread = this_thread();
  Communicator *const c = made.get();
  state().communicators[c] = std::move(made);
  clique.ranks[static_cast<std::size_t>(rank)] = c;
  ++clique.joined;
  return c;
}

Clique &add_clique(const std::string &id, int ranks) {
  std::unique_ptr<Clique> &made = state().cliques[id];
  made = std::make_unique<Clique>();
  made->ranks.resize(static_cast<std::size_t>(ranks));
  return *made;
}

ncclComm_t handle_of(Communicator *c) {
  return reinterpret_cast<ncclComm_t>(c);
}

/// A call that waits is one that returns late: NCCL promises no program that it returns early.
void look_at(const char *call, const ncclConfig_t *config) {
  if (config != nullptr && config->blocking == 0)
    services().note(
        {"not_supported", simt::Severity::info, call,
         "blocking = 0 in ncclConfig_t: in the simulator, calls of this communicator wait all the same", ""});
}

/// A communicator for the ranks of each color, by their keys, and by their old ranks where keys are equal.
void finish_split(const Clique &clique, Split &split) {
  std::map<int, std::vector<std::pair<int, int>>> parts;  // keys and old ranks, by color
  for (const auto &[rank, wish] : split.wishes)
    if (wish.color >= 0) parts[wish.color].emplace_back(wish.key, rank);
  for (auto &[color, part] : parts) {
    std::sort(part.begin(), part.end());
    Clique &made = add_clique(text_of(new_id()), static_cast<int>(part.size()));
    for (std::size_t r = 0; r < part.size(); ++r) {
      const Communicator &old = *clique.ranks[static_cast<std::size_t>(part[r].second)];
      Communicator *const c = add_rank(made, static_cast<int>(r), old.device);
      c->thread = old.thread;
      split.wishes[old.rank].made = c;
    }
  }
  split.done = true;
}

ncclResult_t split(Lock &lock, Communicator &c, int color, int key, ncclComm_t *to) {
  auto &splits = c.clique->splits;
  const auto mine = std::find_if(splits.begin(), splits.end(),
                                 [&](const auto &one) { return one->wishes.count(c.rank) == 0; });
  const auto one = mine == splits.end() ? splits.emplace_back(std::make_shared<Split>()) : *mine;
  one->wishes[c.rank] = {color, key};
  c.thread = this_thread();
  if (one->wishes.size() == c.clique->ranks.size()) {
    finish_split(*c.clique, *one);
    splits.pop_front();  // ranks call in order, so the first one is complete first
  }
  return await(lock, {[one] { return one->done; },
                      [one, to, rank = c.rank] { *to = handle_of(one->wishes[rank].made); }});
}

ncclResult_t init_rank(const char *call, ncclComm_t *to, int ranks, const ncclUniqueId &given, int rank,
                       const ncclConfig_t *config) {
  return enter(call, [&](Lock &lock) -> ncclResult_t {
    if (to == nullptr) return wrong(call, "there is no place for the communicator (NULL)");
    *to = nullptr;
    if (ranks < 1 || rank < 0 || rank >= ranks)
      return wrong(call, fmt::format("rank {} of {} ranks: ranks count from 0", rank, ranks));
    look_at(call, config);
    const std::string id = text_of(given);
    if (!id.starts_with(fmt::format("{} {} ", id_prefix, ::getpid())))
      return wrong(
          call,
          "the unique id is not from a call of ncclGetUniqueId in this process: in the simulator, all ranks "
          "are in one process");
    const auto found = state().cliques.find(id);
    Clique &clique = found == state().cliques.end() ? add_clique(id, ranks) : *found->second;
    const int device = services().current_device();
    if (clique.size() != ranks)
      return wrong(call, fmt::format("rank {} says that there are {} ranks, and another rank said {}", rank,
                                     ranks, clique.size()));
    for (const Communicator *other : clique.ranks) {
      if (other == nullptr) continue;
      if (other->rank == rank)
        return wrong(call, fmt::format("rank {} is called twice", rank), ncclInvalidUsage);
      if (other->device == device)
        return wrong(call,
                     fmt::format("ranks {} and {} are both on device {}: call cudaSetDevice first",
                                 other->rank, rank, device),
                     ncclInvalidUsage);
    }
    *to = handle_of(add_rank(clique, rank, device));
    return await(lock, {[&clique] { return clique.complete(); }});
  });
}

}  // namespace
}  // namespace warpgrade::nccl

using namespace warpgrade::nccl;

extern "C" {

ncclResult_t ncclGetUniqueId(ncclUniqueId *to) {
  constexpr const char *call = "ncclGetUniqueId";
  return enter(call, [&](Lock &) -> ncclResult_t {
    if (to == nullptr) return wrong(call, "there is no place for the id (NULL)");
    *to = new_id();
    return ncclSuccess;
  });
}

ncclResult_t ncclCommInitRank(ncclComm_t *to, int ranks, ncclUniqueId id, int rank) {
  return init_rank("ncclCommInitRank", to, ranks, id, rank, nullptr);
}
ncclResult_t ncclCommInitRankConfig(ncclComm_t *to, int ranks, ncclUniqueId id, int rank,
                                    ncclConfig_t *config) {
  return init_rank("ncclCommInitRankConfig", to, ranks, id, rank, config);
}

ncclResult_t ncclCommInitAll(ncclComm_t *to, int count, const int *devices) {
  constexpr const char *call = "ncclCommInitAll";
  return enter(call, [&](Lock &) -> ncclResult_t {
    if (to == nullptr || count < 1) return wrong(call, "there are no devices, or no place for communicators");
    const int there = services().device_count();
    std::set<int> seen;
    for (int r = 0; r < count; ++r) {
      const int device = devices == nullptr ? r : devices[r];
      if (device < 0 || device >= there)
        return wrong(call, fmt::format("names device {}, and there {} (simt run --devices)", device,
                                       there == 1 ? "is 1 device" : fmt::format("are {} devices", there)));
      if (!seen.insert(device).second)
        return wrong(call, fmt::format("names device {} twice", device), ncclInvalidUsage);
    }
    Clique &clique = add_clique(text_of(new_id()), count);
    for (int r = 0; r < count; ++r)
      to[r] = handle_of(add_rank(clique, r, devices == nullptr ? r : devices[r]));
    return ncclSuccess;
  });
}

ncclResult_t ncclCommInitRankScalable(ncclComm_t *to, int ranks, int rank, int count, ncclUniqueId *ids,
                                      ncclConfig_t *config) {
  constexpr const char *call = "ncclCommInitRankScalable";
  if (ids == nullptr || count < 1)
    return enter(call, [&](Lock &) { return wrong(call, "there is no unique id"); });
  return init_rank(call, to, ranks, ids[0], rank, config);  // all ranks give the same ones, in the same order
}

ncclResult_t ncclCommSplit(ncclComm_t handle, int color, int key, ncclComm_t *to, ncclConfig_t *config) {
  constexpr const char *call = "ncclCommSplit";
  return enter(call, [&](Lock &lock) -> ncclResult_t {
    Communicator *const c = find(call, handle);
    if (c == nullptr) return ncclInvalidArgument;
    if (to == nullptr) return wrong(call, "there is no place for the communicator (NULL)");
    *to = nullptr;
    if (color < no_color)
      return wrong(call, fmt::format("{} gives {} as its color: colors count from 0, and "
                                     "NCCL_SPLIT_NOCOLOR is none",
                                     c->member().words(), color));
    look_at(call, config);
    return split(lock, *c, color, key, to);
  });
}

ncclResult_t ncclCommFinalize(ncclComm_t handle) {
  constexpr const char *call = "ncclCommFinalize";
  return enter(call, [&](Lock &) -> ncclResult_t {
    Communicator *const c = find(call, handle);
    if (c == nullptr) return ncclInvalidArgument;
    c->state = Communicator::State::finalized;
    return ncclSuccess;
  });
}
ncclResult_t ncclCommDestroy(ncclComm_t handle) {
  constexpr const char *call = "ncclCommDestroy";
  if (handle == nullptr) return ncclSuccess;
  return enter(call, [&](Lock &) -> ncclResult_t {
    Communicator *const c = find(call, handle, true);
    if (c == nullptr) return ncclInvalidArgument;
    if (!c->queue.empty())
      return wrong(call, fmt::format("another thread waits in a call of {}", c->member().words()),
                   ncclInvalidUsage);
    if (const std::size_t count = calls_in_groups(*c); count > 0)
      return wrong(call,
                   fmt::format("{} call{} of {} {} in a group that has not ended", count,
                               count == 1 ? "" : "s", c->member().words(), count == 1 ? "is" : "are"),
                   ncclInvalidUsage);
    c->state = Communicator::State::destroyed;
    return ncclSuccess;
  });
}
ncclResult_t ncclCommAbort(ncclComm_t handle) {
  constexpr const char *call = "ncclCommAbort";
  if (handle == nullptr) return ncclSuccess;
  return enter(call, [&](Lock &) -> ncclResult_t {
    Communicator *const c = find(call, handle, true);
    if (c == nullptr) return ncclInvalidArgument;
    c->state = Communicator::State::aborted;
    abandon(*c);
    return ncclSuccess;
  });
}

WARPGRADE_PROFILED(ncclGetUniqueId);
WARPGRADE_PROFILED(ncclCommInitRank);
WARPGRADE_PROFILED(ncclCommInitRankConfig);
WARPGRADE_PROFILED(ncclCommInitRankScalable);
WARPGRADE_PROFILED(ncclCommInitAll);
WARPGRADE_PROFILED(ncclCommSplit);
WARPGRADE_PROFILED(ncclCommFinalize);
WARPGRADE_PROFILED(ncclCommDestroy);
WARPGRADE_PROFILED(ncclCommAbort);

}  // extern "C"
