// Twenty-four kernels whose hardware counters are in h200_kernels2.csv. Written for that purpose only: each shows one
// access habit. All are right for any M, N, K >= 1, but those that say "quads": M, N and K are multiples of 4 there.
// P = M x N result, L = M x K left factor, R = K x N right factor, row-major, contiguous.
#pragma once

#include <cuda_fp16.h>

namespace golden {

// 128-bit shared stores of rows padded by four words; quads. 32 x 32 results by 256 threads, four rows each.
__global__ void store128(const float *L, const float *R, float *P, int M, int N, int K) {
    __shared__ __align__(16) float l[32][36], r[32][36];
    const int t = threadIdx.x, x = t % 32, y = t / 32, top = 32 * blockIdx.y, left = 32 * blockIdx.x;
    const int row = t / 8, four = t % 8 * 4;
    float sum[4] = {};
    for (int base = 0; base < K; base += 32) {
        float4 u = {}, v = {};
        if (top + row < M && base + four < K) u = *reinterpret_cast<const float4 *>(L + (top + row) * K + base + four);
        if (base + row < K && left + four < N) v = *reinterpret_cast<const float4 *>(R + (base + row) * N + left + four);
        *reinterpret_cast<float4 *>(&l[row][four]) = u;
        *reinterpret_cast<float4 *>(&r[row][four]) = v;
        __syncthreads();
#pragma unroll 8
        for (int p = 0; p < 32; ++p)
#pragma unroll
            for (int a = 0; a < 4; ++a) sum[a] = fmaf(l[y + 8 * a][p], r[p][x], sum[a]);
        __syncthreads();
    }
#pragma unroll
    for (int a = 0; a < 4; ++a)
        if (top + y + 8 * a < M && left + x < N) P[(top + y + 8 * a) * N + left + x] = sum[a];
}

// 64-bit shared loads and stores: a thread owns two neighbouring columns.
__global__ void pairs64(const float *L, const float *R, float *P, int M, int N, int K) {
    __shared__ float l[16][16];
    __shared__ float2 r[16][16];
    const int x = threadIdx.x, y = threadIdx.y, i = 16 * blockIdx.y + y, j = 32 * blockIdx.x + 2 * x;
    float2 sum = {};
    for (int base = 0; base < K; base += 16) {
        l[y][x] = i < M && base + x < K ? L[i * K + base + x] : 0.0f;
        float2 two = {};
        if (base + y < K && j < N) two.x = R[(base + y) * N + j];
        if (base + y < K && j + 1 < N) two.y = R[(base + y) * N + j + 1];
        r[y][x] = two;
        __syncthreads();
#pragma unroll
        for (int p = 0; p < 16; ++p) {
            const float2 v = r[p][x];
            sum.x = fmaf(l[y][p], v.x, sum.x);
            sum.y = fmaf(l[y][p], v.y, sum.y);
        }
        __syncthreads();
    }
    if (i < M && j < N) P[i * N + j] = sum.x;
    if (i < M && j + 1 < N) P[i * N + j + 1] = sum.y;
}

// Tiles in dynamic shared memory; their width is that of the block and unknown to the compiler.
__global__ void dynamic_tiles(const float *L, const float *R, float *P, int M, int N, int K) {
    extern __shared__ __align__(16) float tiles[];
    const int x = threadIdx.x, y = threadIdx.y, w = blockDim.x, i = w * blockIdx.y + y, j = w * blockIdx.x + x;
    float *l = tiles, *r = tiles + w * w;
    float sum = 0.0f;
    for (int base = 0; base < K; base += w) {
        l[y * w + x] = i < M && base + x < K ? L[i * K + base + x] : 0.0f;
        r[y * w + x] = base + y < K && j < N ? R[(base + y) * N + j] : 0.0f;
        __syncthreads();
        for (int p = 0; p < w; ++p) sum = fmaf(l[y * w + p], r[p * w + x], sum);
        __syncthreads();
    }
    if (i < M && j < N) P[i * N + j] = sum;
}

template <int BYTES>
__device__ void copy_async(float *to, const float *from, bool inside) {
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(to));
    const int bytes = inside ? BYTES : 0;  // the rest of the destination becomes zero
    if (BYTES == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(from), "r"(bytes) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(at), "l"(from), "n"(BYTES), "r"(bytes)
                     : "memory");
}

// 32 x 32 tiles filled by cp.async of 4, 8 or 16 bytes, two stages; quads for more than 4.
template <int BYTES>
__global__ void async_tiles(const float *L, const float *R, float *P, int M, int N, int K) {
    constexpr int each = BYTES / 4;
    __shared__ __align__(16) float l[2][32][32], r[2][32][32];
    const int x = threadIdx.x, y = threadIdx.y, t = 32 * y + x, top = 32 * blockIdx.y, left = 32 * blockIdx.x;
    const auto fetch = [&](int base, int stage) {
        for (int e = t * each; e < 32 * 32; e += 256 * each) {
            const int row = e / 32, col = e % 32;
            const bool in_l = top + row < M && base + col < K, in_r = base + row < K && left + col < N;
            copy_async<BYTES>(&l[stage][row][col], in_l ? L + (top + row) * K + base + col : L, in_l);
            copy_async<BYTES>(&r[stage][row][col], in_r ? R + (base + row) * N + left + col : R, in_r);
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    float sum[4] = {};
    fetch(0, 0);
    int stage = 0;
    for (int base = 0; base < K; base += 32, stage ^= 1) {
        if (base + 32 < K) {
            fetch(base + 32, stage ^ 1);
            asm volatile("cp.async.wait_group 1;" ::: "memory");
        } else {
            asm volatile("cp.async.wait_group 0;" ::: "memory");
        }
        __syncthreads();
#pragma unroll 8
        for (int p = 0; p < 32; ++p)
#pragma unroll
            for (int a = 0; a < 4; ++a) sum[a] = fmaf(l[stage][y + 8 * a][p], r[stage][p][x], sum[a]);
        __syncthreads();
    }
#pragma unroll
    for (int a = 0; a < 4; ++a)
        if (top + y + 8 * a < M && left + x < N) P[(top + y + 8 * a) * N + left + x] = sum[a];
}

// Tiles of half: 16-bit shared and global accesses, sums in float.
__global__ void half_tiles(const __half *L, const __half *R, float *P, int M, int N, int K) {
    __shared__ __half l[32][32], r[32][32];
    const int x = threadIdx.x, y = threadIdx.y, i = 32 * blockIdx.y + y, j = 32 * blockIdx.x + x;
    float sum = 0.0f;
    for (int base = 0; base < K; base += 32) {
        l[y][x] = i < M && base + x < K ? L[i * K + base + x] : __ushort_as_half(0);
        r[y][x] = base + y < K && j < N ? R[(base + y) * N + j] : __ushort_as_half(0);
        __syncthreads();
#pragma unroll
        for (int p = 0; p < 32; ++p) sum = fmaf(__half2float(l[y][p]), __half2float(r[p][x]), sum);
        __syncthreads();
    }
    if (i < M && j < N) P[i * N + j] = sum;
}

// Pairs of half as one 32-bit access, sums in half2; quads.
__global__ void half2_tiles(const __half *L, const __half *R, float *P, int M, int N, int K) {
    __shared__ __half l[16][16];
    __shared__ __half2 r[16][32];
    const int x = threadIdx.x, y = threadIdx.y, i = 16 * blockIdx.y + y, j = 64 * blockIdx.x + 2 * x;
    __half2 sum = __floats2half2_rn(0.0f, 0.0f);
    for (int base = 0; base < K; base += 16) {
        if (x < 16) l[y][x] = i < M && base + x < K ? L[i * K + base + x] : __ushort_as_half(0);
        r[y][x] = base + y < K && j < N ? *reinterpret_cast<const __half2 *>(R + (base + y) * N + j)
                                        : __floats2half2_rn(0.0f, 0.0f);
        __syncthreads();
#pragma unroll
        for (int p = 0; p < 16; ++p) sum = __hfma2(__half2half2(l[y][p]), r[p][x], sum);
        __syncthreads();
    }
    if (i < M && j < N) P[i * N + j] = __low2float(sum), P[i * N + j + 1] = __high2float(sum);
}

// Tiles of 8-bit integers.
__global__ void byte_tiles(const signed char *L, const signed char *R, int *P, int M, int N, int K) {
    __shared__ signed char l[32][32], r[32][32];
    const int x = threadIdx.x, y = threadIdx.y, i = 32 * blockIdx.y + y, j = 32 * blockIdx.x + x;
    int sum = 0;
    for (int base = 0; base < K; base += 32) {
        l[y][x] = i < M && base + x < K ? L[i * K + base + x] : 0;
        r[y][x] = base + y < K && j < N ? R[(base + y) * N + j] : 0;
        __syncthreads();
#pragma unroll 8
        for (int p = 0; p < 32; ++p) sum += l[y][p] * r[p][x];
        __syncthreads();
    }
    if (i < M && j < N) P[i * N + j] = sum;
}

// K in four slices, blockIdx.z takes one each; partial sums meet in P by atomics whose result nobody asks for.
__global__ void split_k_atomics(const float *L, const float *R, float *P, int M, int N, int K) {
    const int j = threadIdx.x + 32 * blockIdx.x, i = threadIdx.y + 8 * blockIdx.y, slice = (K + 3) / 4;
    if (i >= M || j >= N) return;
    const int begin = blockIdx.z * slice, end = min(begin + slice, K);
    float sum = 0.0f;
    for (int p = begin; p < end; ++p) sum = fmaf(L[i * K + p], R[p * N + j], sum);
    atomicAdd(&P[i * N + j], sum);
}

// Counts in shared memory, added to global ones in the end: no result is used. Element i counts in bin 7 i mod 64.
__global__ void bins(const float *in, int *counts, int n) {
    __shared__ int mine[64];
    if (threadIdx.x < 64) mine[threadIdx.x] = 0;
    __syncthreads();
    for (int i = threadIdx.x + blockDim.x * blockIdx.x; i < n; i += blockDim.x * gridDim.x)
        if (in[i] <= 4.0f) atomicAdd(&mine[i * 7 % 64], 1);
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(&counts[threadIdx.x], mine[threadIdx.x]);
}

// Atomics whose result is stored, on global memory...
__global__ void tickets_global(int *counts, int *out, int n) {
    const int i = threadIdx.x + blockDim.x * blockIdx.x;
    if (i < n) out[i] = atomicAdd(&counts[i * 5 % 64], i);
}

// ... and on shared memory.
__global__ void tickets_shared(int *counts, int *out, int n) {
    __shared__ int mine[64];
    if (threadIdx.x < 64) mine[threadIdx.x] = 0;
    __syncthreads();
    const int i = threadIdx.x + blockDim.x * blockIdx.x;
    if (i < n) out[i] = atomicAdd(&mine[i * 5 % 64], i);
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(&counts[threadIdx.x], mine[threadIdx.x]);
}

// Atomics on floats in shared memory: a loop of compare and swap. No two lanes of a warp meet, nor do two warps.
__global__ void float_sums(const float *in, float *out, int n) {
    __shared__ float sums[256];
    const int t = threadIdx.x;
    sums[t] = 0.0f;
    __syncthreads();
    for (int i = t + 256 * blockIdx.x; i < n; i += 256 * gridDim.x) atomicAdd(&sums[t ^ 1], in[i]);
    __syncthreads();
    if (256 * blockIdx.x + t < n) out[256 * blockIdx.x + t] = sums[t];
}

// A warp computes 32 neighbours of a row; its lanes hold 32 elements of L and hand them round by shuffles.
__global__ void shuffled_row(const float *L, const float *R, float *P, int M, int N, int K) {
    const int lane = threadIdx.x, i = threadIdx.y + 4 * blockIdx.y, j = lane + 32 * blockIdx.x;
    if (i >= M) return;
    float sum = 0.0f;
    for (int base = 0; base < K; base += 32) {
        const float mine = base + lane < K ? L[i * K + base + lane] : 0.0f;
        for (int p = 0; p < 32 && base + p < K; ++p) {
            const float one = __shfl_sync(0xffffffffu, mine, p);
            if (j < N) sum = fmaf(one, R[(base + p) * N + j], sum);
        }
    }
    if (j < N) P[i * N + j] = sum;
}

// 128-bit global loads of L, stored one by one down a column of the shared tile; 4 x 4 results in registers; quads.
template <int PAD>
__global__ void transposed_stores(const float *L, const float *R, float *P, int M, int N, int K) {
    __shared__ __align__(16) float l[16][64 + PAD], r[16][64];
    const int t = threadIdx.x, x = t % 16 * 4, y = t / 16 * 4, top = 64 * blockIdx.y, left = 64 * blockIdx.x;
    float sum[4][4] = {};
    for (int base = 0; base < K; base += 16) {
        const int row = t / 4, col = t % 4 * 4, down = t / 16, across = t % 16 * 4;
        float4 u = {}, v = {};
        if (top + row < M && base + col < K) u = *reinterpret_cast<const float4 *>(L + (top + row) * K + base + col);
        if (base + down < K && left + across < N)
            v = *reinterpret_cast<const float4 *>(R + (base + down) * N + left + across);
        l[col][row] = u.x, l[col + 1][row] = u.y, l[col + 2][row] = u.z, l[col + 3][row] = u.w;
        *reinterpret_cast<float4 *>(&r[down][across]) = v;
        __syncthreads();
#pragma unroll
        for (int p = 0; p < 16; ++p)
#pragma unroll
            for (int a = 0; a < 4; ++a)
#pragma unroll
                for (int b = 0; b < 4; ++b) sum[a][b] = fmaf(l[p][y + a], r[p][x + b], sum[a][b]);
        __syncthreads();
    }
#pragma unroll
    for (int a = 0; a < 4; ++a)
        if (top + y + a < M && left + x < N)
            *reinterpret_cast<float4 *>(P + (top + y + a) * N + left + x) =
                make_float4(sum[a][0], sum[a][1], sum[a][2], sum[a][3]);
}

// L times the transpose of R, which is N x K here: both tiles are read along their rows.
template <int PAD>
__global__ void times_transposed(const float *L, const float *R, float *P, int M, int N, int K) {
    __shared__ float l[32][32], r[32][32 + PAD];
    const int x = threadIdx.x, y = threadIdx.y, i = 32 * blockIdx.y + y, j = 32 * blockIdx.x + x;
    const int other = 32 * blockIdx.x + y;
    float sum = 0.0f;
    for (int base = 0; base < K; base += 32) {
        l[y][x] = i < M && base + x < K ? L[i * K + base + x] : 0.0f;
        r[y][x] = other < N && base + x < K ? R[other * K + base + x] : 0.0f;
        __syncthreads();
        for (int p = 0; p < 32; ++p) sum = fmaf(l[y][p], r[x][p], sum);
        __syncthreads();
    }
    if (i < M && j < N) P[i * N + j] = sum;
}

// Results pass through shared memory, so that P is read and written 128 bits at a time; quads.
__global__ void vector_epilogue(const float *L, const float *R, float *P, int M, int N, int K) {
    __shared__ __align__(16) float l[32][17], r[16][32], out[32][36];
    const int t = threadIdx.x, x = t % 32, y = t / 32, top = 32 * blockIdx.y, left = 32 * blockIdx.x;
    float sum[4] = {};
    for (int base = 0; base < K; base += 16) {
        for (int e = t; e < 512; e += 256) {
            l[e / 16][e % 16] = top + e / 16 < M && base + e % 16 < K ? L[(top + e / 16) * K + base + e % 16] : 0.0f;
            r[e / 32][e % 32] = base + e / 32 < K && left + e % 32 < N ? R[(base + e / 32) * N + left + e % 32] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int p = 0; p < 16; ++p)
#pragma unroll
            for (int a = 0; a < 4; ++a) sum[a] = fmaf(l[4 * y + a][p], r[p][x], sum[a]);
        __syncthreads();
    }
#pragma unroll
    for (int a = 0; a < 4; ++a) out[4 * y + a][x] = sum[a];
    __syncthreads();
    const int row = t / 8, col = t % 8 * 4;
    if (top + row >= M || left + col >= N) return;
    float4 *to = reinterpret_cast<float4 *>(P + (top + row) * N + left + col);
    const float4 s = *reinterpret_cast<const float4 *>(&out[row][col]), old = *to;
    *to = make_float4(s.x + 0.5f * old.x, s.y + 0.5f * old.y, s.z + 0.5f * old.z, s.w + 0.5f * old.w);
}

// 64 x 64 results by 512 threads, eight of one column each.
__global__ void column_of_eight(const float *L, const float *R, float *P, int M, int N, int K) {
    __shared__ float l[64][8], r[8][64];
    const int t = threadIdx.x, x = t % 64, y = t / 64 * 8, top = 64 * blockIdx.y, left = 64 * blockIdx.x;
    float sum[8] = {};
    for (int base = 0; base < K; base += 8) {
        l[t / 8][t % 8] = top + t / 8 < M && base + t % 8 < K ? L[(top + t / 8) * K + base + t % 8] : 0.0f;
        r[t / 64][x] = base + t / 64 < K && left + x < N ? R[(base + t / 64) * N + left + x] : 0.0f;
        __syncthreads();
        for (int p = 0; p < 8; ++p) {
            const float v = r[p][x];
            for (int a = 0; a < 8; ++a) sum[a] = fmaf(l[y + a][p], v, sum[a]);
        }
        __syncthreads();
    }
    for (int a = 0; a < 8; ++a)
        if (top + y + a < M && left + x < N) P[(top + y + a) * N + left + x] = sum[a];
}

// Few blocks walk over all elements.
__global__ void grid_stride(const float *in, float *out, int n) {
    for (int i = threadIdx.x + blockDim.x * blockIdx.x; i < n; i += blockDim.x * gridDim.x)
        out[i] = 1.5f * in[i] + 0.5f * out[i];
}

// Double precision, 16 x 16 tiles with a padded row.
__global__ void double_padded(const double *L, const double *R, double *P, int M, int N, int K) {
    __shared__ double l[16][17], r[16][17];
    const int x = threadIdx.x, y = threadIdx.y, i = 16 * blockIdx.y + y, j = 16 * blockIdx.x + x;
    double sum = 0.0;
    for (int base = 0; base < K; base += 16) {
        l[x][y] = i < M && base + x < K ? L[i * K + base + x] : 0.0;
        r[y][x] = base + y < K && j < N ? R[(base + y) * N + j] : 0.0;
        __syncthreads();
#pragma unroll
        for (int p = 0; p < 16; ++p) sum = fma(l[p][y], r[p][x], sum);
        __syncthreads();
    }
    if (i < M && j < N) P[i * N + j] = sum;
}

// A block per row: squares are added up by a tree in shared memory, fewer threads in each step.
__global__ void row_norms(const float *L, float *norms, int K) {
    __shared__ float sums[128];
    const int t = threadIdx.x;
    float sum = 0.0f;
    for (int p = t; p < K; p += 128) sum = fmaf(L[blockIdx.x * K + p], L[blockIdx.x * K + p], sum);
    sums[t] = sum;
    __syncthreads();
    for (int step = 64; step > 0; step /= 2) {
        if (t < step) sums[t] += sums[t + step];
        __syncthreads();
    }
    if (t == 0) norms[blockIdx.x] = sums[0];
}

}  // namespace golden
