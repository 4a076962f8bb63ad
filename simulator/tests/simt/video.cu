// The video instructions on a GPU and on the simulator: both must print the same lines.
//   nvcc -cudart shared -arch=sm_80 simulator/tests/simt/video.cu -o video && ./video && ./simt run ./video
// What an H100 computes otherwise than PTX describes is refused, and not here. test_simt compares the simulator with PTX's text,
// in video_test.cpp.
#include <cstdio>

constexpr int threads = 256;

__device__ unsigned drawn(unsigned seed) {
  unsigned x = seed * 2654435761u + 12345u;
  for (int i = 0; i < 3; ++i) x ^= x << 13, x ^= x >> 17, x ^= x << 5;
  return seed % 5 == 0 ? x | 0x80808080u : seed % 7 == 0 ? x & 0x00FF00FFu : x;
}

#define KERNEL(name, text)                                                                        \
  __global__ void name(unsigned *out) {                                                           \
    const unsigned t = threadIdx.x, a = drawn(3 * t), b = drawn(3 * t + 1), c = drawn(3 * t + 2); \
    unsigned d;                                                                                   \
    asm volatile(text : "=r"(d) : "r"(a), "r"(b), "r"(c));                                        \
    out[t] = d;                                                                                   \
  }
#define FORMS(op, types)                                   \
  KERNEL(op##_plain, #op types " %0, %1, %2;")             \
  KERNEL(op##_parts, #op types " %0, %1.b2, %2.h1;")       \
  KERNEL(op##_sat, #op types ".sat %0, %1.h0, %2;")        \
  KERNEL(op##_add, #op types ".add %0, %1.b3, %2.b0, %3;") \
  KERNEL(op##_min, #op types ".min %0, %1.h1, %2.b1, %3;") \
  KERNEL(op##_max, #op types ".sat.max %0, %1, %2.h0, %3;")
FORMS(vadd, ".s32.u32.s32")
FORMS(vsub, ".s32.u32.u32")
FORMS(vabsdiff, ".u32.s32.u32")
FORMS(vmin, ".s32.s32.u32")
FORMS(vmax, ".s32.s32.s32")
KERNEL(vshl_clamp, "vshl.u32.u32.u32.clamp %0, %1.h0, %2.b0;")
KERNEL(vshl_wrap, "vshl.s32.s32.u32.wrap %0, %1, %2;")
KERNEL(vshl_add, "vshl.u32.u32.u32.clamp.add %0, %1.b1, %2.b0, %3;")
KERNEL(vshr_clamp, "vshr.s32.s32.u32.clamp %0, %1, %2.b0;")
KERNEL(vshr_wrap, "vshr.u32.u32.u32.wrap %0, %1.h1, %2;")
KERNEL(vmad_plain, "vmad.s32.s32.u32 %0, %1.h0, %2.b1, %3;")
KERNEL(vmad_minus, "vmad.s32.s32.s32 %0, -%1.h1, %2.h0, %3;")
KERNEL(vmad_minus_c, "vmad.s32.u32.u32.sat %0, %1.h1, %2.h0, -%3;")
KERNEL(vmad_shr15, "vmad.s32.s32.s32.sat.shr15 %0, %1, %2, %3;")
KERNEL(vset_lt, "vset.s32.u32.lt %0, %1.b0, %2.h1;")
KERNEL(vset_ge_add, "vset.u32.u32.ge.add %0, %1.b0, %2.b3, %3;")
KERNEL(vset_ne_byte, "vset.s32.s32.ne %0.b1, %1.b0, %2.b3, %3;")
KERNEL(vadd2_chosen, "vadd2.s32.s32.u32 %0.h1, %1.h12, %2.h30, %3;")
KERNEL(vsub2_sat, "vsub2.u32.s32.s32.sat %0.h10, %1.h01, %2.h32, %3;")
KERNEL(vabsdiff2_add, "vabsdiff2.s32.s32.s32.add %0.h0, %1.h10, %2.h32, %3;")
KERNEL(vadd4_chosen, "vadd4.u32.u32.u32 %0.b31, %1.b0246, %2.b7531, %3;")
KERNEL(vmax4_mask, "vmax4.s32.s32.s32 %0.b20, %1, %2, %3;")
KERNEL(vavrg4_chosen, "vavrg4.s32.s32.s32 %0, %1.b0123, %2, %3;")
KERNEL(vabsdiff4_add, "vabsdiff4.u32.u32.u32.add %0.b321, %1, %2, %3;")
KERNEL(vset2_le, "vset2.s32.s32.le %0, %1, %2, %3;")
KERNEL(vset2_add, "vset2.u32.s32.gt.add %0, %1, %2, %3;")
KERNEL(vset4_eq, "vset4.u32.u32.eq %0.b10, %1.b3210, %2.b0123, %3;")
KERNEL(vset4_add, "vset4.s32.u32.lt.add %0, %1, %2, %3;")

struct Named {
  const char *name;
  void (*kernel)(unsigned *);
};
#define NAMED(name) \
  { #name, name }
#define NAMED_FORMS(op) \
  NAMED(op##_plain), NAMED(op##_parts), NAMED(op##_sat), NAMED(op##_add), NAMED(op##_min), NAMED(op##_max)

int main() {
  const Named all[] = {NAMED_FORMS(vadd),   NAMED_FORMS(vsub),   NAMED_FORMS(vabsdiff), NAMED_FORMS(vmin),
                       NAMED_FORMS(vmax),   NAMED(vshl_clamp),   NAMED(vshl_wrap),      NAMED(vshl_add),
                       NAMED(vshr_clamp),   NAMED(vshr_wrap),    NAMED(vmad_plain),     NAMED(vmad_minus),
                       NAMED(vmad_minus_c), NAMED(vmad_shr15),   NAMED(vset_lt),        NAMED(vset_ge_add),
                       NAMED(vset_ne_byte), NAMED(vadd2_chosen), NAMED(vsub2_sat),      NAMED(vabsdiff2_add),
                       NAMED(vadd4_chosen), NAMED(vmax4_mask),   NAMED(vavrg4_chosen),  NAMED(vabsdiff4_add),
                       NAMED(vset2_le),     NAMED(vset2_add),    NAMED(vset4_eq),       NAMED(vset4_add)};
  unsigned *out = nullptr;
  if (cudaMalloc(&out, threads * sizeof *out) != cudaSuccess) return 1;
  unsigned host[threads];
  for (const Named &one : all) {
    one.kernel<<<1, threads>>>(out);
    if (cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    unsigned long long sum = 14695981039346656037ull;
    for (const unsigned word : host) sum = (sum ^ word) * 1099511628211ull;
    std::printf("%-16s %08x %08x %016llx\n", one.name, host[1], host[200], sum);
  }
  return cudaFree(out) == cudaSuccess ? 0 : 1;
}
