// Collectives, sends and receives, groups, and what a program asks. Communicators are made in communicators.cpp; functions
// that the simulator lacks are in refused.cpp.
#include <fmt/format.h>

#include <cstring>

#include "nccl/entry.hpp"

namespace warpgrade::nccl {
namespace {

static_assert(int(Type::int8) == ncclInt8 && int(Type::uint64) == ncclUint64 &&
              int(Type::float16) == ncclFloat16 && int(Type::float64) == ncclFloat64 &&
              int(Type::bfloat16) == ncclBfloat16);
static_assert(int(Reduction::product) == ncclProd && int(Reduction::maximum) == ncclMax &&
              int(Reduction::minimum) == ncclMin && int(Reduction::average) == ncclAvg);

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

ncclResult_t check_type(const char *call, int type) {
  if (type >= type_count && type < ncclNumTypes) {
    services().refuse(call, "the type of 8 bits");
    return ncclInvalidArgument;
  }
  if (type < 0 || type >= type_count) return wrong(call, fmt::format("{} is not a type of NCCL", type));
  return ncclSuccess;
}

ncclResult_t check_numbers(const Call &call, const Given &given, const Communicator &c) {
  const auto type = static_cast<int>(given.type);
  if (const ncclResult_t result = check_type(call.name, type); result != ncclSuccess) return result;
  const auto op = static_cast<int>(given.op);
  if (const auto made = c.reductions.find(op); made != c.reductions.end()) {
    if (made->second.type != static_cast<Type>(type))
      return wrong(call.name,
                   fmt::format("{} gives {}, and a reduction that was made for {}", c.member().words(),
                               name_of(static_cast<Type>(type)), name_of(made->second.type)));
  } else if (op < 0 || op >= reduction_count) {
    return wrong(call.name, fmt::format("{} is not a reduction of NCCL, nor one that was made for the "
                                        "communicator of {}",
                                        op, c.member().words()));
  }
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
  if (const void *const scalar = call.scaled.on_device) {
    const std::string name = "the scalar of " + c.member().words();
    if (!services().check({call.name, name, {scalar, bytes_of(call.type)}, c.device}))
      return ncclInvalidArgument;
  }
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
    if (const auto made = c->reductions.find(given.op); made == c->reductions.end()) {
      call.op = static_cast<Reduction>(given.op);
    } else {
      call.op = Reduction::scaled_sum;
      call.scaled = made->second;
    }
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

}  // namespace
}  // namespace warpgrade::nccl

using namespace warpgrade::nccl;

extern "C" {

ncclResult_t ncclGetVersion(int *version) {
  if (version == nullptr) return ncclInvalidArgument;
  *version = NCCL_VERSION_CODE;
  return ncclSuccess;
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

ncclResult_t ncclRedOpCreatePreMulSum(ncclRedOp_t *to, void *scalar, ncclDataType_t type,
                                      ncclScalarResidence_t residence, ncclComm_t handle) {
  constexpr const char *call = "ncclRedOpCreatePreMulSum";
  return enter(call, [&](Lock &) -> ncclResult_t {
    Communicator *const c = find(call, handle);
    if (c == nullptr) return ncclInvalidArgument;
    if (to == nullptr || scalar == nullptr)
      return wrong(call, "there is no scalar, or no place for the reduction (NULL)");
    const auto number = static_cast<int>(type);
    if (const ncclResult_t result = check_type(call, number); result != ncclSuccess) return result;
    Scaled made{static_cast<Type>(number)};
    if (residence == ncclScalarDevice)
      made.on_device = scalar;
    else if (residence == ncclScalarHostImmediate)
      std::memcpy(made.value.data(), scalar, bytes_of(made.type));
    else
      return wrong(call, fmt::format("{} is no place of a scalar", static_cast<int>(residence)));
    const int next = state().reductions++;
    c->reductions.emplace(next, made);
    *to = static_cast<ncclRedOp_t>(next);
    return ncclSuccess;
  });
}
ncclResult_t ncclRedOpDestroy(ncclRedOp_t op, ncclComm_t handle) {
  constexpr const char *call = "ncclRedOpDestroy";
  return enter(call, [&](Lock &) -> ncclResult_t {
    Communicator *const c = find(call, handle);
    if (c == nullptr) return ncclInvalidArgument;
    if (c->reductions.erase(static_cast<int>(op)) != 0) return ncclSuccess;
    return wrong(call, fmt::format("{} is not a reduction that was made for the communicator of {}",
                                   static_cast<int>(op), c->member().words()));
  });
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
  return enter("ncclGroupStart", [](Lock &) {
    start_group();
    return ncclSuccess;
  });
}
ncclResult_t ncclGroupEnd() {
  return enter("ncclGroupEnd", [](Lock &lock) { return end_group(lock); });
}

WARPGRADE_PROFILED(ncclGetVersion);
WARPGRADE_PROFILED(ncclCommCount);
WARPGRADE_PROFILED(ncclCommCuDevice);
WARPGRADE_PROFILED(ncclCommUserRank);
WARPGRADE_PROFILED(ncclCommGetAsyncError);
WARPGRADE_PROFILED(ncclGetErrorString);
WARPGRADE_PROFILED(ncclGetLastError);
WARPGRADE_PROFILED(ncclMemAlloc);
WARPGRADE_PROFILED(ncclMemFree);
WARPGRADE_PROFILED(ncclRedOpCreatePreMulSum);
WARPGRADE_PROFILED(ncclRedOpDestroy);
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
