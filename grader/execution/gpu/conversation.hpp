// The parent's side of one prepared, timed piece of work in a child: run, armed, go, finished, outputs.
#pragma once

#include <string>

#include "gpu/child_process.hpp"
#include "gpu/wire.hpp"
#include "run/energy.hpp"
#include "run/run.hpp"

namespace warpgrade::gpu {

struct Exchange {
  enum class How {
    answered,     ///< `end` and `message` are the child's; `outputs` came when end == completed
    gone_before,  ///< the child was already gone
    failed,       ///< our failure: `message` says what
    deadline,     ///< the work did not finish in time
  };
  How how = How::failed;
  run::End end = run::End::our_failure;
  std::string message;
  run::Sample sample;
  run::Energy energy = {};
  std::vector<std::byte> armed, outputs;  ///< what came with these messages
};

/// Sends `request` to the child and waits for the result. setup_seconds limits preparing and collecting,
/// run_seconds the time between go and finished.
Exchange converse(ChildProcess &child, const Writer &request, double setup_seconds, double run_seconds);

/// How a child says what energy was counted.
void put_energy(Writer &to, const run::Energy &energy);
/// throws WireError
run::Energy get_energy(Reader &from);

/// What a child that should have answered with `wanted` did instead, as a sentence; "" if it did answer so.
std::string unexpected(const Answer &answer, Message wanted, const std::string &during, double seconds);

}  // namespace warpgrade::gpu
