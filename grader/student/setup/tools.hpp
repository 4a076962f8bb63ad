// The files that travel inside the program: what student objects are linked with, the program that starts
// workers, and the simulator. One executable is then all that a kit needs.
#pragma once

#include <filesystem>

#include "sandbox/sandbox.hpp"

namespace warpgrade {

/// Unpacks them; they go when this goes. Throws std::runtime_error when they cannot be written.
class Tools {
 public:
  Tools();
  /// For nvcc; empty where this program was built without the CUDA Toolkit.
  std::filesystem::path worker_library() const { return scratch_.path() / "libwarpgrade_worker.a"; }
  static bool has_worker_for_nvcc();
  /// For clang, and the headers that it compiles with.
  std::filesystem::path worker_library_clang() const {
    return scratch_.path() / "libwarpgrade_worker_clang.a";
  }
  std::filesystem::path cuda_headers() const { return scratch_.path() / "cuda" / "include"; }
  std::filesystem::path record_server() const { return scratch_.path() / "record_server"; }
  std::filesystem::path simulator() const { return scratch_.path() / "simulator"; }

 private:
  Scratch scratch_;
};

}  // namespace warpgrade
