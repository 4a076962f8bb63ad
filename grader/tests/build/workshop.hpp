// Compiles small student files as the grader does, with the starter of hw6: by nvcc where the CUDA Toolkit
// is, else, and with WARPGRADE_TEST_TOOLCHAIN=clang, by clang. Each test is a process of its own, so what one
// has compiled is in a cache for the others.
#pragma once

#include <cstdlib>
#include <fstream>
#include <memory>

#include "build/clang.hpp"
#include "build/nvcc.hpp"

namespace warpgrade::tests {

inline std::string variable(const char *name) {
  const char *value = std::getenv(name);
  return value == nullptr ? "" : value;
}

inline bool with_clang() {
#ifdef WARPGRADE_WORKER_LIBRARY
  return variable("WARPGRADE_TEST_TOOLCHAIN") == "clang";
#else
  return true;
#endif
}

/// Throws std::bad_optional_access if the compiler is missing.
inline std::unique_ptr<build::FrontEnd> make_front_end(const sandbox::Sandbox &sandbox, bool clang,
                                                       const build::Limits &limits,
                                                       std::optional<std::filesystem::path> cache) {
#ifdef WARPGRADE_WORKER_LIBRARY
  if (!clang)
    return std::make_unique<build::Nvcc>(
        sandbox,
        build::Nvcc::Files{
            build::Nvcc::find(variable("PATH"), variable("CUDA_HOME")).value(), WARPGRADE_WORKER_LIBRARY,
            build::Clang::find(variable("PATH")).value_or(std::filesystem::path()), WARPGRADE_CUDA_HEADERS},
        limits, std::move(cache));
#endif
  static_cast<void>(clang);
  return std::make_unique<build::Clang>(
      sandbox,
      build::Clang::Files{build::Clang::find(variable("PATH")).value(), WARPGRADE_CUDA_HEADERS,
                          WARPGRADE_WORKER_LIBRARY_CLANG},
      limits, std::move(cache));
}

class Workshop {
 public:
  explicit Workshop(const build::Limits &limits = {},
                    std::optional<std::filesystem::path> cache = WARPGRADE_TEST_CACHE,
                    const sandbox::Sandbox &in = sandbox::Sandbox::detect(), bool clang = with_clang())
      : sandbox(in),
        front_end_(make_front_end(sandbox, clang, limits, std::move(cache))),
        front_end(*front_end_) {}

  const sandbox::Sandbox sandbox;

 private:
  const std::unique_ptr<build::FrontEnd> front_end_;

 public:
  const build::FrontEnd &front_end;

  build::Request request(const std::filesystem::path &source) const {
    build::Request request;
    request.starter = WARPGRADE_STARTER;
    request.source = source;
    request.file = "step0_naive.cu";
    request.entry = "step0";
    request.parameters =
        "int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C";
    return request;
  }
  build::Build file(const std::filesystem::path &source, const std::string &arch = "compute_80") const {
    build::Request made = request(source);
    made.arch = arch;
    return front_end.build(made);
  }

  /// `text` after the include of the course header.
  build::Build text(const std::string &text, const std::string &sass = "") const {
    std::ofstream(scratch_.path() / "student.cu") << "#include \"gemm.h\"\n" << text;
    build::Request made = request(scratch_.path() / "student.cu");
    made.sass = sass;
    return front_end.build(made);
  }
  const std::filesystem::path &scratch() const { return scratch_.path(); }

 private:
  Scratch scratch_;
};

/// A launcher around `body`.
inline std::string launcher(const std::string &body) {
  return "void step0(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C) "
         "{" +
         body + "}\n";
}

}  // namespace warpgrade::tests
