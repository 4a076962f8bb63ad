// How fast the simulator runs five SGEMM kernels, with all checks and counters: milliseconds, and times the
// plain loop on this machine. usage: simt_bench FILE.ptx [SIZE [THREADS [KERNEL]]]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <ctime>
#include <vector>

#include "base/files.hpp"
#include "machine/device.hpp"

namespace {

using namespace warpgrade;
using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// Time of this thread only, so that other programs on the machine disturb less.
double milliseconds_of_thread() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

struct Kernel {
  const char *name;
  simt::Dim3 block;
  std::uint32_t tile_x, tile_y;  // results per block, along the grid's x and y
  bool x_is_row;
};

constexpr Kernel kernels[] = {{"naive", {32, 8, 1}, 32, 8, true},
                              {"coalesced", {32, 8, 1}, 32, 8, false},
                              {"tile32", {32, 32, 1}, 32, 32, false},
                              {"blocktile2d", {256, 1, 1}, 128, 128, false},
                              {"vectorized", {256, 1, 1}, 128, 128, false}};

struct Problem {
  int n;
  std::vector<float> a, b, c, want;
  double reference_ms = 0;

  explicit Problem(int size) : n(size) {
    const auto count = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
    std::uint32_t state = 42;
    for (auto *matrix : {&a, &b, &c})
      for (std::size_t i = 0; i < count; ++i) {
        state = state * 1664525 + 1013904223;
        matrix->push_back(static_cast<float>(state >> 8) / 8388608.0f - 1.0f);
      }
    reference_ms = 1e30;
    for (int repeat = 0; repeat < (n <= 256 ? 5 : 1); ++repeat) multiply();
  }

 private:
  void multiply() {
    want = c;
    const double start = milliseconds_of_thread();
    for (std::size_t row = 0; row < static_cast<std::size_t>(n); ++row)
      for (std::size_t column = 0; column < static_cast<std::size_t>(n); ++column) {
        float sum = 0;
        for (std::size_t k = 0; k < static_cast<std::size_t>(n); ++k)
          sum = std::fma(a[row * static_cast<std::size_t>(n) + k],
                         b[k * static_cast<std::size_t>(n) + column], sum);
        float &c_at = want[row * static_cast<std::size_t>(n) + column];
        c_at = std::fma(1.5f, sum, 0.5f * c_at);
      }
    reference_ms = std::min(reference_ms, milliseconds_of_thread() - start);
  }
};

std::vector<std::byte> arguments(int n, simt::Address a, simt::Address b, simt::Address c) {
  std::vector<std::byte> bytes(56);
  const float alpha = 1.5f, beta = 0.5f;
  for (std::size_t i = 0; i < 3; ++i) std::memcpy(&bytes[i * 4], &n, 4);
  std::memcpy(&bytes[12], &alpha, 4);
  std::memcpy(&bytes[16], &a, 8);
  std::memcpy(&bytes[24], &b, 8);
  std::memcpy(&bytes[32], &beta, 4);
  std::memcpy(&bytes[40], &c, 8);
  bytes.resize(48);
  return bytes;
}

struct Measured {
  double milliseconds = 1e30;
  simt::LaunchResult result;
  bool right = false;
};

/// The best of several launches: as many as fit into half a second, but three.
Measured run(const Kernel &kernel, const Problem &problem, const std::shared_ptr<const ptx::Module> &module,
             int threads, bool checks) {
  simt::Options options;
  options.threads = threads;
  options.check_races = options.check_initialized = checks;
  simt::Device device(options);
  device.load(module);
  const auto upload = [&device](const std::vector<float> &matrix, const char *name) {
    const simt::Address at = device.allocate(matrix.size() * 4, name);
    device.write(at, std::as_bytes(std::span(matrix)));
    return at;
  };
  const simt::Address a = upload(problem.a, "A"), b = upload(problem.b, "B"), c = upload(problem.c, "C");
  simt::Launch launch;
  launch.kernel = kernel.name;
  const auto n = static_cast<std::uint32_t>(problem.n);
  launch.grid = {(n + kernel.tile_x - 1) / kernel.tile_x, (n + kernel.tile_y - 1) / kernel.tile_y, 1};
  launch.block = kernel.block;
  launch.arguments = arguments(problem.n, a, b, c);
  Measured made;
  const auto begin = Clock::now();
  for (int repeat = 0; repeat < 3 || (repeat < 40 && milliseconds_since(begin) < 500); ++repeat) {
    device.write(c, std::as_bytes(std::span(problem.c)));
    const auto start = Clock::now();
    const double before = milliseconds_of_thread();
    made.result = device.launch(launch);
    const double taken = threads == 1 ? milliseconds_of_thread() - before : milliseconds_since(start);
    made.milliseconds = std::min(made.milliseconds, taken);
    if (made.result.status != simt::Status::completed) break;
  }
  std::vector<float> got(problem.c.size());
  device.read(c, std::as_writable_bytes(std::span(got)));
  made.right = made.result.status == simt::Status::completed && got == problem.want;
  return made;
}

bool report(const Kernel &kernel, const Problem &problem, const std::shared_ptr<const ptx::Module> &module,
            int threads) {
  const Measured full = run(kernel, problem, module, threads, true);
  const Measured bare = run(kernel, problem, module, threads, false);
  const auto instructions = static_cast<double>(std::max<std::uint64_t>(full.result.warp_instructions, 1));
  fmt::print("{:<12} {:9.2f} {:10.2f} {:9.2f} {:12.2f}   {}\n", kernel.name, full.milliseconds,
             full.milliseconds / problem.reference_ms, full.milliseconds * 1e6 / instructions,
             bare.milliseconds, full.right && bare.right ? "exact" : "WRONG");
  for (const simt::Diagnostic &diagnostic : full.result.diagnostics)
    fmt::print("  {}\n", simt::to_text(diagnostic));
  return full.right && bare.right;
}

}  // namespace

int main(int count, char **values) {
  if (count < 2) {
    fmt::print(stderr, "usage: simt_bench FILE.ptx [SIZE [THREADS [KERNEL]]]\n");
    return 2;
  }
  const std::string text = read_whole(values[1]);
  const Problem problem(count > 2 ? std::atoi(values[2]) : 256);
  const int threads = count > 3 ? std::atoi(values[3]) : 1;
  const auto start = Clock::now();
  const auto module = std::make_shared<const ptx::Module>(ptx::parse(text));
  fmt::print(
      "{} x {} x {} on {} thread{}; PTX parsed in {:.2f} ms; the plain loop takes {:.1f} ms on one core\n",
      problem.n, problem.n, problem.n, threads, threads == 1 ? "" : "s", milliseconds_since(start),
      problem.reference_ms);
  fmt::print("{:<12} {:>9} {:>10} {:>9} {:>12}\n", "kernel", "ms", "of loop", "ns/instr", "unchecked ms");
  bool right = true;
  for (const Kernel &kernel : kernels)
    if (count < 5 || std::strcmp(kernel.name, values[4]) == 0)
      right &= report(kernel, problem, module, threads);
  return right ? 0 : 1;
}
