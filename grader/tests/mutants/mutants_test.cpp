#include "mutants/mutants.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/files.hpp"
#include "mutants/names.hpp"

namespace warpgrade::mutants {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

/// The body of a kernel with the mutants of one kind in place of it.
std::vector<std::string> bodies_of(
    std::string_view kind, const std::string &body,
    const std::string &head = "__global__ void k(int M, int N, float alpha, float *C) {\n",
    const std::string &tail = "\n}\n") {
  std::vector<std::string> all;
  const std::vector<std::string_view> kinds = {kind};
  for (const Mutant &m : mutants_of(head + body + tail, kinds)) {
    EXPECT_TRUE(m.text.starts_with(head) && m.text.ends_with(tail)) << m.text;
    all.push_back(m.text.substr(head.size(), m.text.size() - head.size() - tail.size()));
  }
  return all;
}

struct Example {
  const char *kind, *from, *to;  ///< `to` is one of the mutants of `from`
};
void PrintTo(const Example &e, std::ostream *out) {
  *out << e.kind;
}

constexpr Example examples[] = {
    {"comparison: lets one more through", "if (i < N) f();", "if (i <= N) f();"},
    {"comparison: lets one more through", "if (i >= N) return;", "if (i > N) return;"},
    {"comparison: lets one less through", "if (i <= N) f();", "if (i < N) f();"},
    {"comparison: turned round", "if (i < N) f();", "if (i > N) f();"},
    {"comparison: equal and unequal", "if (i == 0) f();", "if (i != 0) f();"},
    {"guard: and, or", "if (a && b) f();", "if (a || b) f();"},
    {"guard: left out", "if (i < N) f();", "if (true) f();"},
    {"guard: left out", "if (i >= N) return;", "if (false) return;"},
    {"guard: negated", "if (i < N) f();", "if (!(i < N)) f();"},
    {"guard: one side left out", "if (r >= M || c >= N) return;", "if (c >= N) return;"},
    {"guard: one side left out", "if (r >= M || c >= N) return;", "if (r >= M) return;"},
    {"guard: always", "x = i < N ? a[i] : 0.0f;", "x = true ? a[i] : 0.0f;"},
    {"guard: never", "x = i < N ? a[i] : 0.0f;", "x = false ? a[i] : 0.0f;"},
    {"bound: one turn more", "for (int k = 0; k < N; ++k) f();", "for (int k = 0; k < N + 1; ++k) f();"},
    {"bound: one turn less", "for (int k = 0; k < N; ++k) f();", "for (int k = 0; k < N - 1; ++k) f();"},
    {"bound: starts one later", "for (int k = 0; k < N; ++k) f();", "for (int k = 0 + 1; k < N; ++k) f();"},
    {"stride: doubled", "for (int k = 0; k < N; ++k) f();", "for (int k = 0; k < N; k += 2) f();"},
    {"stride: doubled", "for (int k = i; k < N; k += T) f();", "for (int k = i; k < N; k += 2 * (T)) f();"},
    {"stride: doubled", "for (int s = 16; s > 0; s /= 2) f();", "for (int s = 16; s > 0; s /= 2 + 2) f();"},
    {"stride: one longer", "from += T;", "from += T + 1;"},
    {"tail: rounded down", "int n = (N + T - 1) / T;", "int n = (N ) / T;"},
    {"tail: rounded down", "int n = ceil_div(N, T);", "int n = ((N) / (T));"},
    {"tail: the other of min and max", "int n = min(i, N - 1);", "int n = max(i, N - 1);"},
    {"tail: edge not held", "int n = min(i, N - 1);", "int n = (i);"},
    {"tail: filled with ones", "x = i < N ? a[i] : 0.0f;", "x = i < N ? a[i] : 1;"},
    {"index: the other coordinate", "int i = threadIdx.x;", "int i = threadIdx.y;"},
    {"index: one on", "C[i] = 1;", "C[i + 1] = 1;"},
    {"index: one back", "C[i] = 1;", "C[i - 1] = 1;"},
    {"index: subscripts exchanged", "t[y][x] = 1;", "t[x][y] = 1;"},
    {"index: row and column exchanged", "C[r * N + c] = 1;", "C[c * N + r] = 1;"},
    {"index: another size", "C[r * N + c] = 1;", "C[r * M + c] = 1;"},
    {"index: a term forgotten", "C[r * N + c] = 1;", "C[r * N] = 1;"},
    {"index: quotient and rest", "int r = t / 32;", "int r = t % 32;"},
    {"initial value: one", "float s = 0.0f;", "float s = 1;"},
    {"initial value: never set", "float s = 0.0f;", "float s ;"},
    {"factor: forgotten", "C[i] = alpha * s;", "C[i] =  s;"},
    {"factor: twice", "C[i] = alpha * s;", "C[i] = alpha * alpha * s;"},
    {"term: left out", "C[i] = s + b * C[i];", "C[i] = s ;"},
    {"sign: the other", "C[i] = s + t;", "C[i] = s - t;"},
    {"factor: a sum for a product", "C[i] = s * t;", "C[i] = s + t;"},
    {"sum: the last term only", "s += a[i];", "s = a[i];"},
    {"sum: subtracted", "s += a[i];", "s -= a[i];"},
    {"statement: left out", "turn = 1 - turn;", ";"},
    {"constant: doubled", "constexpr int T = 32;", "constexpr int T = (2 * 32);"},
    {"constant: one more", "constexpr int T = 32;", "constexpr int T = (32 + 1);"},
    {"constant: halved", "constexpr int T = 32;", "constexpr int T = (32 / 2);"},
    {"type: narrower", "std::int64_t i = j;", "std::int32_t i = j;"},
    {"type: a short integer", "int i = j;", "signed char i = j;"},
    {"type: a sum in integers", "float s = 0.5f;", "int s = 0.5f;"},
    {"barrier: left out", "__syncthreads();", ";"},
    {"barrier: of a warp only", "__syncthreads();", "__syncwarp();"},
    {"barrier: not for all threads", "__syncthreads();", "if (threadIdx.x > 0) __syncthreads();"},
    {"barrier: one statement earlier", "t[i] = a;\n__syncthreads();", "__syncthreads();\nt[i] = a;"},
    {"barrier: of a warp left out", "__syncwarp();", ";"},
    {"memory order: fence left out", "__threadfence();", ";"},
    {"memory order: relaxed", "f(cuda::memory_order_release);", "f(cuda::memory_order_relaxed);"},
    {"mask: half of it", "x = __shfl_down_sync(0xffffffff, x, 1);",
     "x = __shfl_down_sync(0x0000ffffu, x, 1);"},
    {"mask: the next lane", "x = __shfl_down_sync(m, x, d);", "x = __shfl_down_sync(m, x, (d) + 1);"},
    {"mask: the other direction", "x = __shfl_down_sync(m, x, d);", "x = __shfl_up_sync(m, x, d);"},
    {"atomic: not atomic", "atomicAdd(&n, 1);", "(*(&n) += 1);"},
    {"type: not shared", "__shared__ float t[32];", " float t[32];"},
};

class KindOfMutant : public ::testing::TestWithParam<Example> {};

TEST_P(KindOfMutant, MakesTheMistakeOfItsName) {
  const Example &e = GetParam();
  EXPECT_THAT(bodies_of(e.kind, e.from), Contains(e.to));
}

INSTANTIATE_TEST_SUITE_P(Every, KindOfMutant, ::testing::ValuesIn(examples));

constexpr Example launch_examples[] = {
    {"launch: x and y exchanged", "k<<<dim3(a, b), dim3(T, U)>>>(M, N);",
     "k<<<dim3(b, a), dim3(T, U)>>>(M, N);"},
    {"launch: one block or thread fewer", "k<<<n, T>>>(M, N);", "k<<<(n) - ((n) > 1), T>>>(M, N);"},
    {"launch: half of it", "k<<<n, T>>>(M, N);", "k<<<n, ((T) + 1) / 2>>>(M, N);"},
    {"launch: one block or thread more", "k<<<n, T>>>(M, N);", "k<<<(n) + 1, T>>>(M, N);"},
    {"launch: arguments exchanged", "k<<<n, T>>>(M, N);", "k<<<n, T>>>(N, M);"},
    {"launch: grid and block exchanged", "k<<<n, T>>>(M, N);", "k<<<T, n>>>(M, N);"},
    {"launch: half the shared bytes", "k<<<n, T, b>>>(M, N);", "k<<<n, T, (b) / 2>>>(M, N);"},
};

class KindOfMutantOfLaunchers : public ::testing::TestWithParam<Example> {};

TEST_P(KindOfMutantOfLaunchers, MakesTheMistakeOfItsName) {
  const Example &e = GetParam();
  EXPECT_THAT(bodies_of(e.kind, e.from, "void launch(int M, int N) {\n"), Contains(e.to));
}

INSTANTIATE_TEST_SUITE_P(Every, KindOfMutantOfLaunchers, ::testing::ValuesIn(launch_examples));

TEST(Mutants, EveryKindHasAnExample) {
  std::set<std::string_view> shown;
  for (const Example &e : examples) shown.insert(e.kind);
  for (const Example &e : launch_examples) shown.insert(e.kind);
  for (const std::string_view kind : kinds()) EXPECT_TRUE(shown.contains(kind)) << kind;
  EXPECT_GE(kinds().size(), 25u);
}

TEST(Mutants, LeaveCommentsAndStringsAndDirectivesAlone) {
  const std::string quiet =
      "#define LESS(a, b) (a < b)\n// a < b\n/* if (x < y) */\n__device__ void f() { g(\"a < b\"); }\n";
  EXPECT_THAT(mutants_of(quiet), IsEmpty());
}

TEST(Mutants, TakeNoBracketsOfTemplatesForComparisons) {
  EXPECT_THAT(bodies_of("comparison: lets one more through", "x = static_cast<float>(i) + f<4>(i);"),
              IsEmpty());
}

TEST(Mutants, DoNotLengthenArraysWhereTheyAreDeclared) {
  EXPECT_THAT(bodies_of("index: one on", "__shared__ float t[32][33];"), IsEmpty());
}

TEST(Mutants, KnowTheirLineAndWhetherItIsDeviceCode) {
  const std::string source = "__global__ void k() {\n  f(a < b);\n}\nvoid launch() {\n  f(a < b);\n}\n";
  const std::vector<std::string_view> one = {"comparison: lets one more through"};
  const std::vector<Mutant> all = mutants_of(source, one);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].line, 2);
  EXPECT_TRUE(all[0].on_device);
  EXPECT_EQ(all[1].line, 5);
  EXPECT_FALSE(all[1].on_device);
}

TEST(Mutants, OfASolutionAreManyAndNoTwoAlike) {
  for (const char *file :
       {"step0_naive", "step1_coalesced", "step2_shared", "step3_blocktile", "step4_nonsquare"}) {
    const std::string source = read_whole(std::string(WARPGRADE_ROOT) + "/solutions/hw6/" + file + ".cu");
    std::set<std::string> texts = {source};
    const std::vector<Mutant> all = mutants_of(source);
    for (const Mutant &m : all) EXPECT_TRUE(texts.insert(m.text).second) << m.kind << " in line " << m.line;
    EXPECT_GE(all.size(), 50u) << file;
  }
}

TEST(Mutants, AreShownAsALineThatGoesAndALineThatComes) {
  const std::string source = "__global__ void k() {\n  f(a < b);\n}\n";
  const std::vector<std::string_view> one = {"comparison: lets one more through"};
  const std::vector<Mutant> all = mutants_of(source, one);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(diff_of(source, all[0], "k.cu"),
            "--- k.cu\n+++ k.cu\n@@ -2,1 +2,1 @@\n-  f(a < b);\n+  f(a <= b);\n");
}

constexpr const char *named =
    "__global__ void scale(int n, float *x) {\n  int i = threadIdx.x;  // mine\n  if (i < n) x[i] = "
    "min(x[i], 2.0f);\n}\n";

TEST(SourceWithoutNames, IsTheSameWithOtherNamesAndComments) {
  EXPECT_EQ(without_names(named),
            without_names("__global__ void grow(int count, float *data)\n{\n  int id = threadIdx.x;\n"
                          "  if (id < count) data[id] = min(data[id], 2.0f);\n}\n"));
}

TEST(SourceWithoutNames, DiffersWhereTheCodeDoes) {
  const std::string same = without_names(named), text = named;
  for (const auto &[from, to] :
       {std::pair{"threadIdx.x", "threadIdx.y"}, std::pair{"min(", "max("}, std::pair{"float *", "double *"},
        std::pair{"i < n", "n < i"}, std::pair{"2.0f", "3.0f"}}) {
    std::string other = text;
    other.replace(other.find(from), std::string_view(from).size(), to);
    EXPECT_NE(without_names(other), same) << to;
  }
}

TEST(SourceWithoutNames, KeepsWhatMacrosSay) {
  EXPECT_NE(without_names("#define T 16\nint x = T;"), without_names("#define T 32\nint x = T;"));
}

TEST(SourceWithoutNames, IsEmptyWithoutCode) {
  EXPECT_EQ(without_names("// nothing\n/* at all */\n"), "");
}

}  // namespace
}  // namespace warpgrade::mutants
