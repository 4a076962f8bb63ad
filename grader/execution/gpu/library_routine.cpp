#include "gpu/library_routine.hpp"

#include <algorithm>

namespace warpgrade::gpu {
namespace {

/// What the memory of this GPU delivers: no library, but a bound for everything that must move as much.
class Copy final : public LibraryRoutine {
 public:
  explicit Copy(const Context &context) : context_(context) {}
  std::string name_and_version() const override { return "cuMemcpyDtoDAsync of the driver"; }
  void prepare(std::span<const DeviceSpan> operands) override {
    require_operands(operands, 2);
    from_ = operands[0];
    to_ = operands[1];
  }
  void run() override {
    const auto &cu = context_.driver;
    if (cu.copy_within(to_.at, from_.at, std::min(from_.bytes, to_.bytes), context_.stream) != CUDA_SUCCESS)
      throw DriverUnavailable("the driver did not start a copy");
  }

 private:
  const Context &context_;
  DeviceSpan from_, to_;
};

}  // namespace

void require_operands(std::span<const DeviceSpan> operands, std::size_t count) {
  if (operands.size() != count)
    throw DriverUnavailable("the routine takes " + std::to_string(count) + " arrays, and the problem has " +
                            std::to_string(operands.size()));
}

std::unique_ptr<LibraryRoutine> open_routine(problem::Routine routine, const Context &context,
                                             const std::vector<std::string> &directories,
                                             const std::vector<std::int32_t> &devices) {
  switch (problem::library_of(routine)) {
    case problem::Library::copy:
      return std::make_unique<Copy>(context);
    case problem::Library::cub:
      return open_cub(routine, context, directories);
    case problem::Library::cusparse:
      return open_cusparse(context, directories);
    case problem::Library::composed:
      return open_composed(context, directories);
    case problem::Library::nccl:
      return open_nccl(context, directories, devices);
    case problem::Library::none:
    case problem::Library::cublas:
      break;
  }
  throw DriverUnavailable(
      "this is neither a routine of CUB, cuSPARSE or NCCL, nor a composition, nor a copy");
}

}  // namespace warpgrade::gpu
