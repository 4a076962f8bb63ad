// warpgrade corpus; 2 blocks of 64 threads; input 325; output 4096 bytes
#include "corpus.cuh"
// Each call has an array of its own, which must survive the calls it makes.
__device__ __noinline__ unsigned sum_of_digits(unsigned n, unsigned depth) {
  unsigned digits[8];
  for (unsigned i = 0; i < 8; ++i) digits[i] = (n >> 4 * i & 15) + depth;
  unsigned sum = 0;
  if (depth < 3) sum = sum_of_digits(n * 2654435761u + digits[n & 7], depth + 1);
  for (unsigned i = 0; i < 8; ++i) sum = sum * 31 + digits[(n + i) & 7];
  return sum;
}
__device__ __noinline__ void quicksort(unsigned *first, int count) {
  while (count > 1) {
    const unsigned pivot = first[count / 2];
    int i = 0, j = count - 1;
    while (i <= j) {
      while (first[i] < pivot) ++i;
      while (first[j] > pivot) --j;
      if (i <= j) {
        const unsigned swap = first[i];
        first[i++] = first[j];
        first[j--] = swap;
      }
    }
    quicksort(first, j + 1);
    first += i;
    count -= i;
  }
}
CORPUS_KERNEL {
  CORPUS_OPERANDS;
  rows.put(0, sum_of_digits(a, 0));
  rows.put(1, sum_of_digits(b, c & 3));
  unsigned values[13];
  for (int i = 0; i < 13; ++i) values[i] = (a ^ b) * (2 * i + 1) >> (i & 7);
  quicksort(values, 13);
  unsigned hash = 0;
  for (int i = 0; i < 13; ++i) hash = hash * 33 + values[i];
  rows.put(2, hash);
  rows.put(3, values[a % 13]);
}
