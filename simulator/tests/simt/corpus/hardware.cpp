// corpus_hardware OUT FOLDER...: runs every kernel of the corpus (*.ptx with a corpus header) on the GPU and
// writes the bytes of its output to OUT/<kernel>.out, and what the GPU is to OUT/device.txt.
//
// Needs no toolkit: g++ -std=c++20 hardware.cpp -o corpus_hardware -ldl
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "inputs.hpp"

namespace {

using namespace warpgrade::corpus;
namespace fs = std::filesystem;

/// The few functions of the CUDA driver that are needed, by name.
class Driver {
 public:
  Driver() : library_(dlopen("libcuda.so.1", RTLD_NOW)) {
    if (!library_) throw std::runtime_error("no libcuda.so.1: this needs a machine with an NVIDIA driver");
    call("cuInit", 0u);
    int device = 0;
    call("cuDeviceGet", &device, 0);
    char text[256] = {};
    call("cuDeviceGetName", text, 255, device);
    name = text;
    call("cuDriverGetVersion", &version);
    void *context = nullptr;
    call("cuDevicePrimaryCtxRetain", &context, device);
    call("cuCtxSetCurrent", context);
  }
  template <class... Arguments>
  void call(const char *function, Arguments... arguments) {
    const int status = try_call(function, arguments...);
    if (status != 0)
      throw std::runtime_error(std::string(function) + " gives error " + std::to_string(status));
  }
  template <class... Arguments>
  int try_call(const char *function, Arguments... arguments) {
    void *symbol = dlsym(library_, function);
    if (!symbol) throw std::runtime_error(std::string("the driver has no ") + function);
    return reinterpret_cast<int (*)(Arguments...)>(symbol)(arguments...);
  }
  std::string name;
  int version = 0;

 private:
  void *library_;
};

using Pointer = unsigned long long;

std::vector<std::uint8_t> run(Driver &driver, const std::string &ptx, const Header &header,
                              std::uint32_t skip) {
  char log[8192] = {};
  int options[] = {5, 6};  // error log, its size
  void *values[] = {log, reinterpret_cast<void *>(sizeof log)};
  void *module = nullptr, *function = nullptr;
  if (driver.try_call("cuModuleLoadDataEx", &module, ptx.c_str(), 2u, options, values) != 0)
    throw std::runtime_error(std::string("the driver refuses the PTX: ") + log);
  driver.call("cuModuleGetFunction", &function, module, "k");
  const std::vector<std::uint8_t> input = make_inputs(header.input);
  std::vector<std::uint8_t> output(header.output_bytes);
  Pointer in = 0, out = 0;
  driver.call("cuMemAlloc_v2", &in, input.size());
  driver.call("cuMemAlloc_v2", &out, output.size());
  driver.call("cuMemcpyHtoD_v2", in, static_cast<const void *>(input.data()), input.size());
  driver.call("cuMemsetD8_v2", out, static_cast<unsigned char>(0xCD), output.size());
  void *arguments[] = {&in, &out, &skip};
  void *const none = nullptr;
  driver.call("cuLaunchKernel", function, header.blocks, 1u, 1u, header.threads, 1u, 1u, 0u, none,
              static_cast<void **>(arguments), static_cast<void **>(nullptr));
  driver.call("cuCtxSynchronize");
  driver.call("cuMemcpyDtoH_v2", static_cast<void *>(output.data()), out, output.size());
  driver.call("cuMemFree_v2", in);
  driver.call("cuMemFree_v2", out);
  driver.call("cuModuleUnload", module);
  return output;
}

std::string read(const fs::path &path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Runs one kernel twice and writes what it gives; throws when that does not work.
void record(Driver &driver, const fs::path &path, const fs::path &results) {
  const std::string ptx = read(path);
  Header header;
  if (std::sscanf(ptx.c_str(), header_format, &header.blocks, &header.threads, &header.input,
                  &header.output_bytes) != 4)
    throw std::runtime_error("no corpus header");
  const auto first = run(driver, ptx, header, 99), again = run(driver, ptx, header, 99);
  if (first != again) throw std::runtime_error("two runs give different results");
  std::ofstream file(results / (path.stem().string() + ".out"), std::ios::binary);
  file.write(reinterpret_cast<const char *>(first.data()), static_cast<std::streamsize>(first.size()));
}

struct Progress {
  int next = 0, failed = 0;
};

/// In a child process: an error of a kernel makes the whole context useless, and the next child continues.
[[noreturn]] void work(const std::vector<fs::path> &files, const fs::path &results, Progress &progress) {
  Driver driver;
  std::ofstream(results / "device.txt") << driver.name << ", driver for CUDA " << driver.version / 1000 << '.'
                                        << driver.version % 1000 / 10 << '\n';
  while (progress.next < static_cast<int>(files.size())) {
    const fs::path &path = files[static_cast<std::size_t>(progress.next++)];
    try {
      alarm(60);
      record(driver, path, results);
    } catch (const std::exception &error) {
      std::printf("FAILED %s: %s\n", path.filename().c_str(), error.what());
      ++progress.failed;
      break;
    }
  }
  std::fflush(stdout);
  _exit(0);
}

/// How many kernels failed.
int run_all(const std::vector<fs::path> &files, const fs::path &results) {
  auto &progress = *static_cast<Progress *>(
      mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  while (progress.next < static_cast<int>(files.size())) {
    const int before = progress.next;
    const pid_t child = fork();
    if (child == 0) {
      try {
        work(files, results, progress);
      } catch (const std::exception &error) {
        std::printf("%s\n", error.what());
        std::fflush(stdout);
      }
      _exit(1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (progress.next == before) throw std::runtime_error("the GPU cannot be used");
    if (status != 0) {
      std::printf("FAILED %s: ended with status %d\n",
                  files[static_cast<std::size_t>(progress.next - 1)].filename().c_str(), status);
      ++progress.failed;
    }
  }
  std::printf("%d kernels, %d failed\n", progress.next, progress.failed);
  return progress.failed;
}

}  // namespace

int main(int argc, char **argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: corpus_hardware OUT FOLDER...\n");
    return 2;
  }
  try {
    fs::create_directories(argv[1]);
    std::vector<fs::path> files;
    for (int i = 2; i < argc; ++i)
      for (const auto &entry : fs::directory_iterator(argv[i]))
        if (entry.path().extension() == ".ptx") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return run_all(files, argv[1]) == 0 ? 0 : 1;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "corpus_hardware: %s\n", error.what());
    return 3;
  }
}
