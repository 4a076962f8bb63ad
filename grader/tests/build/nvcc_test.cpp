#include <elf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "base/files.hpp"
#include "tests/build/workshop.hpp"

namespace warpgrade::build {
namespace {

namespace fs = std::filesystem;
using tests::launcher;
using tests::Workshop;

const std::string good =
    "__device__ int table[6];\n"
    "__global__ void k(int n, float *C) { __shared__ float s[32]; s[threadIdx.x] = n + table[1]; "
    "__syncthreads(); C[0] = s[3]; }\n" +
    launcher("k<<<1, 32>>>(M, C);");

bool contains(const std::string &text, const std::string &what) {
  return text.find(what) != std::string::npos;
}

TEST(Nvcc, ReportsItsVersionOnceAndAgainAfterItChanges) {
  const Workshop workshop;
  const fs::path folder = workshop.scratch(), nvcc = folder / "bin/nvcc";
  fs::create_directories(nvcc.parent_path());
  fs::permissions(folder, fs::perms(0755));  // a grader that runs as root compiles as another user
  const auto install = [&](const std::string &release) {
    std::ofstream(folder / "nvcc.c") << "int puts(const char *);\nint main(void) { puts(\"release " << release
                                     << ", V1\"); }\n";
    const std::string command =
        "gcc -static -o '" + nvcc.string() + "' '" + (folder / "nvcc.c").string() + "'";
    ASSERT_EQ(std::system(command.c_str()), 0);
  };
  const auto name = [&] {
    return Nvcc(sandbox::Sandbox::none(), {nvcc, WARPGRADE_WORKER_LIBRARY}, Limits(), folder / "cache")
        .name();
  };
  install("1.0");
  EXPECT_EQ(name(), "nvcc 1.0");
  const auto time = fs::last_write_time(nvcc);
  install("2.0");
  fs::last_write_time(nvcc, time);
  EXPECT_EQ(name(), "nvcc 1.0") << "what was said is kept for a file of the same size and time";
  fs::last_write_time(nvcc, time + std::chrono::seconds(1));
  EXPECT_EQ(name(), "nvcc 2.0");
}

TEST(Nvcc, BuildsDeviceCodeAndAWorker) {
  const Workshop workshop;
  const Build build = workshop.text(good);
  ASSERT_TRUE(build.ok) << build.message << build.log;
  EXPECT_EQ(build.reason, Reason::none);
  EXPECT_EQ(build.front_end.substr(0, 5), "nvcc ");
  ASSERT_EQ(build.kernels.size(), 1u);
  EXPECT_EQ(build.kernels[0].name, "_Z1kiPf");
  EXPECT_EQ(build.kernels[0].argument_bytes, 16u);  // int, padding, pointer
  EXPECT_EQ(build.kernels[0].parameters, (std::vector<plan::ParameterLayout>{{0, 4}, {8, 8}}));
  EXPECT_EQ(build.static_shared_bytes, 128u);
  EXPECT_EQ(build.variables, (std::vector<plan::Buffer>{{plan::Owner::module, "table", 24}}));
  EXPECT_EQ(build.registers, std::nullopt);
  EXPECT_TRUE(fs::is_regular_file(build.worker));
}

TEST(Nvcc, ABuildCarriesTheTextThatWasCompiledAlsoFromTheCache) {
  const Workshop workshop;
  const fs::path file = workshop.scratch() / "own.cu";
  const std::string text = std::string("#include \"gemm.h\"\n") + good;
  for (int time = 0; time < 2; ++time) {
    std::ofstream(file) << text;
    const Build build = workshop.file(file);
    std::ofstream(file) << "saved since";
    ASSERT_TRUE(build.ok) << build.message << build.log;
    EXPECT_EQ(build.source, text);
  }
}

TEST(Nvcc, AnEmptyCacheIsFilledBesideTheCompilerAndItsWorkerFindsHandlersInASortedTable) {
  const Scratch cache;
  const Workshop workshop(Limits(), cache.path());
  const Build build = workshop.text(good);
  ASSERT_TRUE(build.ok) << build.message << build.log;
  const auto is_linked = [](const fs::directory_entry &entry) {
    return entry.path().filename().string().starts_with("linked-") &&
           fs::exists(entry.path() / "prelinked.o");
  };
  EXPECT_TRUE(std::any_of(fs::directory_iterator(cache.path()), fs::directory_iterator(), is_linked));
  const std::string worker = read_whole(build.worker);
  Elf64_Ehdr head;
  std::memcpy(&head, worker.data(), sizeof head);
  bool has_table = false;
  for (int i = 0; i < head.e_phnum; ++i) {
    Elf64_Phdr part;
    std::memcpy(&part, worker.data() + head.e_phoff + static_cast<std::size_t>(i) * sizeof part, sizeof part);
    has_table = has_table || part.p_type == PT_GNU_EH_FRAME;
  }
  EXPECT_TRUE(has_table) << "without it, each worker that is asked for a line sorts them";
}

TEST(Nvcc, WithSassItKnowsRegistersAndSpills) {
  const Workshop workshop;
  const Build build = workshop.text(good, "sm_90");
  ASSERT_TRUE(build.ok) << build.message << build.log;
  EXPECT_GT(build.registers.value_or(0), 0);
  EXPECT_EQ(build.spill_bytes, 0u);
  EXPECT_EQ(build.log, "");
}

TEST(Nvcc, CompilesTheStudentsHeadersAndTheStartersWhereThereAreNone) {
  const Workshop workshop;
  const fs::path source = workshop.scratch() / "mine.cu", header = workshop.scratch() / "options.h";
  std::ofstream(source) << "#include \"gemm.h\"\n#include \"options.h\"\nstatic_assert(MINE == 2, \"\");\n"
                        << good;
  Request request = workshop.request(source);
  request.headers["options.h"] = header;
  EXPECT_EQ(workshop.front_end.build(request).reason, Reason::compile_error) << "it is nowhere";
  std::ofstream(header) << "constexpr int MINE = 2;\n";
  const Build build = workshop.front_end.build(request);
  EXPECT_TRUE(build.ok) << build.log;
  fs::remove(header);
  fs::create_symlink("/etc/passwd", header);
  EXPECT_EQ(workshop.front_end.build(request).reason, Reason::compile_error)
      << "a link is not a file of the student's";
}

TEST(Nvcc, ABuildIsKeptOnlyForTheSameHeaders) {
  const Workshop workshop({}, WARPGRADE_TEST_CACHE);
  const fs::path source = workshop.scratch() / "mine.cu", header = workshop.scratch() / "options.h";
  std::ofstream(source) << "#include \"gemm.h\"\n#include \"options.h\"\n" << good;
  Request request = workshop.request(source);
  request.headers["options.h"] = header;
  for (const char *text : {"constexpr int OPTION = 1;\n", "constexpr int OPTION = 1; #error no\n"}) {
    std::ofstream(header) << text;
    EXPECT_EQ(workshop.front_end.build(request).ok, std::string(text).find("error") == std::string::npos)
        << text;
  }
}

TEST(Nvcc, ACompileErrorIsTheCompilersWithTheStudentsFileName) {
  const Workshop workshop;
  const Build build = workshop.text("void step0() { int x = \"text\"; }\n");
  EXPECT_EQ(build.reason, Reason::compile_error);
  EXPECT_EQ(build.message, "step0_naive.cu does not compile");
  EXPECT_TRUE(contains(build.log, "step0_naive.cu(2): error: ")) << build.log;
  EXPECT_FALSE(contains(build.log, "warpgrade")) << build.log;
}

/// What cuda_runtime.h includes only for --extended-lambda.
constexpr const char *refuses_functional = "#ifdef _GLIBCXX_FUNCTIONAL\n#error it was read\n#endif\n";

TEST(Nvcc, ReadsTheHeadersOfMarkedLambdasOnlyForAFileThatNeedsThem) {
  const Workshop workshop;
  const Build without = workshop.text(good + std::string(refuses_functional));
  EXPECT_TRUE(without.ok) << without.log;
  EXPECT_EQ(without.log, "");
  for (const char *needs :
       {"\n__global__ void of(int *p, int n) { auto f = [=] __device__(int i) { return i; }; *p = f(n); }\n",
        "\n#define MARKED __device__\nvoid more(int n) { auto f = [=] MARKED(int i) { return i + n; }; "
        "(void)f; }\n",
        "\nvoid more() { std::function<int()> f; std::vector<int> all; (void)f; }\n",
        "\n#ifndef __CUDACC_EXTENDED_LAMBDA__\n#error not given\n#endif\n"}) {
    const Build with = workshop.text(good + std::string(needs));
    EXPECT_TRUE(with.ok) << needs << with.log;
    EXPECT_EQ(with.kernels.front().name, "_Z1kiPf") << needs;
  }
}

TEST(Nvcc, AMistakeIsReportedOnceWhicheverHeadersWereRead) {
  const Workshop workshop;
  for (const char *mistake :
       {"\nint wrong = 1\n", "\nint wrong = nowhere;\n", "\nvoid f() { std::vectr(1); }\n"}) {
    const Build build = workshop.text(good + std::string(mistake));
    EXPECT_EQ(build.reason, Reason::compile_error) << mistake;
    const std::size_t first = build.log.find(": error: ");
    EXPECT_NE(first, std::string::npos) << build.log;
    EXPECT_EQ(build.log.find(": error: ", first + 1), std::string::npos) << build.log;
  }
}

TEST(Nvcc, AnEntryWithAnotherSignatureIsNamedBesideTheWantedOne) {
  const Workshop workshop;
  const Build build = workshop.text("void step0(int M, double *C) {}\n");
  EXPECT_EQ(build.reason, Reason::missing_entry);
  EXPECT_TRUE(contains(build.message, "`void step0(int M, int N, int K, float alpha, ")) << build.message;
  EXPECT_TRUE(contains(build.message, "It defines `step0(int, double*)`")) << build.message;
}

TEST(Nvcc, AMissingFileAndALinkAreNoFile) {
  const Workshop workshop;
  const Scratch scratch;
  EXPECT_EQ(workshop.file(scratch.path() / "none.cu").reason, Reason::missing_file);
  fs::create_symlink("/etc/passwd", scratch.path() / "link.cu");
  EXPECT_EQ(workshop.file(scratch.path() / "link.cu").reason, Reason::missing_file);
  fs::create_directory(scratch.path() / "folder.cu");
  EXPECT_EQ(workshop.file(scratch.path() / "folder.cu").reason, Reason::missing_file);
}

TEST(Nvcc, AStarterWithoutAMakefileIsOurFailure) {
  const Workshop workshop;
  const Scratch scratch;
  std::ofstream(scratch.path() / "s.cu") << good;
  Request request = workshop.request(scratch.path() / "s.cu");
  request.starter = scratch.path();
  EXPECT_EQ(workshop.front_end.build(request).reason, Reason::our_failure);
}

TEST(Nvcc, NothingOfTheMachineCanBeIncluded) {
  const Workshop workshop;
  if (workshop.sandbox.mode() == sandbox::Sandbox::Mode::none) return;  // then it can, and describe() says so
  for (const std::string include :
       {"/etc/passwd", "/proc/self/environ", "/dev/zero", "../step1_coalesced.cu", "step1_coalesced.cu"}) {
    const Build build = workshop.text("#include \"" + include + "\"\n" + good);
    EXPECT_EQ(build.reason, Reason::compile_error) << include;
    EXPECT_TRUE(contains(build.log, "No such file or directory")) << build.log;
  }
  const Build assembly = workshop.text("asm(\".incbin \\\"/etc/passwd\\\"\");\n" + good);
  EXPECT_EQ(assembly.reason, Reason::compile_error);
  EXPECT_FALSE(contains(assembly.log, "root:")) << assembly.log;
}

TEST(Nvcc, LibrariesAreRefusedByHeaderAndByName) {
  const Workshop workshop;
  const Build header =
      workshop.text("#include <cublas_v2.h>\n" + launcher("cublasHandle_t h; cublasCreate(&h);"));
  EXPECT_EQ(header.reason, Reason::compile_error);
  EXPECT_EQ(header.message, "step0_naive.cu includes <cublas_v2.h>, which belongs to a library");
  const Build name =
      workshop.text("extern \"C\" int cublasCreate_v2(void **);\n" + launcher("cublasCreate_v2(nullptr);"));
  EXPECT_EQ(name.reason, Reason::compile_error);
  EXPECT_EQ(name.log,
            "step0_naive.cu: error: cublasCreate_v2 is not defined here, and no library but the CUDA runtime "
            "may be used\n");
}

TEST(Nvcc, KernelsCannotLaunchKernels) {
  const Workshop workshop;
  const Build build = workshop.text("__global__ void a() {}\n__global__ void b() { a<<<1, 1>>>(); }\n" +
                                    launcher("b<<<1, 1>>>();"));
  EXPECT_EQ(build.reason, Reason::compile_error);
  EXPECT_TRUE(contains(build.log, "requires separate compilation mode")) << build.log;
}

TEST(Nvcc, DeviceCodeIsTheCompilersNotTheObjects) {
  const Workshop workshop;
  // A second image in the object's own section: it must not arrive.
  const Build build =
      workshop.text("asm(\".section .nv_fatbin,\\\"a\\\"; .ascii \\\"APPENDED\\\"; .previous\");\n" + good);
  ASSERT_TRUE(build.ok) << build.message << build.log;
  const std::string bytes(reinterpret_cast<const char *>(build.fatbin.data()), build.fatbin.size());
  EXPECT_FALSE(contains(bytes, "APPENDED"));
  EXPECT_EQ(build.kernels.size(), 1u);
}

TEST(Nvcc, BuildsWithoutBubblewrapToo) {
  const Workshop workshop({}, std::nullopt, sandbox::Sandbox::none());
  const Build build = workshop.text(good);
  ASSERT_TRUE(build.ok) << build.message << build.log;
  const Build wrong = workshop.text("int x = y;\n");
  EXPECT_TRUE(contains(wrong.log, "step0_naive.cu(2): error: ")) << wrong.log;
  EXPECT_FALSE(contains(wrong.log, "/tmp/")) << wrong.log;
}

TEST(BuildCache, GivesTheSameBuildAgainAndOnlyForTheSameInputs) {
  const Scratch scratch;
  const sandbox::Sandbox sandbox = sandbox::Sandbox::detect();
  const Workshop plain;
  const Nvcc nvcc(sandbox, {*Nvcc::find(std::getenv("PATH"), ""), WARPGRADE_WORKER_LIBRARY}, {},
                  scratch.path() / "cache");
  std::ofstream(scratch.path() / "s.cu") << "#include \"gemm.h\"\n" << good;
  Request request = plain.request(scratch.path() / "s.cu");
  const Build first = nvcc.build(request), second = nvcc.build(request);
  ASSERT_TRUE(first.ok) << first.message << first.log;
  EXPECT_FALSE(first.from_cache);
  EXPECT_GT(first.charged_seconds, 0);
  EXPECT_LE(first.charged_seconds, first.seconds);
  EXPECT_TRUE(second.from_cache);
  EXPECT_EQ(second.charged_seconds, 0) << "nothing was compiled";
  EXPECT_EQ(second.fatbin, first.fatbin);
  EXPECT_EQ(second.kernels, first.kernels);
  EXPECT_EQ(read_regular(second.worker, 1 << 24), read_regular(first.worker, 1 << 24));

  std::ofstream(scratch.path() / "s.cu", std::ios::app) << "int x = y;\n";
  const Build other = nvcc.build(request), again = nvcc.build(request);
  EXPECT_EQ(other.reason, Reason::compile_error);
  EXPECT_FALSE(other.from_cache);
  EXPECT_TRUE(again.from_cache);
  EXPECT_EQ(again.log, other.log);
}

TEST(BuildCache, AnEntryWhoseInputsDifferIsNotUsed) {
  const Scratch scratch;
  const Cache cache(scratch.path());
  const std::vector<std::byte> inputs(10, std::byte{1});
  Build build;
  build.reason = Reason::compile_error;
  build.log = "the log";
  cache.keep(inputs, build);
  ASSERT_TRUE(cache.find(inputs));
  EXPECT_EQ(cache.find(inputs)->log, "the log");
  // As if another input had the same name.
  for (const fs::directory_entry &entry : fs::directory_iterator(scratch.path())) {
    std::ofstream(entry.path() / "inputs") << "something else";
  }
  EXPECT_FALSE(cache.find(inputs));
}

TEST(BuildCache, ManyThreadsMayKeepTheSameEntry) {
  const Scratch scratch;
  const Cache cache(scratch.path() / "made" / "here");
  const std::vector<std::byte> inputs(1000, std::byte{2});
  Build build;
  build.reason = Reason::compile_error;
  build.log = std::string(100000, 'x');
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 20; ++round) {
        cache.keep(inputs, build);
        const auto found = cache.find(inputs);
        EXPECT_TRUE(found && found->log == build.log);
      }
    });
  }
  for (std::thread &thread : threads) thread.join();
}

}  // namespace
}  // namespace warpgrade::build
