// A cuSPARSE without a GPU: y = A x in plain loops.
#include <cstddef>
#include <cstdint>

namespace {

struct Matrix {
  std::int64_t rows;
  const std::int32_t *start, *column;
  const float *value;
};
struct Vector {
  float *values;
};

}  // namespace

extern "C" {

int cusparseCreate(void **handle) {
  return *handle = handle, 0;
}
int cusparseSetStream(void *, void *) {
  return 0;
}
int cusparseGetVersion(void *, int *version) {
  return *version = 12603, 0;
}
const char *cusparseGetErrorString(int) {
  return "an operation is not supported";
}

int cusparseCreateCsr(void **matrix, std::int64_t rows, std::int64_t, std::int64_t, void *start, void *column,
                      void *value, int row_type, int column_type, int base, int type) {
  if (row_type != 2 || column_type != 2 || base != 0 || type != 0) return 10;
  *matrix = new Matrix{rows, static_cast<std::int32_t *>(start), static_cast<std::int32_t *>(column),
                       static_cast<float *>(value)};
  return 0;
}
int cusparseDestroySpMat(void *matrix) {
  return delete static_cast<Matrix *>(matrix), 0;
}
int cusparseCreateDnVec(void **vector, std::int64_t, void *values, int type) {
  *vector = new Vector{static_cast<float *>(values)};
  return type;
}
int cusparseDestroyDnVec(void *vector) {
  return delete static_cast<Vector *>(vector), 0;
}

int cusparseSpMV_bufferSize(void *, int, const void *, void *, void *, const void *, void *, int, int,
                            std::size_t *bytes) {
  return *bytes = 0, 0;
}
int cusparseSpMV(void *, int operation, const void *alpha, void *matrix, void *x, const void *beta, void *y,
                 int type, int, void *scratch) {
  if (operation != 0 || type != 0 || scratch == nullptr) return 10;
  const auto *m = static_cast<const Matrix *>(matrix);
  const float *from = static_cast<Vector *>(x)->values;
  float *to = static_cast<Vector *>(y)->values;
  const float a = *static_cast<const float *>(alpha), b = *static_cast<const float *>(beta);
  for (std::int64_t r = 0; r < m->rows; ++r) {
    float sum = 0;
    for (std::int32_t e = m->start[r]; e < m->start[r + 1]; ++e) sum += m->value[e] * from[m->column[e]];
    to[r] = a * sum + (b == 0 ? 0 : b * to[r]);
  }
  return 0;
}

}  // extern "C"
