// Programs that use one part of CUDA each: what they print, and that nothing is said against them. Each has
// its source and its output under programs/features.
#include <algorithm>
#include <map>
#include <sstream>
#include <vector>

#include "tests/cudart/simt_run.hpp"

namespace warpgrade::tests {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> programs_in(const char *folder) {
  std::vector<std::string> names;
  for (const fs::directory_entry &one : fs::directory_iterator(fs::path(WARPGRADE_SOURCES) / folder))
    if (one.path().extension() == ".cu") names.push_back(one.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// Those that this toolkit can compile.
std::vector<std::string> compiled_programs(const char *folder) {
  std::vector<std::string> names = programs_in(folder);
  if (WARPGRADE_TOOLKIT < 13000)
    std::erase_if(names, [&](const std::string &name) {
      const fs::path source = fs::path(WARPGRADE_SOURCES) / folder / (name + ".cu");
      return read_text(source).find("// needs: CUDA 13\n") != std::string::npos;
    });
  return names;
}

class Feature : public testing::TestWithParam<std::string> {};

TEST_P(Feature, PrintsTheExpectedOutputWithoutErrors) {
  const Ran ran = simt_run("", "features/" + GetParam());
  const fs::path expected = fs::path(WARPGRADE_SOURCES) / "features" / (GetParam() + ".out");
  EXPECT_EQ(ran.out, read_text(expected)) << ran.err;
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_CONTAINS(ran.err, ": no errors");
}

INSTANTIATE_TEST_SUITE_P(SimtRun, Feature, testing::ValuesIn(compiled_programs("features")),
                         [](const auto &one) { return one.param; });

/// Rows of the tables under a heading of the page that lists what runs: program, and the third cell.
std::map<std::string, std::string> listed(const std::string &heading) {
  std::istringstream page(read_text(WARPGRADE_FEATURES_PAGE));
  std::map<std::string, std::string> rows;
  bool here = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## ")) here = line == "## " + heading;
    if (!here || !line.starts_with("| ") || line.starts_with("| feature")) continue;
    std::vector<std::string> cells;
    std::istringstream parts(line);
    for (std::string cell; std::getline(parts, cell, '|');) {
      const auto first = cell.find_first_not_of(" `"), last = cell.find_last_not_of(" `");
      cells.push_back(first == std::string::npos ? "" : cell.substr(first, last - first + 1));
    }
    if (cells.size() > 2) rows[cells[2]] = cells.size() > 3 ? cells[3] : "";
  }
  return rows;
}

TEST(FeaturesPage, ListsEveryProgramThatRuns) {
  std::vector<std::string> names;
  for (const auto &[name, words] : listed("What runs")) names.push_back(name);
  EXPECT_EQ(names, programs_in("features"));
}

TEST(FeaturesPage, ListsEveryRefusalInTheWordsOfTheReport) {
  const auto rows = listed("What is refused");
  std::vector<std::string> names;
  for (const auto &[name, words] : rows) {
    names.push_back(name);
    const Ran ran = simt_run("", "refused/" + name);
    EXPECT_FALSE(words.empty()) << name;
    EXPECT_CONTAINS(ran.err, words);
    EXPECT_NE(ran.status, 0) << name;
  }
  EXPECT_EQ(names, programs_in("refused"));
}

TEST(FeaturesPage, CallsOfTheRuntimeInDeviceCodeAreRefusedWithTheirLine) {
  EXPECT_CONTAINS(simt_run("", "refused/device_runtime").err,
                  "device_runtime.cu:6: error: unsupported call to __cudaCDP2DeviceGetAttribute()");
}

TEST(Children, AreReportedWithTheLineThatStartsThemIfTheyCannotStart) {
  const Ran ran = simt_run("", "children threads");
  EXPECT_CONTAINS(ran.err, "children.cu:9: error: the launch of child(int*) fails: a block of 2048 x 1 x 1");
  EXPECT_EQ(ran.out, "cudaSuccess\n");
}

TEST(Children, AreNotGivenSharedMemoryOfTheirParents) {
  const Ran ran = simt_run("", "children shared");
  EXPECT_EQ(ran.status, 1) << ran.err;
  EXPECT_CONTAINS(
      ran.err, marked("children.cu", "shared_pointer") +
                   ": error: child(int*) is given a pointer to shared memory of the thread that starts it");
}

TEST(Children, HaveTheirAccessesChecked) {
  const Ran ran = simt_run("", "children bounds");
  EXPECT_CONTAINS(ran.err, "children.cu:6: error: store of 4 bytes that starts at the end of allocation 1");
  EXPECT_CONTAINS(ran.err, "thread (36,0,0) of block (1,0,0) of child(int*)");
  EXPECT_EQ(ran.out, "cudaErrorIllegalAddress\n");
}

TEST(Children, ThatNeverEndAreEndedByTheLimit) {
  const Ran ran = simt_run("--limit 1000000", "children endless");
  EXPECT_CONTAINS(ran.err, "do they start each other endlessly?, launching endless(int*)");
  EXPECT_EQ(ran.out, "cudaErrorLaunchTimeout\n");
}

#if WARPGRADE_TOOLKIT >= 13000  // conditions.cu
TEST(Conditions, ThatNothingSetsAreReported) {
  EXPECT_CONTAINS(simt_run("", "conditions never_set").err,
                  "error: cudaGraphLaunch: a conditional node is reached, and nothing has set its condition");
}

TEST(Conditions, OfNoGraphAreReportedWithTheKernel) {
  EXPECT_CONTAINS(simt_run("", "conditions foreign").err,
                  "error: cudaGraphSetConditional was given 0x3039, which cudaGraphConditionalHandleCreate "
                  "has not made, launching set(unsigned long long, unsigned int)");
}

TEST(Conditions, OfEndlessLoopsAreEndedByTheLimit) {
  const Ran ran = simt_run("--limit 1000000", "conditions endless");
  EXPECT_CONTAINS(ran.err, "the body of a while node has run 100 times, and its condition is still not 0");
  EXPECT_EQ(ran.out, "cudaSuccess\ncudaErrorLaunchTimeout\n");
}

TEST(Conditions, HaveNoHostNodesInTheirBodies) {
  const Ran ran = simt_run("", "conditions host_node");
  EXPECT_CONTAINS(ran.err, "error: cudaGraphInstantiate: the body of a conditional node holds kernels");
  EXPECT_EQ(ran.out, "cudaErrorInvalidValue\n");
}
#endif

TEST(FeaturesPage, KernelsOfSeveralBlocksThatWaitForTheHostAreRefusedWithTheirLine) {
  EXPECT_CONTAINS(simt_run("", "refused/host_writes several").err,
                  "host_writes.cu:5: error: the kernel waits for the host to write");
}

}  // namespace
}  // namespace warpgrade::tests
