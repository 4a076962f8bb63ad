// What a block reports: where, what, and whether the launch goes on.
#include <algorithm>

#include "machine/recorder.hpp"

namespace warpgrade::simt {
namespace {

constexpr std::uint64_t instructions_after_fault = 20'000'000;

}  // namespace

SourceLine BlockRun::line_of(std::int32_t location) const {
  return ptx::source_line(*program.module, location);
}

SourceLine BlockRun::line_of(const Op &op) const {
  const auto index = &op - program.ops.data();
  return line_of(program.op_locations[static_cast<std::size_t>(index)]);
}

Side BlockRun::side(std::uint32_t warp_index, std::uint32_t lane, SourceLine at) const {
  const Dim3 block = launch.launch.block;
  const std::uint32_t thread = warp_index * 32 + lane;
  return {{thread % block.x, thread / block.x % block.y, thread / block.x / block.y}, block_, std::move(at)};
}

Diagnostic BlockRun::diagnostic(Code code, Severity severity, Side at, std::string message) const {
  Diagnostic made;
  made.code = code;
  made.severity = severity;
  made.kernel = program.demangled;
  made.here = std::move(at);
  made.message = std::move(message);
  return made;
}

void BlockRun::fail(Diagnostic diagnostic, Status status) const {
  throw Fault{status, std::move(diagnostic)};
}

bool BlockRun::drop(const Fault &fault) {
  const Code code = fault.diagnostic.code;
  const bool memory = code == Code::out_of_bounds || code == Code::misaligned ||
                      code == Code::use_after_free || code == Code::peer_access;
  if (launch.options.stop_at_first || fault.status != Status::fault || !memory) return false;
  if (recorder_) recorder_->finding(*this, fault.diagnostic);
  findings.add(fault.diagnostic);
  if (!launch.went_on.exchange(true)) {
    // What was read may decide how long the kernel runs.
    const std::uint64_t so_far = launch.instructions.load() + pending_charge_;
    launch.most_instructions =
        std::min(launch.options.instruction_budget, 10 * so_far + instructions_after_fault);
  }
  return true;
}

void BlockRun::note(Diagnostic made, std::uint64_t handle) {
  if (recorder_) recorder_->finding(*this, made);
  findings.add(std::move(made), handle);
  watch_less();
}

Cures &BlockRun::cures() {
  if (!cures_) cures_ = std::make_unique<Cures>(program, launch.launch, *launch.memory);
  return *cures_;
}

bool BlockRun::count_known(std::uint64_t handle, Code code, Severity severity, std::uint32_t warps) {
  if (!findings.count(handle, code, severity, warps)) return false;
  watch_less();
  return true;
}

void BlockRun::print(const std::string &text) {
  if (printed_bytes_ >= launch.options.printf_bytes) return;
  printed[block_number_] += text;
  printed_bytes_ += text.size();
}

}  // namespace warpgrade::simt
