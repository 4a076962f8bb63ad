// Step copy: no transposition yet. One thread copies one element; neighbouring threads copy neighbouring
// elements.
//
// No transposition can be faster than this: it moves the same bytes.
#include "transpose.h"

[[maybe_unused]] constexpr int TILE = 32, ROWS = 8;

__global__ void copy_element(int rows, int columns, const float *A, float *B) {
  // TODO(1): which row and which column is this thread's? It may lie outside of the matrix.
}

void copy(int rows, int columns, const float *A, float *B) {
  // TODO(2): launch enough blocks of TILE x ROWS threads for every element, also when the sizes are no
  // multiples.
}
