// The functions of nccl.h that the simulator has. The others are in refused.cpp.
#include <fmt/format.h>
#include <nccl.h>
#include <unistd.h>

#include <cstring>
#include <new>

#include "nccl/group.hpp"
#include "nccl/services.hpp"
#include "nccl/threads.hpp"

namespace warpgrade::nccl {
namespace {

static_assert(int(Type::int8) == ncclInt8 && int(Type::uint64) == ncclUint64 &&
              int(Type::float16) == ncclFloat16 && int(Type::float64) == ncclFloat64 &&
              int(Type::bfloat16) == ncclBfloat16);
static_assert(int(Reduction::product) == ncclProd && int(Reduction::maximum) == ncclMax &&
              int(Reduction::minimum) == ncclMin && int(Reduction::average) == ncclAvg);

using Lock = std::unique_lock<std::mutex>;

/// Every call comes in here. In a group, the first error is what ncclGroupEnd gives.
template <class Body>
ncclResult_t enter(const char *call, const Body &body) {
  try {
    Group &group = group_of_thread();
    if (services().in_host_function())
      return report(call, "host_function",
                    "is called in a function that a stream runs (cudaLaunchHostFunc), which must not call "
                    "NCCL: returned "
                    "ncclInvalidUsage");
    Lock lock(state().mutex);
    const ncclResult_t result = body(lock);
    if (group.depth > 0 && group.error == ncclSuccess) group.error = result;
    return result;
  } catch (const std::bad_alloc &) {
    return ncclSystemError;
  }
}

ncclResult_t wrong(const char *call, const std::string &message, ncclResult_t result = ncclInvalidArgument) {
  const char *const name = result == ncclInvalidArgument ? "ncclInvalidArgument" : "ncclInvalidUsage";
  return report(call, "nccl_usage", message + "; returned " + name, "", result);
}

/// Null, with the reason reported, unless the communicator may be used.
Communicator *find(const char *call, ncclComm_t handle, bool finalized_too = false) {
  const auto found = state().communicators.find(handle);
  if (found == state().communicators.end()) {
    wrong(call, handle == nullptr ? "the communicator is NULL" : "there is no such communicator");
    return nullptr;
  }
  Communicator *const c = found->second.get();
  using enum Communicator::State;
  if (c->state == live || (c->state == finalized && finalized_too)) return c;
  wrong(call, fmt::format("uses the communicator of {} after {}", c->member().words(),
                          c->state == destroyed ? "ncclCommDestroy"
                          : c->state == aborted ? "ncclCommAbort"
                                                : "ncclCommFinalize"));
  return nullptr;
}

template <class Value, class Answer>
ncclResult_t answer(const char *call, ncclComm_t handle, Value *to, const Answer &value) {
  return enter(call, [&](Lock &) -> ncclResult_t {
    const Communicator *const c = find(call, handle, true);
    if (c == nullptr) return ncclInvalidArgument;
    if (to == nullptr) return wrong(call, "there is no place for the answer (NULL)");
    *to = value(*c);
    return ncclSuccess;
  });
}

struct Given {
  ncclDataType_t type = ncclFloat32;
  ncclRedOp_t op = ncclSum;
  ncclComm_t communicator = nullptr;
  cudaStream_t stream = nullptr;
};

ncclResult_t check_numbers(const Call &call, const Given &given, const Communicator &c) {
  const auto type = static_cast<int>(given.type);
  if (type >= type_count && type < ncclNumTypes) {
    services().refuse(call.name, "the type of 8 bits");
    return ncclInvalidArgument;
  }
  if (type < 0 || type >= type_count) return wrong(call.name, fmt::format("{} is not a type of NCCL", type));
  const auto op = static_cast<int>(given.op);
  if (op < 0 || op >= reduction_count)
    return wrong(call.name, fmt::format("{} is not a reduction of NCCL", op));
  const bool has_peer = call.has_root() || call.what == What::exchange || !call.is_collective();
  if (has_peer && (call.peer < 0 || call.peer >= c.clique->size()))
    return wrong(call.name, fmt::format("{} names rank {}, and there are {} ranks", c.member().words(),
                                        call.peer, c.clique->size()));
  if (call.count >> 48 != 0)  // bytes of all ranks together fit 64 bits below
    return wrong(call.name, fmt::format("{} gives a count of {}", c.member().words(), call.count));
  return ncclSuccess;
}

ncclResult_t check_stream(const Call &call, cudaStream_t stream, const Communicator &c) {
  const int device = services().device_of(stream);
  if (device == -2)
    return wrong(call.name, fmt::format("{} names a stream that does not exist", c.member().words()));
  if (device >= 0 && device != c.device)
    return wrong(call.name, fmt::format("{} names a stream of device {}", c.member().words(), device));
  if (!services().is_captured(stream)) return ncclSuccess;
  services().refuse(call.name, "calls of NCCL in a captured stream");
  return ncclInvalidUsage;
}

ncclResult_t check_buffers(const Call &call, const Communicator &c) {
  for (const Buffer &one : buffers_of(call, c.rank, c.clique->size())) {
    if (one.bytes == 0) continue;
    const std::string name =
        fmt::format("the {} buffer of {}", one.written ? "receive" : "send", c.member().words());
    if (one.at == nullptr) return wrong(call.name, name + " is NULL");
    if (!services().check({call.name, name, {one.at, one.bytes}, c.device})) return ncclInvalidArgument;
  }
  if (const auto rule = overlap_of(call, c.rank, c.clique->size()))
    return wrong(call.name, fmt::format("the buffers of {} overlap: {}", c.member().words(), *rule),
                 ncclInvalidUsage);
  return ncclSuccess;
}

/// A call that is made of `parts`: itself, or sends and receives.
template <class Parts>
ncclResult_t submit(Call call, const Given &given, const Parts &parts) {
  return enter(call.name, [&](Lock &lock) -> ncclResult_t {
    Communicator *const c = find(call.name, given.communicator);
    if (c == nullptr) return ncclInvalidArgument;
    if (services().known_error() != cudaSuccess) return ncclUnhandledCudaError;
    ncclResult_t result = check_numbers(call, given, *c);
    if (result == ncclSuccess) result = check_stream(call, given.stream, *c);
    if (result == ncclSuccess && call.count == 0 && call.what != What::send && call.what != What::receive) {
      c->last_call = fmt::format("{} with a count of 0, which NCCL skips", call.name);
      return ncclSuccess;
    }
    call.type = static_cast<Type>(given.type);
    call.op = static_cast<Reduction>(given.op);
    const std::vector<Call> all = result == ncclSuccess ? parts(call, *c) : std::vector<Call>{};
    for (const Call &one : all)
      if (result == ncclSuccess) result = check_buffers(one, *c);
    if (result == ncclSuccess) return post(lock, *c, all, services().name_stream(c->device, given.stream));
    c->last_call = fmt::format("{}, which was refused", words_of(call));
    return result;
  });
}

ncclResult_t submit(const Call &call, const Given &given) {
  return submit(call, given, [](const Call &one, const Communicator &) { return std::vector<Call>{one}; });
}

/// The part of a rank in a buffer with those of all.
Call part_of(const Call &call, What what, int rank) {
  const std::uint64_t skipped = static_cast<std::uint64_t>(rank) * call.count * bytes_of(call.type);
  Call part = call;
  part.what = what;
  part.peer = rank;
  if (what == What::send) part.send = static_cast<const std::byte *>(call.send) + skipped;
  if (what == What::receive) part.receive = static_cast<std::byte *>(call.receive) + skipped;
  return part;
}
/// A buffer that is all for one other rank.
Call whole_of(const Call &call, What what) {
  Call whole = call;
  whole.what = what;
  return whole;
}

constexpr char id_prefix[] = "warpgrade";

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

ncclResult_t init_rank(const char *call, ncclComm_t *to, int ranks, const ncclUniqueId &given, int rank,
                       const ncclConfig_t *config) {
  return enter(call, [&](Lock &lock) -> ncclResult_t {
    if (to == nullptr) return wrong(call, "there is no place for the communicator (NULL)");
    *to = nullptr;
    if (ranks < 1 || rank < 0 || rank >= ranks)
      return wrong(call, fmt::format("rank {} of {} ranks: ranks count from 0", rank, ranks));
    if (config != nullptr && config->blocking == 0)
      services().refuse(call, "blocking = 0 in ncclConfig_t; calls of this communicator wait");
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
    return join(lock, clique);
  });
}

}  // namespace
}  // namespace warpgrade::nccl

using namespace warpgrade::nccl;

extern "C" {

ncclResult_t ncclGetVersion(int *version) {
  if (version == nullptr) return ncclInvalidArgument;
  *version = NCCL_VERSION_CODE;
  return ncclSuccess;
}

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

ncclResult_t ncclCommCount(const ncclComm_t c, int *to) {
  return answer("ncclCommCount", c, to, [](const Communicator &one) { return one.clique->size(); });
}
ncclResult_t ncclCommCuDevice(const ncclComm_t c, int *to) {
  return answer("ncclCommCuDevice", c, to, [](const Communicator &one) { return one.device; });
}
ncclResult_t ncclCommUserRank(const ncclComm_t c, int *to) {
  return answer("ncclCommUserRank", c, to, [](const Communicator &one) { return one.rank; });
}
ncclResult_t ncclCommGetAsyncError(ncclComm_t c, ncclResult_t *to) {
  return answer("ncclCommGetAsyncError", c, to, [](const Communicator &) { return ncclSuccess; });
}

const char *ncclGetErrorString(ncclResult_t result) {
  switch (result) {
    case ncclSuccess:
      return "no error";
    case ncclUnhandledCudaError:
      return "unhandled cuda error (run with NCCL_DEBUG=INFO for details)";
    case ncclSystemError:
      return "unhandled system error (run with NCCL_DEBUG=INFO for details)";
    case ncclInternalError:
      return "internal error - please report this issue to the NCCL developers";
    case ncclInvalidArgument:
      return "invalid argument (run with NCCL_DEBUG=WARN for details)";
    case ncclInvalidUsage:
      return "invalid usage (run with NCCL_DEBUG=WARN for details)";
    case ncclRemoteError:
      return "remote process exited or there was a network error";
    case ncclInProgress:
      return "NCCL operation in progress";
    default:
      return "unknown result code";
  }
}
const char *ncclGetLastError(ncclComm_t) {
  thread_local std::string text;
  const std::lock_guard lock(state().mutex);
  text = state().last_error;
  return text.c_str();
}

ncclResult_t ncclMemAlloc(void **to, size_t bytes) {
  if (to == nullptr) return ncclInvalidArgument;
  return services().allocate(to, bytes) == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}
ncclResult_t ncclMemFree(void *memory) {
  return services().release(memory) == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}

// Registered memory is moved faster by NCCL, and differs in nothing else. The handle is any that is not null.
ncclResult_t ncclCommRegister(const ncclComm_t handle, void *memory, size_t bytes, void **to) {
  constexpr const char *call = "ncclCommRegister";
  return enter(call, [&](Lock &) -> ncclResult_t {
    const Communicator *const c = find(call, handle);
    if (c == nullptr) return ncclInvalidArgument;
    if (to == nullptr || memory == nullptr || bytes == 0)
      return wrong(call, "there is no memory, or no place for the handle");
    const std::string name = "the buffer of " + c->member().words();
    if (!services().check({call, name, {memory, bytes}, c->device})) return ncclInvalidArgument;
    *to = memory;
    return ncclSuccess;
  });
}
ncclResult_t ncclCommDeregister(const ncclComm_t handle, void *) {
  constexpr const char *call = "ncclCommDeregister";
  return enter(
      call, [&](Lock &) { return find(call, handle, true) == nullptr ? ncclInvalidArgument : ncclSuccess; });
}

ncclResult_t ncclAllReduce(const void *send, void *receive, size_t count, ncclDataType_t type, ncclRedOp_t op,
                           ncclComm_t c, cudaStream_t stream) {
  return submit({What::all_reduce, "ncclAllReduce", send, receive, count}, {type, op, c, stream});
}
ncclResult_t ncclReduce(const void *send, void *receive, size_t count, ncclDataType_t type, ncclRedOp_t op,
                        int root, ncclComm_t c, cudaStream_t stream) {
  return submit({What::reduce, "ncclReduce", send, receive, count, {}, {}, root}, {type, op, c, stream});
}
ncclResult_t ncclBroadcast(const void *send, void *receive, size_t count, ncclDataType_t type, int root,
                           ncclComm_t c, cudaStream_t stream) {
  return submit({What::broadcast, "ncclBroadcast", send, receive, count, {}, {}, root},
                {type, ncclSum, c, stream});
}
ncclResult_t ncclBcast(void *buffer, size_t count, ncclDataType_t type, int root, ncclComm_t c,
                       cudaStream_t stream) {
  return submit({What::broadcast, "ncclBcast", buffer, buffer, count, {}, {}, root},
                {type, ncclSum, c, stream});
}
ncclResult_t ncclReduceScatter(const void *send, void *receive, size_t count, ncclDataType_t type,
                               ncclRedOp_t op, ncclComm_t c, cudaStream_t stream) {
  return submit({What::reduce_scatter, "ncclReduceScatter", send, receive, count}, {type, op, c, stream});
}
ncclResult_t ncclAllGather(const void *send, void *receive, size_t count, ncclDataType_t type, ncclComm_t c,
                           cudaStream_t stream) {
  return submit({What::all_gather, "ncclAllGather", send, receive, count}, {type, ncclSum, c, stream});
}
ncclResult_t ncclAlltoAll(const void *send, void *receive, size_t count, ncclDataType_t type, ncclComm_t c,
                          cudaStream_t stream) {
  return submit({What::exchange, "ncclAlltoAll", send, receive, count}, {type, ncclSum, c, stream},
                [](const Call &call, const Communicator &one) {
                  std::vector<Call> parts;
                  for (int r = 0; r < one.clique->size(); ++r)
                    for (const What what : {What::send, What::receive})
                      parts.push_back(part_of(call, what, r));
                  return parts;
                });
}
ncclResult_t ncclGather(const void *send, void *receive, size_t count, ncclDataType_t type, int root,
                        ncclComm_t c, cudaStream_t stream) {
  return submit({What::exchange, "ncclGather", send, receive, count, {}, {}, root},
                {type, ncclSum, c, stream}, [](const Call &call, const Communicator &one) {
                  std::vector<Call> parts = {whole_of(call, What::send)};
                  for (int r = 0; r < one.clique->size() && one.rank == call.peer; ++r)
                    parts.push_back(part_of(call, What::receive, r));
                  return parts;
                });
}
ncclResult_t ncclScatter(const void *send, void *receive, size_t count, ncclDataType_t type, int root,
                         ncclComm_t c, cudaStream_t stream) {
  return submit({What::exchange, "ncclScatter", send, receive, count, {}, {}, root},
                {type, ncclSum, c, stream}, [](const Call &call, const Communicator &one) {
                  std::vector<Call> parts = {whole_of(call, What::receive)};
                  for (int r = 0; r < one.clique->size() && one.rank == call.peer; ++r)
                    parts.push_back(part_of(call, What::send, r));
                  return parts;
                });
}
ncclResult_t ncclSend(const void *send, size_t count, ncclDataType_t type, int peer, ncclComm_t c,
                      cudaStream_t stream) {
  return submit({What::send, "ncclSend", send, nullptr, count, {}, {}, peer}, {type, ncclSum, c, stream});
}
ncclResult_t ncclRecv(void *receive, size_t count, ncclDataType_t type, int peer, ncclComm_t c,
                      cudaStream_t stream) {
  return submit({What::receive, "ncclRecv", nullptr, receive, count, {}, {}, peer},
                {type, ncclSum, c, stream});
}

ncclResult_t ncclGroupStart() {
  start_group();
  return ncclSuccess;
}
ncclResult_t ncclGroupEnd() {
  return end_group();
}

// Profilers take the place of the functions and call these.
#define WARPGRADE_PROFILED(name) extern decltype(name) p##name __attribute__((alias(#name)))
WARPGRADE_PROFILED(ncclGetVersion);
WARPGRADE_PROFILED(ncclGetUniqueId);
WARPGRADE_PROFILED(ncclCommInitRank);
WARPGRADE_PROFILED(ncclCommInitRankConfig);
WARPGRADE_PROFILED(ncclCommInitAll);
WARPGRADE_PROFILED(ncclCommFinalize);
WARPGRADE_PROFILED(ncclCommDestroy);
WARPGRADE_PROFILED(ncclCommAbort);
WARPGRADE_PROFILED(ncclCommCount);
WARPGRADE_PROFILED(ncclCommCuDevice);
WARPGRADE_PROFILED(ncclCommUserRank);
WARPGRADE_PROFILED(ncclCommGetAsyncError);
WARPGRADE_PROFILED(ncclGetErrorString);
WARPGRADE_PROFILED(ncclGetLastError);
WARPGRADE_PROFILED(ncclMemAlloc);
WARPGRADE_PROFILED(ncclMemFree);
WARPGRADE_PROFILED(ncclAllReduce);
WARPGRADE_PROFILED(ncclReduce);
WARPGRADE_PROFILED(ncclBroadcast);
WARPGRADE_PROFILED(ncclBcast);
WARPGRADE_PROFILED(ncclReduceScatter);
WARPGRADE_PROFILED(ncclAllGather);
WARPGRADE_PROFILED(ncclAlltoAll);
WARPGRADE_PROFILED(ncclGather);
WARPGRADE_PROFILED(ncclScatter);
WARPGRADE_PROFILED(ncclCommRegister);
WARPGRADE_PROFILED(ncclCommDeregister);
WARPGRADE_PROFILED(ncclSend);
WARPGRADE_PROFILED(ncclRecv);
WARPGRADE_PROFILED(ncclGroupStart);
WARPGRADE_PROFILED(ncclGroupEnd);

}  // extern "C"
