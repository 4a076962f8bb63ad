// Device code of the program: fat binaries as its constructors register them, loaded when first used.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "decode/device_code.hpp"
#include "ptx/module.hpp"
#include "runtime/state.hpp"

namespace warpgrade::cuda {

/// Separates the PTX texts in an image that cuLinkComplete made.
inline constexpr std::string_view next_text = "\n// the next text that was linked\n";

/// Why a module cannot be run: an error code of the runtime, with a sentence for the report.
struct LoadProblem {
  int error = 0;  ///< cudaErrorNoKernelImageForDevice, cudaErrorInvalidPtx, ...
  std::string message;
};

/// One fat binary.
class Module {
 public:
  /// wrapper: what nvcc's constructor hands over
  explicit Module(const void *wrapper) : wrapper_(wrapper) {}
  /// PTX text, a fat binary or machine code, which a program loads while it runs.
  explicit Module(std::vector<std::byte> image) : image_(std::move(image)) {}

  /// Parses the PTX text that fits best. Names that `taken` has (kernels and variables of other files) get a
  /// suffix, and all of them are added to it.
  void parse(std::set<std::string, std::less<>> &taken);
  bool parsed() const { return parsed_; }
  const LoadProblem &problem() const { return problem_; }
  const std::shared_ptr<const ptx::Module> &ptx() const { return ptx_; }

  /// The name under which the simulator knows what the program calls `name`.
  const std::string &renamed(const std::string &name) const;
  /// Of a kernel by the program's name, or nullptr; only when parsed. Registers are those that ptxas gave the
  /// kernel for the newest machine code that is no newer than this device; 0 when the program holds none.
  const ptx::KernelLayout *layout_of(const std::string &kernel);

  /// Whether a kernel, by its name here, or a function that it may call, has a fence of system scope.
  bool fences_system(const std::string &kernel);
  /// Whether no function of the module has a volatile access or one of system scope: then no kernel of it can
  /// tell the host anything while it runs.
  bool is_scoped();

  std::vector<Variable *> managed;                               ///< variables to place before loading
  std::vector<std::unique_ptr<Variable>> own_managed;            ///< of a module that was loaded by a call
  std::uint32_t loaded = 0;                                      ///< into devices, one bit each by number
  std::shared_ptr<const simt::DeviceCode> code;                  ///< once it was loaded, for all of them
  std::map<std::string, std::uint64_t, std::less<>> managed_at;  ///< where managed variables are

 private:
  void read();
  void read_registered(std::vector<ptx::Module> &parts);
  void read_image(std::vector<ptx::Module> &parts);
  const void *wrapper_ = nullptr;
  std::vector<std::byte> image_;
  bool parsed_ = false;
  LoadProblem problem_;
  std::shared_ptr<const ptx::Module> ptx_;
  std::map<std::string, std::string> renamed_;
  std::map<std::string, int> registers_;
  std::optional<std::set<std::string>> system_fences_;  ///< kernels with one; "": other functions
  std::optional<bool> scoped_;
  std::map<std::string, ptx::KernelLayout, std::less<>> layouts_;
};

}  // namespace warpgrade::cuda
