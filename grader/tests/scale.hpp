// How much of a slow test runs under sanitizers. Nothing is left out anywhere else, and what is cut is cut
// here: docs/sanitizers.md has the list.
#pragma once

#include "sandbox/sanitized.hpp"

namespace warpgrade::tests {

/// `all` repetitions, or `some` of them in the build of `make test-asan`.
template <typename Number>
constexpr Number repetitions(Number all, Number some) {
  return sandbox::sanitized ? some : all;
}

}  // namespace warpgrade::tests
