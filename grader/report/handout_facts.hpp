// The values of a handout's placeholders. Internal to report.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "report/handout.hpp"
#include "report/html_page.hpp"

namespace warpgrade::report {

/// English phrases of the course and of these pages in the language of a handout.
class Phrases {
 public:
  explicit Phrases(const course::Handout &h) : words_(h.translates.empty() ? nullptr : &h.words) {}
  /// The phrase itself, if the handout is not a translation or does not have it.
  std::string operator()(const std::string &english) const;
  /// What is wrong with the `words` of a translation, after all phrases were asked for: those that it does
  /// not have, and those that nobody asked for.
  std::vector<std::string> mistakes() const;

 private:
  const std::map<std::string, std::string> *words_;
  mutable std::set<std::string> asked_;
};

/// docs/handouts.md lists them.
Fields handout_fields(const HandoutFacts &, const Phrases &, const std::string &language);

}  // namespace warpgrade::report
