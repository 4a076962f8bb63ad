#include "prove/prove.hpp"

#include <algorithm>

#include "prove/check.hpp"
#include "prove/linear.hpp"
#include "prove/thread.hpp"

namespace warpgrade::prove {
namespace {

/// Places of property_names.
enum Which : std::size_t { bounds, races, written, barriers, overflow };

class Proof {
 public:
  Proof(const Problem &problem, const Runner &runner, const Limits &limits)
      : problem_(problem), runner_(runner), limits_(limits), decider_(limits.seconds, limits.work) {}

  std::vector<Property> all() {
    for (const char *name : property_names)
      result_.push_back({name, Result::not_decided, {}, "not looked at", {}, {}, {}, false});
    if (!can_decide()) return nothing({}, "built without isl");
    try {
      decide_all();
    } catch (const NotUnderstood &e) {
      return nothing(line(e.location()), e.what());
    } catch (const TooLarge &e) {
      return nothing({}, e.what());
    }
    return result_;
  }

 private:
  std::vector<Property> nothing(const ptx::SourceLine &where, const std::string &why) {
    for (Property &one : result_)
      if (one.result == Result::not_decided) {
        one.stopped_by_clock = decider_.stopped_by_clock();
        one.where = where;
        one.why = why;
      }
    return result_;
  }

  ptx::SourceLine line(std::int32_t location) const {
    return location < 0 ? ptx::SourceLine{} : ptx::source_line(*problem_.module, location);
  }
  ptx::SourceLine line_of(const Scene &scene, std::uint32_t instruction) const {
    return line(scene.kernel->instructions[instruction].location);
  }

  void decide_all() {
    Scene scene = scene_of(problem_, false);
    const Behaviour behaviour = Thread(scene, decider_).run();
    const Dangers far = overflowing(scene, decider_, behaviour);
    judge(scene, overflow, far, &Seen::outside, true);
    if (result_[overflow].result == Result::proved) return examine(scene, behaviour);
    // Otherwise for buffers whose elements a 32-bit index can count: what holds there holds under that condition.
    const std::vector<Property> any_size = result_;
    try {
      examine_limited();
    } catch (...) {  // half of it holds under a condition that nobody would add
      result_ = any_size;
      throw;
    }
    result_[overflow] = any_size[overflow];
  }

  void examine_limited() {
    Scene scene = scene_of(problem_, true);
    const Behaviour behaviour = Thread(scene, decider_).run();
    const Dangers far = overflowing(scene, decider_, behaviour);
    examine(scene, behaviour);
    judge(scene, overflow, far, &Seen::outside, true);
    const Property &limit = result_[overflow];
    for (std::size_t i = 0; i < result_.size(); ++i) {
      Property &one = result_[i];
      if (i == overflow || one.result != Result::proved) continue;
      one.condition = "buffers have at most 2^31 - 1 elements";
      if (limit.result == Result::proved) continue;
      one.result = Result::not_decided;
      one.condition.clear();
      one.where = limit.where;
      one.why = limit.result == Result::fails ? "an index may leave the range of its type" : limit.why;
      one.stopped_by_clock = limit.stopped_by_clock;
    }
  }

  /// All but the overflow.
  void examine(Scene &scene, const Behaviour &behaviour) {
    if (problem_.turn.empty()) {
      judge(scene, bounds, outside(scene, decider_, behaviour), &Seen::outside);
      Dangers apart = diverging(scene, decider_, behaviour);
      const bool alike = apart.empty() && !decider_.out_of_time();
      const Dangers lanes = diverging_in_warps(scene, decider_, behaviour);
      apart.insert(apart.end(), lanes.begin(), lanes.end());
      judge(scene, barriers, apart, &Seen::barrier);
      judge(scene, races, racing(scene, decider_, behaviour, alike), &Seen::race);
    }
    Dangers gaps = unwritten(scene, decider_, behaviour);
    if (!behaviour.together.empty() && result_[barriers].result != Result::proved)
      gaps.push_back({{},
                      behaviour.accesses.empty() ? 0 : behaviour.accesses.front().instruction,
                      "it is not known that all threads pass the same barriers",
                      false});
    judge(scene, written, gaps, &Seen::unwritten);
  }

  /// far  search large sizes only
  void judge(Scene &scene, std::size_t which, const Dangers &dangers, bool Seen::*failed, bool far = false) {
    look_at(scene, which, dangers, failed, far);
    // What was decided before the time was over is so on every machine.
    Property &property = result_[which];
    property.stopped_by_clock = property.result == Result::not_decided && decider_.stopped_by_clock();
  }

  void look_at(Scene &scene, std::size_t which, const Dangers &dangers, bool Seen::*failed, bool far) {
    Property &property = result_[which];
    property = {};
    property.name = property_names[which];
    property.result = Result::proved;
    if (decider_.out_of_time()) {
      property.result = Result::not_decided;
      property.why = decider_.stopped_by_clock() ? "time" : "it takes too much work";
      return;
    }
    CaseFinder finder(problem_, scene, decider_, runner_, limits_, runs_);
    for (const Danger &danger : dangers) {
      if (property.result == Result::proved) {
        property.result = Result::not_decided;
        property.where = line_of(scene, danger.instruction);
        property.why = danger.why;
      }
      const auto found = far ? finder.find_far(danger, failed) : finder.find(danger, failed);
      if (!found) continue;
      property.where = line_of(scene, danger.instruction);
      property.why = danger.why;
      if (!found->confirmed) {
        if (far || danger.of_data) continue;
        property.why += "; a possible case, " + text(found->sizes) + ", was not confirmed";
        continue;
      }
      property.result = Result::fails;
      property.why = found->text.empty() ? danger.why : found->text;
      property.failing = found->sizes;
      property.thread = found->thread;
      return;
    }
  }

  static std::string text(const Sizes &sizes) {
    std::string result;
    for (const auto &[name, value] : sizes)
      result += (result.empty() ? "" : ", ") + name + " = " + std::to_string(value);
    return result;
  }

  const Problem &problem_;
  const Runner &runner_;
  const Limits &limits_;
  Decider decider_;
  std::vector<Property> result_;
  CaseFinder::Runs runs_;
};

}  // namespace

std::string name_of(Result result) {
  return result == Result::proved ? "proved" : result == Result::fails ? "fails" : "not decided";
}

std::string why_no_launch(const Problem &problem) {
  constexpr double seconds = 2;
  try {
    Decider decider(seconds);
    return why_no_launch(problem, decider);
  } catch (const TooLarge &) {
    return "";
  }
}

bool can_decide() {
  return LinearSolver::available();
}

std::vector<Property> decide(const Problem &problem, const Runner &runner, const Limits &limits) {
  return Proof(problem, runner, limits).all();
}

}  // namespace warpgrade::prove
