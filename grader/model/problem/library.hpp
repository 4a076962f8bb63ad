// Libraries with which launchers are compared, and the routines of theirs that the grader can time.
#pragma once

#include <cstdint>
#include <string_view>

namespace warpgrade::problem {

enum class Library : std::uint8_t { none, cublas, cub, cusparse, composed, nccl, copy };

/// What thresholds call it: "cub" in `0.5 cub`; "" for none.
std::string_view word_of(Library);
/// Whether a library has that word.
bool is_library(std::string_view word);
/// "CUB"; of Library::composed, "cuBLAS + softmax"; of Library::copy, "a copy"; of none, "a library".
std::string_view name_of(Library);

/// A routine that does the work of a launcher. Its operands are the problem's arrays, in the order below: a
/// problem whose arrays have another order or other types has no such routine.
enum class Routine : std::uint32_t {
  none,
  product,        ///< cuBLAS: the problem's MatrixProduct
  copy,           ///< of as many bytes as the problem must move, from memory to memory of the GPU
  sum,            ///< CUB, DeviceReduce::Sum: float x[n], float sum[1]
  arg_min,        ///< CUB, DeviceReduce::ArgMin: float x[n], int place[1], which is the first of equal ones
  inclusive_sum,  ///< CUB, DeviceScan::InclusiveSum: int x[n], int y[n]
  select_not_negative,  ///< CUB, DeviceSelect::If: int x[n], int y[n], int kept[1]
  histogram_even,       ///< CUB, DeviceHistogram::HistogramEven: unsigned x[n], unsigned counts[bins]
  sort_pairs,           ///< CUB, DeviceRadixSort::SortPairs: unsigned keys[n], unsigned values[n],
                        ///< unsigned sorted_keys[n], unsigned sorted_values[n]; equal keys keep their order
  spmv_csr,             ///< cuSPARSE, cusparseSpMV: int start[rows + 1], int column[entries],
                        ///< float value[entries], float x[columns], float y[rows]
  attention,            ///< two products of cuBLAS and a softmax between them: float Q[queries][64],
                        ///< float K[keys][64], float V[keys][64], float O[queries][64]
  all_reduce,  ///< NCCL, ncclAllReduce: float in[n] of each device, then float out[n] of each, the sum
};
inline constexpr Routine last_routine = Routine::all_reduce;
/// Elements of a query, a key and a value in Routine::attention, and the root by which it divides scores.
inline constexpr int attention_width = 64, attention_root = 8;

Library library_of(Routine);

}  // namespace warpgrade::problem
