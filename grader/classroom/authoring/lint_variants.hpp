// What `gradebook lint` finds in the variants of an assignment: mistakes in their files and, by building and
// grading the solution of each, what is wrong and which variants are harder than others.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace warpgrade::authoring {

/// Sentences about mistakes in any variant's files; none where the assignment has no variants.
std::vector<std::string> mistakes_in_variants(const std::filesystem::path &root, const std::string &name);

/// A step of a variant as its solution was counted.
struct CountedVariant {
  static constexpr std::array<std::string_view, 3> names = {"warp instructions", "sectors of global memory",
                                                            "wavefronts of shared memory"};
  std::string variant;
  std::array<std::uint64_t, names.size()> counts{};
};
/// "more than 10 % more warp instructions than the median variant: element=double (31 %)": a sentence for each
/// count.
std::vector<std::string> harder_than_others(const std::vector<CountedVariant> &);

struct GradedVariants {
  std::vector<std::string> mistakes;  ///< solutions that do not get all points
  std::vector<std::string> remarks;   ///< which variants are harder
};
/// Builds and grades each step of every variant's solution, on the simulator; steps that variants share once.
/// before_each  is told which variant comes next: all of them take minutes
GradedVariants grade_variants(const std::filesystem::path &root, const std::string &name,
                              const std::function<void(const std::string &)> &before_each = {});

}  // namespace warpgrade::authoring
