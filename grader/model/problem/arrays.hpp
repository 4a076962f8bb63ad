// The common part of problems whose launcher takes arrays: inputs from a seed, comparison of every element.
// A problem adds its arrays, their elements and the reference; docs/adding-an-assignment.md writes one.
#pragma once

#include <functional>
#include <utility>

#include "problem/element.hpp"
#include "problem/problem.hpp"
#include "problem/random.hpp"
#include "problem/registry.hpp"

namespace warpgrade::problem {

/// Calls body(first, last) for slices of 0 ... elements - 1 on all cores, if there is enough to do.
/// operations  about as many for each element
void on_all_cores(std::uint64_t elements, const std::function<void(std::uint64_t, std::uint64_t)> &body,
                  std::uint64_t operations = 1);

/// A member of a structure: "float x".
struct Field {
  std::string name;
  Type type = Type::f32;
};

/// An argument of the launcher.
struct Array {
  std::string name;  ///< as the launcher calls it
  std::uint64_t elements = 0;
  Type type = Type::f32;
  bool is_output = false;
  std::int64_t columns = 0;  ///< of a row-major matrix; 0: the array is one row
  /// Whether two elements of this input may change places. Not if they depend on each other or on another
  /// array, as indices do.
  bool exchangeable = true;
  /// If the elements are structures: their members in order, each aligned as compilers do it, instead of
  /// `type`. element() and Reference then number the members, one structure after the other. Structures
  /// cannot come in any order.
  std::vector<Field> fields = {};
  /// Whose memory it is. Of a launcher's array of pointers `x`, the one for device 1 is called "x[1]".
  std::uint8_t device = 0;

  std::uint64_t members() const { return elements * (fields.empty() ? 1 : fields.size()); }
};

class ArrayProblem : public Problem {
 public:
  /// What is the same for every case.
  struct Facts {
    std::string name;      ///< as the YAML spells it
    std::string launcher;  ///< its parameters: "int n, const float *x, float *y"
    std::vector<Integer> integers = {};
    std::vector<Real> reals = {};
    Routine routine = Routine::none;  ///< of a library, which is timed beside launchers
  };
  explicit ArrayProblem(Facts facts) : facts_(std::move(facts)) {}

  std::string_view name() const override { return facts_.name; }
  std::string_view launcher() const override { return facts_.launcher; }
  const std::vector<Integer> &integers() const override { return facts_.integers; }
  const std::vector<Real> &reals() const override { return facts_.reals; }
  Routine routine() const override { return facts_.routine; }
  /// All sizes, and what differs from its default: "n=129 a=2".
  std::string case_name(const Case &) const override;
  /// Such problems compute almost nothing: reading and writing take the time.
  double flops(const Case &) const override { return 0; }
  std::string_view rate_unit() const override { return "GB/s"; }
  double work(const Case &c) const override { return compulsory_bytes(c); }
  /// Every array once.
  double compulsory_bytes(const Case &) const override;
  std::uint64_t outputs(const Case &) const override;
  /// Not if there is no output, or nothing but empty inputs.
  bool needs_kernel(const Case &) const override;
  std::vector<plan::Buffer> buffers(const Case &) const override;
  std::vector<Extent> extents(const Case &) const override;
  std::vector<run::HostBuffer> inputs(const Case &, std::uint64_t seed) const override;
  std::optional<OnDeviceCase> on_device(const Case &) const override;
  std::string element_name(const Case &, std::size_t buffer, std::uint64_t element) const override;
  bool may_exchange(const Case &, std::size_t buffer) const override;
  std::vector<Place> places(const Case &) const override;
  Comparison compare(const Case &, const std::vector<run::HostBuffer> &inputs, const Reference &,
                     const std::vector<run::HostBuffer> &outputs, double tolerance) const override;
  std::optional<std::string> spot_check(const Case &, const std::vector<run::HostBuffer> &inputs,
                                        const std::vector<run::HostBuffer> &outputs, double tolerance,
                                        std::uint64_t seed) const override;
  std::vector<std::string> mistakes(const Case &, const std::vector<run::HostBuffer> &inputs,
                                    const std::vector<run::HostBuffer> &outputs,
                                    double tolerance) const override;

 protected:
  /// In the order in which inputs() and reference() number them.
  virtual std::vector<Array> arrays(const Case &) const = 0;
  /// The bits of element i (of structures: of member i) of array number `array`; for an output, its value
  /// before the run.
  virtual std::uint64_t element(const Case &, std::uint64_t seed, std::size_t array,
                                std::uint64_t i) const = 0;

  /// A common mistake with the result that it gives.
  struct Hypothesis {
    std::string clause;    ///< "the last block is missing"; without numbers of the case
    Reference result;      ///< as reference() would give it, or NaN
    bool in_some = false;  ///< elements may also be right; tried if nothing before explains the result
  };
  virtual std::vector<Hypothesis> hypotheses(const Case &,
                                             const std::vector<run::HostBuffer> & /*inputs*/) const {
    return {};
  }

 private:
  Facts facts_;
};

}  // namespace warpgrade::problem
