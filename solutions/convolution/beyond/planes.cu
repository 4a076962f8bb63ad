// Step planes: the stencil with four neighbouring elements in each thread.
//
// Step sliding reads five numbers for each element, one at a time, and these reads take its time. Here, a
// read brings four numbers, and two of the six neighbours of an element come from the thread's own registers.
// Four planes for each thread are enough: with more, there would be too few threads, and with fewer, the
// planes above and below would be read again too often.
#include "convolution.h"

void planes(int depth, int height, int width, float a, float b, const float *x, float *y);

namespace {

constexpr int LANES = 32, HIGH = 8, DEEP = 4;

// WIDE neighbouring elements: 4 where rows begin at multiples of 16 bytes, else 1.
template <int WIDE>
struct Elements {
  float of[WIDE];
};

template <int WIDE>
__device__ Elements<WIDE> read_if(bool inside, const float *from) {
  if constexpr (WIDE == 4) {
    const float4 four = inside ? *reinterpret_cast<const float4 *>(from) : float4{};
    return {four.x, four.y, four.z, four.w};
  } else {
    return {inside ? *from : 0.0f};
  }
}

template <int WIDE>
__device__ void write(float *to, const Elements<WIDE> &e) {
  if constexpr (WIDE == 4)
    *reinterpret_cast<float4 *>(to) = make_float4(e.of[0], e.of[1], e.of[2], e.of[3]);
  else
    *to = e.of[0];
}

template <int WIDE>
__global__ void __launch_bounds__(LANES *HIGH)
    relax_planes(int depth, int height, int width, float a, float b, const float *x, float *y) {
  const int c = (blockIdx.x * LANES + threadIdx.x) * WIDE, r = blockIdx.y * HIGH + threadIdx.y;
  if (r >= height || c >= width) return;
  const int first = blockIdx.z * DEEP;
  const ptrdiff_t plane = static_cast<ptrdiff_t>(height) * width, at = static_cast<ptrdiff_t>(r) * width + c;
  Elements<WIDE> above = read_if<WIDE>(first > 0, x + (first - 1) * plane + at),
                 here = read_if<WIDE>(true, x + first * plane + at);
#pragma unroll
  for (int i = 0; i < DEEP; ++i) {
    const int z = first + i;
    if (z >= depth) return;
    const float *const now = x + z * plane + at;
    const Elements<WIDE> below = read_if<WIDE>(z + 1 < depth, now + plane),
                         before = read_if<WIDE>(r > 0, now - width),
                         behind = read_if<WIDE>(r + 1 < height, now + width);
    const float left = c > 0 ? now[-1] : 0.0f, right = c + WIDE < width ? now[WIDE] : 0.0f;
    Elements<WIDE> out;
#pragma unroll
    for (int j = 0; j < WIDE; ++j)
      out.of[j] =
          a * here.of[j] + b * (above.of[j] + below.of[j] + before.of[j] + behind.of[j] +
                                (j > 0 ? here.of[j - 1] : left) + (j + 1 < WIDE ? here.of[j + 1] : right));
    write(y + z * plane + at, out);
    above = here;
    here = below;
  }
}

template <int WIDE>
void relax_all(int depth, int height, int width, float a, float b, const float *x, float *y) {
  constexpr int OF_ROW = LANES * WIDE;
  const dim3 blocks((width + OF_ROW - 1) / OF_ROW, (height + HIGH - 1) / HIGH, (depth + DEEP - 1) / DEEP),
      threads(LANES, HIGH);
  relax_planes<WIDE><<<blocks, threads>>>(depth, height, width, a, b, x, y);
}

}  // namespace

void planes(int depth, int height, int width, float a, float b, const float *x, float *y) {
  if (depth == 0 || height == 0 || width == 0) return;
  if (width % 4 == 0)
    relax_all<4>(depth, height, width, a, b, x, y);
  else
    relax_all<1>(depth, height, width, a, b, x, y);
}
