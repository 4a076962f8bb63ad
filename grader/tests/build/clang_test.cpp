// The clang front end: what it has in common with nvcc's, what it tells, and what it says about what it
// lacks.
#include <gtest/gtest.h>

#include <cstring>

#include "ptx/fatbin.hpp"
#include "tests/build/workshop.hpp"

namespace warpgrade::build {
namespace {

namespace fs = std::filesystem;
using tests::launcher;

class ClangWorkshop : public tests::Workshop {
 public:
  explicit ClangWorkshop(const Limits &limits = {}, const sandbox::Sandbox &in = sandbox::Sandbox::detect(),
                         const fs::path &cache = WARPGRADE_TEST_CACHE)
      : Workshop(limits, cache, in, true) {}
};

const std::string good =
    "__device__ int table[6];\n"
    "__global__ void k(int n, float *C) { __shared__ float s[32]; s[threadIdx.x] = n + table[1]; "
    "__syncthreads(); C[0] = s[3]; }\n" +
    launcher("k<<<1, 32>>>(M, C);");

bool contains(const std::string &text, const std::string &what) {
  return text.find(what) != std::string::npos;
}

TEST(Clang, BuildsDeviceCodeAndAWorker) {
  const ClangWorkshop workshop;
  const Build build = workshop.text(good);
  ASSERT_TRUE(build.ok) << build.message << build.log;
  EXPECT_EQ(build.front_end.substr(0, 6), "clang ");
  EXPECT_EQ(build.log, "");
  ASSERT_EQ(build.kernels.size(), 1u);
  EXPECT_EQ(build.kernels[0].name, "_Z1kiPf");
  EXPECT_EQ(build.kernels[0].argument_bytes, 16u);
  EXPECT_EQ(build.kernels[0].parameters, (std::vector<plan::ParameterLayout>{{0, 4}, {8, 8}}));
  EXPECT_EQ(build.static_shared_bytes, 128u);
  EXPECT_EQ(build.variables, (std::vector<plan::Buffer>{{plan::Owner::module, "table", 24}}));
  EXPECT_TRUE(fs::is_regular_file(build.worker));
}

TEST(Clang, MakesTheDeviceCodeAloneOfAFileWithTheSameHostCode) {
  const ClangWorkshop workshop;
  const Build whole = workshop.text(good);
  ASSERT_TRUE(whole.ok) << whole.message << whole.log;
  const fs::path file = workshop.scratch() / "other.cu";
  std::string other = good;
  other.replace(other.find("C[0]"), 4, "C[1]");
  std::ofstream(file) << "#include \"gemm.h\"\n" << other;
  Request request = workshop.request(file);
  request.same_host = &whole;
  const Build build = workshop.front_end.build(request);
  ASSERT_TRUE(build.ok) << build.message << build.log;
  EXPECT_EQ(build.worker, whole.worker);
  EXPECT_EQ(build.kernels, whole.kernels);
  EXPECT_EQ(build.variables, whole.variables);
  EXPECT_NE(build.fatbin, whole.fatbin);
  const Build alone = workshop.text(other);
  EXPECT_EQ(build.fatbin, alone.fatbin) << "the same as in a build of all";
  std::ofstream(file) << "#include \"gemm.h\"\n" << other << "x\n";
  const Build wrong = workshop.front_end.build(request);
  EXPECT_EQ(wrong.reason, Reason::compile_error);
  EXPECT_TRUE(contains(wrong.log, "step0_naive.cu")) << wrong.log;
}

TEST(Clang, SaysWhyItKnowsNoRegisters) {
  const ClangWorkshop workshop;
  const Build build = workshop.text(good, "sm_90");
  ASSERT_TRUE(build.ok) << build.message << build.log;
  EXPECT_EQ(build.registers, std::nullopt);
  EXPECT_EQ(build.spill_bytes, std::nullopt);
  EXPECT_TRUE(contains(build.why_no_registers, "nvcc")) << build.why_no_registers;
}

TEST(Clang, LeavesArchitectureSpecificCodeToNvcc) {
  const ClangWorkshop workshop;
  std::ofstream(workshop.scratch() / "hopper.cu") << "#include <cuda.h>\n" << good;
  const Build build = workshop.file(workshop.scratch() / "hopper.cu", "compute_90a");
  EXPECT_EQ(build.reason, Reason::our_failure) << build.log;
  EXPECT_TRUE(contains(build.message, "step0_naive.cu is compiled for compute_90a")) << build.message;
  EXPECT_TRUE(contains(build.message, "nvcc of CUDA 12")) << build.message;
  EXPECT_FALSE(build.try_again);
}

TEST(Clang, LinesOfTheDeviceCodeAreTheStudents) {
  const ClangWorkshop workshop;
  const Build build = workshop.text(
      "__global__ void k(float *C) {\n"
      "  C[threadIdx.x] = __ldg(C + 1);\n"
      "}\n" +
      launcher("k<<<1, 32>>>(C);"));
  ASSERT_TRUE(build.ok) << build.message << build.log;
  int loads = 0;
  for (const ptx::Instruction &i : build.module.functions.at(0).instructions) {
    if (!i.opcode.starts_with("ld.global") && !i.opcode.starts_with("st.global")) continue;
    ++loads;
    EXPECT_EQ(ptx::source_line(build.module, i.location), (ptx::SourceLine{"step0_naive.cu", 3})) << i.opcode;
  }
  EXPECT_EQ(loads, 2);
}

TEST(Clang, ACompileErrorIsReportedOnceWithTheStudentsFileName) {
  const ClangWorkshop workshop;
  const Build build = workshop.text("void step0() { int x = \"text\"; }\n");
  EXPECT_EQ(build.reason, Reason::compile_error);
  EXPECT_EQ(build.message, "step0_naive.cu does not compile");
  EXPECT_TRUE(build.log.starts_with("step0_naive.cu:2:")) << build.log;
  EXPECT_EQ(build.log.find("error: "), build.log.rfind("error: ")) << build.log;
  EXPECT_FALSE(contains(build.log, "warpgrade")) << build.log;
  EXPECT_FALSE(contains(build.log, "generated when compiling")) << build.log;
}

TEST(Clang, WhatOnlyTheHostPassFindsIsReported) {
  const std::string source =
      "__global__ void k() {}\n"
      "#ifndef __CUDA_ARCH__\n#error only the host reads this\n#endif\n" +
      launcher("k<<<1, 32>>>();");
  for (const sandbox::Sandbox &in : {sandbox::Sandbox::detect(), sandbox::Sandbox::none()}) {
    const ClangWorkshop workshop({}, in);
    const Build build = workshop.text(source);
    EXPECT_EQ(build.reason, Reason::compile_error) << build.message;
    EXPECT_TRUE(contains(build.log, "step0_naive.cu:4:2: error: only the host reads this")) << build.log;
  }
}

TEST(Clang, CompilesWhenItsHeadersArePrecompiledOnlyLater) {
  const Scratch scratch;
  const fs::path cache = scratch.path() / "cache";
  std::ofstream(cache) << "no folder yet";
  const ClangWorkshop workshop({}, sandbox::Sandbox::detect(), cache);
  EXPECT_TRUE(workshop.text(good).ok);
  fs::remove(cache);
  fs::create_directory(cache);
  const Build build = workshop.text(good + "// once more\n");
  EXPECT_TRUE(build.ok) << build.message << build.log;
}

TEST(Clang, AWarningIsReportedOnce) {
  const ClangWorkshop workshop;
  const Build build = workshop.text("static int unused() { return 1; }\n" + good);
  ASSERT_TRUE(build.ok) << build.message << build.log;
  EXPECT_TRUE(contains(build.log, "warning: unused function 'unused'")) << build.log;
  EXPECT_EQ(build.log.find("warning: "), build.log.rfind("warning: ")) << build.log;
}

TEST(Clang, NamesTheHeaderOrFunctionThatOnlyNvccHas) {
  const ClangWorkshop workshop;
  const std::pair<const char *, const char *> missing[] = {
      {"#include <cooperative_groups/memcpy_async.h>\n",
       "no <cooperative_groups/memcpy_async.h>; nvcc has it"},
      {"#include <cuda_bf16.h>\n", "no <cuda_bf16.h>; nvcc has it"},
      {"#include <mma.h>\nusing namespace nvcuda::wmma;\n"
       "__global__ void f() { fragment<matrix_a, 16, 16, 16, signed char, row_major> a; fill_fragment(a, 0); "
       "}\n",
       "there is no fragment of this shape and type with the clang front end"},
      {"#include <mma.h>\nusing namespace nvcuda::wmma;\n"
       "__global__ void f() { fragment<matrix_a, 8, 8, 4, double, row_major> a; fill_fragment(a, 0); }\n",
       "nvcc has fragments of other types than half and tf32"},
      {"#include <mma.h>\nusing namespace nvcuda::wmma;\n"
       "__global__ void f() { fragment<matrix_a, 8, 8, 32, experimental::precision::s4, row_major> a; }\n",
       "nvcc has fragments of other types than half and tf32"},
      {"#include <cublas_v2.h>\n", "<cublas_v2.h> belongs to a library"},
      {"__device__ float f(float x) { return __tricosf(x); }\n",
       "no __tricosf; if it is CUDA's, nvcc has it"},
      {"__global__ void f(float *x) { *x = lgammaf(*x); }\n", "no lgammaf for device code; nvcc has it"},
  };
  for (const auto &[text, says] : missing) {
    const Build build = workshop.text(text + good);
    EXPECT_EQ(build.reason, Reason::compile_error) << text;
    EXPECT_TRUE(contains(build.log, says)) << build.log;
  }
}

TEST(Clang, AnOrdinaryMistakeIsNotBlamedOnTheFrontEnd) {
  const ClangWorkshop workshop;
  const Build build = workshop.text("#include \"mine.h\"\n" + good);
  EXPECT_FALSE(contains(build.log, "nvcc")) << build.log;
  EXPECT_FALSE(contains(workshop.text("int x = y;\n" + good).log, "nvcc"));
}

TEST(Clang, WhatTheHostMayCallOnlyTheDeviceMayNot) {
  const ClangWorkshop workshop;
  const Build build =
      workshop.text("#include <algorithm>\n__global__ void k(float *C) { C[0] = std::max(C[1], C[2]); }\n" +
                    launcher("k<<<1, 1>>>(C);"));
  EXPECT_EQ(build.reason,
            Reason::compile_error);  // as with nvcc, which wants --expt-relaxed-constexpr for it
}

TEST(Clang, InlineAssemblyThatIsNotPtxIsTheStudentsMistake) {
  const ClangWorkshop workshop;
  const Build build =
      workshop.text("__global__ void k(float *C) { asm volatile(\"}{ .entry\"); C[0] = 1; }\n" +
                    launcher("k<<<1, 1>>>(C);"));
  EXPECT_EQ(build.reason, Reason::compile_error) << build.message;
}

TEST(Clang, NothingOfTheMachineCanBeIncluded) {
  const ClangWorkshop workshop;
  if (workshop.sandbox.mode() == sandbox::Sandbox::Mode::none) return;  // then it can, and describe() says so
  for (const std::string include :
       {"/etc/passwd", "/proc/self/environ", "/dev/zero", "../step1_coalesced.cu"}) {
    const Build build = workshop.text("#include \"" + include + "\"\n" + good);
    EXPECT_EQ(build.reason, Reason::compile_error) << include;
    EXPECT_TRUE(contains(build.log, "file not found")) << build.log;
  }
}

TEST(Clang, LibrariesAreRefusedByName) {
  const ClangWorkshop workshop;
  const Build build =
      workshop.text("extern \"C\" int cublasCreate_v2(void **);\n" + launcher("cublasCreate_v2(nullptr);"));
  EXPECT_EQ(build.reason, Reason::compile_error);
  EXPECT_TRUE(contains(build.log, "cublasCreate_v2 is not defined here")) << build.log;
}

TEST(Clang, BuildsWithoutBubblewrapToo) {
  const ClangWorkshop workshop({}, sandbox::Sandbox::none());
  const Build build = workshop.text(good);
  ASSERT_TRUE(build.ok) << build.message << build.log;
  const Build wrong = workshop.text("int x = y;\n");
  EXPECT_TRUE(contains(wrong.log, "step0_naive.cu:2:9: error: ")) << wrong.log;
  EXPECT_FALSE(contains(wrong.log, "/tmp/")) << wrong.log;
}

TEST(Clang, EveryFunctionOfTheRuntimeThatTheHeaderDeclaresIsServed) {
  // The linker names what it does not find. Symbols are used by assembly names, which know no overloads.
  std::ifstream header(fs::path(WARPGRADE_CUDA_HEADERS) / "cuda_runtime_api.h");
  std::string declarations, sum;
  int count = 0;
  for (std::string word; header >> word;) {
    const std::size_t open = word.find('('), star = word.find_first_not_of('*');
    if (open == std::string::npos || !word.substr(star).starts_with("cuda")) continue;
    const std::string name = word.substr(star, open - star);
    declarations += "extern char use_" + name + " asm(\"" + name + "\");\n";
    sum += "  sum = sum + reinterpret_cast<long>(&use_" + name + ");\n";
    ++count;
  }
  EXPECT_GT(count, 100);
  const ClangWorkshop workshop;
  const Build build = workshop.text("__global__ void k() {}\n" + declarations +
                                    launcher("volatile long sum = 0;\n" + sum + "k<<<1, 1>>>();"));
  EXPECT_TRUE(build.ok) << build.message << build.log;
}

TEST(FatBinary, OneThatHoldsAPtxTextReturnsIt) {
  const std::string text = ".version 7.1\n.target sm_80\n.address_size 64\n";
  const auto images = ptx::read_fatbin(ptx::wrap_ptx(std::as_bytes(std::span(text)), 80));
  ASSERT_EQ(images.size(), 1u);
  EXPECT_EQ(images[0].kind, ptx::Image::Kind::ptx);
  EXPECT_EQ(images[0].sm, 80);
  EXPECT_EQ(std::string(reinterpret_cast<const char *>(images[0].bytes.data()), images[0].bytes.size()),
            text);
}

// A driver reads more of it than we do.
TEST(FatBinary, OneThatHoldsAPtxTextBeginsAsNvccsDoes) {
  const std::string text = ".version 9.0\n.target sm_80\n" + std::string(243, ' ');  // 270 bytes
  const std::vector<std::byte> made = ptx::wrap_ptx(std::as_bytes(std::span(text)), 80);
  // nvcc 13.0 -fatbin -no-compress -gencode arch=compute_80,code=compute_80, of a file with 272 bytes of PTX
  constexpr std::uint32_t words[] = {0xba55ed50, 0x00100001, 0x160,   0,    0x01010001, 0x50, 0x110, 0,
                                     0,          0x40,       0x90000, 0x50, 0,          0,    0x11,  0,
                                     0,          0,          0,       0,    0x48,       0,    0,     0};
  ASSERT_EQ(made.size(), sizeof words + 272);
  EXPECT_EQ(std::memcmp(made.data(), words, sizeof words), 0);
}

}  // namespace
}  // namespace warpgrade::build
