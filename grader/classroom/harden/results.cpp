#include "harden/results.hpp"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "base/text.hpp"

namespace warpgrade::harden {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 9> names = {"not_compiled", "same_code",     "by_public",
                                                   "by_hidden",    "by_points",     "warned",
                                                   "survived",     "no_difference", "reasoned"};

std::optional<Outcome> outcome_of(const std::string &name) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return static_cast<Outcome>(i);
  return std::nullopt;
}

}  // namespace

std::string_view name_of(Outcome o) {
  return names.at(static_cast<std::size_t>(o));
}

std::string key_of(std::string_view text) {
  constexpr std::uint64_t prime = 0x100000001b3u;  // FNV-1a
  std::uint64_t a = 0xcbf29ce484222325u, b = 0x84222325cbf29ce4u;
  for (const char c : text) {
    a = (a ^ static_cast<unsigned char>(c)) * prime;
    b = (b + static_cast<unsigned char>(c)) * prime;
  }
  return fmt::format("{:016x}{:016x}", a, b);
}

Results::Results(std::filesystem::path file) : file_(std::move(file)) {
  std::filesystem::create_directories(file_.parent_path());
  for (const std::string &line : lines_of(read_or_empty(file_))) {
    const Json j = Json::parse(line, nullptr, false);
    if (!j.is_object()) continue;  // a line that was cut off
    const auto outcome = outcome_of(j.value("outcome", ""));
    if (!outcome) continue;
    known_[j.value("key", "")] = {*outcome,
                                  j.value("by", ""),
                                  j.value("reason", ""),
                                  j.value("kill", ""),
                                  j.value("tried", 0),
                                  j.value("cases", "")};
  }
}

std::optional<Fate> Results::find(const std::string &key) const {
  const std::scoped_lock lock(mutex_);
  const auto found = known_.find(key);
  return found == known_.end() ? std::nullopt : std::optional(found->second);
}

void Results::add(const std::string &key, const Fate &f) {
  const std::scoped_lock lock(mutex_);
  known_[key] = f;
  const Json j = {{"key", key},           {"outcome", name_of(f.outcome)},
                  {"by", for_json(f.by)}, {"reason", for_json(f.reason)},
                  {"kill", f.kill},       {"tried", f.tried},
                  {"cases", f.cases}};
  std::ofstream(file_, std::ios::app) << j.dump() << '\n';
}

double Figures::share() const {
  const std::size_t different = mutants - equivalent();
  return different == 0 ? 1 : static_cast<double>(killed()) / static_cast<double>(different);
}

Figures figures_of(const std::vector<Examined> &all) {
  Figures f;
  for (const Examined &one : all) {
    f.mutants += one.fate.outcome != Outcome::not_compiled;
    switch (one.fate.outcome) {
      case Outcome::not_compiled:
        ++f.not_compiled;
        break;
      case Outcome::same_code:
        ++f.same_code;
        break;
      case Outcome::by_public:
        ++f.by_public;
        break;
      case Outcome::by_hidden:
        ++f.by_hidden;
        break;
      case Outcome::by_points:
        ++f.by_points;
        break;
      case Outcome::warned:
        ++f.warned;
        break;
      case Outcome::survived:
        ++f.survived;
        break;
      case Outcome::no_difference:
        ++f.no_difference;
        break;
      case Outcome::reasoned:
        ++f.reasoned;
        break;
    }
  }
  return f;
}

void apply_equivalents(StepResult &result, const std::vector<mutants::Equivalent> &all) {
  for (Examined &e : result.examined) {
    const bool none = e.fate.outcome == Outcome::no_difference;
    if (!none && e.fate.outcome != Outcome::survived) continue;
    for (const mutants::Equivalent &one : all) {
      if (!one.fits(result.id, result.source, e.mutant)) continue;
      if (none) {
        e.fate.outcome = Outcome::reasoned;
        e.fate.reason = one.because;
      } else {
        result.contradictions.push_back(
            fmt::format("{}:{} calls the change in line {} of {} equivalent, but {} tells it",
                        mutants::equivalents_file, one.at, e.mutant.line, result.file, e.fate.by));
      }
      break;
    }
  }
}

std::string to_json(const std::string &assignment, const std::vector<StepResult> &steps) {
  Json all = Json::array();
  for (const StepResult &s : steps) {
    const Figures f = figures_of(s.examined);
    Json list = Json::array(), constants = Json::array();
    for (const Examined &e : s.examined)
      list.push_back({{"kind", e.mutant.kind},
                      {"line", e.mutant.line},
                      {"outcome", name_of(e.fate.outcome)},
                      {"by", for_json(e.fate.by)},
                      {"reason", for_json(e.fate.reason)},
                      {"kill", e.fate.kill},
                      {"diff", for_json(mutants::diff_of(s.source, e.mutant, s.file))}});
    for (const ConstantOutput &c : s.constants)
      constants.push_back({{"output", c.what}, {"accepted", c.accepted}, {"cases", c.cases}});
    all.push_back({{"id", s.id},
                   {"file", s.file},
                   {"mutants", f.mutants},
                   {"killed", f.killed()},
                   {"equivalent", f.equivalent()},
                   {"survived", f.survived},
                   {"killed_by_public", f.by_public},
                   {"killed_by_hidden", f.by_hidden},
                   {"killed_by_points", f.by_points},
                   {"only_warned_of", f.warned},
                   {"same_code", f.same_code},
                   {"no_difference_found", f.no_difference},
                   {"equivalent_by_reason", f.reasoned},
                   {"not_compiled", f.not_compiled},
                   {"not_examined", s.left},
                   {"constant_outputs", std::move(constants)},
                   {"list", std::move(list)}});
  }
  const Json whole = {
      {"schema", "warpgrade.harden/1"}, {"assignment", assignment}, {"steps", std::move(all)}};
  return whole.dump(2) + "\n";
}

}  // namespace warpgrade::harden
