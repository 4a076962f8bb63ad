// The CUDA Toolkit's compiler as a front end.
#pragma once

#include "build/sandboxed.hpp"

namespace warpgrade::build {

class Nvcc : public SandboxedFrontEnd {
 public:
  struct Files {
    std::filesystem::path nvcc;            ///< links are followed
    std::filesystem::path worker_library;  ///< libwarpgrade_worker.a, made with the toolkit's headers
    /// clang++ and the headers with which it compiles, for a second opinion on a file that nvcc rejects;
    /// empty: none.
    std::filesystem::path clang = {}, clang_headers = {};
  };

  /// The nvcc of PATH, of $CUDA_HOME's value as the caller read it (may be empty), or of /usr/local/cuda;
  /// none if there is none. `path` is the value of PATH.
  static std::optional<std::filesystem::path> find(const std::string &path, const std::string &cuda_home);

  /// cache   where builds are kept between runs; nothing: no cache
  /// throws  std::runtime_error: nvcc does not run in the sandbox, or the worker library is missing
  Nvcc(const sandbox::Sandbox &, Files, const Limits &,
       std::optional<std::filesystem::path> cache = std::nullopt);

  Build with_machine_code(Build, const std::string &sm) const override;

 private:
  std::vector<std::string> environment(const Request &, const std::filesystem::path &tools) const override;
  std::vector<std::filesystem::path> read_only() const override;
  std::string try_first() const override;
  std::string after_make() const override;
  std::string list_headers() const override;
  std::string headers_in(const std::string &list) const override { return list; }
  std::string second_opinion(const Request &, const std::filesystem::path &work,
                             const std::string &log) const override;
  void read_resources(const Request &, const std::string &log, Build &) const override;
  void take_device_code(const Request &, const std::filesystem::path &made, Build &) const override;

  std::filesystem::path nvcc_, clang_, clang_headers_;
};

}  // namespace warpgrade::build
