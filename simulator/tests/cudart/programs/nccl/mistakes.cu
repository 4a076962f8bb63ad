// What a program can do wrong with NCCL. Each case prints what the call in question returned, unless it never returns.
#include "../nccl_check.hpp"

__global__ void add(float *to, float value) {
  to[threadIdx.x] += value;  // HERE add
}

constexpr int n = 32;

static const char *name_of(ncclResult_t result) {
  switch (result) {
    case ncclSuccess:
      return "ncclSuccess";
    case ncclInvalidArgument:
      return "ncclInvalidArgument";
    case ncclInvalidUsage:
      return "ncclInvalidUsage";
    default:
      return "another result";
  }
}
static void print(ncclResult_t result) {
  std::printf("%s\n", name_of(result));
}

/// An all-reduce in a group, where rank 0 does something else.
template <class Odd>
static void rank_0_differs(const Odd &odd) {
  const Communicators comms(2);
  float *const first = numbers_on<float>(0, n, 0), *const second = numbers_on<float>(1, n, 0);
  NCCL(ncclGroupStart());
  odd(first, comms[0]);
  ncclAllReduce(second, second, n, ncclFloat, ncclSum, comms[1], nullptr);
  print(ncclGroupEnd());
}

static void counts() {
  rank_0_differs([](float *p, ncclComm_t c) { ncclAllReduce(p, p, n - 1, ncclFloat, ncclSum, c, nullptr); });
}
static void types() {
  rank_0_differs([](float *p, ncclComm_t c) { ncclAllReduce(p, p, n, ncclInt, ncclSum, c, nullptr); });
}
static void reductions() {
  rank_0_differs([](float *p, ncclComm_t c) { ncclAllReduce(p, p, n, ncclFloat, ncclMax, c, nullptr); });
}
static void another_collective() {
  rank_0_differs([](float *p, ncclComm_t c) { ncclBroadcast(p, p, n, ncclFloat, 0, c, nullptr); });
}
static void nothing_to_reduce_on_one_rank() {
  rank_0_differs([](float *p, ncclComm_t c) { ncclAllReduce(p, p, 0, ncclFloat, ncclSum, c, nullptr); });
}
static void receive_of_another_count() {
  in_threads(
      [](int r, ncclComm_t comm) {
        float *const p = numbers_on<float>(r, n, 0);
        if (r == 0) ncclSend(p, n, ncclFloat, 1, comm, nullptr);
        if (r == 1) print(ncclRecv(p, n / 2, ncclFloat, 0, comm, nullptr));
      },
      2);
}

// These wait for ever.
static void no_group() {
  const Communicators comms(2);
  float *const first = numbers_on<float>(0, n, 0), *const second = numbers_on<float>(1, n, 0);
  NCCL(ncclAllReduce(first, first, n, ncclFloat, ncclSum, comms[0], nullptr));
  NCCL(ncclAllReduce(second, second, n, ncclFloat, ncclSum, comms[1], nullptr));
}
static void rank_that_never_calls() {
  in_threads(
      [](int r, ncclComm_t comm) {
        float *const p = numbers_on<float>(r, n, 0);
        NCCL(ncclAllReduce(p, p, n, ncclFloat, ncclSum, comm, nullptr));
        if (r == 1) NCCL(ncclBroadcast(p, p, n, ncclFloat, 0, comm, nullptr));
      },
      2);
}
static void send_without_receive() {
  in_threads(
      [](int r, ncclComm_t comm) {
        float *const p = numbers_on<float>(r, n, 0);
        if (r == 0) NCCL(ncclSend(p, n, ncclFloat, 1, comm, nullptr));
      },
      2);
}
static void receive_without_send() {
  const Communicators comms(2);
  float *const p = numbers_on<float>(1, n, 0);
  NCCL(ncclRecv(p, n, ncclFloat, 0, comms[1], nullptr));
}
static void circle_of_sends() {
  in_threads([](int r, ncclComm_t comm) {
    int ranks;
    NCCL(ncclCommCount(comm, &ranks));
    float *const from = numbers_on<float>(r, n, 0), *const to = numbers_on<float>(r, n, 0);
    NCCL(ncclSend(from, n, ncclFloat, (r + 1) % ranks, comm, nullptr));
    NCCL(ncclRecv(to, n, ncclFloat, (r + ranks - 1) % ranks, comm, nullptr));
  });
}
static void send_against_collective() {
  in_threads(
      [](int r, ncclComm_t comm) {
        float *const p = numbers_on<float>(r, n, 0);
        if (r == 0) NCCL(ncclSend(p, n, ncclFloat, 1, comm, nullptr));
        if (r == 1) NCCL(ncclAllReduce(p, p, n, ncclFloat, ncclSum, comm, nullptr));
      },
      2);
}
static void gather_without_a_rank() {
  in_threads(
      [](int r, ncclComm_t comm) {
        float *const p = numbers_on<float>(r, n, 0);
#if NCCL_VERSION_CODE >= 22800
        if (r == 0) NCCL(ncclGather(p, p, n / 2, ncclFloat, 0, comm, nullptr));
#else
        if (r == 0) NCCL(ncclRecv(p, n / 2, ncclFloat, 1, comm, nullptr));
#endif
      },
      2);
}
static void rank_that_never_joins() {
  ncclUniqueId id;
  NCCL(ncclGetUniqueId(&id));
  ncclComm_t comm;
  NCCL(ncclCommInitRank(&comm, 2, id, 0));
}
static void group_without_end() {
  const Communicators comms(2);
  float *const first = numbers_on<float>(0, n, 0), *const second = numbers_on<float>(1, n, 0);
  NCCL(ncclGroupStart());
  NCCL(ncclAllReduce(first, first, n, ncclFloat, ncclSum, comms[0], nullptr));
  NCCL(ncclAllReduce(second, second, n, ncclFloat, ncclSum, comms[1], nullptr));
  wait_for_all();
}
static void end_without_group() {
  print(ncclGroupEnd());
}

// Buffers, streams, communicators.
static void one_rank(void *from, void *to, int count, ncclComm_t comm, cudaStream_t stream = nullptr) {
  print(ncclAllReduce(from, to, count, ncclFloat, ncclSum, comm, stream));
}
static void buffer_of_another_device() {
  const Communicators comms(2);
  float *const p = numbers_on<float>(1, n, 0);
  one_rank(p, p, n, comms[0]);
}
static void buffer_of_the_host() {
  const Communicators comms(2);
  static float here[n];
  one_rank(here, here, n, comms[0]);
}
static void buffer_too_short() {
  const Communicators comms(2);
  float *p;
  CHECK(cudaMalloc(&p, n * sizeof(float)));
  CHECK(cudaMemset(p, 0, n * sizeof(float)));
  one_rank(p, p, n + 1, comms[0]);
}
static void buffer_that_was_freed() {
  const Communicators comms(2);
  float *const p = numbers_on<float>(0, n, 0);
  CHECK(cudaFree(p));
  one_rank(p, p, n, comms[0]);
}
static void buffers_that_overlap() {
  const Communicators comms(2);
  float *const p = numbers_on<float>(0, n, 0);
  one_rank(p, p + 1, n - 1, comms[0]);
}
static void exchange_in_one_buffer() {
  const Communicators comms(2);
  NCCL(ncclGroupStart());
  for (int r = 0; r < 2; ++r) {
    float *const p = numbers_on<float>(r, n, r);
    NCCL(ncclSend(p, n, ncclFloat, 1 - r, comms[r], nullptr));
    NCCL(ncclRecv(p, n, ncclFloat, 1 - r, comms[r], nullptr));
  }
  print(ncclGroupEnd());
}
static void count_beyond_all_memory() {
  const Communicators comms(2);
  float *const p = numbers_on<float>(0, n, 0);
  print(ncclAllReduce(p, p, std::size_t{1} << 62, ncclFloat, ncclSum, comms[0], nullptr));
}
static void gather_in_the_wrong_place() {
  const Communicators comms(2);
  float *const p = numbers_on<float>(1, n, 0);
  print(ncclAllGather(p, p, n / 2, ncclFloat, comms[1], nullptr));
}
static void buffer_never_written() {
  const Communicators comms(1);
  float *p;
  CHECK(cudaSetDevice(0));
  CHECK(cudaMalloc(&p, n * sizeof(float)));
  one_rank(p, p, n, comms[0]);
}
static void stream_of_another_device() {
  const Communicators comms(2);
  float *const p = numbers_on<float>(0, n, 0);
  cudaStream_t stream;
  CHECK(cudaSetDevice(1));
  CHECK(cudaStreamCreate(&stream));
  one_rank(p, p, n, comms[0], stream);
}
static void no_such_root() {
  const Communicators comms(2);
  float *const p = numbers_on<float>(0, n, 0);
  print(ncclReduce(p, p, n, ncclFloat, ncclSum, 2, comms[0], nullptr));
}
static void destroyed_communicator() {
  ncclComm_t comm;
  NCCL(ncclCommInitAll(&comm, 1, nullptr));
  float *const p = numbers_on<float>(0, n, 0);
  NCCL(ncclCommDestroy(comm));
  one_rank(p, p, n, comm);
}
static void communicator_never_destroyed() {
  ncclComm_t comm;
  NCCL(ncclCommInitAll(&comm, 1, nullptr));
  std::printf("ncclSuccess\n");
}
static void two_ranks_on_a_device() {
  const int devices[] = {1, 1};
  ncclComm_t comms[2];
  print(ncclCommInitAll(comms, 2, devices));
}
static void more_devices_than_there_are() {
  ncclComm_t comms[16];
  print(ncclCommInitAll(comms, 16, nullptr));
}
__global__ void fails(float *p) {
  p[1 << 20] = 1;
}
static void call_after_a_kernel_has_failed() {
  const Communicators comms(2);
  float *const p = numbers_on<float>(0, n, 0);
  fails<<<1, 1>>>(p);
  EXPECT(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  EXPECT(ncclAllReduce(p, p, n, ncclFloat, ncclSum, comms[0], nullptr) == ncclUnhandledCudaError);
}
static void captured_stream() {
  const Communicators comms(1);
  float *const p = numbers_on<float>(0, n, 0);
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  one_rank(p, p, n, comms[0], stream);
}
static void end_while_a_rank_waits() {
  ncclUniqueId id;
  NCCL(ncclGetUniqueId(&id));
  std::thread([id] {
    ncclComm_t comm;
    ncclCommInitRank(&comm, 2, id, 0);
  }).detach();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
}
static void unique_id_of_nobody() {
  const ncclUniqueId id = {};
  ncclComm_t comm;
  print(ncclCommInitRank(&comm, 1, id, 0));
}
static void no_place_for_the_answer() {
  const Communicators comms(1);
  print(ncclCommCount(comms[0], nullptr));
  EXPECT(std::strstr(ncclGetLastError(comms[0]), "NULL") != nullptr);
}
#if NCCL_VERSION_CODE < 22200
extern "C" ncclResult_t ncclGroupSimulateEnd(void *);
#endif
static void call_that_is_not_there() {
  print(ncclGroupSimulateEnd(nullptr));
}

// Communicators and reductions that a program makes of others.
static void split_without_a_rank() {
  in_threads(
      [](int r, ncclComm_t comm) {
        ncclComm_t part;
        if (r == 0) NCCL(ncclCommSplit(comm, 0, 0, &part, nullptr));
      },
      2);
}
static void color_that_is_none() {
  const Communicators comms(2);
  ncclComm_t part;
  print(ncclCommSplit(comms[0], -2, 0, &part, nullptr));
}
static void reduction_of_another_communicator() {
  const Communicators comms(2);
  float *const p = numbers_on<float>(1, n, 0);
  float factor = 2;
  ncclRedOp_t twice;
  NCCL(ncclRedOpCreatePreMulSum(&twice, &factor, ncclFloat, ncclScalarHostImmediate, comms[0]));
  print(ncclAllReduce(p, p, n, ncclFloat, twice, comms[1], nullptr));
}
static void reduction_of_another_type() {
  const Communicators comms(1);
  float *const p = numbers_on<float>(0, n, 0);
  double factor = 2;
  ncclRedOp_t twice;
  NCCL(ncclRedOpCreatePreMulSum(&twice, &factor, ncclDouble, ncclScalarHostImmediate, comms[0]));
  print(ncclAllReduce(p, p, n, ncclFloat, twice, comms[0], nullptr));
}
static void reduction_that_was_destroyed() {
  const Communicators comms(1);
  float factor = 2;
  ncclRedOp_t twice;
  NCCL(ncclRedOpCreatePreMulSum(&twice, &factor, ncclFloat, ncclScalarHostImmediate, comms[0]));
  NCCL(ncclRedOpDestroy(twice, comms[0]));
  print(ncclRedOpDestroy(twice, comms[0]));
}
static void scalar_of_the_host() {  // where the device is to read it
  const Communicators comms(1);
  float *const p = numbers_on<float>(0, n, 0);
  static float factor = 2;
  ncclRedOp_t twice;
  NCCL(ncclRedOpCreatePreMulSum(&twice, &factor, ncclFloat, ncclScalarDevice, comms[0]));
  print(ncclAllReduce(p, p, n, ncclFloat, twice, comms[0], nullptr));
}

// Groups that have not ended.
/// What `end` does to the communicator of a rank with a call in a group; nothing of the group is done.
template <class End>
static void ended_in_a_group(const End &end) {
  std::vector<ncclComm_t> comms(2);
  NCCL(ncclCommInitAll(comms.data(), 2, nullptr));
  float *const first = numbers_on<float>(0, n, 0), *const second = numbers_on<float>(1, n, 100);
  NCCL(ncclGroupStart());
  NCCL(ncclAllReduce(first, first, n, ncclFloat, ncclSum, comms[0], nullptr));
  NCCL(ncclAllReduce(second, second, n, ncclFloat, ncclSum, comms[1], nullptr));
  end(comms[0]);
  const ncclResult_t result = ncclGroupEnd();
  EXPECT(read(first, n)[0] == 0 && read(second, n)[0] == 100);
  print(result);
}
static void destroyed_in_a_group() {
  ended_in_a_group([](ncclComm_t comm) { ncclCommDestroy(comm); });
}
static void aborted_in_a_group() {
  ended_in_a_group([](ncclComm_t comm) { NCCL(ncclCommAbort(comm)); });
}
static void group_in_a_host_function() {
  const Communicators comms(2);
  CHECK(cudaLaunchHostFunc(
      nullptr, [](void *) { print(ncclGroupStart() == ncclInvalidUsage ? ncclGroupEnd() : ncclSuccess); },
      nullptr));
  CHECK(cudaDeviceSynchronize());
}

// Kernels in other streams.
static void kernel_beside(bool before) {
  const Communicators comms(2);
  float *const first = numbers_on<float>(0, n, 0), *const second = numbers_on<float>(1, n, 0);
  cudaStream_t stream[2], other;
  for (int d = 0; d < 2; ++d) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaStreamCreateWithFlags(&stream[d], cudaStreamNonBlocking));
  }
  CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  if (before) add<<<1, n, 0, other>>>(second, 1);
  NCCL(ncclGroupStart());
  NCCL(ncclAllReduce(first, first, n, ncclFloat, ncclSum, comms[0], stream[0]));
  NCCL(ncclAllReduce(second, second, n, ncclFloat, ncclSum, comms[1], stream[1]));
  NCCL(ncclGroupEnd());
  if (!before) add<<<1, n, 0, other>>>(second, 1);
  wait_for_all();
  std::printf("ncclSuccess\n");
}
static void kernel_in_the_buffer_of_another_rank() {  // which may not have its last part yet
  const Communicators comms(2);
  float *const first = numbers_on<float>(0, n, 0), *const second = numbers_on<float>(1, n, 0);
  CHECK(cudaSetDevice(0));
  CHECK(cudaDeviceEnablePeerAccess(1, 0));
  NCCL(ncclGroupStart());
  NCCL(ncclAllReduce(first, first, n, ncclFloat, ncclSum, comms[0], nullptr));
  NCCL(ncclAllReduce(second, second, n, ncclFloat, ncclSum, comms[1], nullptr));
  NCCL(ncclGroupEnd());
  add<<<1, n>>>(second, 1);
  wait_for_all();
}
static void
kernels_around_a_large_collective() {  // whose many operations are all kept beside the first kernel
  const int ranks = device_count();
  const Communicators comms;
  std::vector<float *> values;
  for (int r = 0; r < ranks; ++r) values.push_back(numbers_on<float>(r, n, 0));
  float *const apart = numbers_on<float>(0, n, 0);
  cudaStream_t one, other;
  CHECK(cudaSetDevice(0));
  CHECK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  add<<<1, n, 0, one>>>(apart, 1);
  NCCL(ncclGroupStart());
  for (int r = 0; r < ranks; ++r)
    NCCL(ncclAllReduce(values[r], values[r], n, ncclFloat, ncclSum, comms[r], nullptr));
  NCCL(ncclGroupEnd());
  add<<<1, n, 0, other>>>(apart, 1);
  wait_for_all();
}
static void kernel_that_still_writes() {
  kernel_beside(true);
}
static void kernel_that_comes_too_early() {
  kernel_beside(false);
}

constexpr Case cases[] = {{"counts", counts},
                          {"types", types},
                          {"reductions", reductions},
                          {"another_collective", another_collective},
                          {"nothing_to_reduce_on_one_rank", nothing_to_reduce_on_one_rank},
                          {"receive_of_another_count", receive_of_another_count},
                          {"no_group", no_group},
                          {"rank_that_never_calls", rank_that_never_calls},
                          {"send_without_receive", send_without_receive},
                          {"receive_without_send", receive_without_send},
                          {"circle_of_sends", circle_of_sends},
                          {"send_against_collective", send_against_collective},
                          {"gather_without_a_rank", gather_without_a_rank},
                          {"rank_that_never_joins", rank_that_never_joins},
                          {"group_without_end", group_without_end},
                          {"end_without_group", end_without_group},
                          {"buffer_of_another_device", buffer_of_another_device},
                          {"buffer_of_the_host", buffer_of_the_host},
                          {"buffer_too_short", buffer_too_short},
                          {"buffer_that_was_freed", buffer_that_was_freed},
                          {"buffers_that_overlap", buffers_that_overlap},
                          {"exchange_in_one_buffer", exchange_in_one_buffer},
                          {"count_beyond_all_memory", count_beyond_all_memory},
                          {"gather_in_the_wrong_place", gather_in_the_wrong_place},
                          {"buffer_never_written", buffer_never_written},
                          {"stream_of_another_device", stream_of_another_device},
                          {"no_such_root", no_such_root},
                          {"destroyed_communicator", destroyed_communicator},
                          {"communicator_never_destroyed", communicator_never_destroyed},
                          {"two_ranks_on_a_device", two_ranks_on_a_device},
                          {"more_devices_than_there_are", more_devices_than_there_are},
                          {"call_after_a_kernel_has_failed", call_after_a_kernel_has_failed},
                          {"captured_stream", captured_stream},
                          {"end_while_a_rank_waits", end_while_a_rank_waits},
                          {"unique_id_of_nobody", unique_id_of_nobody},
                          {"kernel_in_the_buffer_of_another_rank", kernel_in_the_buffer_of_another_rank},
                          {"no_place_for_the_answer", no_place_for_the_answer},
                          {"call_that_is_not_there", call_that_is_not_there},
                          {"split_without_a_rank", split_without_a_rank},
                          {"color_that_is_none", color_that_is_none},
                          {"reduction_of_another_communicator", reduction_of_another_communicator},
                          {"reduction_of_another_type", reduction_of_another_type},
                          {"reduction_that_was_destroyed", reduction_that_was_destroyed},
                          {"scalar_of_the_host", scalar_of_the_host},
                          {"destroyed_in_a_group", destroyed_in_a_group},
                          {"aborted_in_a_group", aborted_in_a_group},
                          {"group_in_a_host_function", group_in_a_host_function},
                          {"kernels_around_a_large_collective", kernels_around_a_large_collective},
                          {"kernel_that_still_writes", kernel_that_still_writes},
                          {"kernel_that_comes_too_early", kernel_that_comes_too_early}};

int main(int argc, char **argv) {
  return run_case(cases, argc, argv);
}
