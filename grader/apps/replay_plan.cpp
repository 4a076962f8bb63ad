// grade replay-plan FILE: replays one plan a few times and does nothing else, for a profiler to look at. An
// internal command: profile/profiler.cpp writes the file.
#include "apps/commands.hpp"
#include "profile/profiler.hpp"

namespace warpgrade::apps {

int replay_plan(const std::vector<std::string> &words) {
  if (words.size() != 1) throw UsageError("replay-plan is an internal command: bench and roofline start it");
  return profile::replay(words.front());
}

}  // namespace warpgrade::apps
