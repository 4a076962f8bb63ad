#include "plan/signature.hpp"

#include <algorithm>
#include <array>

namespace warpgrade::plan {
namespace {

constexpr std::string_view pitched_parameters =
    "int n, int m, int p, int pitch_a, int pitch_b, int pitch_c, int grid_x, int grid_y, int block_x, int "
    "block_y, float *a, float *b, float *c";
constexpr std::string_view square_parameters = "int n, const float *M, const float *N, float *P";
constexpr std::array known = {
    Signature{"sgemm",
              "int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C",
              "iiifPKfS0_fPf", 3, 2, 3},
    Signature{"pitched", pitched_parameters, "iiiiiiiiiiPfS_S_", 10, 0, 3},
    Signature{"tiled", "int n, int block, int transposed, const float *A, const float *B, float *C",
              "iiiPKfS0_Pf", 3, 0, 3},
    Signature{"square", square_parameters, "iPKfS0_Pf", 1, 0, 3},
    Signature{"square_by_columns", square_parameters, "iPKfS0_Pf", 1, 0, 3},
    Signature{"square_coarsened", "int n, int factor, const float *M, const float *N, float *P", "iiPKfS0_Pf",
              2, 0, 3},
    Signature{"exercise", "int n, const float *a, const float *b, const float *c, float *d, float *e",
              "iPKfS0_S0_PfS1_", 1, 0, 5},
    Signature{"histogram", "int n, int bins, const unsigned *x, unsigned *counts", "iiPKjPj", 2, 0, 2},
    Signature{"pitched_transposed", pitched_parameters, "iiiiiiiiiiPfS_S_", 10, 0, 3},
};

}  // namespace

std::span<const Signature> signatures() {
  return known;
}

const Signature *find_signature(std::string_view problem) {
  const auto found =
      std::find_if(known.begin(), known.end(), [&](const Signature &s) { return s.problem == problem; });
  return found == known.end() ? nullptr : &*found;
}

std::string declaration(const Signature &signature, std::string_view name) {
  return "void " + std::string(name) + "(" + std::string(signature.parameters) + ")";
}

std::string mangled_entry(const Signature &signature, std::string_view name) {
  return "_Z" + std::to_string(name.size()) + std::string(name) + std::string(signature.mangled);
}

}  // namespace warpgrade::plan
