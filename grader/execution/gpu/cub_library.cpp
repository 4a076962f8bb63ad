#include <array>

#include "gpu/cub_module.hpp"
#include "gpu/library_routine.hpp"
#include "gpu/referee_device.hpp"
#include "gpu/shared_library.hpp"

namespace warpgrade::gpu {
namespace {

class Cub final : public LibraryRoutine {
 public:
  Cub(problem::Routine routine, const Context &context, const std::vector<std::string> &directories)
      : library_({"CUB, which `make` compiles where the CUDA Toolkit is,", "libwarpgrade_cub", {".so"}},
                 and_beside_the_program(directories)),
        routine_(static_cast<std::uint32_t>(routine)),
        context_(context),
        scratch_(context) {
    library_.find(run_, cub_run);
    library_.find(version_, cub_version);
    library_.find(error_, cub_error);
  }

  std::string name_and_version() const override {
    const int version = version_();
    return "CUB " + std::to_string(version / 100000) + "." + std::to_string(version / 100 % 1000) + "." +
           std::to_string(version % 100) + " from " + library_.where();
  }

  void prepare(std::span<const DeviceSpan> operands) override {
    addresses_.clear();
    bytes_.clear();
    for (const DeviceSpan &operand : operands) {
      addresses_.push_back(reinterpret_cast<void *>(operand.at));
      bytes_.push_back(operand.bytes);
    }
    scratch_bytes_ = 0;
    call(nullptr);
    if (scratch_bytes_ == 0) scratch_bytes_ = 1;  // null would ask again
    scratch_.reserve(scratch_bytes_);
  }

  void run() override { call(reinterpret_cast<void *>(scratch_.at())); }

 private:
  void call(void *scratch) {
    const int error =
        run_(routine_, addresses_.data(), bytes_.data(), static_cast<std::uint32_t>(addresses_.size()),
             scratch, &scratch_bytes_, context_.stream);
    if (error != 0) throw DriverUnavailable(std::string("CUB failed: ") + error_(error));
  }

  SharedLibrary library_;
  CubRun *run_ = nullptr;
  CubVersion *version_ = nullptr;
  CubError *error_ = nullptr;
  std::uint32_t routine_;
  const Context &context_;
  DeviceMemory scratch_;
  std::vector<void *> addresses_;
  std::vector<std::uint64_t> bytes_;
  std::uint64_t scratch_bytes_ = 0;
};

}  // namespace

std::unique_ptr<LibraryRoutine> open_cub(problem::Routine routine, const Context &context,
                                         const std::vector<std::string> &directories) {
  return std::make_unique<Cub>(routine, context, directories);
}

}  // namespace warpgrade::gpu
