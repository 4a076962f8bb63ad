// What programs do with NCCL, in our own words: from NVIDIA's examples, and from training on several devices.
#include <cmath>
#include <utility>

#include "../nccl_check.hpp"

static std::vector<cudaStream_t> streams_of_all() {
  std::vector<cudaStream_t> all(device_count());
  for (size_t d = 0; d < all.size(); ++d) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaStreamCreateWithFlags(&all[d], cudaStreamNonBlocking));
  }
  return all;
}

/// As the example with non-blocking communicators: after each call, until it is done.
static void wait_for(ncclComm_t comm) {
  ncclResult_t state = ncclInProgress;
  while (state == ncclInProgress) NCCL(ncclCommGetAsyncError(comm, &state));
  EXPECT(state == ncclSuccess);
}
static void thread_for_each_device() {
  constexpr int n = 100;
  const int ranks = device_count();
  ncclUniqueId id;
  NCCL(ncclGetUniqueId(&id));
  std::vector<std::thread> threads;
  for (int r = 0; r < ranks; ++r)
    threads.emplace_back([=] {
      CHECK(cudaSetDevice(r));
      ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
      config.blocking = 0;
      ncclComm_t comm;
      NCCL(ncclCommInitRankConfig(&comm, ranks, id, r, &config));
      wait_for(comm);
      float *const mine = numbers_on<float>(r, n, 100 * r), *const all = numbers_on<float>(r, n * ranks, -1);
      cudaStream_t stream;
      CHECK(cudaStreamCreate(&stream));
      NCCL(ncclAllGather(mine, all, n, ncclFloat, comm, stream));
      wait_for(comm);
      while (cudaStreamQuery(stream) == cudaErrorNotReady) {
      }
      for (int k = 0; k < ranks; ++k) EXPECT(read(all, n * ranks)[k * n + 3] == 100 * k + 3);
      NCCL(ncclReduceScatter(all, mine, n, ncclFloat, ncclAvg, comm, stream));
      wait_for(comm);
      CHECK(cudaStreamSynchronize(stream));
      EXPECT(read(mine, n)[7] == 100 * r + 7);
      NCCL(ncclCommFinalize(comm));
      wait_for(comm);
      NCCL(ncclCommDestroy(comm));
      CHECK(cudaFree(mine));
      CHECK(cudaFree(all));
    });
  for (std::thread &one : threads) one.join();
}

// Data-parallel training: the gradients of a layer are averaged while those of the one before it are computed.
__global__ void compute_gradient(float *gradient, const float *weights, int n, float factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) gradient[i] = weights[i] * factor;
}
__global__ void descend(float *weights, const float *gradient, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) weights[i] -= 0.25f * gradient[i];
}
static void training_steps(bool ordered) {
  constexpr int layers = 4, n = 256, steps = 2;
  in_threads([&](int r, ncclComm_t comm) {
    int ranks;
    NCCL(ncclCommCount(comm, &ranks));
    float *const weights = numbers_on<float>(r, layers * n, r == 0 ? 0 : -1000);
    float *const gradient = numbers_on<float>(r, layers * n, 0);
    cudaStream_t compute, communicate;
    cudaEvent_t ready[layers], averaged;
    CHECK(cudaStreamCreateWithFlags(&compute, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&communicate, cudaStreamNonBlocking));
    for (cudaEvent_t &one : ready) CHECK(cudaEventCreateWithFlags(&one, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&averaged, cudaEventDisableTiming));
    NCCL(ncclBroadcast(weights, weights, layers * n, ncclFloat, 0, comm, compute));
    for (int step = 0; step < steps; ++step) {
      for (int layer = layers - 1; layer >= 0; --layer) {
        float *const its = gradient + layer * n;
        compute_gradient<<<2, 128, 0, compute>>>(its, weights + layer * n, n, r + 1);
        CHECK(cudaEventRecord(ready[layer], compute));
        if (ordered || layer != 0) CHECK(cudaStreamWaitEvent(communicate, ready[layer], 0));
        NCCL(ncclAllReduce(its, its, n, ncclFloat, ncclAvg, comm, communicate));
      }
      CHECK(cudaEventRecord(averaged, communicate));
      CHECK(cudaStreamWaitEvent(compute, averaged, 0));
      descend<<<8, 128, 0, compute>>>(weights, gradient, layers * n);
    }
    CHECK(cudaStreamSynchronize(compute));
    const float factor = 1 - 0.25f * (ranks + 1) / 2;
    EXPECT(std::fabs(read(weights, layers * n)[80] - factor * factor * 80) < 1e-3f);
    CHECK(cudaFree(weights));
    CHECK(cudaFree(gradient));
  });
}
static void training() {
  training_steps(true);
}
static void training_without_waiting_for_a_layer() {
  training_steps(false);
}

// Devices as a grid, with a communicator for each row and each column.
static void rows_and_columns() {
  const int ranks = device_count(), columns = ranks % 2 == 0 ? ranks / 2 : ranks;
  const Communicators world;
  const std::vector<cudaStream_t> streams = streams_of_all();
  std::vector<ncclComm_t> rows(ranks), cols(ranks);
  NCCL(ncclGroupStart());
  for (int r = 0; r < ranks; ++r) NCCL(ncclCommSplit(world[r], r / columns, r % columns, &rows[r], nullptr));
  NCCL(ncclGroupEnd());
  NCCL(ncclGroupStart());
  for (int r = 0; r < ranks; ++r) NCCL(ncclCommSplit(world[r], r % columns, r / columns, &cols[r], nullptr));
  NCCL(ncclGroupEnd());
  std::vector<float *> values;
  for (int r = 0; r < ranks; ++r) values.push_back(numbers_on<float>(r, 50, r));
  for (const std::vector<ncclComm_t> &comms : {rows, cols}) {
    NCCL(ncclGroupStart());
    for (int r = 0; r < ranks; ++r)
      NCCL(ncclAllReduce(values[r], values[r], 50, ncclFloat, ncclSum, comms[r], streams[r]));
    NCCL(ncclGroupEnd());
  }
  wait_for_all();
  for (int r = 0; r < ranks; ++r) {
    EXPECT(read(values[r], 50)[2] == ranks * (ranks - 1) / 2 + 2 * ranks);
    NCCL(ncclCommDestroy(rows[r]));
    NCCL(ncclCommDestroy(cols[r]));
    CHECK(cudaFree(values[r]));
  }
}

// A stencil whose edges travel in one stream while another one computes the rest.
__global__ void smooth(float *next, const float *now, int begin, int end) {
  const int i = begin + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < end) next[i] = 0.5f * now[i] + 0.25f * (now[i - 1] + now[i + 1]);
}
static void halo_by_sends() {
  constexpr int n = 256, rounds = 4;
  const int ranks = device_count();
  const Communicators comms;
  const std::vector<cudaStream_t> inner = streams_of_all(), edges = streams_of_all();
  std::vector<float *> now, next;
  std::vector<cudaEvent_t> sent(ranks), computed(ranks);
  std::vector<float> want(n * ranks + 2), last;
  for (size_t i = 0; i < want.size(); ++i) want[i] = i;
  want[100] = 0;
  for (int r = 0; r < ranks; ++r) {
    for (std::vector<float *> *const all : {&now, &next}) {
      all->push_back(numbers_on<float>(r, n + 2, 0));
      CHECK(cudaMemcpy(all->back(), &want[r * n], (n + 2) * sizeof(float), cudaMemcpyHostToDevice));
    }
    CHECK(cudaEventCreateWithFlags(&sent[r], cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&computed[r], cudaEventDisableTiming));
  }
  for (int round = 0; round < rounds; ++round) {
    for (int r = 0; r < ranks; ++r) {
      CHECK(cudaSetDevice(r));
      CHECK(cudaStreamWaitEvent(edges[r], computed[r], 0));
      smooth<<<1, 32, 0, edges[r]>>>(next[r], now[r], 1, 2);
      smooth<<<1, 32, 0, edges[r]>>>(next[r], now[r], n, n + 1);
      smooth<<<2, 128, 0, inner[r]>>>(next[r], now[r], 2, n);
    }
    NCCL(ncclGroupStart());
    for (int r = 0; r < ranks; ++r) {
      if (r > 0) NCCL(ncclRecv(next[r], 1, ncclFloat, r - 1, comms[r], edges[r]));
      if (r > 0) NCCL(ncclSend(next[r] + 1, 1, ncclFloat, r - 1, comms[r], edges[r]));
      if (r + 1 < ranks) NCCL(ncclSend(next[r] + n, 1, ncclFloat, r + 1, comms[r], edges[r]));
      if (r + 1 < ranks) NCCL(ncclRecv(next[r] + n + 1, 1, ncclFloat, r + 1, comms[r], edges[r]));
    }
    NCCL(ncclGroupEnd());
    for (int r = 0; r < ranks; ++r) {
      CHECK(cudaSetDevice(r));
      CHECK(cudaEventRecord(sent[r], edges[r]));
      CHECK(cudaStreamWaitEvent(inner[r], sent[r], 0));
      CHECK(cudaEventRecord(computed[r], inner[r]));
      std::swap(now[r], next[r]);
    }
    last = want;
    for (int i = 1; i <= n * ranks; ++i) want[i] = 0.5f * last[i] + 0.25f * (last[i - 1] + last[i + 1]);
  }
  wait_for_all();
  for (int r = 0; r < ranks; ++r)
    for (int i = 1; i <= n; i += 5) EXPECT(read(now[r], n + 2)[i] == want[r * n + i]);
}

constexpr Case cases[] = {{"thread_for_each_device", thread_for_each_device},
                          {"training", training},
                          {"training_without_waiting_for_a_layer", training_without_waiting_for_a_layer},
                          {"rows_and_columns", rows_and_columns},
                          {"halo_by_sends", halo_by_sends}};

int main(int argc, char **argv) {
  return run_case(cases, argc, argv);
}
