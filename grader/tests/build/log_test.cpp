#include "build/log.hpp"

#include <gtest/gtest.h>

#include "build/symbols.hpp"

namespace warpgrade::build {
namespace {

constexpr const char *ptxas =
    "ptxas info    : 40 bytes gmem\n"
    "ptxas info    : Compiling entry function '_Z1af' for 'sm_90'\n"
    "ptxas info    : Function properties for _Z1af\n"
    "    8 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads\n"
    "ptxas info    : Used 40 registers, used 1 barriers, 8 bytes stack, 128 bytes smem\n"
    "ptxas info    : Compiling entry function '_Z1bf' for 'sm_90'\n"
    "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 255 registers, used 0 barriers\n";

TEST(Resources, AreTheMostOfAnyKernel) {
  const Resources most = read_resources(ptxas);
  EXPECT_EQ(most.registers, 255);
  EXPECT_EQ(most.spill_bytes, 28u);  // 12 + 16
}

TEST(Resources, ForgedLinesCannotLowerThem) {
  const Resources most = read_resources(
      std::string("ptxas info    : Used 1 registers\n0 bytes spill stores, 0 bytes spill loads\n") + ptxas);
  EXPECT_EQ(most.registers, 255);
  EXPECT_EQ(most.spill_bytes, 28u);
}

TEST(Resources, AbsurdNumbersAreIgnored) {
  EXPECT_EQ(read_resources("ptxas info : Used 99999999999999999999999 registers\n").registers, std::nullopt);
  EXPECT_EQ(read_resources("").registers, std::nullopt);
}

TEST(Log, KeepsTheCompilersWordsAndDropsFiguresMakeAndPaths) {
  const std::string raw = std::string(ptxas) +
                          "/warpgrade-work/step1.cu(3): error: no\n"
                          "/scratch/step1.cu(4): error: no\n"
                          "make: *** [Makefile:20: build/step1.o] Error 2\n"
                          "/tmp/ccAbC123.s:4: Error: bad\n";
  EXPECT_EQ(readable_log(raw, "/scratch", false),
            "step1.cu(3): error: no\nstep1.cu(4): error: no\nassembly:4: Error: bad\n");
  EXPECT_EQ(readable_log("a\n", "/scratch", true), "a\n... (the rest is left out)\n");
}

TEST(Headers, OfLibrariesAreFoundByTheirLineMarkers) {
  const std::string root = "# 1 \"/usr/local/cuda-13.0/targets/x86_64-linux/include/";
  EXPECT_EQ(library_header("int a;\n" + root + "cublas_v2.h\" 1 3\n"), "cublas_v2.h");
  EXPECT_EQ(library_header("\n" + root + "cccl/thrust/sort.h\" 1\n"), "thrust/sort.h");
  EXPECT_EQ(library_header("\n" + root + "cooperative_groups.h\" 1\n"), std::nullopt);
  EXPECT_EQ(library_header("\n" + root + "cccl/cuda/std/array\" 1\n"), std::nullopt);
  EXPECT_EQ(library_header("\n# 1 \"step0_cublas.cu\"\n"), std::nullopt);
}

TEST(Clang, IsQuotedWhereItFindsTheLineThatNvccMisses) {
  const std::string nvcc = "step1.cu(9): error: expected a \";\"\n    for (;;)\n    ^\n";
  const std::string clang = "step1.cu:8:16: error: expected ';' at end of declaration\n  float sum = 0\n";
  EXPECT_EQ(clang_says(clang, nvcc, "step1.cu"),
            "clang says: step1.cu:8:16: error: expected ';' at end of declaration\n");
  EXPECT_EQ(clang_says("step1.cu:9:1: error: expected ';'\n", nvcc, "step1.cu"), "") << "the same line";
  EXPECT_EQ(
      clang_says("step1.cu:2:1: error: use of undeclared identifier 'wmma'\n" + clang, nvcc, "step1.cu"), "")
      << "what its headers lack comes first";
  EXPECT_EQ(clang_says("other.cu:8:16: error: expected ';'\n", nvcc, "step1.cu"), "");
  EXPECT_EQ(clang_says("", nvcc, "step1.cu"), "");
}

TEST(Linker, UndefinedFunctionsAreNamedOnce) {
  const std::string log =
      "/usr/bin/ld: a.o: in function `f':\n(.text+0x1): undefined reference to `g(int)'\n"
      "(.text+0x9): undefined reference to `g(int)'\n(.text+0x9): undefined reference to `h'\n";
  EXPECT_EQ(undefined_functions(log, 20), (std::vector<std::string>{"g(int)", "h"}));
  EXPECT_EQ(undefined_functions(log, 1), (std::vector<std::string>{"g(int)"}));
}

TEST(Symbols, OddLinesAreHarmless) {
  const Symbols symbols = read_symbols("_Z5step0v T 0 10\n\nnothing\n b\nx \n_Z5step0i t 1 2\n");
  ASSERT_EQ(symbols.size(), 3u);
  EXPECT_TRUE(defines(symbols, "_Z5step0v"));
  EXPECT_FALSE(defines(symbols, "_Z5step0i"));  // static
}

TEST(Symbols, ASimilarEntryIsNamed) {
  EXPECT_EQ(
      missing_entry(read_symbols("_Z5step0i t 1 2\n_Z1kv T 1 1\n"), "s.cu", "step0", "void step0(float *C)"),
      "s.cu defines no function `void step0(float *C)`. It defines `step0(int)` (static): name, parameters "
      "and "
      "linkage must be as in the course header.");
}

TEST(Signs, AreDistinguishedByTheProgramThatPrintsThem) {
  EXPECT_EQ(sign_in("step1.cu(3): error: identifier \"x\" is undefined\n"), std::nullopt);
  EXPECT_EQ(sign_in("fatal error: error writing to /tmp/x.s: No space left on device"), Sign::space);
  EXPECT_EQ(sign_in("cc1plus: out of memory allocating 4096 bytes after a total of 12 bytes"), Sign::memory);
  EXPECT_EQ(sign_in("make: fork: Cannot allocate memory"), Sign::memory);
  EXPECT_EQ(sign_in("1 warning generated.\nKilled\n"), Sign::stopped);
  EXPECT_EQ(sign_in("step1.cu:3:7: error: use of undeclared identifier 'Killed'\n"), std::nullopt);
  EXPECT_EQ(sign_in("nvcc: Terminated\nTerminated\n"), Sign::stopped);
  EXPECT_EQ(sign_in("nvcc error   : 'cicc' died due to signal 15\n"), Sign::stopped);
  EXPECT_EQ(sign_in("step1.cu:3:7: error: use of undeclared identifier 'Terminated'\n"), std::nullopt);
  EXPECT_EQ(sign_in("ld: build/worker: File too large"), Sign::file_size);
  EXPECT_EQ(sign_in("nvcc error   : 'cicc' died due to signal 9 (Kill signal)"), Sign::stopped);
  EXPECT_EQ(sign_in("g++: fatal error: Killed signal terminated program cc1plus"), Sign::stopped);
  EXPECT_EQ(sign_in("clang: error: unable to execute command: Killed"), Sign::stopped);
  EXPECT_EQ(sign_in("g++: fatal error: Terminated signal terminated program cc1plus"), Sign::stopped);
  EXPECT_EQ(sign_in("clang: error: unable to execute command: Terminated"), Sign::stopped);
  EXPECT_EQ(sign_in("make: *** [Makefile:28: build/step1.o] Terminated"), Sign::stopped);
  EXPECT_EQ(sign_in("make: *** [Makefile:28: build/step1.o] Killed"), Sign::stopped);
  EXPECT_EQ(sign_in("as: error: Disk quota exceeded"), Sign::stopped);
  EXPECT_EQ(sign_in("nvcc error   : 'cicc' died due to signal 11 (Invalid memory reference)"), Sign::crash);
  EXPECT_EQ(sign_in("step1.cu:1:1: internal compiler error: Segmentation fault"), Sign::crash);
}

}  // namespace
}  // namespace warpgrade::build
