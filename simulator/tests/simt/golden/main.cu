// Launches every golden kernel once per size, in the order of h200_kernels.csv.
#include <cstdio>
#include <vector>
#include "kernels.cuh"

template <class T>
T *filled(size_t n) {
    std::vector<T> h(n);
    for (size_t i = 0; i < n; ++i) h[i] = T((i * 2654435761u >> 7) % 4096) / T(2048) - T(1);
    T *d = nullptr;
    cudaMalloc(&d, n * sizeof(T));
    cudaMemcpy(d, h.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    return d;
}

void all(int M, int N, int K) {
    float *L = filled<float>(size_t(M) * K), *R = filled<float>(size_t(K) * N), *P = filled<float>(size_t(M) * N);
    double *dL = filled<double>(size_t(M) * K), *dR = filled<double>(size_t(K) * N), *dP = filled<double>(size_t(M) * N);
    auto up = [](int a, int b) { return (a + b - 1) / b; };
    rows_across_threads<<<dim3(up(M, 32), up(N, 8)), dim3(32, 8)>>>(L, R, P, M, N, K);
    columns_across_threads<<<dim3(up(N, 32), up(M, 8)), dim3(32, 8)>>>(L, R, P, M, N, K);
    tile16<<<dim3(up(N, 16), up(M, 16)), dim3(16, 16)>>>(L, R, P, M, N, K);
    tile32_transposed<0><<<dim3(up(N, 32), up(M, 32)), dim3(32, 32)>>>(L, R, P, M, N, K);
    tile32_transposed<1><<<dim3(up(N, 32), up(M, 32)), dim3(32, 32)>>>(L, R, P, M, N, K);
    registers8x8<<<dim3(up(N, 64), up(M, 64)), 64>>>(L, R, P, M, N, K);
    if (M % 64 == 0 && N % 64 == 0 && K % 16 == 0) vector128<<<dim3(N / 64, M / 64), 256>>>(L, R, P, M, N, K);
    dot_by_warp<<<up(M * N, 4), 128>>>(L, R, P, M, N, K);
    tile16_double<<<dim3(up(N, 16), up(M, 16)), dim3(16, 16)>>>(dL, dR, dP, M, N, K);
    float *T = filled<float>(size_t(M) * N);
    transpose_padded<<<dim3(up(N, 32), up(M, 32)), dim3(32, 8)>>>(P, T, M, N);
    uneven_loops<<<up(M * N, 256), 256>>>(L, P, M * K < M * N ? M * K : M * N);
    cudaError_t e = cudaDeviceSynchronize();
    printf("%dx%dx%d: %s\n", M, N, K, cudaGetErrorString(e));
    for (void *p : {(void *)L, (void *)R, (void *)P, (void *)dL, (void *)dR, (void *)dP, (void *)T}) cudaFree(p);
}

int main() {
    all(256, 256, 256);
    all(200, 136, 72);
    all(97, 161, 33);
}
