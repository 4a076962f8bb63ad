// Questions about kernels, each answered by hand from the text of the kernel. The line above an answer says how. Answers are not
// taken from the program: where it says something else, one of the two is wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/scratch.hpp"
#include "tests/end_to_end/small_course.hpp"
#include "tests/places.hpp"

namespace warpgrade::tests {
namespace {

using nlohmann::json;

struct ByHand {
  const char *kind, *question, *answer;
};
struct Kernel {
  const char *assignment, *step;
  int seed;
  std::vector<ByHand> answers;
};

const std::vector<Kernel> &kernels() {
  static const std::vector<Kernel> all = {
      {"warmup",
       "add",
       11,
       {
           // 32 lanes x 4 bytes are 128 bytes from an aligned start: 128 / 32
           {"sectors_of_request",
            "At n=40960: warp 0 of block (0, 0, 0) loads from y in line 14 with 32 lanes. How many sectors "
            "of 32 bytes does that request touch?",
            "4"},
           // 40955 / 256 = 159.98, rounded up
           {"blocks_launched", "At n=40955: how many blocks does your launcher start?", "160"},
           // 160 blocks x 256 threads - 40955
           {"idle_threads", "At n=40955: how many of the threads that the launch starts store nothing?", "5"},
           // each of 40955 threads loads x[i] and y[i]: 8 bytes
           {"bytes_loaded", "At n=40955: how many bytes do all threads together load from global memory?",
            "327,640"},
           // 78 x 256 + 6 x 32 + 24
           {"element_read",
            "At n=40960: which element of y does lane 24 of warp 6 of block (78, 0, 0) load in line 14?",
            "y[20184]"},
           // 40955 = 1279 x 32 + 27: one warp has lanes on both sides of i < n
           {"divergent_branches",
            "At n=40955: how often do the lanes of a warp go different ways at line 14, all warps together?",
            "1"},
           // 20187 / 256 = 78.9
           {"block_of_element",
            "At n=40960: which block (blockIdx.x, .y, .z) of the 160 x 1 x 1 blocks stores z[20187]?",
            "(78, 0, 0)"},
           // 40960 / 32 = 1280 warps, two loads each
           {"requests_of_line",
            "At n=40960: how many requests to global memory (a warp's loads at once) does line 14 make in "
            "all?",
            "2,560"},
       }},
      {"warmup",
       "stride",
       12,
       {
           // 160 blocks would do, 16 are the most
           {"blocks_launched", "At n=40955: how many blocks does your launcher start?", "16"},
           // 40960 elements / 32 lanes; a store for each
           {"requests_of_line",
            "At n=40960: how many requests to global memory (a warp's stores at once) does line 14 make in "
            "all?",
            "1,280"},
           // a * x + y is one, for each element
           {"multiply_adds", "At n=40955: how many multiply-adds do all threads together execute in line 14?",
            "40,955"},
           // the first is 15 x 256 + 6 x 32 + 31 = 4063; two strides of 16 x 256 further on
           {"element_written",
            "At n=40955: which element of y does lane 31 of warp 6 of block (15, 0, 0) store to in line 14, "
            "the third time that this warp does?",
            "y[12255]"},
           // 8032 - 4096 = 3936 is the second stride's start 15 x 256 = 3840, and 96
           {"thread_of_element",
            "At n=40955: which thread (threadIdx.x, .y, .z) of block (15, 0, 0) stores y[8032] in line 14?",
            "(96, 0, 0)"},
           // 8 bytes for each of 40960 elements
           {"bytes_loaded", "At n=40960: how many bytes do all threads together load from global memory?",
            "327,680"},
           // 32 neighbours of 4 bytes, aligned
           {"sectors_of_request",
            "At n=40960: warp 0 of block (0, 0, 0) loads from y in line 14 with 32 lanes. How many sectors "
            "of 32 bytes does that request touch?",
            "4"},
           // 16 blocks x 256 / 32
           {"warps_of_launch", "At n=40955: how many warps does your launcher start?", "128"},
           // 40955 / 32 = 1279.8, rounded up: a partial warp stores too
           {"warps_that_store",
            "At n=40955: how often does a warp store to global memory in line 14, all warps together?",
            "1,280"},
       }},
      {"transpose",
       "tile",
       14,
       {
           // 160 rows x 2 tiles, each 32 neighbours: 4 sectors
           {"sectors_of_line",
            "At rows=160 columns=64: how many sectors do all loads of line 17 together touch, each request "
            "counted for itself?",
            "1,280"},
           // warp 1 is y = 1: rows 1, 9, 17, 25 of the tile that begins at row 4 x 32; lane 11 is column 11
           {"element_read",
            "At rows=160 columns=64: which element of A does lane 11 of warp 1 of block (0, 4, 0) load in "
            "line 17, the fourth time that this warp does?",
            "A[153, 11]"},
           // lanes of a warp store to one row: neighbouring words, whatever its length
           {"padded_row",
            "Suppose the rows of part in shared memory were one element longer (33 instead of 32). In how "
            "many wavefronts would the request with which warp 0 of block (0, 0, 0) stores to it in line 17 "
            "be served?",
            "1"},
           // 157 - 128 = 29 rows: y < 29 gives warps 0 to 4 four rows and warps 5 to 7 three; a load and a store each: 8 and 6
           {"longest_wait",
            "At rows=157 columns=61: a warp that makes fewer requests to memory (loads and stores) before a "
            "barrier than another one waits there. Which warps of block (0, 4, 0) wait longest, by requests, "
            "at all of its barriers together?",
            "warps 5 to 7"},
           // B's row 28 is a column of the first tile, B's column 153 a row of tile 153 / 32 = 4
           {"block_of_element",
            "At rows=157 columns=61: which block (blockIdx.x, .y, .z) of the 2 x 5 x 1 blocks stores B[28, "
            "153]?",
            "(0, 4, 0)"},
           // 61 rows of B x 157 / 32 rounded up
           {"warps_that_store",
            "At rows=157 columns=61: how often does a warp store to global memory in line 29, all warps "
            "together?",
            "305"},
           // 32 x 32 x 4
           {"shared_bytes", "How many bytes of shared memory does your kernel declare for each block?",
            "4,096"},
           // 2 x 5 blocks of 8 warps
           {"warps_of_launch", "At rows=160 columns=64: how many warps does your launcher start?", "80"},
           // 157 x 61 x 4: each element once
           {"bytes_loaded",
            "At rows=157 columns=61: how many bytes do all threads together load from global memory?",
            "38,308"},
       }},
      {"histogram",
       "direct",
       15,
       {
           // 49143 = 1535 x 32 + 23: one mixed warp
           {"divergent_branches",
            "At n=49143 bins=256: how often do the lanes of a warp go different ways at line 12, all warps "
            "together?",
            "1"},
           // 49143 / 32, rounded up; an atomic is no load
           {"requests_of_line",
            "At n=49143 bins=256: how many requests to global memory (a warp's loads at once) does line 12 "
            "make in all?",
            "1,536"},
           // 4 x 49143
           {"bytes_loaded",
            "At n=49143 bins=256: how many bytes do all threads together load from global memory?",
            "196,572"},
           // 94 x 256 + 6 x 32 + 19
           {"element_read",
            "At n=49152 bins=256: which element of x does lane 19 of warp 6 of block (94, 0, 0) load in line "
            "12?",
            "x[24275]"},
           // 49143 / 256 = 191.97, rounded up
           {"blocks_launched", "At n=49143 bins=256: how many blocks does your launcher start?", "192"},
           // 32 neighbours of 4 bytes, aligned
           {"sectors_of_request",
            "At n=49152 bins=256: warp 0 of block (0, 0, 0) loads from x in line 12 with 32 lanes. How many "
            "sectors of 32 bytes does that request touch?",
            "4"},
           // 1535 full warps x 4, and 23 lanes x 4 = 92 bytes: 3
           {"sectors_of_line",
            "At n=49143 bins=256: how many sectors do all loads of line 12 together touch, each request "
            "counted for itself?",
            "6,143"},
           // 192 x 8
           {"warps_of_launch", "At n=49143 bins=256: how many warps does your launcher start?", "1,536"},
       }},
      {"convolution",
       "plain",
       16,
       {
           // blocks of 32 x 8: row 2 x 8 + 3, column 26
           {"element_written",
            "At height=32 width=64: which element of y does lane 26 of warp 3 of block (0, 2, 0) store to in "
            "line 19?",
            "y[19, 26]"},
           // 19 / 8 = 2, 16 / 32 = 0
           {"block_of_element",
            "At height=27 width=59: which block (blockIdx.x, .y, .z) of the 2 x 4 x 1 blocks stores y[19, "
            "16]?",
            "(0, 2, 0)"},
           // rows that exist for r and i: 32 x 5 - 6 = 154; x 2 warps a row x 5 columns j with a lane inside x 2 loads
           {"requests_of_line",
            "At height=32 width=64: how many requests to global memory (a warp's loads at once) does line 17 "
            "make in all?",
            "3,080"},
           // 1290 loads of one weight touch 1 each, those of x 5790: the sum over rows, halves and j of what the 236 r + 4 c bytes reach
           {"sectors_of_line",
            "At height=27 width=59: how many sectors do all loads of line 17 together touch, each request "
            "counted for itself?",
            "7,080"},
           // (27 x 5 - 6) x (59 x 5 - 6) = 37281 products x 8 bytes
           {"bytes_loaded",
            "At height=27 width=59: how many bytes do all threads together load from global memory?",
            "298,248"},
           // of 64 lanes for a row, 59 are inside: 92.2 %
           {"share_of_lanes",
            "At height=27 width=59: which share of the lanes is active, on average, in the instructions of "
            "line 19?",
            "92 %"},
           // 2 x 27 / 8 rounded up
           {"blocks_launched", "At height=27 width=59: how many blocks does your launcher start?", "8"},
           // columns 32 to 58; row 24 is inside
           {"lanes_at_the_edge",
            "At height=27 width=59: how many lanes of warp 0 of the last block, (1, 3, 0), store something "
            "in line 19?",
            "27"},
           // one for each product: 129 x 289
           {"multiply_adds",
            "At height=27 width=59: how many multiply-adds do all threads together execute in line 17?",
            "37,281"},
       }},
      {"reduction",
       "interleaved",
       17,
       {
           // 256 x 4
           {"shared_bytes", "How many bytes of shared memory does your kernel declare for each block?",
            "1,024"},
           // 32757 = 1023 x 32 + 21: one mixed warp
           {"divergent_branches",
            "At n=32757: how often do the lanes of a warp go different ways at line 16, all warps together?",
            "1"},
           // 4 x 32757
           {"bytes_loaded", "At n=32757: how many bytes do all threads together load from global memory?",
            "131,028"},
           // 32 neighbours of 4 bytes, aligned
           {"sectors_of_request",
            "At n=32768: warp 0 of block (0, 0, 0) loads from x in line 16 with 32 lanes. How many sectors "
            "of 32 bytes does that request touch?",
            "4"},
           // 32768 / 32
           {"requests_of_line",
            "At n=32768: how many requests to global memory (a warp's loads at once) does line 16 make in "
            "all?",
            "1,024"},
           // 126 x 256 + 3 x 32 + 18
           {"element_read",
            "At n=32757: which element of x does lane 18 of warp 3 of block (126, 0, 0) load in line 16?",
            "x[32370]"},
           // 32757 / 256 = 127.96, rounded up
           {"blocks_launched", "At n=32757: how many blocks does your launcher start?", "128"},
           // one, then one in each round: distances 1 to 128 are 8
           {"barriers_of_block", "At n=32757: how many barriers does each block pass?", "9"},
       }},
      {"reduction",
       "sequential",
       18,
       {
           // 49141 = 1535 x 32 + 21: one mixed warp
           {"divergent_branches",
            "At n=49141: how often do the lanes of a warp go different ways at line 15, all warps together?",
            "1"},
           // neighbouring lanes store to neighbouring words
           {"wavefronts",
            "At n=49152: warp 0 of block (0, 0, 0) stores to shared memory in line 18. In how many "
            "wavefronts is that request served?",
            "1"},
           // 256 x 4
           {"shared_bytes", "How many bytes of shared memory does your kernel declare for each block?",
            "1,024"},
           // 49152 / 32
           {"requests_of_line",
            "At n=49152: how many requests to global memory (a warp's loads at once) does line 15 make in "
            "all?",
            "1,536"},
           // one, then one in each round: distances 128 to 1 are 8
           {"barriers_of_block", "At n=49141: how many barriers does each block pass?", "9"},
           // 4 x 49152
           {"bytes_loaded", "At n=49152: how many bytes do all threads together load from global memory?",
            "196,608"},
           // 32 neighbours of 4 bytes, aligned
           {"sectors_of_request",
            "At n=49152: warp 0 of block (0, 0, 0) loads from x in line 15 with 32 lanes. How many sectors "
            "of 32 bytes does that request touch?",
            "4"},
           // t < 128 in the first round: warps 4 to 7 only bring their elements
           {"longest_wait",
            "At n=49152: a warp that makes fewer requests to memory (loads and stores) before a barrier than "
            "another one waits there. Which warps of block (159, 0, 0) wait longest, by requests, at all of "
            "its barriers together?",
            "warps 4 to 7"},
           // 49141 / 256 = 191.96, rounded up
           {"blocks_launched", "At n=49141: how many blocks does your launcher start?", "192"},
       }},
      {"softmax",
       "shared",
       19,
       {
           // a row: 256 threads load in[0], three loops 639 elements each; x 4 bytes x 15 rows
           {"bytes_loaded",
            "At rows=15 columns=639: how many bytes do all threads together load from global memory?",
            "130,380"},
           // 639 / 32 rounded up is 20, x 15
           {"warps_that_store",
            "At rows=15 columns=639: how often does a warp store to global memory in line 53, all warps "
            "together?",
            "300"},
           // 495 - 256
           {"thread_of_element",
            "At rows=15 columns=639: which thread (threadIdx.x, .y, .z) of block (11, 0, 0) stores y[11, "
            "495] in line 53?",
            "(239, 0, 0)"},
           // 15 blocks of 8
           {"warps_of_launch", "At rows=15 columns=639: how many warps does your launcher start?", "120"},
           // neighbouring lanes store to neighbouring words
           {"wavefronts",
            "At rows=16 columns=640: warp 0 of block (0, 0, 0) stores to shared memory in line 34. In how "
            "many wavefronts is that request served?",
            "1"},
           // largest: 1 + 8 rounds + 1; sum: 1 + 8
           {"barriers_of_block", "At rows=15 columns=639: how many barriers does each block pass?", "19"},
           // a row of 2556 bytes begins at 28 r mod 32: rows 0 and 8 touch 80, row 7 (at 4) 99, the other twelve 100
           {"sectors_of_line",
            "At rows=15 columns=639: how many sectors do all stores of line 53 together touch, each request "
            "counted for itself?",
            "1,459"},
           // 256 x 4
           {"shared_bytes", "How many bytes of shared memory does your kernel declare for each block?",
            "1,024"},
           // every lane reads the first element of the block's row
           {"element_read",
            "At rows=15 columns=639: which element of x does lane 31 of warp 4 of block (11, 0, 0) load in "
            "line 46?",
            "x[11, 0]"},
       }},
      {"spmv",
       "scalar",
       20,
       {
           // 91 rows in 3 warps: 91 / 96 = 94.8 %; the other warps have left
           {"share_of_lanes",
            "At rows=91 columns=763 entries=6139: which share of the lanes is active, on average, in the "
            "instructions of line 17?",
            "95 %"},
           // 32 neighbours of 4 bytes, aligned
           {"sectors_of_request",
            "At rows=96 columns=768 entries=6144: warp 0 of block (0, 0, 0) stores to y in line 17 with 32 "
            "lanes. How many sectors of 32 bytes does that request touch?",
            "4"},
           // 96 rows are one block of 256
           {"warps_of_launch",
            "At rows=96 columns=768 entries=6144: how many warps does your launcher start?", "8"},
           // each entry belongs to one row, which is one thread's
           {"loads_of_element",
            "At rows=96 columns=768 entries=6144: how often is each element of value loaded from global "
            "memory on average, all threads together?",
            "1"},
           // 91 - 64
           {"lanes_at_the_edge",
            "At rows=91 columns=763 entries=6139: how many lanes of warp 2 of the last block, (0, 0, 0), "
            "store something in line 17?",
            "27"},
           // 96 / 32
           {"warps_that_store",
            "At rows=96 columns=768 entries=6144: how often does a warp store to global memory in line 17, "
            "all warps together?",
            "3"},
           // 32 + 16
           {"element_written",
            "At rows=91 columns=763 entries=6139: which element of y does lane 16 of warp 1 of block (0, 0, "
            "0) store to in line 17?",
            "y[48]"},
           // a thread's row is its number in the only block
           {"thread_of_element",
            "At rows=91 columns=763 entries=6139: which thread (threadIdx.x, .y, .z) of block (0, 0, 0) "
            "stores y[90] in line 17?",
            "(90, 0, 0)"},
       }},
      {"warmup",
       "grey",
       21,
       {
           // 6 x 12 blocks of 8
           {"warps_of_launch", "At height=95 width=191: how many warps does your launcher start?", "576"},
           // 96 x 192 x 3
           {"bytes_loaded",
            "At height=96 width=192: how many bytes do all threads together load from global memory?",
            "55,296"},
           // 96 rows x 192 / 32; one store each
           {"requests_of_line",
            "At height=96 width=192: how many requests to global memory (a warp's stores at once) does line "
            "15 make in all?",
            "576"},
           // each of three loads of 576 warps spans 94 bytes from a multiple of 96: 3 sectors
           {"sectors_of_line",
            "At height=96 width=192: how many sectors do all loads of line 15 together touch, each request "
            "counted for itself?",
            "5,184"},
           // 60 / 32 = 1, 65 / 8 = 8
           {"block_of_element",
            "At height=96 width=192: which block (blockIdx.x, .y, .z) of the 6 x 12 x 1 blocks stores "
            "grey[65, 60]?",
            "(1, 8, 0)"},
           // row 8 x 8 + 6, column 32 + 3
           {"element_written",
            "At height=96 width=192: which element of grey does lane 3 of warp 6 of block (1, 8, 0) store to "
            "in line 15?",
            "grey[70, 35]"},
           // columns 160 to 190
           {"lanes_at_the_edge",
            "At height=95 width=191: how many lanes of warp 3 of the last block, (5, 11, 0), store something "
            "in line 15?",
            "31"},
           // in each row, the last warp has 31 of 32 lanes inside; rows do not differ in a warp
           {"divergent_branches",
            "At height=95 width=191: how often do the lanes of a warp go different ways at line 13, all "
            "warps together?",
            "95"},
       }},
      {"unroll",
       "k1",
       22,
       {
           // 96 x 3 warps, 4 sectors each
           {"sectors_of_line",
            "At n=m=p=96: how many sectors do all stores of line 15 together touch, each request counted for "
            "itself?",
            "1,152"},
           // 96 x 3 warps store once
           {"requests_of_line",
            "At n=m=p=96: how many requests to global memory (a warp's stores at once) does line 15 make in "
            "all?",
            "288"},
           // b[i, k] is loaded by the threads of all 96 columns j
           {"loads_of_element",
            "At n=m=p=96: how often is each element of b loaded from global memory on average, all threads "
            "together?",
            "96"},
           // k is 0 the first time, j is 42
           {"element_read",
            "At n=m=p=96: which element of c does lane 15 of warp 0 of block (0, 42, 0) load in line 14, the "
            "first time that this warp does?",
            "c[0, 42]"},
           // 3 x 96 blocks of 32 threads
           {"warps_of_launch", "At n=m=p=96: how many warps does your launcher start?", "288"},
           // 96 x 96 x 96
           {"multiply_adds",
            "At n=m=p=96: how many multiply-adds do all threads together execute in line 14?", "884,736"},
           // 31 / 32 = 0, j = 42
           {"block_of_element",
            "At n=m=p=96: which block (blockIdx.x, .y, .z) of the 3 x 96 x 1 blocks stores a[31, 42]?",
            "(0, 42, 0)"},
           // 96 is a multiple of 32
           {"lanes_at_the_edge",
            "At n=m=p=96: how many lanes of warp 0 of the last block, (2, 95, 0), store something in line "
            "15?",
            "32"},
           // 96 x 3 warps store once
           {"warps_that_store",
            "At n=m=p=96: how often does a warp store to global memory in line 15, all warps together?",
            "288"},
       }},
  };
  return all;
}

json questions_about(const Kernel &k) {
  const Scratch scratch;
  const std::filesystem::path file = scratch.path() / "q.json";
  const CommandResult said = shell(
      std::string(place::grade) + " quiz " + k.step + " --submission solutions/" + k.assignment + " --seed " +
          std::to_string(k.seed) + " --questions 30 --toolchain clang --json " + file.string(),
      place::root);
  EXPECT_EQ(said.status, 0) << said.output;
  return said.status == 0 ? json::parse(text_of(file)).at("questions") : json::array();
}

class QuizByHand : public ::testing::TestWithParam<std::size_t> {};

TEST_P(QuizByHand, AgreesWithTheAnswerSheet) {
  const Kernel &k = kernels()[GetParam()];
  const json questions = questions_about(k);
  for (const ByHand &one : k.answers) {
    const auto asked = std::find_if(questions.begin(), questions.end(),
                                    [&](const json &q) { return q["kind"] == one.kind; });
    ASSERT_NE(asked, questions.end()) << one.kind;
    EXPECT_EQ((*asked)["question"], one.question);
    EXPECT_EQ((*asked)["choices"][(*asked)["answer"].get<std::size_t>()], one.answer) << asked->dump(2);
  }
}

INSTANTIATE_TEST_SUITE_P(Of, QuizByHand, ::testing::Range(std::size_t{0}, std::size_t{11}),
                         [](const auto &which) {
                           const Kernel &k = kernels()[which.param];
                           return std::string(k.assignment) + "_" + k.step;
                         });

TEST(QuizAnswers, AreWorkedOutByHandForSixtyQuestionsAboutTenKernels) {
  std::size_t answers = 0;
  for (const Kernel &k : kernels()) answers += k.answers.size();
  EXPECT_EQ(kernels().size(), 11u);
  EXPECT_GE(answers, 60u);
}

}  // namespace
}  // namespace warpgrade::tests
