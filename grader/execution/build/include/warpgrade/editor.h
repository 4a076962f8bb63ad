// For editors alone: tells clangd what CUDA C++ is. Neither nvcc nor the grader reads this file.
//
// clangd knows the syntax of CUDA, but each release of it only some toolkits. So the toolkit's headers are
// read here as a host compiler reads them, and what only nvcc adds is declared: the attributes, the built-in
// variables, and the functions that kernels call most. If something rare is underlined and nvcc takes it,
// nvcc is right.
#pragma once

#if !__has_include(<crt/host_defines.h>)
#include <cuda_runtime.h>  // there is no CUDA Toolkit: these are Warpgrade's headers, which are meant for clang
// Where clang finds no toolkit, it takes a launch for one of a toolkit before 9.2.
extern "C" cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t shared_bytes = 0,
                                         cudaStream_t stream = nullptr);
#else

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#pragma clang force_cuda_host_device begin
#include <vector_functions.h>  // make_float4, for kernels too
#pragma clang force_cuda_host_device end
#include <cuda_runtime.h>

#undef __host__
#undef __device__
#undef __global__
#undef __shared__
#undef __constant__
#undef __managed__
#undef __launch_bounds__
#undef __grid_constant__
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __grid_constant__

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes = 0, void *stream = nullptr);
unsigned cudaConfigureCall(dim3 grid, dim3 block, size_t shared_bytes = 0, void *stream = nullptr);
template <class T>
cudaError_t cudaFuncSetAttribute(T *kernel, cudaFuncAttribute, int value);
template <class T>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *, T *kernel);
template <class T>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T kernel, int threads,
                                                          size_t shared_bytes);
template <class T>
cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes, size_t offset = 0,
                               cudaMemcpyKind = cudaMemcpyHostToDevice);

extern const __device__ uint3 threadIdx, blockIdx;
extern const __device__ dim3 blockDim, gridDim;
constexpr int warpSize = 32;

// Barriers, votes and what a warp exchanges; __syncthreads is known to clang.
__device__ int __syncthreads_count(int);
__device__ int __syncthreads_and(int);
__device__ int __syncthreads_or(int);
__device__ void __syncwarp(unsigned mask = 0xffffffffu);
__device__ void __threadfence();
__device__ void __nanosleep(unsigned);
__device__ void __trap();
__device__ void __threadfence_block();
__device__ unsigned __activemask();
__device__ unsigned __ballot_sync(unsigned mask, int);
__device__ int __all_sync(unsigned mask, int);
__device__ int __any_sync(unsigned mask, int);
template <class T>
__device__ T __shfl_sync(unsigned mask, T, int lane, int width = 32);
template <class T>
__device__ T __shfl_up_sync(unsigned mask, T, unsigned lanes, int width = 32);
template <class T>
__device__ T __shfl_down_sync(unsigned mask, T, unsigned lanes, int width = 32);
template <class T>
__device__ T __shfl_xor_sync(unsigned mask, T, int lanes, int width = 32);

// Memory.
template <class T>
__device__ T __ldg(const T *);
template <class T>
__device__ T __ldcg(const T *);
template <class T>
__device__ T __ldca(const T *);
template <class T>
__device__ T __ldcs(const T *);
template <class T>
__device__ void __stcg(T *, T);
template <class T>
__device__ void __stcs(T *, T);
template <class T>
__device__ T atomicAdd(T *, T);
template <class T>
__device__ T atomicMax(T *, T);
template <class T>
__device__ T atomicMin(T *, T);
template <class T>
__device__ T atomicExch(T *, T);
template <class T>
__device__ T atomicCAS(T *, T compare, T value);
__device__ size_t __cvta_generic_to_shared(const void *);
__device__ unsigned __isGlobal(const void *);
__device__ unsigned __isShared(const void *);
__device__ void *memcpy(void *, const void *, size_t);
__device__ void *memset(void *, int, size_t);

// Arithmetic.
__device__ float fmaf(float, float, float);
__device__ float fminf(float, float);
__device__ float fmaxf(float, float);
__device__ float fabsf(float);
__device__ float sqrtf(float);
__device__ float rsqrtf(float);
__device__ float expf(float);
__device__ float logf(float);
__device__ float powf(float, float);
__device__ float floorf(float);
__device__ float ceilf(float);
__device__ float __fmaf_rn(float, float, float);
__device__ float __fadd_rn(float, float);
__device__ float __fmul_rn(float, float);
__device__ float __fdividef(float, float);
__device__ float __expf(float);
__device__ float __logf(float);
__device__ float __fsqrt_rn(float);
__device__ float __frcp_rn(float);
__device__ float __saturatef(float);
__device__ float __int_as_float(int);
__device__ int __float_as_int(float);
__device__ float __uint_as_float(unsigned);
__device__ unsigned __float_as_uint(float);
__device__ int __popc(unsigned);
__device__ unsigned __brev(unsigned);
__device__ unsigned __byte_perm(unsigned, unsigned, unsigned);
__device__ int __clz(int);
__device__ int __ffs(int);
__device__ int __mulhi(int, int);
__device__ unsigned __umulhi(unsigned, unsigned);
#pragma clang force_cuda_host_device begin
template <class A, class B>
constexpr auto min(A a, B b) -> decltype(A() + B()) {
  return a < b ? a : b;
}
template <class A, class B>
constexpr auto max(A a, B b) -> decltype(A() + B()) {
  return a < b ? b : a;
}
#pragma clang force_cuda_host_device end

#include "warpgrade/alignment.h"
#include "warpgrade/moves.h"

// Tensor cores. The toolkit's mma.h is for nvcc alone, so this stands for it, whatever the shape and type.
#define __CUDA_MMA_H__
namespace nvcuda {
namespace wmma {
struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32 {
  float value;
};
}  // namespace precision
template <class Use, int m, int n, int k, class T, class Layout = void>
struct fragment {
  static constexpr int num_elements = 8;
  T x[num_elements];
};
template <class Fragment, class T>
__device__ void fill_fragment(Fragment &, const T &value);
template <class Fragment, class T>
__device__ void load_matrix_sync(Fragment &, const T *from, unsigned row_length);
template <class Fragment, class T>
__device__ void load_matrix_sync(Fragment &, const T *from, unsigned row_length, layout_t);
template <class Fragment, class T>
__device__ void store_matrix_sync(T *to, const Fragment &, unsigned row_length, layout_t);
template <class D, class A, class B, class C>
__device__ void mma_sync(D &, const A &, const B &, const C &, bool saturate = false);
__device__ float __float_to_tf32(float);
}  // namespace wmma
}  // namespace nvcuda

// Half precision and bfloat16. A host compiler sees their conversions as functions of the host, and kernels call them too.
#pragma clang force_cuda_host_device begin
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#pragma clang force_cuda_host_device end

// Output, the clock and assertions.
__device__ int printf(const char *format, ...);
__device__ long long clock64();
__device__ void __assert_fail(const char *, const char *, unsigned, const char *) noexcept;

#endif
