#include "judge/consequences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace warpgrade::judge {

namespace {

bool same_thread(const simt::Diagnostic &a, const simt::Diagnostic &b) {
  return a.kernel == b.kernel && a.here.thread == b.here.thread && a.here.block == b.here.block;
}

/// Two accesses that race in either order.
bool same_lines(const simt::Diagnostic &a, const simt::Diagnostic &b) {
  return a.other && b.other && a.other->at == b.here.at && b.other->at == a.here.at;
}

/// Each missing barrier has advice of its own.
bool needs_a_barrier(const simt::Diagnostic &d) {
  return d.cure == simt::Cure::barrier || d.cure == simt::Cure::barrier_or_atomic ||
         d.cure == simt::Cure::syncwarp;
}

/// What threads do wrong with a value or an address; the rest depends on neither.
bool depends_on_values(simt::Code code) {
  return code == simt::Code::uninitialized_read || code == simt::Code::out_of_bounds ||
         code == simt::Code::misaligned || code == simt::Code::use_after_free ||
         code == simt::Code::peer_access || code == simt::Code::trap || code == simt::Code::time_limit;
}

/// in_order: `first` was found before
bool may_follow(const simt::Diagnostic &later, const simt::Diagnostic &first, bool in_order) {
  const bool one_buffer = !first.buffer.empty() && first.buffer == later.buffer;
  if (first.code == simt::Code::race && later.code == simt::Code::uninitialized_read && one_buffer)
    return true;  // in whatever order: a thread reads before another one has written
  if (!in_order) return false;
  if (first.code == simt::Code::race && later.code == simt::Code::race)
    return one_buffer && later.cure == first.cure && (!needs_a_barrier(later) || same_lines(first, later));
  if (!depends_on_values(later.code)) return false;
  const bool one_line = !first.here.at.file.empty() && first.here.at == later.here.at;
  return one_line || one_buffer || same_thread(first, later);
}

}  // namespace

void mark_consequences(const std::vector<simt::Diagnostic> &found, std::vector<Finding> &findings) {
  const auto counts = [&](std::size_t i) {
    return findings[i].severity == "error" && found[i].code != simt::Code::launch_error &&
           found[i].code != simt::Code::unsupported;
  };
  const auto is_race = [&](std::size_t i) { return found[i].code == simt::Code::race; };
  std::vector<std::size_t> order(found.size());  // causes first
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_partition(order.begin(), order.end(), is_race);
  for (const std::size_t later : order) {
    if (!counts(later)) continue;
    for (const std::size_t first : order) {
      if (first == later || !counts(first) || findings[first].follows) continue;
      if (!may_follow(found[later], found[first], first < later)) continue;
      const Finding &f = findings[first];
      findings[later].follows = Origin{f.code, f.file, f.line};
      break;
    }
  }
}

std::string in_words(const Origin &named, const std::string &from) {
  Origin origin = named;
  if (const auto verdict = verdict_of(origin.code)) origin.code = in_words(*verdict);
  if (origin.line == 0) return origin.code;
  return origin.file == from ? fmt::format("{} in line {}", origin.code, origin.line)
                             : fmt::format("{} at {}:{}", origin.code, origin.file, origin.line);
}

}  // namespace warpgrade::judge
