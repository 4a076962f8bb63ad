// Cases to try, in an order that favours branches which were taken one way only: sizes built from the constants that
// a kernel and its launcher compare with and divide by. The same each time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "course/assignment.hpp"
#include "plan/plan.hpp"
#include "problem/problem.hpp"
#include "search/choices.hpp"

namespace warpgrade::search {

/// What cases of a step have in common with each other, so that they are what the step is about.
struct Shape {
  std::vector<std::size_t> sizes;      ///< integers that are sizes
  std::vector<std::int64_t> divisors;  ///< of each of them
  bool all_alike = true;               ///< always the same number
};
/// advisory: with advisory cases, which may have shapes that give no points
Shape shape_of(const course::Step &, bool advisory = false);

/// Integer literals of a source file, outside comments and strings, with the line of each one's first occurrence.
std::map<std::int64_t, int> literals_of(std::string_view source);

/// The sides and the number of threads of blocks and tiles: block dimensions, and sizes over blocks of the grid.
std::set<std::int64_t> constants_of(const plan::LaunchPlan &, const problem::Case &, const Shape &);

/// How large a case may be, and how many there are.
struct Bounds {
  double work = 2e7;               ///< problem::Problem::work()
  std::uint64_t bytes = 64 << 20;  ///< of all buffers
  std::size_t cases = 3000;
};

/// Whether a case of a step is one that a search within these bounds may try. Throws std::invalid_argument if the step's
/// problem has no such case.
bool may_try(const problem::Case &, const course::Step &, const Bounds &);

struct Knowledge {
  std::set<std::int64_t> geometry;       ///< of launches
  std::set<std::int64_t> constants;      ///< of the kernels
  std::map<std::int64_t, int> literals;  ///< of the source
  std::vector<Branch> branches;
  std::map<std::uint32_t, std::size_t> size_of;  ///< by a parameter's offset: the position in Shape::sizes
};

class Candidates {
 public:
  /// base: a case of the step, which gives what is not a size
  Candidates(const course::Step &, const problem::Case &base, const Shape &, Knowledge, const Bounds & = {});

  /// The case to run next, never one twice; nothing when all have been tried.
  std::optional<problem::Case> next(const Coverage &);
  /// A case that ran for other reasons.
  void skip(const problem::Case &);
  std::size_t left() const { return left_; }

 private:
  /// A branch that the sizes of a case may send the other way.
  struct Aim {
    std::size_t branch = 0;
    double fitness = 0;  ///< at most 1
  };
  struct Candidate {
    problem::Case values;
    std::vector<Aim> aims;
    bool done = false;
  };
  void fill(const problem::Case &base, const Bounds &);
  void add(const std::vector<std::int64_t> &sizes, const problem::Case &base, const Bounds &);
  std::vector<std::int64_t> values_of(std::size_t size) const;
  static double fitness(const Branch &, std::int64_t size);
  std::vector<Aim> aims_of(const std::vector<std::int64_t> &sizes) const;

  const course::Step &step_;
  Shape shape_;
  Knowledge known_;
  std::vector<std::vector<double>> factors_;
  std::vector<Candidate> all_;
  std::vector<double> tries_;  // by branch: cases that were aimed at it, by their fitness
  std::set<std::vector<std::int64_t>> seen_;
  std::size_t left_ = 0;
};

}  // namespace warpgrade::search
