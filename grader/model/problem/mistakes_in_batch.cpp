// Which mistake would give exactly these wrong products? What each of them shows alone, and what only several show.
#include <algorithm>

#include "problem/matrix_problem.hpp"

namespace warpgrade::problem {

namespace {

using Buffers = std::vector<run::HostBuffer>;

/// The matrices of product number `which`, where these have `batch` of them.
struct Sliced {
  const MatrixProduct &p;
  MatrixProduct one;

  explicit Sliced(const MatrixProduct &all) : p(all), one(all) {
    const auto batch = static_cast<std::uint64_t>(p.batch);
    one.m = p.m / p.batch;
    one.batch = 1;
    for (Matrix *x : {&one.a, &one.b, &one.c}) x->elements /= batch;
  }
  run::HostBuffer slice(const run::HostBuffer &from, std::int64_t which) const {
    const auto bytes = static_cast<std::ptrdiff_t>(from.bytes.size()) / p.batch;
    run::HostBuffer to{from.name, from.role, {}, from.element_bytes};
    to.bytes.assign(from.bytes.begin() + which * bytes, from.bytes.begin() + (which + 1) * bytes);
    return to;
  }
  Buffers slices(const Buffers &from, std::int64_t which) const {
    Buffers all;
    for (const run::HostBuffer &buffer : from) all.push_back(slice(buffer, which));
    return all;
  }
};

/// Whether every product but the first is what comes of other factors or of none.
class Mixed {
 public:
  Mixed(const MatrixProblem &problem, const Case &c, const Buffers &inputs, const Buffers &outputs,
        double tolerance)
      : problem_(problem), c_(c), inputs_(inputs), outputs_(outputs), tolerance_(tolerance) {}

  std::vector<std::string> all() const {
    std::vector<std::string> found;
    const auto bytes = [this](std::size_t b) {
      return static_cast<std::ptrdiff_t>(inputs_[b].bytes.size()) / p_.batch;
    };
    const auto first_alone = [&](std::size_t b) {
      Buffers in = inputs_;
      for (std::int64_t i = 1; i < p_.batch; ++i)
        std::copy_n(inputs_[b].bytes.begin(), bytes(b), in[b].bytes.begin() + i * bytes(b));
      return in;
    };
    for (const std::size_t b : {0, 1})
      if (are_products_of(first_alone(b)))
        found.push_back(std::string("every product has the first ") + p_.names[b] + " as its factor");
    if (std::equal(outputs_[2].bytes.begin() + bytes(2), outputs_[2].bytes.end(),
                   inputs_[2].bytes.begin() + bytes(2)))
      found.emplace_back("only the first product is computed");
    return found;
  }

 private:
  bool are_products_of(Buffers in) const {
    Buffers out = outputs_;
    for (const std::size_t b : {0, 1})
      out[b].bytes = in[b].bytes;  // nobody asks here whether they were changed
    const Reference reference = problem_.reference(c_, in);
    return problem_.compare(c_, in, reference, out, tolerance_).wrong == 0;
  }

  const MatrixProblem &problem_;
  const Case &c_;
  const Buffers &inputs_, &outputs_;
  const double tolerance_;
  const MatrixProduct p_ = *problem_.product(c_);
};

}  // namespace

std::vector<std::string> MatrixProblem::mistakes(const Case &c, const Buffers &inputs, const Buffers &outputs,
                                                 double tolerance) const {
  const MatrixProduct p = *product(c);
  if (p.batch == 1) return mistakes_of(p, inputs, outputs, tolerance);
  const Sliced sliced(p);
  std::vector<std::string> found =
      mistakes_of(sliced.one, sliced.slices(inputs, 0), sliced.slices(outputs, 0), tolerance);
  for (std::int64_t i = 1; i < p.batch && !found.empty(); ++i) {
    const auto others =
        mistakes_of(sliced.one, sliced.slices(inputs, i), sliced.slices(outputs, i), tolerance);
    std::erase_if(found, [&](const std::string &clause) {
      return std::find(others.begin(), others.end(), clause) == others.end();
    });
  }
  if (found.empty()) found = Mixed(*this, c, inputs, outputs, tolerance).all();
  return found;
}

}  // namespace warpgrade::problem
