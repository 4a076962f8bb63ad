// A library that is opened at run time, NVIDIA's or ours; its headers are not needed.
#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "gpu/driver.hpp"

namespace warpgrade::gpu {

/// The directories, then where the build leaves libraries of ours: beside the program, or in the build folder
/// below a copy of it.
std::vector<std::string> and_beside_the_program(std::vector<std::string> directories);

/// Stays open as long as the process.
class SharedLibrary {
 public:
  struct Name {
    std::string called;                ///< "cuBLAS"
    std::string file;                  ///< "libcublas"
    std::vector<std::string> endings;  ///< ".so.13", ".so.12": the first one that is there
    std::string before = {};           ///< a library that it needs and that is beside it: "libcublasLt"
    bool many = false;                 ///< "were not found"
  };
  /// Looks in `directories`, then where the linker does, then in /usr/local/cuda/lib64. Throws
  /// DriverUnavailable: "cuBLAS was not found (libcublas.so.13, .so.12; looked in ...)".
  SharedLibrary(const Name &name, std::vector<std::string> directories);

  const std::string &where() const { return where_; }
  /// Sets a pointer to the function of that name. Throws DriverUnavailable.
  template <typename Function>
  void find(Function *&function, const char *name) const {
    static_assert(std::is_function_v<Function>);
    function = reinterpret_cast<Function *>(symbol(name));
  }

 private:
  void *symbol(const char *name) const;

  void *handle_ = nullptr;
  std::string where_;
};

}  // namespace warpgrade::gpu
