// The CUDA Toolkit's compiler as a front end, through the starter's own Makefile.
#pragma once

#include <optional>

#include "build/build.hpp"
#include "build/cache.hpp"

namespace warpgrade::build {

class Nvcc : public FrontEnd {
 public:
  struct Files {
    std::filesystem::path nvcc;            ///< links are followed
    std::filesystem::path worker_library;  ///< libwarpgrade_worker.a
  };

  /// The nvcc of PATH, of $CUDA_HOME's value as the caller read it (may be empty), or of /usr/local/cuda;
  /// none if there is none. `path` is the value of PATH.
  static std::optional<std::filesystem::path> find(const std::string &path, const std::string &cuda_home);

  /// cache   where builds are kept between runs; nothing: no cache
  /// throws  std::runtime_error: nvcc does not run in the sandbox, or the worker library is not there
  Nvcc(const sandbox::Sandbox &, Files, const Limits &,
       std::optional<std::filesystem::path> cache = std::nullopt);

  Build build(const Request &) const override;
  std::string name() const override { return name_; }

 private:
  struct Inputs;
  Inputs read_inputs(const Request &) const;
  std::optional<Build> refuse_inputs(const Request &, const Inputs &) const;
  std::vector<std::byte> cache_key(const Request &, const Inputs &, const std::string &entry) const;
  Build build_anew(const Request &, const Inputs &, const std::string &entry) const;
  sandbox::Outcome compile(const Request &, const std::filesystem::path &work,
                           const std::string &entry) const;
  void judge(const Request &, const sandbox::Outcome &, const std::filesystem::path &work, Build &) const;
  void judge_link(const Request &, const std::filesystem::path &work, Build &) const;
  std::string beyond(const std::string &limit, const Request &) const;
  std::optional<std::string> forbidden_header(const std::filesystem::path &kept) const;
  void take_products(const Request &, const std::filesystem::path &work, Build &) const;
  std::vector<std::filesystem::path> toolkit() const;

  sandbox::Sandbox sandbox_;
  Files files_;
  std::filesystem::path root_;  ///< of the toolkit
  Limits limits_;
  std::optional<Cache> cache_;
  std::string name_;
  std::vector<std::byte> identity_;  ///< of the tools, for the cache: another nvcc is another build
};

}  // namespace warpgrade::build
