// The solutions with one small mistake each, as a slip of the keyboard or of the mind makes it: another
// index, one too many, a factor forgotten. The cases must tell every one of them from the right kernel. A
// case set that lets one through is too weak, however right the solutions are.
//
// Not here, because no case can tell them apart: M, N and K mixed up in the steps whose cases are square, and
// strides that matter from 65536 blocks on.
#include <gtest/gtest.h>

#include "base/files.hpp"
#include "tests/end_to_end/bench.hpp"

namespace warpgrade {
namespace {

struct Mutant {
  const char *step;
  const char *name;
  const char *from, *to;
};
void PrintTo(const Mutant &m, std::ostream *out) {
  *out << m.step << ": " << m.from << " -> " << m.to;
}

constexpr Mutant mutants[] = {
    {"step0_naive", "row_from_the_other_coordinate", "blockDim.x + threadIdx.x", "blockDim.x + threadIdx.y"},
    {"step0_naive", "guard_lets_one_row_through", "row >= M", "row > M"},
    {"step0_naive", "guard_takes_the_last_row", "row >= M", "row >= M - 1"},
    {"step0_naive", "sum_starts_at_one", "k = 0; k < K", "k = 1; k < K"},
    {"step0_naive", "sum_ends_one_too_late", "k < K", "k <= K"},
    {"step0_naive", "sum_ends_one_too_early", "k < K", "k < K - 1"},
    {"step0_naive", "a_transposed", "A[row * K + k]", "A[k * K + row]"},
    {"step0_naive", "b_transposed", "B[k * N + col]", "B[col * N + k]"},
    {"step0_naive", "c_transposed", "C[row * N + col] = ", "C[col * N + row] = "},
    {"step0_naive", "old_c_from_the_transposed_place", "beta * C[row * N + col]", "beta * C[col * N + row]"},
    {"step0_naive", "alpha_forgotten", "alpha * sum", "sum"},
    {"step0_naive", "beta_forgotten", "beta * C[", "C["},
    {"step0_naive", "old_c_forgotten", " + beta * C[row * N + col]", ""},
    {"step0_naive", "last_product_only", "sum += A", "sum = A"},
    {"step0_naive", "grid_rounded_down", "ceil_div(M, 32)", "(M / 32)"},

    {"step1_coalesced", "row_and_column_of_a_mixed_up", "A[row * K + k]", "A[col * K + k]"},
    {"step1_coalesced", "b_one_element_on", "{k} * N + col]", "{k} * N + col + 1]"},
    {"step1_coalesced", "guard_lets_one_column_through", "col >= N", "col > N"},
    {"step1_coalesced", "half_of_the_columns", "ceil_div(N, ACROSS)", "ceil_div(N, 2 * ACROSS)"},
    {"step1_coalesced", "block_turned", "dim3(ACROSS, DOWN)", "dim3(DOWN, ACROSS)"},

    {"step2_shared", "barrier_missing", "__syncthreads();", ";"},
    {"step2_shared", "one_buffer_for_two_strides", "turn = 1 - turn", "turn = 0"},
    {"step2_shared", "tile_of_a_transposed", "a_tile[y][k]", "a_tile[k][y]"},
    {"step2_shared", "tile_of_b_transposed", "b_tile[k][x]", "b_tile[x][k]"},
    {"step2_shared", "last_product_of_a_tile_left_out", "k < TILE", "k < TILE - 1"},
    {"step2_shared", "strides_one_too_long", "a_from += TILE", "a_from += TILE + 1"},
    {"step2_shared", "edge_of_a_not_guarded", "x < left - TILE", "x < left"},
    {"step2_shared", "edge_of_b_not_guarded", "y < left - TILE", "y < left"},
    {"step2_shared", "last_row_not_held", "min(row, std::int64_t{M - 1})", "row"},
    {"step2_shared", "first_stride_not_guarded", "x < K ? *a_from : 0.0f", "*a_from"},
    {"step2_shared", "edge_of_c_not_guarded", "if (row < M && col < N) C", "if (row < M) C"},
    {"step2_shared", "one_row_of_tiles", "ceil_div(M, TILE) * ceil_div(N, TILE)", "ceil_div(N, TILE)"},

    {"step3_blocktile", "every_second_stride", "left -= BK", "left -= 2 * BK"},
    {"step3_blocktile", "tail_one_too_wide", "a_col < left", "a_col <= left"},
    {"step3_blocktile", "tail_taken_for_a_whole_stride", "left >= BK", "left >= BK - 1"},
    {"step3_blocktile", "factors_of_a_thread_mixed_up", "a[i] * b[j]", "a[j] * b[i]"},
    {"step3_blocktile", "rows_of_a_one_on", "a_tile[k][row + i]", "a_tile[k][row + i + 1]"},
    {"step3_blocktile", "columns_side_by_side", "b_tile[k][col + j * THREADS_X]", "b_tile[k][col * TN + j]"},
    {"step3_blocktile", "last_row_not_held", "std::int64_t{M - 1}", "std::int64_t{M}"},
    {"step3_blocktile", "b_moves_on_by_columns", "b_from += BK * std::int64_t{N}", "b_from += BK"},
    {"step3_blocktile", "guard_lets_one_column_through", "THREADS_X < N", "THREADS_X <= N"},
    {"step3_blocktile", "old_c_from_neighbours", "beta * to[i * std::int64_t{N} + j * THREADS_X]",
     "beta * to[i * std::int64_t{N} + j]"},
    {"step3_blocktile", "second_barrier_missing", "__syncthreads();  // nobody overwrites",
     ";  // nobody overwrites"},

    {"step4_nonsquare", "rows_of_a_as_long_as_those_of_b", "* K + a_col", "* N + a_col"},
    {"step4_nonsquare", "rows_of_b_as_long_as_those_of_a", "b_row * std::int64_t{N}",
     "b_row * std::int64_t{K}"},
    {"step4_nonsquare", "rows_of_c_as_long_as_those_of_a", "C + (row0 + row) * N", "C + (row0 + row) * K"},
    {"step4_nonsquare", "tiles_counted_along_the_other_side", "ceil_div(N, BN)", "ceil_div(M, BN)"},
    {"step4_nonsquare", "few_rows_are_all_the_first", "k += WARPS) sum += A[row * K + k]",
     "k += WARPS) sum += A[k]"},
    {"step4_nonsquare", "few_rows_skip_a_row_of_b", "k += WARPS", "k += WARPS + 1"},
    {"step4_nonsquare", "few_rows_forget_a_warp", "int other = 1", "int other = 2"},
    {"step4_nonsquare", "few_columns_add_half", "half > 0", "half > 1"},
    {"step4_nonsquare", "few_columns_read_b_by_rows", "k += THREADS) sum += A[row * K + k] * B[k * N + col]",
     "k += THREADS) sum += A[row * K + k] * B[col * K + k]"},
};

class SolutionWithAMistake : public ::testing::TestWithParam<Mutant> {};

TEST_P(SolutionWithAMistake, IsNotAccepted) {
  const Mutant &m = GetParam();
  const std::string file = std::string(m.step) + ".cu";
  const Scratch folder;
  write_scratch(folder.path() / file, replaced_once(read_whole(root / "solutions/hw6" / file), m.from, m.to));
  Bench bench("hw6", quickest);
  const grading::SubmissionRecord record = bench.grade(folder.path());
  ASSERT_EQ(record.steps.size(), 1u);
  const judge::Verdict verdict = record.steps[0].verdict;
  EXPECT_NE(verdict, judge::Verdict::accepted);
  // It was the kernel that was judged, not a text that no longer compiles, nor a failure of ours.
  EXPECT_NE(verdict, judge::Verdict::build_error) << bench.terminal(record);
  EXPECT_NE(verdict, judge::Verdict::grader_error) << bench.terminal(record);
}

INSTANTIATE_TEST_SUITE_P(Mutants, SolutionWithAMistake, ::testing::ValuesIn(mutants), [](const auto &mutant) {
  return std::string(mutant.param.step) + "__" + mutant.param.name;
});

}  // namespace
}  // namespace warpgrade
