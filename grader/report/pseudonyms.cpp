#include <array>
#include <set>
#include <string_view>

#include "report/class.hpp"

namespace warpgrade::report {

namespace {

constexpr std::array<std::string_view, 40> qualities = {
    "amber",  "brave",  "bright", "calm",   "clever", "coral",  "crisp",  "curious", "eager",  "early",
    "fabled", "gentle", "golden", "grand",  "happy",  "honest", "humble", "indigo",  "jolly",  "keen",
    "kind",   "lively", "lucky",  "mellow", "merry",  "misty",  "noble",  "patient", "placid", "polite",
    "proud",  "quick",  "quiet",  "rapid",  "silver", "steady", "sunny",  "swift",   "tidy",   "witty"};
constexpr std::array<std::string_view, 40> animals = {
    "badger", "beaver", "bison",  "bobcat", "crane",  "dolphin", "eagle", "falcon", "ferret",  "finch",
    "gecko",  "gibbon", "hare",   "heron",  "ibex",   "jackal",  "koala", "lemur",  "lynx",    "marmot",
    "marten", "newt",   "ocelot", "orca",   "osprey", "otter",   "owl",   "panda",  "pelican", "puffin",
    "quail",  "rabbit", "raven",  "seal",   "shrew",  "swan",    "tapir", "turtle", "walrus",  "wombat"};

}  // namespace

std::map<std::string, std::string> pseudonyms(const std::vector<std::string> &ids,
                                              const std::map<std::string, std::string> &known,
                                              std::mt19937_64 &random) {
  std::map<std::string, std::string> names = known;
  std::set<std::string> taken;
  for (const auto &[id, name] : known) taken.insert(name);
  for (const std::string &id : ids) {
    if (names.contains(id)) continue;
    std::string name;
    // Beyond half of all pairs a number follows, so that drawing ends.
    do {
      name = std::string(qualities[random() % qualities.size()]) + " " +
             std::string(animals[random() % animals.size()]);
      if (2 * taken.size() > qualities.size() * animals.size())
        name += " " + std::to_string(random() % (10 * taken.size()));
    } while (!taken.insert(name).second);
    names[id] = name;
  }
  return names;
}

}  // namespace warpgrade::report
