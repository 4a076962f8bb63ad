// Eleven kernels whose hardware counters are in h200_kernels.csv. Written for that purpose only:
// each shows one access habit. All are right for any M, N, K >= 1 unless said otherwise.
// P = M x N result, L = M x K left factor, R = K x N right factor, row-major, contiguous.
#pragma once

// One thread per result; neighbouring threads own neighbouring *rows*: loads of L and stores of P are scattered.
__global__ void rows_across_threads(const float *L, const float *R, float *P, int M, int N, int K) {
    const int i = threadIdx.x + 32 * blockIdx.x, j = threadIdx.y + 8 * blockIdx.y;
    if (i >= M || j >= N) return;
    float dot = 0.0f;
    for (int p = 0; p < K; ++p) dot = fmaf(L[i * K + p], R[p * N + j], dot);
    P[i * N + j] = 0.25f * P[i * N + j] + dot;
}

// Neighbouring threads own neighbouring *columns*: R and P coalesced, L broadcast.
__global__ void columns_across_threads(const float *L, const float *R, float *P, int M, int N, int K) {
    const int j = threadIdx.x + 32 * blockIdx.x, i = threadIdx.y + 8 * blockIdx.y;
    if (i >= M || j >= N) return;
    float dot = 0.0f;
    for (int p = 0; p < K; ++p) dot = fmaf(L[i * K + p], R[p * N + j], dot);
    P[i * N + j] = 0.25f * P[i * N + j] + dot;
}

// 16 x 16 tiles; half a warp per tile row.
__global__ void tile16(const float *L, const float *R, float *P, int M, int N, int K) {
    __shared__ float l[16][16], r[16][16];
    const int x = threadIdx.x, y = threadIdx.y, i = 16 * blockIdx.y + y, j = 16 * blockIdx.x + x;
    float dot = 0.0f;
    for (int base = 0; base < K; base += 16) {
        l[y][x] = i < M && base + x < K ? L[i * K + base + x] : 0.0f;
        r[y][x] = base + y < K && j < N ? R[(base + y) * N + j] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int p = 0; p < 16; ++p) dot = fmaf(l[y][p], r[p][x], dot);
        __syncthreads();
    }
    if (i < M && j < N) P[i * N + j] = 0.25f * P[i * N + j] + dot;
}

// 32 x 32 tiles with the right tile stored transposed; PAD = 0 collides in one bank, PAD = 1 does not.
template <int PAD>
__global__ void tile32_transposed(const float *L, const float *R, float *P, int M, int N, int K) {
    __shared__ float l[32][32], rt[32][32 + PAD];
    const int x = threadIdx.x, y = threadIdx.y, i = 32 * blockIdx.y + y, j = 32 * blockIdx.x + x;
    float dot = 0.0f;
    for (int base = 0; base < K; base += 32) {
        l[y][x] = i < M && base + x < K ? L[i * K + base + x] : 0.0f;
        rt[x][y] = base + y < K && j < N ? R[(base + y) * N + j] : 0.0f;
        __syncthreads();
#pragma unroll 4
        for (int p = 0; p < 32; ++p) dot = fmaf(l[y][p], rt[x][p], dot);
        __syncthreads();
    }
    if (i < M && j < N) P[i * N + j] = 0.25f * P[i * N + j] + dot;
}

// 64 x 64 results by 64 threads, 8 x 8 in registers, results of a thread 8 apart (strided), K in slices of 8.
__global__ void registers8x8(const float *L, const float *R, float *P, int M, int N, int K) {
    __shared__ float l[8][64], r[8][64];
    const int t = threadIdx.x, x = t % 8, y = t / 8, top = 64 * blockIdx.y, left = 64 * blockIdx.x;
    float sum[8][8];
    for (int a = 0; a < 8; ++a) for (int b = 0; b < 8; ++b) sum[a][b] = 0.0f;
    for (int base = 0; base < K; base += 8) {
#pragma unroll
        for (int q = 0; q < 8; ++q) {
            l[q][t] = top + t < M && base + q < K ? L[(top + t) * K + base + q] : 0.0f;
            r[q][t] = base + q < K && left + t < N ? R[(base + q) * N + left + t] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int q = 0; q < 8; ++q)
#pragma unroll
            for (int a = 0; a < 8; ++a)
#pragma unroll
                for (int b = 0; b < 8; ++b) sum[a][b] = fmaf(l[q][y + 8 * a], r[q][x + 8 * b], sum[a][b]);
        __syncthreads();
    }
#pragma unroll
    for (int a = 0; a < 8; ++a)
#pragma unroll
        for (int b = 0; b < 8; ++b) {
            const int i = top + y + 8 * a, j = left + x + 8 * b;
            if (i < M && j < N) P[i * N + j] = 0.25f * P[i * N + j] + sum[a][b];
        }
}

// 64 x 64 results by 256 threads, 4 x 4 in registers, 128-bit shared and global accesses. M, N % 64 == 0, K % 16 == 0.
__global__ void vector128(const float *__restrict__ L, const float *__restrict__ R, float *__restrict__ P, int M, int N, int K) {
    __shared__ float4 l[16][16], r[16][16];
    const int t = threadIdx.x, x = t % 16, y = t / 16, top = 64 * blockIdx.y, left = 64 * blockIdx.x;
    float4 s0 = {}, s1 = {}, s2 = {}, s3 = {};
    for (int base = 0; base < K; base += 16) {
        const float *from = L + (top + 4 * x) * K + base + y;
        l[y][x] = make_float4(from[0], from[K], from[2 * K], from[3 * K]);
        r[y][x] = *reinterpret_cast<const float4 *>(R + (base + y) * N + left + 4 * x);
        __syncthreads();
#pragma unroll
        for (int q = 0; q < 16; ++q) {
            const float4 u = l[q][y], v = r[q][x];
            s0.x = fmaf(u.x, v.x, s0.x); s0.y = fmaf(u.x, v.y, s0.y); s0.z = fmaf(u.x, v.z, s0.z); s0.w = fmaf(u.x, v.w, s0.w);
            s1.x = fmaf(u.y, v.x, s1.x); s1.y = fmaf(u.y, v.y, s1.y); s1.z = fmaf(u.y, v.z, s1.z); s1.w = fmaf(u.y, v.w, s1.w);
            s2.x = fmaf(u.z, v.x, s2.x); s2.y = fmaf(u.z, v.y, s2.y); s2.z = fmaf(u.z, v.z, s2.z); s2.w = fmaf(u.z, v.w, s2.w);
            s3.x = fmaf(u.w, v.x, s3.x); s3.y = fmaf(u.w, v.y, s3.y); s3.z = fmaf(u.w, v.z, s3.z); s3.w = fmaf(u.w, v.w, s3.w);
        }
        __syncthreads();
    }
    float4 *to = reinterpret_cast<float4 *>(P + (top + 4 * y) * N + left + 4 * x);
    to[0] = s0; to[N / 4] = s1; to[N / 2] = s2; to[3 * N / 4] = s3;
}

// A warp per result: lanes share the dot product and add it up by shuffles.
__global__ void dot_by_warp(const float *L, const float *R, float *P, int M, int N, int K) {
    const int warp = (threadIdx.x + blockDim.x * blockIdx.x) / 32, lane = threadIdx.x % 32;
    if (warp >= M * N) return;
    const int i = warp / N, j = warp % N;
    float part = 0.0f;
    for (int p = lane; p < K; p += 32) part = fmaf(L[i * K + p], R[p * N + j], part);
#pragma unroll
    for (int step = 16; step > 0; step /= 2) part += __shfl_down_sync(0xffffffffu, part, step);
    if (lane == 0) P[warp] = part;
}

// Double precision, 16 x 16 tiles: 64-bit shared accesses. D is M x N of double.
__global__ void tile16_double(const double *L, const double *R, double *P, int M, int N, int K) {
    __shared__ double l[16][16], r[16][16];
    const int x = threadIdx.x, y = threadIdx.y, i = 16 * blockIdx.y + y, j = 16 * blockIdx.x + x;
    double dot = 0.0;
    for (int base = 0; base < K; base += 16) {
        l[y][x] = i < M && base + x < K ? L[i * K + base + x] : 0.0;
        r[y][x] = base + y < K && j < N ? R[(base + y) * N + j] : 0.0;
        __syncthreads();
#pragma unroll
        for (int p = 0; p < 16; ++p) dot = fma(l[y][p], r[p][x], dot);
        __syncthreads();
    }
    if (i < M && j < N) P[i * N + j] = dot;
}

// Transpose of an M x N matrix through 32 x 32 shared tiles, 8 rows of threads, padded by one word.
__global__ void transpose_padded(const float *in, float *out, int M, int N) {
    __shared__ float t[32][33];
    const int x = threadIdx.x, y = threadIdx.y, row0 = 32 * blockIdx.y, col0 = 32 * blockIdx.x;
    for (int d = y; d < 32; d += 8) if (row0 + d < M && col0 + x < N) t[d][x] = in[(row0 + d) * N + col0 + x];
    __syncthreads();
    for (int d = y; d < 32; d += 8) if (col0 + d < N && row0 + x < M) out[(col0 + d) * M + row0 + x] = t[x][d];
}

// Lanes loop 1 + (index mod 7) times: divergence with loads inside.
__global__ void uneven_loops(const float *in, float *out, int n) {
    const int i = threadIdx.x + blockDim.x * blockIdx.x;
    if (i >= n) return;
    float v = 0.0f;
    for (int k = 0; k <= i % 7; ++k) v = fmaf(in[(i * 3 + k * 17) % n], 0.5f, v);
    out[i] = v;
}
