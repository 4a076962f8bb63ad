// Libraries beside a launcher, on a driver without a GPU: they get the operands that the problem has, and
// what they leave comes back.
#include <gtest/gtest.h>

#include <algorithm>

#include "problem/problem.hpp"
#include "tests/gpu/library_cases.hpp"
#include "tests/gpu/plans.hpp"
#include "tests/gpu_nodriver/paper.hpp"

namespace warpgrade::gpu {
namespace {

TEST(PaperLibraries, ComputeWhatTheProblemsRequire) {
  Referee referee(paper_gpu(), paper());
  for (const LibraryCase &one : library_cases())
    EXPECT_EQ(difference(referee, one), "") << one.problem << " at " << one.size;
}

TEST(PaperLibraries, SayTheirNamesAndVersions) {
  Referee referee(paper_gpu(), paper());
  EXPECT_EQ(referee.take(problem::Routine::sum, {4, 4}), "");
  EXPECT_EQ(referee.routine_version(), "CUB 3.0.1 from " WARPGRADE_FAKE_CUBLAS "/libwarpgrade_cub.so");
  EXPECT_EQ(referee.take(problem::Routine::spmv_csr, {8, 4, 4, 4, 4}), "");
  EXPECT_EQ(referee.routine_version(), "cuSPARSE 12.6.3 from " WARPGRADE_FAKE_CUBLAS "/libcusparse.so.12");
  EXPECT_EQ(referee.take(problem::Routine::attention, {256, 256, 256, 256}), "");
  EXPECT_EQ(referee.routine_version(), "cuBLAS 13.0.2 from " WARPGRADE_FAKE_CUBLAS
                                       "/libcublas.so.13, with a softmax between two products");
}

TEST(PaperLibraries, AWrongResultIsSeen) {
  Referee referee(paper_gpu(), paper({"PAPER_CUB_IS_WRONG=1"}));
  EXPECT_EQ(difference(referee, {"histogram", "n=1000 bins=1"}),
            "counts[0] is 1001.000000, should be 1000.000000");
}

TEST(PaperLibraries, AMissingLibraryIsNamedWithItsSearchPath) {
  ChildOptions options = paper();
  options.library_directories = {"/no/such/directory"};
  Referee referee(paper_gpu(), options);
  const std::string why = referee.take(problem::Routine::sum, {4, 4});
  EXPECT_TRUE(
      why.starts_with("CUB, which `make` compiles where the CUDA Toolkit is, was not found "
                      "(libwarpgrade_cub.so; looked in /no/such/directory, "))
      << why;
}

TEST(PaperLibraries, ArraysThatARoutineDoesNotTakeAreRefused) {
  Referee referee(paper_gpu(), paper());
  EXPECT_EQ(referee.take(problem::Routine::spmv_csr, {8, 8}), "");
  const std::vector<run::HostBuffer> two(2, host_buffer("x", {1, 2}));
  EXPECT_EQ(referee.compute(&two, nullptr).why, "the routine takes 5 arrays, and the problem has 2");
  EXPECT_EQ(referee.take(problem::Routine::sum, {8}), "");
  const std::vector<run::HostBuffer> one(1, host_buffer("x", {1, 2}));
  EXPECT_EQ(referee.compute(&one, nullptr).why, "CUB failed: cudaErrorInvalidValue");
  EXPECT_EQ(referee.take(problem::Routine::none, {8}),
            "this is neither a routine of CUB, cuSPARSE or NCCL, nor a composition, nor a copy");
}

TEST(PaperLibraries, PairsAreSortedAndEqualKeysKeepTheirOrder) {
  Referee referee(paper_gpu(), paper());
  ASSERT_EQ(referee.take(problem::Routine::sort_pairs, {12, 12, 12, 12}), "");
  std::vector<run::HostBuffer> operands(4, host_buffer("x", {0, 0, 0}));
  using Words = std::vector<std::uint32_t>;
  const auto words = [](const run::HostBuffer &buffer) {
    const auto all = buffer.as<std::uint32_t>();
    return Words(all.begin(), all.end());
  };
  std::ranges::copy(Words{0x80000000, 0, 0x80000000}, operands[0].as<std::uint32_t>().begin());
  std::ranges::copy(Words{10, 11, 12}, operands[1].as<std::uint32_t>().begin());
  auto left = operands;
  ASSERT_EQ(referee.compute(&operands, &left).why, "");
  EXPECT_EQ(words(left[2]), (Words{0, 0x80000000, 0x80000000}));
  EXPECT_EQ(words(left[3]), (Words{11, 10, 12}));
  ASSERT_EQ(referee.take(problem::Routine::sort_pairs, {12, 12, 12}), "");
  operands.pop_back();
  EXPECT_EQ(referee.compute(&operands, nullptr).why, "CUB failed: cudaErrorInvalidValue");
}

TEST(PaperLibraries, EachRunHasFreshOperandsAndProductsContinueAfterwards) {
  Referee referee(paper_gpu(), paper());
  ASSERT_EQ(referee.take(problem::Routine::inclusive_sum, {8, 8}), "");
  std::vector<run::HostBuffer> operands(2, host_buffer("x", {0, 0}));
  operands[0].as<std::int32_t>()[0] = operands[0].as<std::int32_t>()[1] = 5;
  auto left = operands;
  for (const auto *given : {&operands, static_cast<std::vector<run::HostBuffer> *>(nullptr)}) {
    ASSERT_EQ(referee.compute(given, &left).why, "");
    EXPECT_EQ(left[0].bytes, operands[0].bytes);
    EXPECT_EQ(left[1].as<std::int32_t>()[1], 10);
  }
  ASSERT_EQ(referee.take(product_of({4, 4, 4, 1, 0}), 2e-6), "");
  ASSERT_EQ(referee.deal(1), "");
  EXPECT_EQ(referee.multiply().why, "");
}

TEST(PaperLibraries, EveryProblemWithARoutineIsTriedHere) {
  std::vector<std::string> tried;
  for (const LibraryCase &one : library_cases()) tried.push_back(one.problem);
  for (const std::string &name : problem::problem_names()) {
    const problem::Library library = problem::find_problem(name)->library();
    const bool is_tried = std::find(tried.begin(), tried.end(), name) != tried.end();
    const bool is_copy_or_product = library == problem::Library::copy || library == problem::Library::cublas;
    const bool takes_several_gpus = library == problem::Library::nccl;  // see several_gpus_paper_test.cpp
    EXPECT_EQ(is_tried, library != problem::Library::none && !is_copy_or_product && !takes_several_gpus)
        << name;
  }
}

}  // namespace
}  // namespace warpgrade::gpu
