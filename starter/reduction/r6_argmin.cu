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
  return value < other_value && place < other_place;
}

// values, places: one for each block
__global__ void smallest_of_block(int n, const float *x, const int *from, float *values, int *places) {
  // TODO(2): the first smallest element of this block's THREADS elements. `from` has the places of elements
  // that are results already, or is null: then an element's place is its index.
}

void argmin(int n, const float *x, int *place) {
  // TODO(3): one launch after the other, each on the results of the one before, until one block is enough. It
  // writes `place`.
}
