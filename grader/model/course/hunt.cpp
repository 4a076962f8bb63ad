#include "course/hunt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/did_you_mean.hpp"
#include "course/assignment.hpp"
#include "course/yaml.hpp"

namespace warpgrade::course {

namespace {

constexpr std::array causes = {
    Cause{"bounds", "an access outside an array"},
    Cause{"race", "two threads access the same element in no defined order, and at least one of them writes"},
    Cause{"barrier", "a barrier that not all threads of a block reach"},
    Cause{"uninitialised", "a value is used that nothing wrote"},
    Cause{"tail", "elements at the end are left out or processed twice"},
    Cause{"stride", "the distance from one element to the next is wrong"},
    Cause{"shuffle mask", "lanes exchange values that the mask or the distance does not allow"},
    Cause{"atomic", "an update that must be atomic is not, or uses the wrong atomic operation"},
    Cause{"bank conflict", "lanes access different rows of the same bank"},
    Cause{"uncoalesced", "neighbouring lanes access elements that are far apart"},
    Cause{"occupancy", "a block takes so much that few blocks fit on a multiprocessor"},
    Cause{"wrong constant", "a number that differs from the one in the formula"},
};

std::string plain(std::string_view text) {
  std::string all;
  for (const char c : text)
    if (c != ' ' && c != '_' && c != '-')
      all += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return all == "uninitialized" ? "uninitialised" : all;
}

std::string read_cause(const Yaml &y) {
  const std::string found = cause_of(y.text());
  std::vector<std::string> names;
  for (const Cause &c : causes) names.emplace_back(c.name);
  if (found.empty())
    y.fail(fmt::format("'{}' is not a cause{} (accepted: {})", y.text(), did_you_mean(y.text(), names),
                       fmt::join(names, ", ")));
  return found;
}

void read_fault(const Yaml &y, Hunt &hunt) {
  y.expect_keys({"lines", "cause"});
  constexpr int most = 100000;
  const std::vector<Yaml> lines = y.at("lines").items();
  if (lines.size() > 2) y.at("lines").fail("'lines' is the first and the last line of the fault: [23, 24]");
  hunt.first_line = static_cast<int>(lines.front().integer(1, most));
  hunt.last_line = static_cast<int>(lines.back().integer(hunt.first_line, most));
  for (const Yaml &cause : y.at("cause").items()) hunt.causes.push_back(read_cause(cause));
}

}  // namespace

std::span<const Cause> hunt_causes() {
  return causes;
}

std::string cause_of(std::string_view text) {
  const std::string wanted = plain(text);
  for (const Cause &c : causes)
    if (plain(c.name) == wanted) return std::string(c.name);
  return "";
}

void read_hunts(const std::filesystem::path &folder, Assignment &a) {
  const std::filesystem::path file = folder / "hidden.yaml";
  if (!std::filesystem::exists(file)) return;
  const Yaml y = Yaml::read(file);
  const auto hunts = y.find("hunts");
  if (!hunts) return;
  for (const auto &[id, fault] : hunts->entries()) {
    const auto step =
        std::find_if(a.steps.begin(), a.steps.end(), [&, name = id](const Step &s) { return s.id == name; });
    if (step == a.steps.end() || !step->hunt)
      fault.fail_at_key(fmt::format("assignment.yaml has no step '{}' of 'kind: hunt'", id));
    read_fault(fault, *step->hunt);
  }
}

}  // namespace warpgrade::course
