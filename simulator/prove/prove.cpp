#include "prove/prove.hpp"

#include <algorithm>

#include "prove/check.hpp"
#include "prove/linear.hpp"
#include "prove/thread.hpp"

namespace warpgrade::prove {
namespace {

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
    examine(false);
    Property &overflow = result_[4];
    if (overflow.result == Result::proved) return;
    // Once more for buffers whose elements a 32-bit index can count: what holds there holds under that condition.
    const std::vector<Property> any_size = result_;
    try {
      examine(true);
    } catch (...) {  // half of it holds under a condition that nobody would add
      result_ = any_size;
      throw;
    }
    const bool enough = overflow.result == Result::proved;
    for (Property &one : result_) {
      if (&one == &overflow || one.result != Result::proved) continue;
      one.condition = "buffers have at most 2^31 - 1 elements";
      if (enough) continue;
      one.result = Result::not_decided;
      one.condition.clear();
      one.where = overflow.where;
      one.why = overflow.why;
      one.stopped_by_clock = overflow.stopped_by_clock || any_size[4].stopped_by_clock;
    }
    overflow = any_size[4];
  }

  void examine(bool limited) {
    Scene scene = scene_of(problem_, limited);
    const Behaviour behaviour = Thread(scene, decider_).run();
    judge(scene, 4, overflowing(scene, decider_, behaviour), &Seen::outside, true);
    if (!limited && result_[4].result != Result::proved) return;
    if (!problem_.turn.empty())
      return judge(scene, 2, unwritten(scene, decider_, behaviour), &Seen::unwritten);
    judge(scene, 0, outside(scene, decider_, behaviour), &Seen::outside);
    judge(scene, 3, diverging(scene, decider_, behaviour), &Seen::barrier);
    judge(scene, 1, racing(scene, decider_, behaviour, result_[3].result == Result::proved), &Seen::race);
    judge(scene, 2, unwritten(scene, decider_, behaviour), &Seen::unwritten);
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
    CaseFinder finder(problem_, scene, decider_, runner_, limits_);
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
        if (far) continue;
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
};

}  // namespace

std::string name_of(Result result) {
  return result == Result::proved ? "proved" : result == Result::fails ? "fails" : "not decided";
}

bool can_decide() {
  return LinearSolver::available();
}

std::vector<Property> decide(const Problem &problem, const Runner &runner, const Limits &limits) {
  return Proof(problem, runner, limits).all();
}

}  // namespace warpgrade::prove
