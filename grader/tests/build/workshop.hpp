// Compiles small student files as the grader does, with the starter of hw6. Needs the CUDA Toolkit.
// Each test is a process of its own, so what one has compiled lies in a cache for the others.
#pragma once

#include <cstdlib>
#include <fstream>

#include "build/nvcc.hpp"

namespace warpgrade::tests {

class Workshop {
 public:
  explicit Workshop(const build::Limits &limits = {}, bool cached = true,
                    const sandbox::Sandbox &in = sandbox::Sandbox::detect())
      : sandbox(in),
        nvcc(sandbox, {nvcc_here(), WARPGRADE_WORKER_LIBRARY}, limits,
             cached ? std::optional<std::filesystem::path>(WARPGRADE_TEST_CACHE) : std::nullopt) {}

  const sandbox::Sandbox sandbox;
  const build::Nvcc nvcc;

  build::Request request(const std::filesystem::path &source) const {
    build::Request request;
    request.starter = WARPGRADE_STARTER;
    request.source = source;
    request.file = "step0_naive.cu";
    request.entry = "step0";
    request.problem = "sgemm";
    return request;
  }
  build::Build file(const std::filesystem::path &source) const { return nvcc.build(request(source)); }

  /// `text` behind the include of the course header.
  build::Build text(const std::string &text, const std::string &sass = "") const {
    std::ofstream(scratch_.path() / "student.cu") << "#include \"gemm.h\"\n" << text;
    build::Request made = request(scratch_.path() / "student.cu");
    made.sass = sass;
    return nvcc.build(made);
  }
  const std::filesystem::path &scratch() const { return scratch_.path(); }

 private:
  static std::filesystem::path nvcc_here() {
    const char *path = std::getenv("PATH"), *home = std::getenv("CUDA_HOME");
    return build::Nvcc::find(path == nullptr ? "" : path, home == nullptr ? "" : home).value();
  }
  sandbox::Scratch scratch_;
};

/// A launcher around `body`.
inline std::string launcher(const std::string &body) {
  return "void step0(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) "
         "{" +
         body + "}\n";
}

}  // namespace warpgrade::tests
