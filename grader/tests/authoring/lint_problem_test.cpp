// What lint says of problems that cannot be trusted to judge. Each test breaks a sound problem in one way.
#include "authoring/lint_problem.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "problem/arrays.hpp"

namespace warpgrade::authoring {
namespace {

using problem::Array;
using problem::Case;
using problem::Comparison;
using problem::Reference;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// z = x + y in integers, or in floats within a bound.
class Addition : public problem::ArrayProblem {
 public:
  explicit Addition(problem::Type type = problem::Type::i32)
      : ArrayProblem({.name = "addition",
                      .launcher = "int n, const int *x, const int *y, int *z",
                      .integers = {{"n", 1, 100}}}),
        type_(type) {}
  Reference reference(const Case &c, const std::vector<run::HostBuffer> &in) const override {
    Reference ref;
    for (std::size_t i = 0; i < size(c); ++i) {
      ref.want.push_back(value(in[0], i) + value(in[1], i));
      ref.scale.push_back(problem::is_integer(type_) ? 0.0 : 100.0);
    }
    return ref;
  }

 protected:
  std::vector<Array> arrays(const Case &c) const override {
    return {{.name = "x", .elements = size(c), .type = type_},
            {.name = "y", .elements = size(c), .type = type_},
            {.name = "z", .elements = size(c), .type = type_, .is_output = true}};
  }
  std::uint64_t element(const Case &, std::uint64_t seed, std::size_t array, std::uint64_t i) const override {
    return problem::encode(type_, static_cast<double>(problem::random_bits(seed, array, i) % 1000) - 500);
  }
  static std::size_t size(const Case &c) { return static_cast<std::size_t>(c.integers.at(0)); }
  double value(const run::HostBuffer &b, std::size_t i) const {
    std::uint64_t bits = 0;
    std::memcpy(&bits, b.bytes.data() + i * problem::bytes_of(type_), problem::bytes_of(type_));
    return problem::value_of(type_, bits);
  }

 private:
  problem::Type type_;
};

std::vector<std::string> said(const problem::Problem &p, double tolerance = 1e-6) {
  return mistakes_in_problem(p, {{{1}, {}}, {{70}, {}}}, tolerance);
}

TEST(LintProblem, SaysNothingOfASoundProblemOfAnyType) {
  using problem::Type;
  for (const Type type : {Type::i32, Type::i64, Type::i16, Type::f32, Type::f64})
    EXPECT_THAT(said(Addition(type)), IsEmpty()) << static_cast<int>(type);
}

TEST(LintProblem, SaysNothingOfTheProblemsOfThisCourse) {
  for (const std::string &name : problem::problem_names()) {
    const problem::Problem &p = *problem::find_problem(name);
    problem::Given given = problem::all_sizes(p, name == "exercise" ? 256 : 33);
    for (std::size_t i = 0; i < given.integers.size(); ++i)
      if (!given.integers[i] && !p.integers()[i].otherwise) given.integers[i] = 1;
    EXPECT_THAT(mistakes_in_problem(p, {problem::complete(p, given, {})}, 2e-6), IsEmpty()) << name;
  }
}

TEST(LintProblem, FindsAToleranceThatAcceptsHalfPrecision) {
  const auto accepts = [](const std::string &name, double tolerance) {
    const problem::Problem &p = *problem::find_problem(name);
    const Case small = problem::complete(p, problem::all_sizes(p, 1), {});
    const Case large = problem::complete(p, problem::all_sizes(p, 33), {});
    return accepts_half_precision(p, {small, large}, tolerance);
  };
  EXPECT_FALSE(accepts("sgemm", 2e-6));
  EXPECT_TRUE(accepts("sgemm", 0.5));
  // Half precision rounds by up to 2^-11 of a result; 33 products add up to a scale above the result.
  EXPECT_TRUE(accepts("sgemm", 5e-4));
  EXPECT_FALSE(accepts("transpose", 0.5)) << "elements are moved, and compared exactly";
}

TEST(LintProblem, IntegersHaveNoPrecisionToLose) {
  EXPECT_FALSE(accepts_half_precision(Addition(), {{{70}, {}}}, 0.5));
}

TEST(LintProblem, FindsAReferenceThatDisagreesWithItself) {
  class Moody final : public Addition {
    Reference reference(const Case &c, const std::vector<run::HostBuffer> &in) const override {
      Reference ref = Addition::reference(c, in);
      ref.want[0] += static_cast<double>(times_++);
      return ref;
    }
    mutable int times_ = 0;
  };
  EXPECT_THAT(said(Moody()), Contains(HasSubstr("the reference differs from one time to the next")));
}

TEST(LintProblem, FindsAReferenceThatItsOutputCannotHold) {
  class TooLarge final : public Addition {
   public:
    TooLarge() : Addition(problem::Type::i8) {}
  };
  EXPECT_THAT(
      said(TooLarge()),
      Contains(
          "problem 'addition' at n=70: the reference itself, rounded to the type of the output, is refused"));
}

TEST(LintProblem, FindsInputsThatAreTheSameOrChangeByThemselves) {
  class Same final : public Addition {
    std::uint64_t element(const Case &c, std::uint64_t seed, std::size_t array,
                          std::uint64_t i) const override {
      return Addition::element(c, seed, array == 1 ? 0 : array, i);
    }
  };
  EXPECT_THAT(said(Same()), Contains(HasSubstr("x and y hold the same numbers")));
  class Fresh final : public Addition {
    std::uint64_t element(const Case &, std::uint64_t, std::size_t, std::uint64_t) const override {
      return static_cast<std::uint64_t>(times_++ % 1000);
    }
    mutable int times_ = 0;
  };
  EXPECT_THAT(said(Fresh()), Contains(HasSubstr("the inputs of one seed differ")));
}

TEST(LintProblem, FindsInputsOfDifferentLengthsThatBeginAlike) {
  class Prefix final : public Addition {
    std::vector<Array> arrays(const Case &c) const override {
      std::vector<Array> all = Addition::arrays(c);
      all[0].elements *= 2;
      return all;
    }
    std::uint64_t element(const Case &c, std::uint64_t seed, std::size_t array,
                          std::uint64_t i) const override {
      return Addition::element(c, seed, array == 1 ? 0 : array, i);
    }
  };
  EXPECT_THAT(said(Prefix()), Contains(HasSubstr("x and y begin with the same numbers")));
}

TEST(LintProblem, FindsAReferenceThatDisagreesWithItselfAboutTheOrder) {
  class Moody final : public Addition {
    Reference reference(const Case &c, const std::vector<run::HostBuffer> &in) const override {
      Reference ref = Addition::reference(c, in);
      for (const double value : ref.want)
        ref.words.push_back(static_cast<std::uint32_t>(static_cast<int>(value)));
      if (times_++ > 0) ref.in_any_order[2] = size(c);
      return ref;
    }
    mutable int times_ = 0;
  };
  EXPECT_THAT(said(Moody()), Contains(HasSubstr("the reference differs from one time to the next")));
}

/// The same with x - y as a second, shorter output.
class AdditionAndSubtraction : public Addition {
 public:
  using Addition::Addition;
  Reference reference(const Case &c, const std::vector<run::HostBuffer> &in) const override {
    Reference ref = Addition::reference(c, in);
    for (std::size_t i = 0; i < shorter(c); ++i) {
      ref.want.push_back(value(in[0], i) - value(in[1], i));
      ref.scale.push_back(0);
    }
    return ref;
  }

 protected:
  std::vector<Array> arrays(const Case &c) const override {
    std::vector<Array> all = Addition::arrays(c);
    all.push_back({.name = "w", .elements = shorter(c), .type = problem::Type::i32, .is_output = true});
    return all;
  }
  static std::size_t shorter(const Case &c) { return (size(c) + 1) / 2; }
};

/// Compares, and then forgives what the test says.
template <typename Base>
class LenientOf : public Base {
 public:
  using Forgives = std::function<bool(const Comparison &, const std::vector<run::HostBuffer> &outputs)>;
  LenientOf(problem::Type type, Forgives forgives) : Base(type), forgives_(std::move(forgives)) {}
  Comparison compare(const Case &c, const std::vector<run::HostBuffer> &in, const Reference &ref,
                     const std::vector<run::HostBuffer> &out, double tolerance) const override {
    Comparison found = Base::compare(c, in, ref, out, tolerance);
    return forgives_(found, out) ? Comparison() : found;
  }

 private:
  Forgives forgives_;
};
using Lenient = LenientOf<Addition>;

TEST(LintProblem, FindsAComparisonThatAcceptsAPerturbedResult) {
  const auto lenient = [](problem::Type type, Lenient::Forgives forgives) {
    return said(Lenient(type, std::move(forgives)));
  };
  EXPECT_THAT(lenient(problem::Type::i32, [](const Comparison &c, const auto &) { return c.wrong == 1; }),
              Contains("problem 'addition' at n=70: a result is accepted although z[69] is off by 1"));
  EXPECT_THAT(
      lenient(problem::Type::f32, [](const Comparison &c, const auto &) { return c.max_error < 1.1; }),
      Contains(HasSubstr("is one step beyond the bound")));
  EXPECT_THAT(lenient(problem::Type::f32, [](const Comparison &c, const auto &) { return c.not_finite > 0; }),
              Contains("problem 'addition' at n=1: a result is accepted although z[0] is NaN"));
  EXPECT_THAT(lenient(problem::Type::i32, [](const Comparison &c, const auto &) { return c.wrong == 2; }),
              Contains(HasSubstr("are exchanged")));
  EXPECT_THAT(
      lenient(problem::Type::i32, [](const Comparison &c, const auto &) { return c.never_written == 32; }),
      Contains(HasSubstr("the last elements of z were never written")));
  EXPECT_THAT(lenient(problem::Type::i32, [](const Comparison &c, const auto &) { return c.wrong > 60; }),
              Contains(HasSubstr("all of z is zero")));
  EXPECT_THAT(lenient(problem::Type::i32,
                      [](const Comparison &c, const auto &) { return !c.changed_inputs.empty(); }),
              Contains(HasSubstr("the input x was changed")));
}

TEST(LintProblem, PerturbsEachOutputByItself) {
  using Two = LenientOf<AdditionAndSubtraction>;
  EXPECT_THAT(said(AdditionAndSubtraction(problem::Type::i32)), IsEmpty());
  const auto lenient = [](Two::Forgives forgives) {
    return said(Two(problem::Type::i32, std::move(forgives)));
  };
  const auto only = [](const char *output, std::uint64_t wrong) {
    return [=](const Comparison &c, const auto &) { return c.output == output && c.wrong == wrong; };
  };
  for (const char *element : {"z[0]", "z[34]", "z[69]", "w[0]", "w[17]", "w[34]"})
    EXPECT_THAT(lenient([=](const Comparison &c, const auto &) {
                  return c.wrong == 1 && c.first[0].where == element;
                }),
                Contains(HasSubstr(fmt::format("although {} is off by 1", element))));
  EXPECT_THAT(lenient(only("w", 2)), Contains(HasSubstr("w[0] and w[1] are exchanged")));
  EXPECT_THAT(lenient(only("z", 32)), Contains(HasSubstr("the last elements of z were never written")));
  EXPECT_THAT(lenient(only("w", 32)), Contains(HasSubstr("the last elements of w were never written")));
  EXPECT_THAT(lenient(only("w", 35)), Contains(HasSubstr("all of w is zero")));
}

}  // namespace
}  // namespace warpgrade::authoring
