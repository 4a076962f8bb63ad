// What is read off a program's file; damaged files included.
#include "runtime/journal/program.hpp"

#include <fstream>
#include <random>

#include "tests/cudart/simt_run.hpp"

namespace warpgrade::tests {
namespace {

using cuda::inspect;
using cuda::Program;

std::filesystem::path program(const std::string &name) {
  return std::filesystem::path(WARPGRADE_PROGRAMS) / name;
}

TEST(ProgramFile, SaysHowItWasBuilt) {
  const Program good = inspect(program("without_lines"));
  EXPECT_EQ(good.kind, Program::Kind::executable);
  EXPECT_TRUE(good.has_device_code && good.has_ptx && !good.fixed_path);
  EXPECT_EQ(cuda::obstacle(good, "p"), "");
  EXPECT_TRUE(inspect(program("separate")).has_ptx);
  EXPECT_FALSE(inspect(program("separate_no_ptx")).has_ptx);
  EXPECT_FALSE(inspect(program("no_ptx")).has_ptx);
  EXPECT_EQ(inspect(program("no_ptx")).machine_code_sm, 80);
}

TEST(ProgramFile, OfAnOlderRuntimeIsRefusedByName) {
  Program old = inspect(program("without_lines"));
  old.needed = {"libcudart.so.11.0"};
  EXPECT_CONTAINS(cuda::obstacle(old, "p"), "p needs libcudart.so.11.0; the simulator stands in for");
  old.needed = {"libcudart.so.12"};
  EXPECT_EQ(cuda::obstacle(old, "p"), "");
}

TEST(ProgramFile, ThatNeedsALibraryOfMachineCodeIsRefusedByTheNameOfTheLibrary) {
  Program uses = inspect(program("without_lines"));
  uses.needed.push_back("libcublas.so.13");
  uses.needed.push_back("libcufft.so.12");
  EXPECT_CONTAINS(cuda::obstacle(uses, "p"),
                  "p needs libcublas.so.13, libcufft.so.12: machine code without PTX");
  uses.needed = {"libcudart.so.13", "libcuda.so.1", "libnvrtc.so.13"};
  EXPECT_EQ(cuda::obstacle(uses, "p"), "");
}

TEST(ProgramFile, IfUnreadableIsReportedAsSuch) {
  EXPECT_THROW(inspect(program("nothing")), std::runtime_error);
}

TEST(ProgramFile, CutOrDamagedAnywhereEndsInAnAnswer) {
  const Folder folder;
  const std::string whole = read_text(program("without_lines"));
  const unsigned seed = 20;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int i = 0; i < 200; ++i) {
    std::string text = whole.substr(0, i % 4 == 0 ? random() % whole.size() : whole.size());
    for (int k = 0; k < 20 && !text.empty(); ++k) text[random() % text.size()] = static_cast<char>(random());
    // headers are where it hurts
    for (int k = 0; k < 4 && text.size() > 64; ++k) text[16 + random() % 48] = static_cast<char>(random());
    std::ofstream(folder / "p", std::ios::binary) << text;
    EXPECT_NO_THROW(cuda::obstacle(inspect(folder / "p"), "p"));
  }
}

}  // namespace
}  // namespace warpgrade::tests
