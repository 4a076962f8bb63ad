// Builds one file of launchers/ and records calls of its launcher; M chooses what it does.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "plan/describe.hpp"
#include "record/recorder.hpp"
#include "tests/build/workshop.hpp"

namespace warpgrade::tests {

class Studio {
 public:
  explicit Studio(const std::string &file, const record::Limits &limits = {},
                  const sandbox::Sandbox &in = sandbox::Sandbox::detect(),
                  const std::string &arch = "compute_80")
      : workshop_({}, WARPGRADE_TEST_CACHE, in),
        build(workshop_.file(std::filesystem::path(WARPGRADE_LAUNCHERS) / file, arch)),
        recorder(in, build, limits, WARPGRADE_RECORD_SERVER) {}

 private:
  const Workshop workshop_;

 public:
  const build::Build build;
  const record::Recorder recorder;

  /// M is the launcher's choice, N = K = 4; A, B and C have 64 bytes each.
  record::Recording record(int M, const plan::DeviceProperties &device = {}) const {
    plan::CallRequest request;
    request.parameters =
        "int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C";
    request.integers = {M, 4, 4};
    request.reals = {1.5, 0.5};
    for (const char *name : {"A", "B", "C"}) request.buffers.push_back({plan::Owner::judge, name, 64});
    request.device = device;
    return recorder.record(request);
  }

  /// The operations of a recording in words, one a line.
  std::string operations(const record::Recording &recording) const {
    std::string all;
    for (const plan::Operation &operation : recording.plan.operations) {
      all += plan::describe(operation, recording.plan, build.kernels) + "\n";
    }
    return all;
  }
};

/// The parent of a process, 0 when there is none.
inline int parent_of(int process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("PPid:")) return std::atoi(line.c_str() + 5);
  }
  return 0;
}

/// Worker processes below this one.
inline int workers_alive() {
  int count = 0;
  for (const std::filesystem::directory_entry &entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "cmdline");
    std::string line;
    std::getline(file, line, '\0');
    if (line != "worker") continue;
    int ancestor = std::atoi(entry.path().filename().c_str());
    while (ancestor != 0 && ancestor != ::getpid()) ancestor = parent_of(ancestor);
    count += ancestor != 0;
  }
  return count;
}

}  // namespace warpgrade::tests
