// clang as a front end for machines without the CUDA Toolkit: it compiles CUDA C++ to PTX and to a host
// object by itself, with the headers of build/include instead of the toolkit's.
#pragma once

#include "build/sandboxed.hpp"

namespace warpgrade::build {

class Clang : public SandboxedFrontEnd {
 public:
  struct Files {
    std::filesystem::path clang;           ///< clang++, of release 14 or later
    std::filesystem::path headers;         ///< the folder with cuda_runtime.h: ".../cuda/include"
    std::filesystem::path worker_library;  ///< libwarpgrade_worker_clang.a, made with these headers
  };

  /// clang++ or the newest clang++-NN in PATH; none if there is none. `path` is the value of PATH.
  static std::optional<std::filesystem::path> find(const std::string &path);

  /// Copies the headers of `from` to `folder`/include, each with a time that never changes.
  static void lay_out_headers(const std::filesystem::path &from, const std::filesystem::path &folder);

  /// cache   where builds are kept between runs; nothing: no cache
  /// throws  std::runtime_error: clang is too old or does not run in the sandbox, or a file is missing
  Clang(const sandbox::Sandbox &, Files, const Limits &,
        std::optional<std::filesystem::path> cache = std::nullopt);

 private:
  std::vector<std::string> environment(const Request &, const std::filesystem::path &tools) const override;
  void equip(const Request &, const std::filesystem::path &folder) const override;
  std::string target(const Request &) const override;
  std::vector<std::string> variables(int target) const;
  /// The precompiled headers for one target, built if necessary. Empty without a cache, or if the working
  /// folder has no permanent name.
  std::optional<std::filesystem::path> read_beforehand(int target) const;
  std::vector<std::filesystem::path> read_only() const override;
  std::string why_not(const Request &) const override;
  std::string device_alone() const override;
  std::string list_headers() const override;
  std::string headers_in(const std::string &list) const override;
  std::string with_hints(std::string log) const override;
  std::string why_no_registers() const override;
  void take_device_code(const Request &, const std::filesystem::path &made, Build &) const override;

  bool contained_;
  std::filesystem::path clang_, headers_, own_headers_;
  std::string key_;  ///< of compiler and headers, for names in the cache
  int release_ = 0;
};

}  // namespace warpgrade::build
