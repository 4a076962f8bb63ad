#include "trace/leading.hpp"

#include <algorithm>

namespace warpgrade::simt {

const Diagnostic *leading(const std::vector<Diagnostic> &all) {
  const auto rank = [](const Diagnostic &one) {
    if (one.severity == Severity::info || one.code == Code::launch_error || one.code == Code::unsupported)
      return 0;
    const int of_error = one.severity == Severity::error ? 10 : 0;
    switch (one.code) {
      case Code::out_of_bounds:
      case Code::misaligned:
      case Code::use_after_free:
      case Code::peer_access:
        return of_error + 5;
      case Code::barrier_divergence:
      case Code::deadlock:
        return of_error + 4;
      case Code::race:
      case Code::lock:
      case Code::scope:
        return of_error + 3;
      case Code::uninitialized_read:
        return of_error + 2;
      default:
        return of_error + 1;
    }
  };
  const auto best = std::max_element(
      all.begin(), all.end(), [&](const Diagnostic &a, const Diagnostic &b) { return rank(a) < rank(b); });
  return best == all.end() || rank(*best) == 0 ? nullptr : &*best;
}

}  // namespace warpgrade::simt
