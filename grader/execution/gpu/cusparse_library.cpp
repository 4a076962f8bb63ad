#include <algorithm>

#include "gpu/library_routine.hpp"
#include "gpu/referee_device.hpp"
#include "gpu/shared_library.hpp"

namespace warpgrade::gpu {
namespace {

/// y = A x for a matrix in CSR. Nothing is analysed ahead: the timed call does all the work, as a launcher
/// does.
class Cusparse final : public LibraryRoutine {
 public:
  Cusparse(const Context &context, const std::vector<std::string> &directories)
      : library_({"cuSPARSE", "libcusparse", {".so.12", ".so.11"}}, directories), scratch_(context) {
    library_.find(create_, "cusparseCreate");
    library_.find(set_stream_, "cusparseSetStream");
    library_.find(version_, "cusparseGetVersion");
    library_.find(error_, "cusparseGetErrorString");
    library_.find(create_csr_, "cusparseCreateCsr");
    library_.find(destroy_matrix_, "cusparseDestroySpMat");
    library_.find(create_vector_, "cusparseCreateDnVec");
    library_.find(destroy_vector_, "cusparseDestroyDnVec");
    library_.find(buffer_size_, "cusparseSpMV_bufferSize");
    library_.find(multiply_, "cusparseSpMV");
    require(create_(&handle_), "cusparseCreate");
    require(set_stream_(handle_, context.stream), "cusparseSetStream");
  }
  ~Cusparse() override { forget(); }

  std::string name_and_version() const override {
    int version = 0;
    require(version_(handle_, &version), "cusparseGetVersion");
    return "cuSPARSE " + std::to_string(version / 1000) + "." + std::to_string(version / 100 % 10) + "." +
           std::to_string(version % 100) + " from " + library_.where();
  }

  void prepare(std::span<const DeviceSpan> operands) override {
    require_operands(operands, 5);
    forget();
    const DeviceSpan &start = operands[0], &column = operands[1], &value = operands[2], &x = operands[3],
                     &y = operands[4];
    const auto at = [](const DeviceSpan &operand) { return reinterpret_cast<void *>(operand.at); };
    if (start.elements() != y.elements() + 1 || column.elements() != value.elements())
      throw DriverUnavailable("the arrays are not those of a matrix in CSR");
    require(create_csr_(&matrix_, y.elements(), x.elements(), value.elements(), at(start), at(column),
                        at(value), indices_32, indices_32, from_zero, real_32),
            "cusparseCreateCsr");
    require(create_vector_(&x_, x.elements(), at(x), real_32), "cusparseCreateDnVec");
    require(create_vector_(&y_, y.elements(), at(y), real_32), "cusparseCreateDnVec");
    std::size_t bytes = 0;
    require(buffer_size_(handle_, not_transposed, &one, matrix_, x_, &zero, y_, real_32, default_algorithm,
                         &bytes),
            "cusparseSpMV_bufferSize");
    scratch_.reserve(std::max<std::size_t>(bytes, 1));
  }

  void run() override {
    require(multiply_(handle_, not_transposed, &one, matrix_, x_, &zero, y_, real_32, default_algorithm,
                      reinterpret_cast<void *>(scratch_.at())),
            "cusparseSpMV");
  }

 private:
  using Object = void *;
  static constexpr float one = 1, zero = 0;
  // cusparseOperation_t, cusparseIndexType_t, cusparseIndexBase_t, cudaDataType and cusparseSpMVAlg_t: as it
  // is stored, 32-bit indices from 0, single precision, and an algorithm of cuSPARSE's choice.
  static constexpr int not_transposed = 0, indices_32 = 2, from_zero = 0, real_32 = 0, default_algorithm = 0;

  void require(int status, const char *what) const {
    if (status != 0) throw DriverUnavailable(std::string(what) + ": " + error_(status));
  }

  void forget() {
    if (matrix_ != nullptr) destroy_matrix_(matrix_);
    for (Object *vector : {&x_, &y_})
      if (*vector != nullptr) destroy_vector_(*vector);
    matrix_ = x_ = y_ = nullptr;
  }

  SharedLibrary library_;
  DeviceMemory scratch_;
  // The part of cuSPARSE's C interface that is used here; versions 11 to 13 of the toolkit have it.
  int (*create_)(Object *) = nullptr;
  int (*set_stream_)(Object, CUstream) = nullptr;
  int (*version_)(Object, int *) = nullptr;
  const char *(*error_)(int) = nullptr;
  int (*create_csr_)(Object *, std::int64_t, std::int64_t, std::int64_t, void *, void *, void *, int, int,
                     int, int) = nullptr;
  int (*destroy_matrix_)(Object) = nullptr;
  int (*create_vector_)(Object *, std::int64_t, void *, int) = nullptr;
  int (*destroy_vector_)(Object) = nullptr;
  int (*buffer_size_)(Object, int, const void *, Object, Object, const void *, Object, int, int,
                      std::size_t *) = nullptr;
  int (*multiply_)(Object, int, const void *, Object, Object, const void *, Object, int, int,
                   void *) = nullptr;
  Object handle_ = nullptr, matrix_ = nullptr, x_ = nullptr, y_ = nullptr;
};

}  // namespace

std::unique_ptr<LibraryRoutine> open_cusparse(const Context &context,
                                              const std::vector<std::string> &directories) {
  return std::make_unique<Cusparse>(context, directories);
}

}  // namespace warpgrade::gpu
