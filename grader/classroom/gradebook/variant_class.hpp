// A class in which each student has a variant: which one, from the roster and the secret with which the kits
// were made.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "batch/handin.hpp"
#include "batch/roster.hpp"
#include "batch/store.hpp"
#include "gradebook/class_run.hpp"
#include "variants/variants.hpp"

namespace warpgrade::gradebook {

class VariantClass {
 public:
  /// None: everybody has the files as they are, for no kit with variants of this assignment was ever made; says so on
  /// standard error if the assignment has variants.
  /// secret  the file; empty: that of the course. Throws UsageError if the roster is missing, or if the class
  /// was begun with another secret, or without variants, or has lost its secret.
  static std::optional<VariantClass> of(const batch::Store &, const ClassCourse &, const std::string &secret,
                                        const std::filesystem::path &roster);
  /// Has each file of a handin graded as the variant of its student, by the roster's own id.
  void mark(batch::Handin &, const course::Assignment &) const;
  std::size_t variants() const { return variants_.size(); }

 private:
  VariantClass(variants::Variants all, std::string secret, batch::Roster roster)
      : variants_(std::move(all)), secret_(std::move(secret)), roster_(std::move(roster)) {}
  variants::Variants variants_;
  std::string secret_;
  batch::Roster roster_;
};

}  // namespace warpgrade::gradebook
