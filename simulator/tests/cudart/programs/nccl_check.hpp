// What the programs of NCCL share.
#pragma once

#include <nccl.h>

#include <chrono>
#include <thread>
#include <vector>

#include "check.hpp"

#define NCCL(call)                                                                                     \
  do {                                                                                                 \
    const ncclResult_t result_ = (call);                                                               \
    if (result_ != ncclSuccess) {                                                                      \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, ncclGetErrorString(result_)); \
      std::exit(2);                                                                                    \
    }                                                                                                  \
  } while (0)

inline int device_count() {
  int count;
  CHECK(cudaGetDeviceCount(&count));
  EXPECT(count >= 2);
  return count;
}

/// Memory of `count` elements on a device; element i is first + i.
template <class T>
T *numbers_on(int device, int count, double first) {
  std::vector<T> all;
  for (int i = 0; i < count; ++i) all.push_back(static_cast<T>(first + i));
  T *p;
  CHECK(cudaSetDevice(device));
  CHECK(cudaMalloc(&p, count * sizeof(T) + 1));  // so that there is a place for no elements
  CHECK(cudaMemcpy(p, all.data(), count * sizeof(T), cudaMemcpyHostToDevice));
  return p;
}

template <class T>
std::vector<T> read(const T *p, int count) {
  std::vector<T> all(count);
  CHECK(cudaMemcpy(all.data(), p, count * sizeof(T), cudaMemcpyDeviceToHost));
  return all;
}

inline void wait_for_all() {
  for (int d = 0; d < device_count(); ++d) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaDeviceSynchronize());
  }
}

/// One communicator for each device, all of this thread.
struct Communicators {
  std::vector<ncclComm_t> all;
  explicit Communicators(int count = device_count()) : all(count) {
    NCCL(ncclCommInitAll(all.data(), count, nullptr));
  }
  ~Communicators() {
    for (ncclComm_t one : all) ncclCommDestroy(one);
  }
  ncclComm_t operator[](int rank) const { return all[rank]; }
};

/// One thread for each device, with its rank and communicator.
template <class Body>
void in_threads(const Body &body, int count = device_count()) {
  ncclUniqueId id;
  NCCL(ncclGetUniqueId(&id));
  std::vector<std::thread> threads;
  for (int r = 0; r < count; ++r)
    threads.emplace_back([&, r] {
      CHECK(cudaSetDevice(r));
      ncclComm_t comm;
      NCCL(ncclCommInitRank(&comm, count, id, r));
      body(r, comm);
      NCCL(ncclCommDestroy(comm));
    });
  for (std::thread &one : threads) one.join();
}
