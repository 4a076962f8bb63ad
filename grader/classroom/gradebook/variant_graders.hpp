// The graders of an assignment's variants, for a worker: each variant is a course of its own.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "gradebook/class_run.hpp"
#include "grading/grading.hpp"
#include "variants/written_course.hpp"

namespace warpgrade::gradebook {

/// A variant's course and what grades it.
struct VariantGrader : variants::WrittenCourse {
  using WrittenCourse::WrittenCourse;
  grading::Environment environment;
  std::unique_ptr<grading::Grader> grader;  ///< none until a file of the variant is graded
};

class VariantGraders {
 public:
  /// The class's own grader and the options of its graders must live as long as this.
  VariantGraders(const ClassGrader &of, const grading::Options &options) : class_(of), options_(options) {}
  /// The grader of the variant of that name. Throws variants::UnreadableVariant.
  VariantGrader &of(const std::string &variant);
  grading::Grader &grader_of(VariantGrader &) const;
  /// Of the conditions under which a step of the variant is graded, as its files were read.
  std::string fingerprint_of(const VariantGrader &, const std::string &step) const;
  /// The sentence about another variant for which a step's file is right, on its two largest cases that are
  /// simulated; empty if there is none. Variants that cannot be read are left out. before_each: called before each
  /// variant is tried
  std::string other_variant(const course::Step &, const std::string &own,
                            const std::filesystem::path &submission, std::uint64_t seed,
                            const std::function<void()> &before_each);
  /// On another GPU, they begin anew.
  void forget() { graders_.clear(); }

 private:
  const variants::Variants &all();
  bool is_right(const VariantGrader &, const course::Step &, const build::Build &,
                const std::filesystem::path &submission, std::uint64_t seed) const;

  const ClassGrader &class_;
  const grading::Options &options_;
  std::optional<variants::Variants> all_;
  std::map<std::string, std::unique_ptr<VariantGrader>> graders_;  // by the name of the variant
};

}  // namespace warpgrade::gradebook
