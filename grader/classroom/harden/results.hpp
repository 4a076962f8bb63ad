// What became of mutants: plain data, kept in files so that a run can go on where it stopped. Internal to harden/.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mutants/equivalent.hpp"
#include "mutants/mutants.hpp"

namespace warpgrade::harden {

enum class Outcome : std::uint8_t {
  not_compiled,
  same_code,      ///< the compiler makes the same device code of it: proved equivalent
  by_public,      ///< a public case fails
  by_hidden,      ///< a hidden case fails
  by_points,      ///< right, but it breaks a rule or loses points for counters
  warned,         ///< only a case fails that is advisory: the report warns, and no points are lost
  survived,       ///< nothing of the above, and there is a size at which it is wrong
  no_difference,  ///< none was found in many sizes: probably equivalent
  reasoned        ///< the same, and equivalent.yaml says why there is none. Not kept in files
};
std::string_view name_of(Outcome);

struct Fate {
  Outcome outcome = Outcome::not_compiled;
  std::string by;          ///< the case or rule that killed it
  std::string reason;      ///< what it said
  std::string kill;        ///< of a survivor: the case to add, as YAML
  int tried = 0;           ///< sizes that a search went through: where nothing was found, `by` is the largest
  std::string cases = {};  ///< a short name of the case set that it was examined with
};

/// A file of fates, one a line, by a key of everything they depend on. For several threads at once.
class Results {
 public:
  explicit Results(std::filesystem::path file);
  std::optional<Fate> find(const std::string &key) const;
  void add(const std::string &key, const Fate &);

 private:
  std::filesystem::path file_;
  mutable std::mutex mutex_;
  std::map<std::string, Fate> known_;
};

/// A short name for a text: equal texts have equal ones.
std::string key_of(std::string_view text);

struct Examined {
  mutants::Mutant mutant;
  Fate fate;
};

struct Figures {
  std::size_t mutants = 0;  ///< that compile
  std::size_t not_compiled = 0, same_code = 0, by_public = 0, by_hidden = 0, by_points = 0, warned = 0,
              survived = 0, no_difference = 0, reasoned = 0;
  std::size_t killed() const { return by_public + by_hidden + by_points + warned; }
  std::size_t equivalent() const { return same_code + no_difference + reasoned; }
  /// Of those that are not equivalent; 1 if there are none.
  double share() const;
};
Figures figures_of(const std::vector<Examined> &);

/// An output that is the same whatever the inputs are, and how many cases take it for right.
struct ConstantOutput {
  std::string what;
  std::size_t accepted = 0, cases = 0;
};

struct StepResult {
  std::string id, file, source;
  std::vector<Examined> examined;
  std::size_t left = 0;  ///< not examined: there was no time
  std::vector<ConstantOutput> constants;
  std::vector<std::string> contradictions = {};  ///< survivors that equivalent.yaml calls equivalent
};

/// Where no difference was found and an entry says why, that is known.
void apply_equivalents(StepResult &, const std::vector<mutants::Equivalent> &);

std::string to_text(const StepResult &);
std::string to_json(const std::string &assignment, const std::vector<StepResult> &);

}  // namespace warpgrade::harden
