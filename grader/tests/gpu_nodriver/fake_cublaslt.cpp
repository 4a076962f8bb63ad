// A cuBLASLt without a GPU: products of e4m3 in plain loops, for tests of the reference's process.
#include <cstddef>
#include <cstdint>

#include "problem/random.hpp"

namespace {

constexpr int not_supported = 15, real_32 = 0, real_e4m3 = 28, compute_32 = 68;

struct Layout {
  int type;
  std::uint64_t rows, columns;
  std::int64_t leading;
};
struct Product {
  int transposes_first = 0;
  std::int8_t fast = 0;
};

/// Factors along their columns, and a result in single precision; the number of products is a multiple of 16.
bool is_supported(const Product *p, const Layout *first, const Layout *second, const Layout *to) {
  return p->transposes_first == 1 && p->fast == 1 && first->type == real_e4m3 && second->type == real_e4m3 &&
         to->type == real_32 && first->rows == second->rows && first->rows % 16 == 0 &&
         first->columns == to->rows && second->columns == to->columns;
}

}  // namespace

extern "C" {

int cublasLtCreate(void **handle) {
  return *handle = handle, 0;
}
int cublasLtMatmulDescCreate(Product **product, int compute, int scale) {
  if (compute != compute_32 || scale != real_32) return not_supported;
  return *product = new Product, 0;
}
int cublasLtMatmulDescSetAttribute(Product *product, int attribute, const void *value, std::size_t bytes) {
  if (attribute == 3 && bytes == 4)
    product->transposes_first = *static_cast<const int *>(value);
  else if (attribute == 25 && bytes == 1)
    product->fast = *static_cast<const std::int8_t *>(value);
  else
    return not_supported;
  return 0;
}
int cublasLtMatrixLayoutCreate(Layout **layout, int type, std::uint64_t rows, std::uint64_t columns,
                               std::int64_t leading) {
  return *layout = new Layout{type, rows, columns, leading}, 0;
}
int cublasLtMatrixLayoutDestroy(Layout *layout) {
  delete layout;
  return 0;
}
int cublasLtMatmulPreferenceCreate(void **preference) {
  return *preference = preference, 0;
}
int cublasLtMatmulPreferenceSetAttribute(void *, int attribute, const void *, std::size_t bytes) {
  return attribute == 1 && bytes == 8 ? 0 : not_supported;
}
int cublasLtMatmulAlgoGetHeuristic(void *, const Product *product, const Layout *first, const Layout *second,
                                   const Layout *, const Layout *to, void *, int, void *, int *found) {
  *found = is_supported(product, first, second, to);
  return *found == 1 ? 0 : not_supported;
}
int cublasLtMatmul(void *, const Product *product, const float *alpha, const std::uint8_t *first,
                   const Layout *of_first, const std::uint8_t *second, const Layout *of_second,
                   const float *beta, const void *, const Layout *, float *to, const Layout *of_to,
                   const void *, void *, std::size_t, void *) {
  if (!is_supported(product, of_first, of_second, of_to) || *beta != 0) return not_supported;
  for (std::uint64_t column = 0; column < of_to->columns; ++column)
    for (std::uint64_t row = 0; row < of_to->rows; ++row) {
      float sum = 0;
      for (std::uint64_t i = 0; i < of_first->rows; ++i)
        sum +=
            warpgrade::problem::finite_e4m3(first[row * static_cast<std::uint64_t>(of_first->leading) + i]) *
            warpgrade::problem::finite_e4m3(
                second[column * static_cast<std::uint64_t>(of_second->leading) + i]);
      to[row + column * static_cast<std::uint64_t>(of_to->leading)] = *alpha * sum;
    }
  return 0;
}

}  // extern "C"
