// Launches every kernel of launches2.inc once per size, prints a line `name,M,N,K` for each and compares each result
// with plain loops on the host. Ends with "OK" and status 0, or says what is wrong. `main2 small`: two small sizes.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "../../../../solutions/hw6/gemm.h"
#include "kernels2.cuh"

// Each brings names of its own, and some the same: gemm.h and what it includes stay outside.
namespace solution0 {
#include "../../../../solutions/hw6/step0_naive.cu"
}
namespace solution1 {
#include "../../../../solutions/hw6/step1_coalesced.cu"
}
namespace solution2 {
#include "../../../../solutions/hw6/step2_shared.cu"
}
namespace solution3 {
#include "../../../../solutions/hw6/step3_blocktile.cu"
}
namespace solution4 {
#include "../../../../solutions/hw6/step4_nonsquare.cu"
}
namespace cp_async {
#include "../../submissions/hw6/accepted/cp_async/step2_shared.cu"
#undef T
}
namespace float4_guarded {
#include "../../submissions/hw6/accepted/float4_guarded/step3_blocktile.cu"
}
namespace coarse_columns {
#include "../../submissions/hw6/accepted/coarse_columns/step3_blocktile.cu"
}
namespace warp_tiles {
#include "../../submissions/hw6/accepted/warp_tiles/step3_blocktile.cu"
}
namespace vector_loads {
#include "../../submissions/hw6/accepted/vector_loads_when_aligned/step3_blocktile.cu"
template __global__ void multiply<true>(int, int, int, float, const float *, const float *, float, float *);
}
namespace transposed_tile {
#include "../../submissions/hw6/accepted/transposed_tile_padded/step2_shared.cu"
#undef T
}
namespace carved_shared {
#include "../../submissions/hw6/accepted/carved_shared_100k/step3_blocktile.cu"
}
namespace split_k {
#include "../../submissions/hw6/accepted/split_k/step2_shared.cu"
}

namespace {

void check(cudaError_t error, const char *what) {
    if (error == cudaSuccess) return;
    std::printf("%s: %s\n", what, cudaGetErrorString(error));
    std::exit(1);
}

/// A matrix on both sides. Small integers: every product and sum of them is exact, in half precision too.
template <class T>
struct Buffer {
    std::vector<T> host;
    T *device = nullptr;
    Buffer(size_t n, int seed) : host(n) {
        for (size_t i = 0; i < n; ++i)
            host[i] = seed == 0 ? T(0) : T(float(int((i * 2654435761u + seed * 40503u) >> 9 & 1023) % 5 - 2));
        check(cudaMalloc(&device, n * sizeof(T)), "cudaMalloc");
        reset();
    }
    ~Buffer() { cudaFree(device); }
    void reset() { check(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice), "to the device"); }
    std::vector<T> got() const {
        std::vector<T> values(host.size());
        check(cudaMemcpy(values.data(), device, values.size() * sizeof(T), cudaMemcpyDeviceToHost), "from the device");
        return values;
    }
};

struct Data {
    int M, N, K, mn;
    float alpha = 1.5f, beta = 0.5f;
    Buffer<float> A, B, C, W;
    Buffer<__half> X, Y;
    Buffer<signed char> p, q;
    Buffer<double> D, E, F;
    Buffer<int> T, U;
    std::vector<double> product, turned;  // A B, and A times the transpose of B read as N x K
    Data(int m, int n, int k)
        : M(m), N(n), K(k), mn(m * n), A(size_t(m) * k, 1), B(size_t(k) * n, 2), C(size_t(m) * n, 3), W(size_t(4) * m * n, 4),
          X(size_t(m) * k, 1), Y(size_t(k) * n, 2), p(size_t(m) * k, 1), q(size_t(k) * n, 2), D(size_t(m) * k, 1),
          E(size_t(k) * n, 2), F(size_t(m) * n, 3), T(64, 0), U(size_t(m) * n, 0), product(multiplied(false)),
          turned(multiplied(true)) {}

    void *argument(char letter) {
        switch (letter) {
            case 'A': return &A.device;
            case 'B': return &B.device;
            case 'C': return &C.device;
            case 'W': return &W.device;
            case 'X': return &X.device;
            case 'Y': return &Y.device;
            case 'p': return &p.device;
            case 'q': return &q.device;
            case 'D': return &D.device;
            case 'E': return &E.device;
            case 'F': return &F.device;
            case 'T': return &T.device;
            case 'U': return &U.device;
            case 'M': return &M;
            case 'N': return &N;
            case 'K': return &K;
            case 'e': return &mn;
            case 'a': return &alpha;
            default: return &beta;
        }
    }

    std::vector<double> multiplied(bool transposed) const {
        std::vector<double> made(size_t(M) * N);
        for (int i = 0; i < M; ++i)
            for (int j = 0; j < N; ++j)
                for (int k = 0; k < K; ++k)
                    made[i * N + j] += double(A.host[i * K + k]) * double(transposed ? B.host[j * K + k] : B.host[k * N + j]);
        return made;
    }

    /// What element (i, j) of the result must be.
    double wanted(char how, int i, int j) const {
        const double old = C.host[i * N + j], dot = product[i * N + j];
        switch (how) {
            case '/': return turned[i * N + j];
            case '+': return dot + old;
            case 'v': return dot + 0.5 * old;
            case 's': case 'S': return 1.5 * dot + 0.5 * old;
            case 'g': return 1.5 * W.host[i * N + j] + 0.5 * old;
            default: return dot;
        }
    }

    /// The sum over i of `weight(i)` for all i that counter c receives.
    template <class Weight>
    bool counted(int factor, const Weight &weight) const {
        std::vector<int> want(64);
        for (int i = 0; i < mn; ++i) want[i * factor % 64] += weight(i);
        return T.got() == want;
    }

    bool right(char how) const {
        if (how == '-') return true;
        if (how == 'h') return counted(7, [](int) { return 1; });
        if (how == 't') return counted(5, [](int i) { return i; });
        if (how == 'f') {
            std::vector<float> want(4096);
            for (int i = 0; i < mn; ++i) want[i % 4096 ^ 1] += W.host[i];
            const auto got = C.got();
            for (int i = 0; i < mn && i < 4096; ++i)
                if (got[i] != want[i]) return false;
            return true;
        }
        if (how == 'n') {
            const auto got = C.got();
            for (int i = 0; i < M; ++i) {
                double sum = 0;
                for (int k = 0; k < K; ++k) sum += double(A.host[i * K + k]) * A.host[i * K + k];
                if (i < mn && got[i] != float(sum)) return false;
            }
            return true;
        }
        const auto c = C.got();
        const auto u = U.got();
        const auto f = F.got();
        for (int i = 0; i < M; ++i)
            for (int j = 0; j < N; ++j) {
                const int at = i * N + j;
                const double got = how == 'u' ? u[at] : how == 'd' ? f[at] : c[at];
                if (!(got == wanted(how, i, j))) {
                    std::printf("[%d, %d] is %g, should be %g\n", i, j, got, wanted(how, i, j));
                    return false;
                }
            }
        return true;
    }
};

int up(int a, int b) { return (a + b - 1) / b; }

bool run(Data &d, const char *name, const void *kernel, dim3 grid, dim3 block, int shared, const char *letters, char how) {
    if (how != 'S') d.C.reset(), d.F.reset(), d.T.reset(), d.U.reset(), d.W.reset();
    void *arguments[16];
    int count = 0;
    for (const char *letter = letters; *letter; ++letter) arguments[count++] = d.argument(*letter);
    if (shared > 48 * 1024)
        check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared), "shared memory");
    check(cudaLaunchKernel(kernel, grid, block, arguments, shared, nullptr), name);
    check(cudaDeviceSynchronize(), name);
    std::printf("launched,%s,%d,%d,%d\n", name, d.M, d.N, d.K);
    if (d.right(how)) return true;
    std::printf("WRONG: %s at %d x %d x %d\n", name, d.M, d.N, d.K);
    return false;
}

bool all(int M, int N, int K, bool only_quads) {
    Data d(M, N, K);
    bool good = true;
    const bool fours = M % 4 == 0 && N % 4 == 0 && K % 4 == 0;
#define LAUNCH(name, kernel, grid, block, shared, letters, how, quads) \
    if (quads ? fours : !only_quads) \
        good &= run(d, name, reinterpret_cast<const void *>(&kernel), dim3 grid, dim3 block, shared, letters, how);
#include "launches2.inc"
#undef LAUNCH
    return good;
}

}  // namespace

int main(int count, char **values) {
    bool good = true;
    if (count > 1 && !std::strcmp(values[1], "small")) {
        good = all(36, 68, 40, false) && all(33, 35, 17, false);
    } else {
        good &= all(256, 256, 256, false);
        good &= all(200, 136, 72, false);
        good &= all(97, 161, 33, false);
        good &= all(100, 164, 36, true);
    }
    std::puts(good ? "OK" : "FAILED");
    return good ? 0 : 1;
}
