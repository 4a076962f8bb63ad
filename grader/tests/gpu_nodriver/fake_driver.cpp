// A CUDA driver without a GPU, for tests of the replay's two processes: device memory is host memory, a
// "module" is any bytes, and the kernels are the functions below. Wherever gpu/ depends on an answer, it is that
// of the real driver.
#include <cuda.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "gpu/probe_kernels.hpp"
#include "gpu/referee_sums.hpp"

namespace {

CUresult sticky = CUDA_SUCCESS;  // as with a real context: after a fault every call fails
constexpr int most_gpus = 8;
int calls = 0;                            // a __device__ variable
float factors[most_gpus][2] = {};         // a __constant__ one
int current = 0;                          // whose context is: all calls come from one thread
bool reaches[most_gpus][most_gpus] = {};  // contexts with access to the memory of others
unsigned blocks_of_cluster = 1;           // of the launch
float forged_milliseconds = -1;  // what a kernel wrote over the events' time stamps; none while negative

struct Stream {
  int device;
};
struct Event {
  int device;
  double seconds;
};
/// Mapped memory, and the devices that may access it.
struct Mapped {
  std::size_t bytes;
  std::set<int> devices;
};
std::map<CUdeviceptr, Mapped> mapped;

/// Memory that is not mapped but allocated is everybody's.
bool accessible(CUdeviceptr address) {
  auto after = mapped.upper_bound(address);
  if (after == mapped.begin()) return true;
  const auto &[base, memory] = *--after;
  return address - base >= memory.bytes || memory.devices.contains(current);
}
/// Work of a stream is asked for while its context is current.
bool of_this_context(CUstream stream) {
  return stream == nullptr || stream == CU_STREAM_LEGACY ||
         reinterpret_cast<const Stream *>(stream)->device == current;
}

template <typename T>
T argument(const std::byte *arguments, std::size_t at) {
  T value;
  std::memcpy(&value, arguments + at, sizeof value);
  return value;
}

void sgemm(const std::byte *args) {
  const int m = argument<int>(args, 0), n = argument<int>(args, 4), k = argument<int>(args, 8);
  const auto alpha = argument<float>(args, 12), beta = argument<float>(args, 32);
  const auto *a = argument<const float *>(args, 16), *b = argument<const float *>(args, 24);
  auto *c = argument<float *>(args, 40);
  for (int row = 0; row < m; ++row)
    for (int column = 0; column < n; ++column) {
      float sum = 0;
      for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
      c[row * n + column] = alpha * sum + beta * c[row * n + column];
    }
}

/// What the referee's kernels do, by one lane. Parameters as they are passed: a pointer to each.
class Parameters {
 public:
  explicit Parameters(void **all) : next_(all) {}
  template <typename T>
  T get() {
    return *static_cast<const T *>(*next_++);
  }

 private:
  void **next_;
};

bool run_for_the_referee(const std::string &name, void **all) {
  using namespace warpgrade;
  Parameters p(all);
  if (name == "referee_fill") {
    auto *to = p.get<void *>();
    const auto elements = p.get<std::uint64_t>();
    const auto fill = p.get<problem::Fill>();
    const auto key = p.get<std::uint64_t>();
    for (std::uint64_t i = 0; i < elements; ++i) gpu::store(to, fill, key, i);
    return true;
  }
  if (name == "referee_compare") {
    const auto *x = p.get<const std::uint16_t *>(), *y = p.get<const std::uint16_t *>();
    const auto words = p.get<std::uint64_t>();
    auto *different = p.get<unsigned long long *>();
    for (std::uint64_t i = 0; i < words; ++i) *different += x[i] != y[i];
    return true;
  }
  if (!name.starts_with("referee_sum_")) return false;
  const auto product = p.get<problem::MatrixProduct>();
  if (name == "referee_sum_b") {
    const auto *b = p.get<const void *>();
    const auto seed = p.get<std::uint64_t>();
    auto *sums = p.get<double *>();
    for (std::int64_t row = 0; row < product.rows_of_b(); ++row) {
      const auto mine = gpu::sums_of_b(product, b, seed, row, 0, 1);
      sums[row] = mine.with_signs;
      sums[product.rows_of_b() + row] = mine.without;
    }
    return true;
  }
  const auto *a = p.get<const void *>();
  if (name == "referee_sum_rows") {
    const auto *b_sums = p.get<const double *>();
    const auto *before = p.get<const float *>(), *after = p.get<const float *>();
    const auto seed = p.get<std::uint64_t>();
    auto *rows = p.get<gpu::RowSums *>();
    for (std::int64_t row = 0; row < product.m; ++row)
      rows[row] = gpu::sums_of_row(product, a, b_sums, before, after, seed, row, 0, 1);
    return true;
  }
  const auto *b = p.get<const void *>();
  const auto *before = p.get<const float *>(), *after = p.get<const float *>();
  const auto seed = p.get<std::uint64_t>();
  const int count = p.get<int>();
  auto *cells = p.get<gpu::CellSums *>();
  for (int t = 0; t < count; ++t)
    cells[t] = gpu::sums_of_cell(product, a, b, before, after,
                                 problem::sampled_cell(seed, t, product.m, product.n), 0, 1);
  return true;
}

/// What is between two products of the library that is composed.
bool run_softmax(const std::string &name, void **all) {
  if (name != "softmax_of_rows") return false;
  Parameters p(all);
  auto *x = p.get<float *>();
  const int rows = p.get<int>(), columns = p.get<int>();
  for (float *row = x; row != x + static_cast<std::ptrdiff_t>(rows) * columns; row += columns) {
    const float most = *std::max_element(row, row + columns);
    float sum = 0;
    for (int c = 0; c < columns; ++c) sum += row[c] = std::exp(row[c] - most);
    for (int c = 0; c < columns; ++c) row[c] /= sum;
  }
  return true;
}

/// A microbenchmark on paper: a step takes five cycles or four nanoseconds, a load before the loop one cycle.
bool run_probe(const std::string &name, void **all) {
  using namespace warpgrade;
  if (!name.starts_with("probe_")) return false;
  const auto a = Parameters(all).get<gpu::ProbeArguments>();
  *reinterpret_cast<gpu::ProbeReading *>(a.reading) = {5 * std::int64_t{a.steps} + a.warm,
                                                       4 * std::uint64_t{a.steps}, 0};
  return true;
}

/// n, bins, x, counts
void histogram(const std::byte *args, bool leaves_one_out) {
  const auto n = argument<int>(args, 0), bins = argument<int>(args, 4);
  const auto *x = argument<const std::uint32_t *>(args, 8);
  auto *counts = argument<std::uint32_t *>(args, 16);
  std::fill(counts, counts + bins, 0U);
  for (int i = leaves_one_out ? 1 : 0; i < n; ++i) ++counts[x[i]];
}

/// A process that hangs in the driver stays in the list of processes when it is killed. So does one that
/// another process traces and does not look after.
void stay_when_killed() {
  const pid_t process = ::getpid(), tester = ::getppid();
  ::prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  int ready[2];
  if (::pipe(ready) != 0) return;
  if (::fork() == 0) {
    ::setsid();
    const bool traced = ::ptrace(PTRACE_SEIZE, process, nullptr, nullptr) == 0;
    if (::write(ready[1], traced ? "y" : "n", 1) != 1) ::_exit(1);
    ::syscall(SYS_close_range, 0, ~0u, 0);  // no process may wait for the end of our output
    while (traced && ::kill(tester, 0) == 0) ::usleep(20'000);
    ::_exit(0);
  }
  char answer = 0;
  [[maybe_unused]] const ssize_t got = ::read(ready[0], &answer, 1);
}

CUresult run_kernel(const std::string &name, const std::byte *args) {
  if (name.starts_with("sgemm")) sgemm(args);
  if (name.starts_with("histogram")) histogram(args, name == "histogram_of_all_but_one");
  if (name == "histogram_whose_place_decides")  // one or two microseconds
    forged_milliseconds =
        reinterpret_cast<std::uintptr_t>(argument<void *>(args, 16)) / 512 % 2 ? 2e-3f : 1e-3f;
  if (name == "sgemm_in_a_femtosecond") forged_milliseconds = 1e-12f;
  if (name == "sgemm_in_no_time") forged_milliseconds = 0;
  if (name == "sgemm_for_an_hour") forged_milliseconds = 3.6e6f;
  if (name == "store_at") {
    const auto to =
        reinterpret_cast<CUdeviceptr>(argument<std::byte *>(args, 0) + argument<long long>(args, 8));
    if (!accessible(to)) return sticky = CUDA_ERROR_ILLEGAL_ADDRESS;
    const float one = 1;
    std::memcpy(argument<std::byte *>(args, 0) + argument<long long>(args, 8), &one, sizeof one);
  }
  // A map of paper holds the address of its tensor.
  if (name == "scale_rows")
    for (int i = 0; i < 16; ++i)
      argument<float *>(args, 128)[i] =
          static_cast<float>(blocks_of_cluster) * argument<const float *>(args, 0)[i];
  if (name == "scale_rows_from")
    for (int i = 0; i < 16; ++i) argument<float *>(args, 8)[i] = (*argument<const float **>(args, 0))[i];
  if (name == "count_calls") *argument<float *>(args, 0) = static_cast<float>(++calls);
  if (name == "scale")
    for (int i = 0; i < 4; ++i)
      argument<float *>(args, 0)[i] =
          argument<float *>(args, 0)[i] * factors[current][0] + factors[current][1];
  if (name == "chatter")
    for (int i = 0; i < 10000; ++i) std::printf("number %d\n", i);
  if (name == "fault") sticky = CUDA_ERROR_ILLEGAL_ADDRESS;
  if (name == "trap") sticky = CUDA_ERROR_LAUNCH_FAILED;
  // The first launch of all processes with this file ends as when a neighbour takes the GPU down.
  if (const char *file = std::getenv("PAPER_FAILS_ONCE")) {
    const int made = ::open(file, O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (made >= 0) ::close(made), sticky = CUDA_ERROR_LAUNCH_FAILED;
  }
  if (name == "die") ::_exit(3);
  if (name == "never_dies") stay_when_killed();
  if (name == "spin_forever" || name == "never_dies")
    while (true) std::this_thread::sleep_for(std::chrono::seconds(1));
  return CUDA_SUCCESS;
}

template <typename T>
T *at(CUdeviceptr address) {
  return reinterpret_cast<T *>(address);
}

int gpus() {
  const char *several = std::getenv("PAPER_GPUS");
  return several == nullptr ? 1 : std::atoi(several);
}

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

extern "C" {

CUresult CUDAAPI cuInit(unsigned) {
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuDriverGetVersion(int *version) {
  return *version = 13000, CUDA_SUCCESS;
}
CUresult CUDAAPI cuGetErrorName(CUresult code, const char **text) {
  static std::string name;
  name = code == CUDA_ERROR_ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                                            : "ERROR_" + std::to_string(int(code));
  return *text = name.c_str(), CUDA_SUCCESS;
}
CUresult CUDAAPI cuGetErrorString(CUresult, const char **text) {
  return *text = "as the test wants it", CUDA_SUCCESS;
}
CUresult CUDAAPI cuDeviceGetCount(int *count) {
  return *count = gpus(), CUDA_SUCCESS;
}
CUresult CUDAAPI cuDeviceGet(CUdevice *device, int index) {
  return *device = index, index < gpus() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
CUresult CUDAAPI cuDeviceGetName(char *name, int size, CUdevice) {
  return std::snprintf(name, size, "Paper GPU"), CUDA_SUCCESS;
}
CUresult CUDAAPI cuDeviceGetPCIBusId(char *id, int size, CUdevice device) {
  return std::snprintf(id, size, "0000:%02x:00.0", 1 + device), CUDA_SUCCESS;
}
CUresult CUDAAPI cuDeviceTotalMem_v2(std::size_t *bytes, CUdevice) {
  return *bytes = 1 << 30, CUDA_SUCCESS;
}
CUresult CUDAAPI cuDeviceGetAttribute(int *value, CUdevice_attribute which, CUdevice) {
  static const std::map<int, int> known{{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9},
                                        {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 132},
                                        {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
                                        {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64},
                                        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 2147483647},
                                        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535},
                                        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535},
                                        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 49152},
                                        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 232448},
                                        {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 1 << 20},
                                        {CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 1}};
  // As on systems whose driver cannot hand memory to another process.
  if (which == CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED)
    return *value = std::getenv("PAPER_KEEPS_ITS_MEMORY") == nullptr, CUDA_SUCCESS;
  const auto found = known.find(which);
  return *value = found == known.end() ? 0 : found->second, CUDA_SUCCESS;
}
CUresult CUDAAPI cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  return *context = reinterpret_cast<CUcontext>(static_cast<std::uintptr_t>(1 + device)), CUDA_SUCCESS;
}
CUresult CUDAAPI cuCtxSetCurrent(CUcontext context) {
  return current = static_cast<int>(reinterpret_cast<std::uintptr_t>(context)) - 1, CUDA_SUCCESS;
}
CUresult CUDAAPI cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice other) {
  return *can = device != other && std::getenv("PAPER_GPUS_APART") == nullptr, CUDA_SUCCESS;
}
CUresult CUDAAPI cuCtxEnablePeerAccess(CUcontext context, unsigned) {
  bool &reached = reaches[current][reinterpret_cast<std::uintptr_t>(context) - 1];
  return std::exchange(reached, true) ? CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED : CUDA_SUCCESS;
}
CUresult CUDAAPI cuCtxDisablePeerAccess(CUcontext context) {
  bool &reached = reaches[current][reinterpret_cast<std::uintptr_t>(context) - 1];
  return std::exchange(reached, false) ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
}
CUresult CUDAAPI cuCtxSynchronize() {
  return sticky;
}
CUresult CUDAAPI cuStreamCreate(CUstream *stream, unsigned) {
  return *stream = reinterpret_cast<CUstream>(new Stream{current}), CUDA_SUCCESS;
}
CUresult CUDAAPI cuStreamDestroy_v2(CUstream stream) {
  return delete reinterpret_cast<Stream *>(stream), CUDA_SUCCESS;
}
CUresult CUDAAPI cuStreamSynchronize(CUstream) {
  return sticky;
}
CUresult CUDAAPI cuStreamWaitEvent(CUstream stream, CUevent, unsigned) {
  return of_this_context(stream) ? sticky : CUDA_ERROR_INVALID_HANDLE;
}
CUresult CUDAAPI cuEventCreate(CUevent *event, unsigned) {
  return *event = reinterpret_cast<CUevent>(new Event{current, 0}), CUDA_SUCCESS;
}
CUresult CUDAAPI cuEventDestroy_v2(CUevent event) {
  return delete reinterpret_cast<Event *>(event), CUDA_SUCCESS;
}
CUresult CUDAAPI cuEventRecord(CUevent event, CUstream stream) {
  Event &recorded = *reinterpret_cast<Event *>(event);
  if (recorded.device != current || !of_this_context(stream)) return CUDA_ERROR_INVALID_HANDLE;
  return recorded.seconds = seconds_now(), sticky;
}
CUresult CUDAAPI cuEventQuery(CUevent) {
  return sticky;
}
CUresult CUDAAPI cuEventSynchronize(CUevent) {
  return sticky;
}
#undef cuEventElapsedTime
CUresult CUDAAPI cuEventElapsedTime(float *milliseconds, CUevent start, CUevent stop) {
  const Event &first = *reinterpret_cast<const Event *>(start),
              &last = *reinterpret_cast<const Event *>(stop);
  if (first.device != last.device) return CUDA_ERROR_INVALID_HANDLE;
  double seconds = last.seconds - first.seconds;
  // A GPU of paper is steady, whatever else this machine does: what took a moment took a microsecond.
  if (seconds > 1e-6 && seconds < 60) seconds = 1e-6;
  // Unless somebody else is said to use it: then a run waits for its turn, longer or less long.
  static std::minstd_rand chance(1);
  if (std::getenv("PAPER_NEIGHBOUR") != nullptr) seconds *= 1 + static_cast<double>(chance() % 1000) / 250;
  *milliseconds = forged_milliseconds >= 0 ? forged_milliseconds : static_cast<float>(seconds * 1e3);
  return sticky;
}
CUresult CUDAAPI cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned, CUjit_option *, void **) {
  if (std::strncmp(static_cast<const char *>(image), "bad", 3) == 0) return CUDA_ERROR_INVALID_IMAGE;
  if (std::strncmp(static_cast<const char *>(image), "huge", 4) == 0) return CUDA_ERROR_OUT_OF_MEMORY;
  calls = 0;
  factors[current][0] = 1;
  factors[current][1] = 0;
  return *module = reinterpret_cast<CUmodule>(static_cast<std::uintptr_t>(1 + current)), CUDA_SUCCESS;
}
CUresult CUDAAPI cuModuleUnload(CUmodule) {
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuModuleGetFunction(CUfunction *function, CUmodule, const char *name) {
  if (std::strcmp(name, "missing") == 0) return CUDA_ERROR_NOT_FOUND;
  static std::set<std::string> names;
  const std::string &kept = *names.emplace(name).first;
  return *function = reinterpret_cast<CUfunction>(const_cast<char *>(kept.c_str())), CUDA_SUCCESS;
}
CUresult CUDAAPI cuModuleGetGlobal_v2(CUdeviceptr *address, std::size_t *bytes, CUmodule module,
                                      const char *name) {
  if (std::strcmp(name, "factor") != 0) return CUDA_ERROR_NOT_FOUND;
  *bytes = sizeof factors[0];
  return *address = reinterpret_cast<CUdeviceptr>(&factors[reinterpret_cast<std::uintptr_t>(module) - 1]),
         CUDA_SUCCESS;
}
CUresult CUDAAPI cuFuncGetAttribute(int *value, CUfunction_attribute which, CUfunction) {
  *value = which == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES ? 49152 : 0;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuFuncSetAttribute(CUfunction, CUfunction_attribute, int value) {
  return value > 232448 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
CUresult CUDAAPI cuLaunchKernel(CUfunction function, unsigned, unsigned, unsigned, unsigned x, unsigned y,
                                unsigned z, unsigned shared, CUstream stream, void **parameters,
                                void **extra) {
  if (sticky != CUDA_SUCCESS) return sticky;
  if (!of_this_context(stream)) return CUDA_ERROR_INVALID_HANDLE;
  if (x * y * z > 1024 || shared > 49152) return CUDA_ERROR_INVALID_VALUE;
  if (parameters != nullptr && run_for_the_referee(reinterpret_cast<const char *>(function), parameters))
    return sticky;
  if (parameters != nullptr && run_probe(reinterpret_cast<const char *>(function), parameters)) return sticky;
  if (parameters != nullptr && run_softmax(reinterpret_cast<const char *>(function), parameters))
    return sticky;
  const void *const packed = extra != nullptr ? extra[1] : parameters != nullptr ? parameters[0] : nullptr;
  const auto *arguments = static_cast<const std::byte *>(packed);
  return run_kernel(reinterpret_cast<const char *>(function), arguments);
}
CUresult CUDAAPI cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **parameters,
                                  void **extra) {
  const auto &shape = config->attrs[0].value.clusterDim;
  if (config->numAttrs != 1 || config->attrs[0].id != CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
    return CUDA_ERROR_INVALID_VALUE;
  if (config->gridDimX % shape.x != 0) return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  blocks_of_cluster = shape.x * shape.y * shape.z;
  const CUresult result = cuLaunchKernel(function, config->gridDimX, config->gridDimY, config->gridDimZ,
                                         config->blockDimX, config->blockDimY, config->blockDimZ,
                                         config->sharedMemBytes, config->hStream, parameters, extra);
  blocks_of_cluster = 1;
  return result;
}
CUresult CUDAAPI cuTensorMapEncodeTiled(CUtensorMap *to, CUtensorMapDataType, cuuint32_t rank, void *address,
                                        const cuuint64_t *dimensions, const cuuint64_t *, const cuuint32_t *,
                                        const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                                        CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
  if (rank != 2 || dimensions[0] != 4) return CUDA_ERROR_INVALID_VALUE;
  return std::memcpy(to, &address, sizeof address), CUDA_SUCCESS;
}
CUresult CUDAAPI cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, std::size_t bytes, CUstream stream) {
  if (!accessible(to)) return CUDA_ERROR_INVALID_VALUE;
  if (!of_this_context(stream)) return CUDA_ERROR_INVALID_HANDLE;
  return std::memcpy(at<void>(to), from, bytes), sticky;
}
CUresult CUDAAPI cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, std::size_t bytes, CUstream) {
  return std::memcpy(to, at<void>(from), bytes), sticky;
}
CUresult CUDAAPI cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  if (!accessible(to) || !accessible(from)) return CUDA_ERROR_INVALID_VALUE;
  if (!of_this_context(stream)) return CUDA_ERROR_INVALID_HANDLE;
  return std::memmove(at<void>(to), at<void>(from), bytes), sticky;
}
CUresult CUDAAPI cuMemcpyPeerAsync(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, std::size_t bytes,
                                   CUstream stream) {
  if (!of_this_context(stream)) return CUDA_ERROR_INVALID_HANDLE;
  return std::memmove(at<void>(to), at<void>(from), bytes), sticky;
}
CUresult CUDAAPI cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *copy, CUstream stream) {
  if (!of_this_context(stream)) return CUDA_ERROR_INVALID_HANDLE;
  for (std::size_t row = 0; row < copy->Height; ++row)
    std::memmove(at<std::byte>(copy->dstDevice) + row * copy->dstPitch,
                 at<std::byte>(copy->srcDevice) + row * copy->srcPitch, copy->WidthInBytes);
  return sticky;
}
CUresult CUDAAPI cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *copy, CUstream) {
  for (std::size_t row = 0; row < copy->Height; ++row)
    std::memmove(at<std::byte>(copy->dstDevice) + row * copy->dstPitch,
                 at<std::byte>(copy->srcDevice) + row * copy->srcPitch, copy->WidthInBytes);
  return sticky;
}
CUresult CUDAAPI cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t bytes, CUstream) {
  return std::memset(at<void>(to), value, bytes), sticky;
}
CUresult CUDAAPI cuMemsetD32Async(CUdeviceptr to, unsigned value, std::size_t words, CUstream) {
  // So much memory is set only to flush a cache, over and over, and paper has none.
  constexpr std::size_t flushes_a_cache = std::size_t{16} << 20;
  if (words >= flushes_a_cache) return sticky;
  for (std::size_t i = 0; i < words; ++i) at<unsigned>(to)[i] = value;
  return sticky;
}
CUresult CUDAAPI cuMemsetD2D8Async(CUdeviceptr to, std::size_t pitch, unsigned char value, std::size_t width,
                                   std::size_t rows, CUstream) {
  for (std::size_t row = 0; row < rows; ++row) std::memset(at<std::byte>(to) + row * pitch, value, width);
  return sticky;
}
CUresult CUDAAPI cuMemAlloc_v2(CUdeviceptr *address, std::size_t bytes) {
  if (bytes > std::size_t{1} << 30) return CUDA_ERROR_OUT_OF_MEMORY;
  return *address = reinterpret_cast<CUdeviceptr>(new std::byte[bytes]), CUDA_SUCCESS;
}
CUresult CUDAAPI cuMemFree_v2(CUdeviceptr address) {
  return delete[] at<std::byte>(address), CUDA_SUCCESS;
}
CUresult CUDAAPI cuMemHostAlloc(void **address, std::size_t bytes, unsigned) {
  return *address = new std::byte[bytes], CUDA_SUCCESS;
}
CUresult CUDAAPI cuMemFreeHost(void *address) {
  return delete[] static_cast<std::byte *>(address), CUDA_SUCCESS;
}
CUresult CUDAAPI cuMemAddressReserve(CUdeviceptr *address, std::size_t bytes, std::size_t, CUdeviceptr,
                                     unsigned long long) {
  void *reserved = ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return *address = reinterpret_cast<CUdeviceptr>(reserved), CUDA_SUCCESS;
}
CUresult CUDAAPI cuMemAddressFree(CUdeviceptr address, std::size_t bytes) {
  return ::munmap(at<void>(address), bytes), CUDA_SUCCESS;
}
CUresult CUDAAPI cuMemCreate(CUmemGenericAllocationHandle *handle, std::size_t bytes,
                             const CUmemAllocationProp *, unsigned long long) {
  // Physical memory is a file: it can be mapped here and handed to another process.
  if (bytes > std::size_t{1} << 30) return CUDA_ERROR_OUT_OF_MEMORY;
  const int file = ::memfd_create("paper", MFD_CLOEXEC);
  if (::ftruncate(file, static_cast<off_t>(bytes)) != 0) return CUDA_ERROR_OUT_OF_MEMORY;
  return *handle = static_cast<CUmemGenericAllocationHandle>(file), CUDA_SUCCESS;
}
CUresult CUDAAPI cuMemRelease(CUmemGenericAllocationHandle handle) {
  return ::close(static_cast<int>(handle)), CUDA_SUCCESS;
}
CUresult CUDAAPI cuMemExportToShareableHandle(void *file, CUmemGenericAllocationHandle handle,
                                              CUmemAllocationHandleType, unsigned long long) {
  return *static_cast<int *>(file) = ::dup(static_cast<int>(handle)), CUDA_SUCCESS;
}
CUresult CUDAAPI cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *file,
                                                CUmemAllocationHandleType) {
  const int copy = ::dup(static_cast<int>(reinterpret_cast<std::intptr_t>(file)));
  if (copy < 0) return CUDA_ERROR_INVALID_VALUE;
  return *handle = static_cast<CUmemGenericAllocationHandle>(copy), CUDA_SUCCESS;
}
CUresult CUDAAPI cuCtxResetPersistingL2Cache() {
  return CUDA_ERROR_NOT_SUPPORTED;
}
CUresult CUDAAPI cuMemGetAllocationGranularity(std::size_t *bytes, const CUmemAllocationProp *,
                                               CUmemAllocationGranularity_flags) {
  return *bytes = 2 << 20, CUDA_SUCCESS;
}
CUresult CUDAAPI cuMemMap(CUdeviceptr address, std::size_t bytes, std::size_t,
                          CUmemGenericAllocationHandle handle, unsigned long long) {
  const void *mapped = ::mmap(at<void>(address), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                              static_cast<int>(handle), 0);
  return mapped == MAP_FAILED ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
CUresult CUDAAPI cuMemUnmap(CUdeviceptr address, std::size_t bytes) {
  mapped.erase(address);
  return ::mprotect(at<void>(address), bytes, PROT_NONE), CUDA_SUCCESS;
}
CUresult CUDAAPI cuMemSetAccess(CUdeviceptr address, std::size_t bytes, const CUmemAccessDesc *access,
                                std::size_t) {
  Mapped &memory = mapped[address];
  memory.bytes = bytes;
  if (access->flags == CU_MEM_ACCESS_FLAGS_PROT_NONE)
    memory.devices.erase(access->location.id);
  else
    memory.devices.insert(access->location.id);
  return CUDA_SUCCESS;
}

}  // extern "C"
