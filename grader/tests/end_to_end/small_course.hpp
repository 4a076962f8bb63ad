// A course of two short steps in a folder of its own, and classes of as many different files as are asked
// for.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "tests/places.hpp"

namespace warpgrade::tests {

struct CommandResult {
  int status = -1;
  std::string output;  ///< both streams
};

/// Runs a command line of ours in a shell.
inline CommandResult shell(const std::string &command, const std::filesystem::path &folder) {
  CommandResult r;
  FILE *pipe = popen(("cd '" + folder.string() + "' && { " + command + "\n} 2>&1 </dev/null").c_str(), "r");
  std::array<char, 4096> piece{};
  for (std::size_t n; (n = fread(piece.data(), 1, piece.size(), pipe)) > 0;) r.output.append(piece.data(), n);
  const int status = pclose(pipe);
  r.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return r;
}

inline std::string text_of(const std::filesystem::path &file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class SmallCourse {
 public:
  SmallCourse() {
    namespace fs = std::filesystem;
    std::string name = (fs::temp_directory_path() / "gradebook-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    root_ = name;
    fs::permissions(root_, fs::perms(0755));
    const fs::path repository = fs::path(place::root);
    for (const char *part : {"assignments/hw6/thresholds", "starter"}) fs::create_directories(root_ / part);
    fs::copy(repository / "starter/hw6", root_ / "starter/hw6");
    solutions_ = repository / "solutions/hw6";
    write("assignments/hw6/thresholds/default.yaml",
          "gpu: {match: \"*\"}\nsteps:\n  step1: {size: 512, pass: 0.01 cublas, full: 0.02 cublas}\n");
    write("assignments/hw6/assignment.yaml", R"yaml(assignment: hw6
title: Two steps
problem: sgemm
points: 100
seed: 42
arch: compute_80
tolerance: 2.0e-6
limits:
  compile: {wall_seconds: 60, cpu_seconds: 60, memory_mib: 4096, file_mib: 64, log_kib: 64}
  record: {wall_seconds: 5, cpu_seconds: 2, memory_mib: 512, output_kib: 64}
  plan: {plan_mib: 32, operations: 10000, launches: 1000, buffers: 1000, scratch_mib: 4096, threads: 1.0e+10}
  simulate: {warp_instructions: 1.0e+8, printed_kib: 64}
  gpu: {wall_seconds: 10}
  archive: {packed_mib: 16, unpacked_mib: 64, source_kib: 1024, ratio: 100, ratio_from_kib: 1024, entries: 2000, depth: 2,
            name_bytes: 512, memory_mib: 1024, wall_seconds: 20}
timing: {least_samples: 20, most_samples: 60, interval: 0.005, seconds: 30}
calibration: {pass: 0.5, full: 0.9}
counters: {m: 64, n: 64, k: 64}
case_sets:
  square:
    - {m: 1, n: 1, k: 1}
    - {m: 33, n: 33, k: 33}
steps:
  - {id: step0, title: Naive, file: step0_naive.cu, entry: step0, points: {correct: 40}, cases: square}
  - {id: step1, title: Coalesced, file: step1_coalesced.cu, entry: step1, points: {correct: 50, fast: 10}, cases: square}
)yaml");
  }
  ~SmallCourse() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  SmallCourse(const SmallCourse &) = delete;
  SmallCourse &operator=(const SmallCourse &) = delete;

  const std::filesystem::path &root() const { return root_; }
  std::filesystem::path operator/(const std::string &name) const { return root_ / name; }

  void write(const std::string &name, const std::string &text) const {
    std::filesystem::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name, std::ios::binary) << text;
  }
  void replace(const std::string &name, const std::string &from, const std::string &to) const {
    std::string text = text_of(root_ / name);
    const std::size_t at = text.find(from);
    if (at == std::string::npos) throw std::runtime_error(name + " has no " + from);
    write(name, text.replace(at, from.size(), to));
  }
  std::string solution(const std::string &file) const { return text_of(solutions_ / file); }
  /// The solutions, told apart by a remark.
  void hand_in(const std::string &student, const std::string &remark) const {
    for (const char *file : {"step0_naive.cu", "step1_coalesced.cu"})
      write("class/" + student + "/" + file, solution(file) + "// " + remark + "\n");
  }

 private:
  std::filesystem::path root_, solutions_;
};

}  // namespace warpgrade::tests
