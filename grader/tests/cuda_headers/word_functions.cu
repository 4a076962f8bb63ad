// Kernels that apply one function of the clang front end's headers to words; word_test.cpp says what they
// must give.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

typedef unsigned long long Word;
// a, b: what each thread is given; t: its number
#define KERNEL(name, result)                                                   \
  extern "C" __global__ void name(const Word *as, const Word *bs, Word *out) { \
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;                  \
    const Word a = as[t], b = bs[t];                                           \
    (void)a, (void)b;                                                          \
    out[t] = static_cast<Word>(result);                                        \
  }
#define LOW(x) static_cast<unsigned>(x)
#define INT(x) static_cast<int>(x)

KERNEL(clz, __clz(INT(a)))
KERNEL(clzll, __clzll(static_cast<long long>(a)))
KERNEL(popc, __popc(LOW(a)))
KERNEL(popcll, __popcll(a))
KERNEL(first_set, __ffs(INT(a)))
KERNEL(first_set_long, __ffsll(static_cast<long long>(a)))
KERNEL(brev, __brev(LOW(a)))
KERNEL(brevll, __brevll(a))
KERNEL(mulhi, LOW(__mulhi(INT(a), INT(b))))
KERNEL(umulhi, __umulhi(LOW(a), LOW(b)))
KERNEL(mul64hi, __mul64hi(static_cast<long long>(a), static_cast<long long>(b)))
KERNEL(umul64hi, __umul64hi(a, b))
KERNEL(byte_perm, __byte_perm(LOW(a), LOW(b), 0x3715))
KERNEL(sad, __sad(INT(a), INT(b), 7u))
KERNEL(usad, __usad(LOW(a), LOW(b), 7u))
KERNEL(hadd, LOW(__hadd(INT(a), INT(b))))
KERNEL(rhadd, LOW(__rhadd(INT(a), INT(b))))
KERNEL(uhadd, __uhadd(LOW(a), LOW(b)))
KERNEL(funnel_l, __funnelshift_l(LOW(a), LOW(b), LOW(a >> 32)))
KERNEL(funnel_rc, __funnelshift_rc(LOW(a), LOW(b), LOW(a >> 32)))
KERNEL(dp4a_signed, LOW(__dp4a(INT(a), INT(b), 5)))
KERNEL(dp4a_unsigned, __dp4a(LOW(a), LOW(b), 5u))
KERNEL(vadd4, __vadd4(LOW(a), LOW(b)))
KERNEL(vsub2, __vsub2(LOW(a), LOW(b)))
KERNEL(vmaxs4, __vmaxs4(LOW(a), LOW(b)))
KERNEL(vabsdiffu4, __vabsdiffu4(LOW(a), LOW(b)))
KERNEL(vcmpgts2, __vcmpgts2(LOW(a), LOW(b)))
KERNEL(min_mixed, min(INT(a), LOW(b)))
KERNEL(max_signed, LOW(max(INT(a), INT(b))))
KERNEL(absolute, LOW(abs(INT(a))))

// Loads and stores with a cache operator, of vectors too
#define TOUCH(load, store)                                                             \
  extern "C" __global__ void load##_##store(const Word *as, const Word *, Word *out) { \
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;                          \
    if (t % 2 == 0)                                                                    \
      store(reinterpret_cast<ulonglong2 *>(out) + t / 2,                               \
            load(reinterpret_cast<const ulonglong2 *>(as) + t / 2));                   \
  }
TOUCH(__ldg, __stwb)
TOUCH(__ldcg, __stcg)
TOUCH(__ldcs, __stcs)
TOUCH(__ldca, __stwt)
KERNEL(ldg_char4, __ldg(reinterpret_cast<const char4 *>(as) + 2 * t).y)

// Atomic functions on one word that all threads of the warp share; each stores what it found or what is left
#define ATOMIC(name, type, call)                                             \
  extern "C" __global__ void name(const Word *as, const Word *, Word *out) { \
    __shared__ type shared;                                                  \
    const unsigned t = threadIdx.x;                                          \
    const Word a = as[t];                                                    \
    (void)a;                                                                 \
    if (t == 0) shared = static_cast<type>(100);                             \
    __syncthreads();                                                         \
    call;                                                                    \
    __syncthreads();                                                         \
    out[t] = static_cast<Word>(shared);                                      \
  }
ATOMIC(atomic_add_int, int, atomicAdd(&shared, INT(a % 1000)))
ATOMIC(atomic_add_unsigned, unsigned, atomicAdd(&shared, LOW(a % 1000)))
ATOMIC(atomic_add_word, Word, atomicAdd(&shared, a % 1000))
ATOMIC(atomic_add_float, float, atomicAdd(&shared, static_cast<float>(a % 1000)))
ATOMIC(atomic_add_double, double, atomicAdd(&shared, static_cast<double>(a % 1000)))
ATOMIC(atomic_add_block, int, atomicAdd_block(&shared, INT(a % 1000)))
ATOMIC(atomic_sub, unsigned, atomicSub(&shared, LOW(a % 1000)))
ATOMIC(atomic_min, int, atomicMin(&shared, INT(a % 1000)))
ATOMIC(atomic_max, Word, atomicMax(&shared, a % 1000))
ATOMIC(atomic_and, unsigned, atomicAnd(&shared, LOW(a)))
ATOMIC(atomic_or, unsigned, atomicOr(&shared, LOW(a)))
ATOMIC(atomic_xor, Word, atomicXor(&shared, a))
ATOMIC(atomic_inc, unsigned, atomicInc(&shared, 110u))
ATOMIC(atomic_dec, unsigned, atomicDec(&shared, 110u))
ATOMIC(atomic_exch, float, atomicExch(&shared, 7.0f))
ATOMIC(atomic_cas, Word, atomicCAS(&shared, Word{100}, a % 1000))

// The warp and the block
KERNEL(shfl_down, __shfl_down_sync(0xffffffff, a, 3))
KERNEL(shfl_xor_double, __double_as_longlong(__shfl_xor_sync(0xffffffff, static_cast<double>(a % 1000), 5)))
KERNEL(shfl_idx_width, __shfl_sync(0xffffffff, LOW(a), 2, 8))
KERNEL(shfl_up_float, __float_as_uint(__shfl_up_sync(0xffffffff, static_cast<float>(a % 1000), 1)))
KERNEL(ballot, __ballot_sync(0xffffffff, a % 2))
KERNEL(all_any, __all_sync(0xffffffff, a % 2) * 2 + __any_sync(0xffffffff, a % 2))
KERNEL(match_any, __match_any_sync(0xffffffff, LOW(a % 4)))
KERNEL(reduce_add, LOW(__reduce_add_sync(0xffffffff, INT(a % 1000))))
KERNEL(reduce_max, __reduce_max_sync(0xffffffff, LOW(a)))
KERNEL(count, __syncthreads_count(a % 2))
KERNEL(and_or, __syncthreads_and(a % 2) * 2 + __syncthreads_or(a % 2))
KERNEL(active, __activemask())
KERNEL(who,
       threadIdx.x + 100 * blockIdx.x + 10000 * blockDim.x + 1000000 * gridDim.x + 1000000000ull * warpSize)

// Half precision: two in the low word, an operation on both
KERNEL(half_add, __hadd2(__half2{__ushort_as_half(a), __ushort_as_half(a >> 16)},
                         __half2{__ushort_as_half(b), __ushort_as_half(b >> 16)})
                     .word())
KERNEL(half_fma,
       __half_as_ushort(__hfma(__ushort_as_half(a), __ushort_as_half(b), __ushort_as_half(a >> 16))))
KERNEL(half_to_float, __float_as_uint(__half2float(__ushort_as_half(a))))
KERNEL(float_to_half, __half_as_ushort(__float2half(__uint_as_float(LOW(a)))))
KERNEL(half_less, __ushort_as_half(a) < __ushort_as_half(b))

// Vectors are copied whole; see vector_copies.h
extern "C" __global__ void vectors(const Word *as, const Word *, Word *out) {
  __shared__ float flat[64];
  const float4 from = reinterpret_cast<const float4 *>(as)[threadIdx.x % 16];
  *reinterpret_cast<float4 *>(&flat[4 * (threadIdx.x % 16)]) = from;
  __syncthreads();
  float4 v[2] = {make_float4(1, 2, 3, 4), {}};
  v[1] = *reinterpret_cast<float4 *>(&flat[4 * (threadIdx.x / 2)]);
  if (out == nullptr) v[1].x += v[0].w;
  float2 half = {threadIdx.x % 2 ? v[1].z : v[1].x, threadIdx.x % 2 ? v[1].w : v[1].y};
  reinterpret_cast<float2 *>(out)[threadIdx.x] = half;
}
