// ./grade prove as a person types it: launches are fitted from plans, and what fails is a case that was run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "tests/end_to_end/edited_solution.hpp"
#include "tests/end_to_end/small_course.hpp"
#include "tests/places.hpp"

namespace warpgrade {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using Json = nlohmann::json;

struct Proved {
  int status = -1;
  std::string output;
  Json json;
  /// The property of that name.
  Json property(const std::string &name) const {
    for (const Json &one : json.at("properties"))
      if (one.at("property") == name) return one;
    return {};
  }
};

Proved proved(const std::string &step, const std::string &folder, const std::string &assignment = "hw6") {
  const fs::path file = fs::temp_directory_path() / ("warpgrade-prove-" + std::to_string(getpid()) + ".json");
  const std::string command = "cd '" + std::string(place::root) + "' && COLUMNS=80 '" + place::grade +
                              "' prove " + step + " --assignment " + assignment +
                              " --seconds 60 --submission '" + folder + "' --json '" + file.string() +
                              "' 2>&1 </dev/null";
  Proved made;
  FILE *pipe = popen(command.c_str(), "r");
  std::array<char, 4096> piece{};
  for (std::size_t n; (n = fread(piece.data(), 1, piece.size(), pipe)) > 0;)
    made.output.append(piece.data(), n);
  const int status = pclose(pipe);
  made.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  std::ifstream in(file);
  if (in) made.json = Json::parse(in);
  fs::remove(file);
  return made;
}

TEST(ProveAStep, FindsTheLaunchOfARightKernelAndProvesThatItHasNoRaces) {
  const Proved made = proved("step0", "solutions/hw6");
  ASSERT_TRUE(made.json.is_object()) << made.output;
  EXPECT_EQ(made.status, 0) << made.output;
  EXPECT_EQ(made.json["schema"], "warpgrade.proof/1");
  EXPECT_THAT(made.output,
              HasSubstr("grid ceil_div(m, 32) x min(ceil_div(n, 8), 65535) x 1, block 32 x 8 x 1"));
  EXPECT_EQ(made.json["properties"].size(), 5u);
  for (const char *name : {"bounds", "races", "written", "barriers", "overflow"})
    EXPECT_EQ(made.property(name)["result"], "proved") << made.output;
}

TEST(ProveAStep, FollowsALauncherThatLaunchesInALoop) {
  const Proved made = proved("step1", "solutions/hw6");
  ASSERT_TRUE(made.json.is_object()) << made.output;
  EXPECT_THAT(made.output, HasSubstr("ceil_div(m, 524280) launches"));
  for (const char *name : {"bounds", "races", "written", "barriers"})
    EXPECT_EQ(made.property(name)["result"], "proved") << made.output;
}

TEST(ProveAStep, FollowsTilesInSharedMemoryWithTheirBarriers) {
  const Proved made = proved("step2", "solutions/hw6");
  ASSERT_TRUE(made.json.is_object()) << made.output;
  for (const char *name : {"bounds", "races", "written", "barriers"})
    EXPECT_EQ(made.property(name)["result"], "proved") << made.output;
}

TEST(ProveAStep, RefutesAWrongStrideByACaseThatWasRun) {
  const tests::EditedSolution wrong("hw6", "step0_naive.cu", {{"A[row * K", "A[row * N"}});
  const Proved made = proved("step0", wrong.folder());
  ASSERT_TRUE(made.json.is_object()) << made.output;
  EXPECT_EQ(made.status, 1) << made.output;
  const Json bounds = made.property("bounds");
  EXPECT_EQ(bounds["result"], "fails") << made.output;
  ASSERT_TRUE(bounds.contains("case")) << made.output;
  EXPECT_GT(bounds["case"]["n"].get<int>(), bounds["case"]["k"].get<int>()) << "rows of A have K elements";
  EXPECT_GT(bounds["line"].get<int>(), 0);
  ASSERT_TRUE(bounds.contains("region")) << bounds;
  const Json &region = bounds["region"];
  EXPECT_EQ(region["buffer"], "A");
  EXPECT_GE(region["parts"][0]["first"].get<int>(), region["rows"].get<int>() * region["columns"].get<int>());
  EXPECT_THAT(region["parts"][0]["by"].get<std::string>(), HasSubstr("block"));
}

TEST(ProveAStep, FollowsALauncherThatChoosesAKernelForEachOfItsSwitches) {
  const Proved made = proved("way1", "solutions/banks", "banks");
  ASSERT_TRUE(made.json.is_object()) << made.output;
  EXPECT_THAT(made.output, HasSubstr("for block = 16, transposed = 0: "));
  EXPECT_THAT(made.output, HasSubstr("for block = 32, transposed = 1: "));
  for (const char *name : {"bounds", "races", "written", "barriers"})
    EXPECT_EQ(made.property(name)["result"], "proved") << made.output;
}

// With blocks of 16 x 16 threads, half of the rows have no block; with 32 x 32, all are written.
TEST(ProveAStep, CallsNothingWrittenThatOneOfTheKernelsLeavesOut) {
  const tests::EditedSolution half("banks", "way1_same_copy.cu",
                                   {{"grid(n / BLOCK, n / BLOCK)", "grid(n / BLOCK, n / 32)"}});
  fs::copy_file(fs::path(place::root) / "solutions/banks/tiles.h", fs::path(half.folder()) / "tiles.h");
  const Proved made = proved("way1", half.folder(), "banks");
  ASSERT_TRUE(made.json.is_object()) << made.output;
  EXPECT_NE(made.property("written")["result"], "proved") << made.output;
  EXPECT_EQ(made.property("bounds")["result"], "proved") << made.output;
}

// 46341 is the least size whose square is more than 2^31 - 1, and 46341 * 46341 elements the first that an int cannot count.
TEST(ProveAStep, RefutesAnIndexThatLeaves32BitsAtTheLeastSizeThatShowsIt) {
  const tests::EditedSolution narrow("hw6", "step1_coalesced.cu",
                                     {{"const std::int64_t row", "const int row"},
                                      {"const std::int64_t col", "const int col"},
                                      {"std::int64_t{blockIdx.y}", "static_cast<int>(blockIdx.y)"},
                                      {"std::int64_t{blockIdx.x}", "static_cast<int>(blockIdx.x)"},
                                      {"std::int64_t{k} * N", "k * N"}});
  const Proved made = proved("step1", narrow.folder());
  // The case takes 8 GiB; run alone, it is looked at as the proof did.
  const tests::CommandResult alone =
      tests::shell(std::string("'") + place::grade + "' step1 --device sim --submission '" + narrow.folder() +
                       "' --case 'm=46342 n=1 k=46342'",
                   place::root);
  EXPECT_THAT(alone.output, HasSubstr("A has 2147580964 elements"));  // 46342 * 46342
  ASSERT_TRUE(made.json.is_object()) << made.output;
  const Json overflow = made.property("overflow");
  EXPECT_EQ(overflow["result"], "fails") << made.output;
  ASSERT_TRUE(overflow.contains("case")) << made.output;
  EXPECT_GE(overflow["case"]["m"].get<std::int64_t>(), 46341);
  EXPECT_LE(overflow["case"]["m"].get<std::int64_t>(), 46342);
  EXPECT_THAT(overflow["why"].get<std::string>(), HasSubstr("an int counts to 2147483647"));
}

/// A step of which 34 points are for right results, 4 for bounds and 2 for the absence of races, graded with this line in
/// place of the guard of rows.
Json graded_with_proof(const std::string &guard) {
  const tests::SmallCourse course;
  course.replace("assignments/hw6/assignment.yaml", "entry: step0, points: {correct: 40}",
                 "entry: step0, points: {correct: 34, proof: 6}, proof: {bounds: 4, races: 2}");
  std::string text = course.solution("step0_naive.cu");
  const std::string declared = "const std::int64_t row";
  text.replace(text.find(declared), declared.size(), "std::int64_t row");
  const std::string old = "if (row >= M) return;";
  text.replace(text.find(old), old.size(), guard);
  course.write("mine/step0_naive.cu", text);
  const tests::CommandResult made =
      tests::shell(std::string("'") + place::grade +
                       "' step0 --assignment hw6 --device sim --submission mine --json mine/score.json",
                   course.root());
  Json step = Json::parse(tests::text_of(course / "mine/score.json"))["steps"][0];
  step["terminal"] = made.output;
  return step;
}

TEST(PointsForProofs, AreEarnedByWhatIsProved) {
  const Json step = graded_with_proof("if (row >= M) return;");
  EXPECT_EQ(step["points"], 34 + 4 + 2) << step;
  EXPECT_THAT(step["terminal"].get<std::string>(), HasSubstr("bounds: 4/4 points, proved for all sizes"));
}

// No input is a NaN, so the row is right in every run; but nothing says so for all inputs.
TEST(PointsForProofs, AreLostWithLineAndReasonWhereNothingIsDecided) {
  const Json step = graded_with_proof("if (row >= M) return;\n  row += A[0] != A[0];");
  EXPECT_EQ(step["verdict"], "accepted") << step;
  EXPECT_EQ(step["ungraded_points"], 0) << step;
  const Json &bounds = step["properties"][0];
  EXPECT_EQ(bounds["result"], "not decided") << bounds;
  EXPECT_EQ(bounds["points"], 0);
  EXPECT_EQ(bounds["max_points"], 4);
  EXPECT_GT(bounds["line"].get<int>(), 0);
  EXPECT_LE(step["points"].get<double>(), 34 + 2);
  EXPECT_THAT(step["terminal"].get<std::string>(),
              HasSubstr("bounds: 0/4 points, not decided: step0_naive.cu:"));
}

TEST(ProveAStep, SaysNothingAboutValues) {
  const Proved made = proved("step4", "grader/tests/submissions/hw6/accepted/wrong_for_one_width");
  ASSERT_TRUE(made.json.is_object()) << made.output;
  // It is wrong in its values, which no property is about; all that may be said is about memory.
  for (const Json &one : made.json["properties"]) EXPECT_NE(one["result"], "fails") << one;
}

/// What `simt prove` says of a file in PTX, with these options; its exit status is the last line.
std::string proved_alone(const std::string &options) {
  const fs::path file = fs::temp_directory_path() / ("warpgrade-prove-" + std::to_string(getpid()) + ".ptx");
  // template <class T> fill(T *a, int n): a[i + n] = 0, for char, in which it is outside, and for a struct Px.
  const auto kernel = [](const std::string &name, const std::string &more) {
    return ".visible .entry " + name + "(.param .u64 a, .param .u32 n)\n" + more +
           "{\n.reg .pred %p;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.reg .b16 %h;\nld.param.u64 %rd1, [a];\n"
           "ld.param.u32 %r1, [n];\nmov.u32 %r2, %tid.x;\nsetp.ge.s32 %p, %r2, %r1;\n@%p bra END;\n"
           "add.s32 %r3, %r1, %r2;\ncvt.s64.s32 %rd2, %r3;\nadd.s64 %rd3, %rd1, %rd2;\nmov.u16 %h, 0;\n"
           "st.global.u8 [%rd3], %h;\nEND:\nret;\n}\n";
  };
  std::ofstream(file) << ".version 7.0\n.target sm_80\n.address_size 64\n" + kernel("_Z4fillIcEvPT_i", "") +
                             kernel("_Z5pixelP2Pxi", ".maxntid 128, 1, 1\n");
  const std::string command = "'" + std::string(place::simt) + "' prove '" + file.string() +
                              "' --parameters a,n --grid 1 " + options + " 2>&1 </dev/null; echo $?";
  std::string output;
  std::array<char, 4096> piece{};
  FILE *pipe = popen(command.c_str(), "r");
  for (std::size_t n; (n = fread(piece.data(), 1, piece.size(), pipe)) > 0;) output.append(piece.data(), n);
  pclose(pipe);
  fs::remove(file);
  return output;
}

TEST(ProveAKernel, KnowsTheElementsOfATemplateFromItsCompiledName) {
  const std::string fill = "--kernel fill --block 64 --assume 'n >= 1' --buffer ";
  EXPECT_THAT(proved_alone(fill + "'a[n]'"), AllOf(HasSubstr("bounds    fails at n = 1"), EndsWith("\n1\n")));
  EXPECT_THAT(proved_alone(fill + "'a[2 * n]'"), AllOf(HasSubstr("bounds    proved"), EndsWith("\n0\n")));
  EXPECT_THAT(proved_alone("--kernel pixel --block 64 --buffer 'a[n]'"),
              AllOf(HasSubstr("how many bytes an element of 'a' has, a 'Px*'"), EndsWith("\n2\n")));
  EXPECT_THAT(proved_alone("--kernel pixel --block 64 --assume 'n >= 1' --buffer 'a[n]:3'"),
              EndsWith("\n0\n"));
}

TEST(ProveAKernel, SaysInASentenceWhatIsWrongWithTheArguments) {
  const std::string fill = "--kernel fill --block 64 ";
  for (const auto &[options, sentence] :
       {std::pair<std::string, std::string>{
            "--kernel full --block 64",
            "there is no kernel 'full'; the file has 'fill<char>(char*, int)', 'pixel(Px*, int)'"},
        {"--block 64", "choose one with --kernel; the file has 'fill<char>(char*, int)', 'pixel(Px*, int)'"},
        {"--kernel fill", "--block is required"},
        {fill + "--assume 'n >= 10' 'n < 10'", "no launch is possible: no sizes satisfy the assumptions"},
        {fill + "--assume 'n >='", "cannot read 'n >='"},
        {fill + "--assume 'm >= 1'", "'m' is not the name of a size"},
        {fill + "--buffer 'b[n]'", "the kernel has no parameter 'b'"},
        {fill + "--output b", "the kernel has no buffer 'b'"},
        {"--kernel fill --block 2048",
         "no launch is possible: a block has no threads, or more than a device takes"},
        {"--kernel pixel --block 256 --buffer 'a[n]:3'",
         "the 128 that __launch_bounds__ of the kernel allows"}})
    EXPECT_THAT(proved_alone(options), AllOf(HasSubstr(sentence), EndsWith("\n2\n"))) << options;
}

#ifdef WARPGRADE_WITH_NVCC  // which compiles a file .cu

/// What `simt prove` says of a kernel in CUDA with one block of 64 threads; its exit status is the last line.
std::string proved_source(const std::string &source, const std::string &options) {
  const fs::path file = fs::temp_directory_path() / ("warpgrade-prove-" + std::to_string(getpid()) + ".cu");
  std::ofstream(file) << source;
  const tests::CommandResult made =
      tests::shell("'" + std::string(place::simt) + "' prove '" + file.string() + "' --grid 1 --block 64 " +
                       options + " 2>&1 </dev/null; echo $?",
                   place::root);
  fs::remove(file);
  return made.output;
}

// The name of a kernel that is extern "C" says no types.
TEST(ProveAKernel, TakesTheTypesOfItsParametersFromTheSourceAlsoIfTheyGetOtherNames) {
  const std::string source =
      "extern \"C\" __global__ void scale(float *a, float by, long n) {\n"
      "  if (threadIdx.x < n) a[threadIdx.x] *= by;\n}\n";
  for (const char *options : {"--buffer 'a[n]' --assume 'n >= 1'",
                              "--parameters out,factor,count --buffer 'out[count]' --assume 'count >= 1'"})
    EXPECT_THAT(proved_source(source, options), AllOf(HasSubstr("bounds    proved"), EndsWith("\n0\n")))
        << options;
  EXPECT_THAT(proved_source(source, "--parameters out,factor,count --assume 'factor >= 1'"),
              AllOf(HasSubstr("'factor' is not the name of a size"), EndsWith("\n2\n")));
}

TEST(ProveAKernel, KnowsAPointerToRowsByItsName) {
  for (const char *name : {"extern \"C\" ", ""}) {
    const std::string source = std::string(name) +
                               "__global__ void last(const float (*__restrict__ a)[4], float *b, int n) {\n"
                               "  if (threadIdx.x < n) b[threadIdx.x] = a[threadIdx.x][3];\n}\n";
    const std::string options = "--assume 'n >= 1' --buffer 'b[n]' --buffer ";
    EXPECT_THAT(proved_source(source, options + "'a[n][4]'"),
                AllOf(HasSubstr("bounds    proved"), EndsWith("\n0\n")));
    EXPECT_THAT(proved_source(source, options + "'a[n][3]'"),
                AllOf(HasSubstr("bounds    fails"), EndsWith("\n1\n")));
  }
}

#endif

}  // namespace
}  // namespace warpgrade
