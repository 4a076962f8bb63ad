// NCCL as it should be used, on two devices or more. The second argument is a number of elements.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "../nccl_check.hpp"

static int given = 1000;

__global__ void add(float *to, float value, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] += value;
}

/// Of the numbers 100 r + i of all ranks.
static float sum_at(int ranks, int i) {
  return 50 * ranks * (ranks - 1) + ranks * i;
}

static void all_reduce_in_one_thread() {
  const int ranks = device_count(), n = given;
  const Communicators comms;
  std::vector<float *> from, to;
  for (int r = 0; r < ranks; ++r) {
    from.push_back(numbers_on<float>(r, n, 100 * r));
    to.push_back(numbers_on<float>(r, n, -1));
  }
  for (const bool in_place : {false, true}) {
    NCCL(ncclGroupStart());
    for (int r = 0; r < ranks; ++r)
      NCCL(ncclAllReduce(from[r], in_place ? from[r] : to[r], n, ncclFloat, ncclSum, comms[r], nullptr));
    NCCL(ncclGroupEnd());
    wait_for_all();
    for (int r = 0; r < ranks; ++r) {
      const std::vector<float> sums = read(in_place ? from[r] : to[r], n);
      for (int i = 0; i < n; ++i) EXPECT(sums[i] == sum_at(ranks, i));
    }
  }
}

static void all_reduce_once() {  // its bytes are counted
  const int ranks = device_count(), n = given;
  const Communicators comms;
  std::vector<float *> values;
  for (int r = 0; r < ranks; ++r) values.push_back(numbers_on<float>(r, n, 100 * r));
  NCCL(ncclGroupStart());
  for (int r = 0; r < ranks; ++r)
    NCCL(ncclAllReduce(values[r], values[r], n, ncclFloat, ncclSum, comms[r], nullptr));
  NCCL(ncclGroupEnd());
}

static void kernels_before_and_after() {  // in the same streams, which need no other order
  const int n = 1000;
  in_threads([&](int r, ncclComm_t comm) {
    int ranks;
    NCCL(ncclCommCount(comm, &ranks));
    float *const values = numbers_on<float>(r, n, 100 * r);
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (int round = 0; round < 3; ++round) {
      add<<<(n + 127) / 128, 128, 0, stream>>>(values, 1, n);
      NCCL(ncclAllReduce(values, values, n, ncclFloat, ncclAvg, comm, stream));
      add<<<(n + 127) / 128, 128, 0, stream>>>(values, -1, n);
    }
    CHECK(cudaStreamSynchronize(stream));
    EXPECT(read(values, n)[7] == 50 * (ranks - 1) + 7);
    CHECK(cudaStreamDestroy(stream));
  });
}

static void other_collectives() {
  const int n = 12;
  in_threads([&](int r, ncclComm_t comm) {
    int ranks, rank, device;
    NCCL(ncclCommCount(comm, &ranks));
    NCCL(ncclCommUserRank(comm, &rank));
    NCCL(ncclCommCuDevice(comm, &device));
    EXPECT(rank == r && device == r);
    int *const mine = numbers_on<int>(r, n * ranks, 100 * r), *const result =
                                                                  numbers_on<int>(r, n * ranks, -1000);
    NCCL(ncclReduce(mine, r == 1 ? result : nullptr, n, ncclInt, ncclMax, 1, comm, nullptr));
    EXPECT(read(result, n)[5] == (r == 1 ? 100 * (ranks - 1) + 5 : -995));
    NCCL(ncclBroadcast(r == 1 ? mine : nullptr, result, n, ncclInt, 1, comm, nullptr));
    EXPECT(read(result, n)[5] == 105);
    NCCL(ncclReduceScatter(mine, result, n, ncclInt, ncclSum, comm, nullptr));
    EXPECT(read(result, n)[5] == static_cast<int>(sum_at(ranks, n * r + 5)));
    NCCL(ncclAllGather(mine, result, n, ncclInt, comm, nullptr));
    for (int k = 0; k < ranks; ++k) EXPECT(read(result, n * ranks)[k * n + 5] == 100 * k + 5);
    NCCL(ncclBcast(mine, n, ncclInt, 0, comm, nullptr));
    EXPECT(read(mine, n)[5] == 5);
  });
}

static void exchanges() {
#if NCCL_VERSION_CODE >= 22800
  const int n = 3;
  in_threads([&](int r, ncclComm_t comm) {
    int ranks;
    NCCL(ncclCommCount(comm, &ranks));
    int *const mine = numbers_on<int>(r, n * ranks, 100 * r), *const result =
                                                                  numbers_on<int>(r, n * ranks, -1000);
    void *handle;
    NCCL(ncclCommRegister(comm, result, n * ranks * sizeof(int), &handle));
    NCCL(ncclAlltoAll(mine, result, n, ncclInt, comm, nullptr));
    for (int k = 0; k < ranks; ++k) EXPECT(read(result, n * ranks)[k * n + 1] == 100 * k + n * r + 1);
    NCCL(ncclGather(mine, r == 1 ? result : nullptr, n, ncclInt, 1, comm, nullptr));
    if (r == 1)
      for (int k = 0; k < ranks; ++k) EXPECT(read(result, n * ranks)[k * n + 1] == 100 * k + 1);
    NCCL(ncclScatter(r == 1 ? mine : nullptr, result, n, ncclInt, 1, comm, nullptr));
    EXPECT(read(result, n)[1] == 100 + n * r + 1);
    NCCL(ncclCommDeregister(comm, handle));
  });
#endif
}

template <class T>
static void sum_of_type(ncclDataType_t type) {  // 1 + 2 + ... + ranks
  in_threads([&](int r, ncclComm_t comm) {
    int ranks;
    NCCL(ncclCommCount(comm, &ranks));
    T *const values = numbers_on<T>(r, 1, r + 1);
    NCCL(ncclAllReduce(values, values, 1, type, ncclSum, comm, nullptr));
    EXPECT(static_cast<double>(read(values, 1)[0]) == ranks * (ranks + 1) / 2);
  });
}
struct Half {
  __half value;
  Half() = default;
  explicit Half(double v) : value(__float2half(static_cast<float>(v))) {}
  explicit operator double() const { return __half2float(value); }
};
struct Bfloat16 {
  __nv_bfloat16 value;
  Bfloat16() = default;
  explicit Bfloat16(double v) : value(__float2bfloat16(static_cast<float>(v))) {}
  explicit operator double() const { return __bfloat162float(value); }
};
static void types() {
  sum_of_type<signed char>(ncclInt8);
  sum_of_type<unsigned char>(ncclUint8);
  sum_of_type<int>(ncclInt32);
  sum_of_type<unsigned>(ncclUint32);
  sum_of_type<long long>(ncclInt64);
  sum_of_type<unsigned long long>(ncclUint64);
  sum_of_type<float>(ncclFloat32);
  sum_of_type<double>(ncclFloat64);
  sum_of_type<Half>(ncclFloat16);
  sum_of_type<Bfloat16>(ncclBfloat16);
}

static void ring_of_sends() {
  const int n = 100;
  in_threads([&](int r, ncclComm_t comm) {
    int ranks;
    NCCL(ncclCommCount(comm, &ranks));
    const int before = (r + ranks - 1) % ranks;
    float *const from = numbers_on<float>(r, n, 100 * r), *const to = numbers_on<float>(r, n, -1);
    NCCL(ncclGroupStart());
    NCCL(ncclSend(from, n, ncclFloat, (r + 1) % ranks, comm, nullptr));
    NCCL(ncclRecv(to, n, ncclFloat, before, comm, nullptr));
    NCCL(ncclGroupEnd());
    add<<<1, 128>>>(to, 1, n);
    EXPECT(read(to, n)[7] == 100 * before + 8);
  });
}

static void sends_in_one_thread() {  // all to all, and to oneself
  const int ranks = device_count();
  const Communicators comms;
  std::vector<int *> from, to;
  for (int r = 0; r < ranks; ++r) {
    from.push_back(numbers_on<int>(r, ranks, 100 * r));
    to.push_back(numbers_on<int>(r, ranks, -1000));
  }
  NCCL(ncclGroupStart());
  for (int r = 0; r < ranks; ++r)
    for (int k = 0; k < ranks; ++k) {
      NCCL(ncclSend(from[r] + k, 1, ncclInt, k, comms[r], nullptr));
      NCCL(ncclRecv(to[r] + k, 1, ncclInt, k, comms[r], nullptr));
    }
  NCCL(ncclGroupEnd());
  wait_for_all();
  for (int r = 0; r < ranks; ++r)
    for (int k = 0; k < ranks; ++k) EXPECT(read(to[r], ranks)[k] == 100 * k + r);
}

static void pipeline_of_sends() {  // each rank receives before it sends, so that no group is needed
  in_threads([&](int r, ncclComm_t comm) {
    int ranks;
    NCCL(ncclCommCount(comm, &ranks));
    float *const value = numbers_on<float>(r, 1, 5);
    if (r > 0) NCCL(ncclRecv(value, 1, ncclFloat, r - 1, comm, nullptr));
    add<<<1, 1>>>(value, 1, 1);
    if (r + 1 < ranks) NCCL(ncclSend(value, 1, ncclFloat, r + 1, comm, nullptr));
    EXPECT(read(value, 1)[0] == 6 + r);
  });
}

static void ranks_made_in_a_group() {
  const int ranks = device_count();
  ncclUniqueId id;
  NCCL(ncclGetUniqueId(&id));
  std::vector<ncclComm_t> comms(ranks);
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;  // a call may then return before it is done
  NCCL(ncclGroupStart());
  for (int r = 0; r < ranks; ++r) {
    CHECK(cudaSetDevice(ranks - 1 - r));
    NCCL(ncclCommInitRankConfig(&comms[r], ranks, id, r, &config));
  }
  NCCL(ncclGroupEnd());
  std::vector<float *> values;
  for (int r = 0; r < ranks; ++r) values.push_back(numbers_on<float>(ranks - 1 - r, 10, 100 * r));
  NCCL(ncclGroupStart());
  for (int r = 0; r < ranks; ++r) {
    NCCL(ncclAllReduce(values[r], values[r], 10, ncclFloat, ncclSum, comms[r], nullptr));
    NCCL(ncclBroadcast(values[r], values[r], 5, ncclFloat, 0, comms[r], nullptr));
  }
  NCCL(ncclGroupEnd());
  wait_for_all();
  for (int r = 0; r < ranks; ++r) {
    EXPECT(read(values[r], 10)[7] == sum_at(ranks, 7));
    NCCL(ncclCommFinalize(comms[r]));
    NCCL(ncclCommDestroy(comms[r]));
  }
}

static void streams_of_one_communicator() {  // NCCL orders its own operations, in whatever stream they are
  in_threads([&](int r, ncclComm_t comm) {
    cudaStream_t one, other;
    CHECK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    float *const values = numbers_on<float>(r, 100, r);
    NCCL(ncclAllReduce(values, values, 100, ncclFloat, ncclSum, comm, one));
    NCCL(ncclAllReduce(values, values, 100, ncclFloat, ncclSum, comm, other));
    CHECK(cudaStreamSynchronize(other));
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(other));
  });
}

static void streams_of_threads() {  // whichever thread comes last does the work of all
  in_threads([](int r, ncclComm_t comm) {
    float *const values = numbers_on<float>(r, 32, r);
    for (int round = 0; round < 3; ++round) {
      add<<<1, 32, 0, cudaStreamPerThread>>>(values, 1, 32);
      NCCL(ncclAllReduce(values, values, 32, ncclFloat, ncclMax, comm, cudaStreamPerThread));
      add<<<1, 32, 0, cudaStreamPerThread>>>(values, 1, 32);
    }
    CHECK(cudaStreamSynchronize(cudaStreamPerThread));
  });
}

static void rank_that_comes_late() {
  in_threads([](int r, ncclComm_t comm) {
    float *const values = numbers_on<float>(r, 32, r);
    if (r == 1) std::this_thread::sleep_for(std::chrono::seconds(1));
    NCCL(ncclAllReduce(values, values, 32, ncclFloat, ncclMin, comm, nullptr));
    EXPECT(read(values, 32)[7] == 7);
  });
}

static void memory_of_the_host() {
  const Communicators comms(2);
  float *pinned, *managed;
  CHECK(cudaMallocHost(&pinned, 32 * sizeof(float)));
  CHECK(cudaMallocManaged(&managed, 32 * sizeof(float)));
  for (int i = 0; i < 32; ++i) pinned[i] = i, managed[i] = 2 * i;
  NCCL(ncclGroupStart());
  NCCL(ncclAllReduce(pinned, pinned, 32, ncclFloat, ncclSum, comms[0], nullptr));
  NCCL(ncclAllReduce(managed, managed, 32, ncclFloat, ncclSum, comms[1], nullptr));
  NCCL(ncclGroupEnd());
  wait_for_all();
  EXPECT(pinned[3] == 9 && managed[3] == 9);
}

static void small_calls() {
  int version;
  NCCL(ncclGetVersion(&version));
  EXPECT(version == NCCL_VERSION_CODE);
  EXPECT(std::strcmp(ncclGetErrorString(ncclSuccess), "no error") == 0);
  const Communicators comms;
  ncclResult_t error = ncclInternalError;
  NCCL(ncclCommGetAsyncError(comms[0], &error));
  EXPECT(error == ncclSuccess);
  void *memory;
  NCCL(ncclMemAlloc(&memory, 1000));
  NCCL(ncclMemFree(memory));
  EXPECT(*ncclGetLastError(comms[0]) == '\0');
}

/// Even and odd ranks each add up, in the reverse order of their ranks; the last rank of all joins nobody.
static void check_part(ncclComm_t part, int rank, int ranks) {
  if (rank == ranks - 1) {
    EXPECT(part == nullptr);
    return;
  }
  const int size = (ranks - rank % 2) / 2;
  int count, mine, device;
  NCCL(ncclCommCount(part, &count));
  NCCL(ncclCommUserRank(part, &mine));
  NCCL(ncclCommCuDevice(part, &device));
  EXPECT(count == size && mine == size - 1 - rank / 2 && device == rank);
}
static void split_in_threads() {
  in_threads([](int r, ncclComm_t comm) {
    int ranks;
    NCCL(ncclCommCount(comm, &ranks));
    ncclComm_t part, same;
    NCCL(ncclCommSplit(comm, r == ranks - 1 ? NCCL_SPLIT_NOCOLOR : r % 2, -r, &part, nullptr));
    check_part(part, r, ranks);
    NCCL(ncclCommSplit(comm, 5, 0, &same, nullptr));
    float *const values = numbers_on<float>(r, 10, 100 * r);
    if (part != nullptr) {
      NCCL(ncclAllReduce(values, values, 10, ncclFloat, ncclMax, part, nullptr));
      NCCL(ncclCommDestroy(part));
      int largest = r;
      while (largest + 2 < ranks - 1) largest += 2;
      EXPECT(read(values, 10)[3] == 100 * largest + 3);
    }
    NCCL(ncclAllReduce(values, values, 10, ncclFloat, ncclMin, same, nullptr));
    EXPECT(read(values, 10)[3] ==
           (ranks == 4 ? 103 : 3));  // of 4 ranks, the first one has the third one's now
    NCCL(ncclCommDestroy(same));
  });
}
static void split_in_one_thread() {
  const int ranks = device_count();
  const Communicators comms;
  std::vector<ncclComm_t> parts(ranks);
  NCCL(ncclGroupStart());
  for (int r = 0; r < ranks; ++r)
    NCCL(ncclCommSplit(comms[r], r == ranks - 1 ? NCCL_SPLIT_NOCOLOR : r % 2, -r, &parts[r], nullptr));
  NCCL(ncclGroupEnd());
  for (int r = 0; r < ranks; ++r) check_part(parts[r], r, ranks);
  for (ncclComm_t one : parts) NCCL(ncclCommDestroy(one));
}

static void scaled_sums() {  // each rank has a factor of its own
  in_threads([](int r, ncclComm_t comm) {
    int ranks;
    NCCL(ncclCommCount(comm, &ranks));
    float *const values = numbers_on<float>(r, 10, r), *const factor = numbers_on<float>(r, 1, r + 1);
    float half = 0.5f;
    ncclRedOp_t by_half, by_rank;
    NCCL(ncclRedOpCreatePreMulSum(&by_half, &half, ncclFloat, ncclScalarHostImmediate, comm));
    half = 7;
    NCCL(ncclRedOpCreatePreMulSum(&by_rank, factor, ncclFloat, ncclScalarDevice, comm));
    float *const to = numbers_on<float>(r, 10, -1);
    NCCL(ncclAllReduce(values, to, 10, ncclFloat, by_half, comm, nullptr));
    float halves = 0, products = 0;
    for (int k = 0; k < ranks; ++k) halves += 0.5f * (k + 4), products += (k + 1) * (k + 4);
    EXPECT(read(to, 10)[4] == halves);
    NCCL(ncclReduce(values, to, 10, ncclFloat, by_rank, 0, comm, nullptr));
    EXPECT(read(to, 10)[4] == (r == 0 ? products : halves));
    NCCL(ncclRedOpDestroy(by_half, comm));
    NCCL(ncclRedOpDestroy(by_rank, comm));
  });
}

constexpr Case cases[] = {{"all_reduce_in_one_thread", all_reduce_in_one_thread},
                          {"all_reduce_once", all_reduce_once},
                          {"kernels_before_and_after", kernels_before_and_after},
                          {"other_collectives", other_collectives},
                          {"exchanges", exchanges},
                          {"types", types},
                          {"ring_of_sends", ring_of_sends},
                          {"sends_in_one_thread", sends_in_one_thread},
                          {"pipeline_of_sends", pipeline_of_sends},
                          {"ranks_made_in_a_group", ranks_made_in_a_group},
                          {"streams_of_one_communicator", streams_of_one_communicator},
                          {"streams_of_threads", streams_of_threads},
                          {"rank_that_comes_late", rank_that_comes_late},
                          {"memory_of_the_host", memory_of_the_host},
                          {"split_in_threads", split_in_threads},
                          {"split_in_one_thread", split_in_one_thread},
                          {"scaled_sums", scaled_sums},
                          {"small_calls", small_calls}};

int main(int argc, char **argv) {
  if (argc > 2) given = std::atoi(argv[2]);
  return run_case(cases, argc, argv);
}
