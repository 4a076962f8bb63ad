// What is not right with a machine, and what to do about it: sentences from facts, so that every case can be
// told without having such a machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/packages.hpp"
#include "gpu/gpu.hpp"

namespace warpgrade::doctor {

/// Where files are written.
struct Folder {
  std::string name, path;  ///< "temporary files", "/tmp"
  bool writable = true;
  bool runs_programs = true;  ///< not mounted noexec
  std::uint64_t free_bytes = 0, free_files = 0;
};

struct MachineFacts {
  std::string nvcc;           ///< its path; empty when there is none that this program can use
  bool knows_nvcc = true;     ///< false: built where there was no CUDA Toolkit
  std::string nvcc_version;   ///< "13.0"; empty when it does not run
  std::string host_compiler;  ///< the first line of `g++ --version`; empty when there is none
  bool trial_built = false;
  std::string trial_log;      ///< what the compiler said, when it did not
  std::string clang;          ///< its path; empty when there is none
  std::string clang_version;  ///< "14.0"; empty when it does not run or is too old
  bool clang_trial_built = false;
  std::string clang_trial_log;
  bool contained = false;           ///< a sandbox holds student code
  std::string sandbox;              ///< what the sandbox says of itself
  bool bubblewrap = true;           ///< it is installed
  bool namespaces_off = false;      ///< for users without privileges, by the kernel's settings
  bool apparmor_restricts = false;  ///< Ubuntu 24.04 and later
  bool in_container = false;
  bool wsl = false;
  PackageManager packages = PackageManager::apt;
  std::string here;  ///< the working directory
  gpu::DeviceQuery gpus;
  bool nvidia_hardware = false;       ///< a card on the bus
  bool nvidia_module = false;         ///< the driver's half in the kernel is loaded
  bool device_files_readable = true;  ///< those that are there may be opened
  std::vector<Folder> folders;
};

struct Finding {
  enum class Level : std::uint8_t {
    good,
    note,   ///< it works; something could be better
    wrong,  ///< nothing can be graded like this
  };
  Level level = Level::good;
  std::string what;               ///< "compiler"
  std::string details;            ///< one sentence
  std::vector<std::string> todo;  ///< what to do about it, a sentence or a command each
  bool operator==(const Finding &) const = default;
};

/// Everything that is worth saying, in the order in which to put it right.
std::vector<Finding> diagnose(const MachineFacts &);

/// What a failed compiler run means for a machine, as opposed to a student's text; nothing when it is
/// unknown.
std::optional<Finding> explain_failed_compile(const std::string &log,
                                              PackageManager packages = PackageManager::apt);

}  // namespace warpgrade::doctor
