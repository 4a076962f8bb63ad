// sgemm: C = alpha A B + beta C in single precision, row-major and contiguous; and its variants, which differ
// in the layout of all three matrices, in the sum, and in what is done to each element at the end.
#include <fmt/format.h>

#include "problem/gemm.hpp"

using namespace warpgrade::problem;

namespace {

enum class Layout : std::uint8_t { rows, columns };
/// alpha A B + beta C, alpha A B - beta C, alpha (A B + beta C), alpha (A B - beta C)
enum class Sum : std::uint8_t { plus, minus, scaled, scaled_minus };

class Sgemm final : public GemmProblem {
 public:
  explicit Sgemm(Layout layout = Layout::rows, Finish finish = Finish::none, Sum sum = Sum::plus)
      : GemmProblem(fill_a, fill_b),
        layout_(layout),
        finish_(finish),
        sum_(sum),
        name_(fmt::format("sgemm{}{}{}{}", layout == Layout::columns ? "_columns" : "",
                          finish == Finish::positive_part ? "_positive"
                          : finish == Finish::magnitude   ? "_magnitude"
                                                          : "",
                          sum == Sum::scaled || sum == Sum::scaled_minus ? "_scaled" : "",
                          sum == Sum::minus || sum == Sum::scaled_minus ? "_minus" : "")) {}
  std::string_view name() const override { return name_; }
  std::string_view launcher() const override {
    return "int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C";
  }

 protected:
  MatrixProduct shape(const Case &c) const override {
    MatrixProduct p = GemmProblem::shape(c);
    if (layout_ == Layout::columns) {
      p.a = column_major(p.m, p.k, p.a.fill);
      p.b = column_major(p.k, p.n, p.b.fill);
      p.c = column_major(p.m, p.n, p.c.fill);
    }
    p.scaled = sum_ == Sum::scaled || sum_ == Sum::scaled_minus;
    p.subtracted = sum_ == Sum::minus || sum_ == Sum::scaled_minus;
    if (p.scaled) p.beta *= p.alpha;
    if (p.subtracted) p.beta = -p.beta;
    p.finish = finish_;
    return p;
  }

 private:
  Layout layout_;
  Finish finish_;
  Sum sum_;
  std::string name_;
};

}  // namespace

void WARPGRADE_ADD_PROBLEMS(Registry &registry);
void WARPGRADE_ADD_PROBLEMS(Registry &registry) {
  static const std::vector<Sgemm> all = [] {
    std::vector<Sgemm> made;
    for (const Layout layout : {Layout::rows, Layout::columns})
      for (const Finish finish : {Finish::none, Finish::positive_part, Finish::magnitude})
        for (const Sum sum : {Sum::plus, Sum::minus, Sum::scaled, Sum::scaled_minus})
          made.emplace_back(layout, finish, sum);
    return made;
  }();
  for (const Sgemm &one : all) registry.add(one);
}
