// nvcc: -arch=sm_90
// Half precision, bfloat16 and the 8-bit formats: conversions with every rounding, arithmetic, comparisons.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cstdio>

__global__ void halves(const float *in, float *out, unsigned *bits) {
  const int i = threadIdx.x;
  const float x = in[i];
  bits[4 * i] = __half_as_ushort(__float2half_rn(x));
  bits[4 * i + 1] = __half_as_ushort(__float2half_rz(x));
  bits[4 * i + 2] = __half_as_ushort(__float2half_rd(x));
  bits[4 * i + 3] = __half_as_ushort(__float2half_ru(x));
  const __half h = __float2half(x);
  out[4 * i] = __half2float(__hadd(h, __float2half(1.5f)));
  out[4 * i + 1] = __half2float(__hfma(h, h, h));
  out[4 * i + 2] = __half2float(hsqrt(__habs(h)));
  out[4 * i + 3] = __hlt(h, __float2half(2.0f)) ? 1.0f : 0.0f;
}
__global__ void brains(const float *in, float *out, unsigned *bits) {
  const int i = threadIdx.x;
  const float x = in[i];
  bits[4 * i] = __bfloat16_as_ushort(__float2bfloat16_rn(x));
  bits[4 * i + 1] = __bfloat16_as_ushort(__float2bfloat16_rz(x));
  bits[4 * i + 2] = __bfloat16_as_ushort(__float2bfloat16_rd(x));
  bits[4 * i + 3] = __bfloat16_as_ushort(__float2bfloat16_ru(x));
  const __nv_bfloat162 two = __floats2bfloat162_rn(x, 2 * x);
  const __nv_bfloat162 sum = __hadd2(two, two);
  out[4 * i] = __low2float(sum);
  out[4 * i + 1] = __high2float(sum);
  out[4 * i + 2] = __bfloat162float(__hmul(__float2bfloat16(x), __float2bfloat16(3.0f)));
  out[4 * i + 3] = __bfloat162float(__float2bfloat16(x) + __float2bfloat16(0.125f));
}
__global__ void eights(const float *in, float *out, unsigned *bits) {
  const int i = threadIdx.x;
  const __nv_fp8_e4m3 a(in[i]);
  const __nv_fp8_e5m2 b(in[i]);
  bits[4 * i] = a.__x;
  bits[4 * i + 1] = b.__x;
  const __nv_fp8x2_e4m3 pair(make_float2(in[i], -in[i]));
  bits[4 * i + 2] = pair.__x;
  bits[4 * i + 3] = __nv_cvt_float_to_fp8(in[i], __NV_NOSAT, __NV_E4M3);
  out[4 * i] = static_cast<float>(a);
  out[4 * i + 1] = static_cast<float>(b);
  const float2 both = static_cast<float2>(pair);
  out[4 * i + 2] = both.x;
  out[4 * i + 3] = both.y;
}
__global__ void integers(const float *in, int *out) {
  const int i = threadIdx.x;
  const __half h = __float2half(in[i]);
  out[4 * i] = __half2int_rn(h);
  out[4 * i + 1] = __half2int_rd(h);
  out[4 * i + 2] = __half2short_rz(h);
  out[4 * i + 3] = __half_as_ushort(__int2half_rn(static_cast<int>(in[i] * 1000)));
}

int main() {
  constexpr int n = 8;
  const float host[n] = {0.1f, -1.0f / 3, 1000.7f, 65519.0f, 3e-6f, -70000.0f, 2.5f, 448.5f};
  float *in, *out, results[4 * n];
  unsigned *bits, patterns[4 * n];
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, sizeof results);
  cudaMalloc(&bits, sizeof patterns);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  void (*const kernels[])(const float *, float *, unsigned *) = {halves, brains, eights};
  const char *names[] = {"half", "bfloat", "fp8"};
  for (int k = 0; k < 3; ++k) {
    kernels[k]<<<1, n>>>(in, out, bits);
    cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost);
    cudaMemcpy(patterns, bits, sizeof patterns, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i) {
      printf("%s %g:", names[k], host[i]);
      for (int c = 0; c < 4; ++c) printf(" %04x", patterns[4 * i + c]);
      for (int c = 0; c < 4; ++c) printf(" %g", results[4 * i + c]);
      printf("\n");
    }
  }
  integers<<<1, n>>>(in, reinterpret_cast<int *>(bits));
  cudaMemcpy(patterns, bits, sizeof patterns, cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i)
    printf("integers %g: %d %d %d %04x\n", host[i], static_cast<int>(patterns[4 * i]),
           static_cast<int>(patterns[4 * i + 1]), static_cast<int>(patterns[4 * i + 2]), patterns[4 * i + 3]);
  cudaFree(in);
  cudaFree(out);
  cudaFree(bits);
  printf("end %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
