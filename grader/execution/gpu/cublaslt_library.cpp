#include "gpu/cublaslt_library.hpp"

namespace warpgrade::gpu {
namespace {

constexpr std::uint64_t workspace_bytes = 32 << 20;  // what NVIDIA advises for Hopper
/// cublasComputeType_t, cudaDataType_t, cublasLtMatmulDescAttributes_t, cublasLtMatmulPreferenceAttributes_t
constexpr int sums_in_32 = 68, of_results = 0, of_factors = 28;
constexpr int of_first = 3, fast_sums = 25, most_workspace = 1;
constexpr int by_rows = 1;

void must(int status, const char *what) {
  if (status != 0) throw DriverUnavailable(std::string(what) + ": cuBLAS status " + std::to_string(status));
}

}  // namespace

CublasLt::CublasLt(const std::vector<std::string> &directories, const Context &context)
    : context_(context),
      library_({"cuBLASLt", "libcublasLt", {".so.13", ".so.12", ".so.11"}}, directories),
      workspace_(context) {
  library_.find(create_, "cublasLtCreate");
  library_.find(create_product_, "cublasLtMatmulDescCreate");
  library_.find(set_product_, "cublasLtMatmulDescSetAttribute");
  library_.find(create_layout_, "cublasLtMatrixLayoutCreate");
  library_.find(destroy_layout_, "cublasLtMatrixLayoutDestroy");
  library_.find(create_preference_, "cublasLtMatmulPreferenceCreate");
  library_.find(set_preference_, "cublasLtMatmulPreferenceSetAttribute");
  library_.find(find_, "cublasLtMatmulAlgoGetHeuristic");
  library_.find(multiply_, "cublasLtMatmul");
  must(create_(&handle_), "cublasLtCreate");
  must(create_product_(&of_product_, sums_in_32, of_results), "cublasLtMatmulDescCreate");
  // By columns, C' = B A', where B' and A' lie as their rows do.
  must(set_product_(of_product_, of_first, &by_rows, sizeof by_rows), "cublasLtMatmulDescSetAttribute");
  // Without it, sums would go through registers again and again to keep more bits, which no step does.
  constexpr std::int8_t yes = 1;
  must(set_product_(of_product_, fast_sums, &yes, sizeof yes), "cublasLtMatmulDescSetAttribute");
  must(create_preference_(&preference_), "cublasLtMatmulPreferenceCreate");
  must(set_preference_(preference_, most_workspace, &workspace_bytes, sizeof workspace_bytes),
       "cublasLtMatmulPreferenceSetAttribute");
  workspace_.reserve(workspace_bytes);
}

void CublasLt::choose(const problem::MatrixProduct &p) {
  for (Handle &layout : layouts_) {
    if (layout != nullptr) destroy_layout_(layout);
    layout = nullptr;
  }
  chosen_for_ = {};
  const auto m = static_cast<std::uint64_t>(p.m), n = static_cast<std::uint64_t>(p.n),
             k = static_cast<std::uint64_t>(p.k);
  auto &[a, b, c] = layouts_;
  must(create_layout_(&a, of_factors, k, m, p.k), "cublasLtMatrixLayoutCreate");
  must(create_layout_(&b, of_factors, k, n, p.k), "cublasLtMatrixLayoutCreate");
  must(create_layout_(&c, of_results, n, m, p.n), "cublasLtMatrixLayoutCreate");
  int found = 0;
  const int status = find_(handle_, of_product_, b, a, c, c, preference_, 1, &choice_, &found);
  if (status != 0 || found == 0)
    throw DriverUnavailable("cuBLASLt has no algorithm for this size (status " + std::to_string(status) +
                            ")");
  chosen_for_ = {p.m, p.n, p.k};
}

void CublasLt::multiply(const problem::MatrixProduct &p, CUdeviceptr a, CUdeviceptr b, CUdeviceptr c) {
  if (chosen_for_ != std::array{p.m, p.n, p.k}) choose(p);
  const auto at = [](CUdeviceptr address) { return reinterpret_cast<void *>(address); };
  must(multiply_(handle_, of_product_, &p.alpha, at(b), layouts_[1], at(a), layouts_[0], &p.beta, at(c),
                 layouts_[2], at(c), layouts_[2], &choice_, at(workspace_.at()), workspace_bytes,
                 context_.stream),
       "cublasLtMatmul");
}

}  // namespace warpgrade::gpu
