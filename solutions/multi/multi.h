// What the launchers of this assignment compute, on several devices (GPUs) of one machine.
//
// Every launcher takes arrays of device pointers, one pointer for each device: A[d] is memory of device d and
// holds that device's part only. These arrays themselves are in host memory. Of rows, columns or planes,
// `all` in number, device d holds those from first_of(all, d, devices) on, size_of(all, d, devices) of them:
// that may be none.
//
//     split_rows: C = A B, row-major; A is m x k, B is k x n. Device d holds its part of the rows of A, of B
//         and of C.
//     split_k: the same, but device d holds its part of the columns of A, as a row-major matrix of its own,
//         and its part of the rows of B and of C.
//     halo_copies, halo_stores, halo_overlap: each element of a box becomes centre * itself + side * (the sum
//         of its six neighbours), all at once, and this `steps` times. Beyond the box, everything is 0.
//         Element x, y, z is number (z * ny + y) * nx + x. Device d holds its part of the nz planes.
//     ring_allreduce: out[d][i] = in[0][i] + in[1][i] + ..., for all devices d and 0 <= i < n.
//     product_allreduce: C = A B, all of it on every device. A and B are as in split_k.
//
// All sizes and `steps` are at least 1, and no matrix, box or array has more than 2^30 elements. There are at
// most MOST_DEVICES devices. What is const must stay unchanged; the rest is undefined on entry.
//
// On entry, device 0 is current, and no device has access to the memory of another. A launcher starts work: it
// may synchronise, but need not at its end. It may allocate memory on every device, and frees it. It may not
// read results back to the host.
#pragma once

#include <cuda_runtime.h>

constexpr int MOST_DEVICES = 8;

inline int first_of(int all, int d, int devices) {
  return static_cast<int>(static_cast<long long>(all) * d / devices);
}
inline int size_of(int all, int d, int devices) {
  return first_of(all, d + 1, devices) - first_of(all, d, devices);
}
inline int ceil_div(int a, int b) {
  return (a + b - 1) / b;
}

void split_rows(int devices, int m, int n, int k, const float *const *A, const float *const *B,
                float *const *C);
void split_k(int devices, int m, int n, int k, const float *const *A, const float *const *B, float *const *C);
void halo_copies(int devices, int nx, int ny, int nz, int steps, float centre, float side,
                 const float *const *in, float *const *out);
void halo_stores(int devices, int nx, int ny, int nz, int steps, float centre, float side,
                 const float *const *in, float *const *out);
void halo_overlap(int devices, int nx, int ny, int nz, int steps, float centre, float side,
                  const float *const *in, float *const *out);
void ring_allreduce(int devices, int n, const float *const *in, float *const *out);
void product_allreduce(int devices, int m, int n, int k, const float *const *A, const float *const *B,
                       float *const *C);
