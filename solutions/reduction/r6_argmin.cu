// Step argmin: not the smallest number, but where it is. Of several equal ones, the first place counts.
//
// A reduction works for every operation that may be grouped and ordered at will. "The smaller of two numbers"
// is one; "the smaller one, or with equal numbers the one further to the front" is one too, on pairs of a
// number and its place.
#include "reduction.h"

[[maybe_unused]] constexpr int THREADS = 256;

// Whether (value, place) comes before (other_value, other_place).
__device__ bool comes_before(float value, int place, float other_value, int other_place) {
  // TODO(1): the order of pairs. It must not depend on which of the two comes first as an argument.
  // STUB: return value < other_value && place < other_place;
  // BEGIN SOLUTION
  return value < other_value || (value == other_value && place < other_place);
  // END SOLUTION
}

// values, places: one for each block
__global__ void smallest_of_block(int n, const float *x, const int *from, float *values, int *places) {
  // TODO(2): the first smallest element of this block's THREADS elements. `from` has the places of elements
  // that are results already, or is null: then an element's place is its index.
  // BEGIN SOLUTION
  __shared__ float value[THREADS];
  __shared__ int place[THREADS];
  const int t = threadIdx.x, first = blockIdx.x * THREADS, i = first + t;
  value[t] = i < n ? x[i] : x[first];
  place[t] = i < n ? (from ? from[i] : i) : (from ? from[first] : first);
  __syncthreads();
  for (int distance = THREADS / 2; distance > 0; distance /= 2) {
    if (t < distance && comes_before(value[t + distance], place[t + distance], value[t], place[t])) {
      value[t] = value[t + distance];
      place[t] = place[t + distance];
    }
    __syncthreads();
  }
  if (t == 0) {
    values[blockIdx.x] = value[0];
    places[blockIdx.x] = place[0];
  }
  // END SOLUTION
}

void argmin(int n, const float *x, int *place) {
  // TODO(3): one launch after the other, each on the results of the one before, until one block is enough. It
  // writes `place`.
  // BEGIN SOLUTION
  const int blocks = (n + THREADS - 1) / THREADS;
  float *values;
  int *places;
  cudaMalloc(&values, 2 * blocks * sizeof(float));
  cudaMalloc(&places, 2 * blocks * sizeof(int));
  const int *from = nullptr;
  for (int left = n, half = 0; from == nullptr || left > 1; half = 1 - half) {
    const int needed = (left + THREADS - 1) / THREADS;
    float *const to = values + half * blocks;
    int *const to_places = needed == 1 ? place : places + half * blocks;
    smallest_of_block<<<needed, THREADS>>>(left, x, from, to, to_places);
    x = to, from = to_places, left = needed;
  }
  cudaFree(values);
  cudaFree(places);
  // END SOLUTION
}
