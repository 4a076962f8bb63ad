#include "prove/linear.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#ifdef WARPGRADE_HAVE_ISL
#include <isl/aff.h>
#include <isl/ctx.h>
#include <isl/local_space.h>
#include <isl/lp.h>
#include <isl/mat.h>
#include <isl/options.h>
#include <isl/point.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/val.h>
#endif

namespace warpgrade::prove {

#ifdef WARPGRADE_HAVE_ISL
namespace {

/// Of one question, some tenths of a second: an operation of the library touches all of its table now and then.
constexpr unsigned long most_work = 12'000'000, least_operations = 1000;

isl_val *to_val(isl_ctx *ctx, Integer n) {
  const bool negative = n < 0;
  const unsigned __int128 size =
      negative ? -static_cast<unsigned __int128>(n) : static_cast<unsigned __int128>(n);
  const std::array<std::uint64_t, 2> chunks{static_cast<std::uint64_t>(size),
                                            static_cast<std::uint64_t>(size >> 64)};
  isl_val *v = isl_val_int_from_chunks(ctx, 2, sizeof chunks[0], chunks.data());
  return negative ? isl_val_neg(v) : v;
}

/// Nothing if it needs more than 100 bits.
std::optional<Integer> from_val(isl_val *v) {
  std::optional<Integer> result;
  const bool negative = isl_val_is_neg(v) == isl_bool_true;
  std::array<std::uint64_t, 2> chunks{};
  const isl_size count = v == nullptr ? -1 : isl_val_n_abs_num_chunks(v, sizeof chunks[0]);
  if (count >= 0 && count <= 2 &&
      isl_val_get_abs_num_chunks(v, sizeof chunks[0], chunks.data()) == isl_stat_ok &&
      chunks[1] < (std::uint64_t{1} << 36)) {
    const Integer size = static_cast<Integer>(chunks[1]) << 64 | chunks[0];
    result = negative ? -size : size;
  }
  isl_val_free(v);
  return result;
}

}  // namespace

struct LinearSolver::Context {
  isl_ctx *ctx = isl_ctx_alloc();
  Context() { isl_options_set_on_error(ctx, ISL_ON_ERROR_CONTINUE); }
  ~Context() { isl_ctx_free(ctx); }
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;

  isl_mat *matrix(const Conjunction &atoms, bool equality, const std::map<Monomial, int> &columns) const {
    const auto rows =
        std::count_if(atoms.begin(), atoms.end(), [&](const Atom &a) { return a.equality == equality; });
    isl_mat *m = isl_mat_alloc(ctx, static_cast<unsigned>(rows), static_cast<unsigned>(columns.size() + 1));
    int row = 0;
    for (const Atom &atom : atoms) {
      if (atom.equality != equality) continue;
      for (int column = 0; column <= static_cast<int>(columns.size()); ++column)
        m = isl_mat_set_element_si(m, row, column, 0);
      for (const auto &[monomial, factor] : atom.polynomial.terms())
        m = isl_mat_set_element_val(
            m, row, monomial.empty() ? static_cast<int>(columns.size()) : columns.at(monomial),
            to_val(ctx, factor));
      ++row;
    }
    return m;
  }
};

LinearSolver::LinearSolver() : context_(std::make_unique<Context>()) {}
LinearSolver::~LinearSolver() = default;
bool LinearSolver::available() {
  return true;
}

Solution LinearSolver::solve(const Conjunction &atoms, bool fractions) {
  isl_ctx *ctx = context_->ctx;
  std::map<Monomial, int> columns;
  for (const Atom &atom : atoms)
    for (const auto &[monomial, factor] : atom.polynomial.terms())
      if (!monomial.empty()) columns.try_emplace(monomial, static_cast<int>(columns.size()));
  isl_ctx_set_max_operations(
      ctx, std::max(least_operations, most_work / ((atoms.size() + 1) * (columns.size() + 1))));
  isl_ctx_reset_operations(ctx);
  isl_space *space = isl_space_set_alloc(ctx, 0, static_cast<unsigned>(columns.size()));
  isl_basic_set *set = isl_basic_set_from_constraint_matrices(
      space, context_->matrix(atoms, true, columns), context_->matrix(atoms, false, columns), isl_dim_set,
      isl_dim_div, isl_dim_param, isl_dim_cst);
  Solution result;
  if (fractions) {
    isl_aff *zero = isl_aff_zero_on_domain(isl_local_space_from_space(isl_basic_set_get_space(set)));
    isl_val *most = isl_basic_set_max_lp_val(set, zero);
    if (isl_val_is_nan(most) == isl_bool_true) result.emptiness = Emptiness::empty;
    isl_val_free(most);
    isl_aff_free(zero);
    isl_basic_set_free(set);
    isl_ctx_reset_error(ctx);
    return result;
  }
  isl_point *point = isl_basic_set_sample_point(set);
  if (point == nullptr) {
    isl_ctx_reset_error(ctx);
    return result;
  }
  if (isl_point_is_void(point) == isl_bool_true) {
    result.emptiness = Emptiness::empty;
  } else {
    result.emptiness = Emptiness::has_point;
    for (const auto &[monomial, column] : columns) {
      if (monomial.size() != 1) continue;
      const auto value = from_val(isl_point_get_coordinate_val(point, isl_dim_set, column));
      if (value) result.point[monomial.front()] = *value;
    }
  }
  isl_point_free(point);
  return result;
}

#else

struct LinearSolver::Context {};
LinearSolver::LinearSolver() = default;
LinearSolver::~LinearSolver() = default;
bool LinearSolver::available() {
  return false;
}
Solution LinearSolver::solve(const Conjunction &, bool) {
  return {};
}

#endif

}  // namespace warpgrade::prove
