// Threads that work together: barriers, order in memory, masks, atomics, storage.
#include <fmt/format.h>

#include "mutants/code.hpp"

namespace warpgrade::mutants {

namespace {

void barrier_left_out(const Code &c, const Add &add) {
  for (const Call &call : c.calls("__syncthreads")) add(replace(c, {call.name, call.close + 1}, ""));
  for (std::size_t i = 0; i + 4 < c.size(); ++i)  // block.sync()
    if (c.is_name(i) && c.is(i + 1, ".") && c.is(i + 2, "sync") && c.is(i + 3, "(") && c.is(i + 4, ")"))
      add(replace(c, Range{i, i + 5}, ""));
}

void barrier_of_a_warp(const Code &c, const Add &add) {
  for (const Call &call : c.calls("__syncthreads")) add(replace(c, call.name, "__syncwarp"));
}

void barrier_not_for_all(const Code &c, const Add &add) {
  for (const Call &call : c.calls("__syncthreads"))
    add(replace(c, {call.name, call.close + 1},
                fmt::format("if (threadIdx.x > 0) {}", c.text({call.name, call.close + 1}))));
}

/// The statement before a barrier and the barrier change places.
void barrier_earlier(const Code &c, const Add &add) {
  for (const Call &call : c.calls("__syncthreads")) {
    if (call.name < 2 || !c.is(call.name - 1, ";") || !c.is(call.close + 1, ";")) continue;
    const std::size_t start = c.statement_start(call.name - 1);
    if (start + 1 < call.name && !c.declares(start))
      add(swap(c, {start, call.name - 1}, {call.name, call.close + 1}));
  }
}

void warp_barrier_left_out(const Code &c, const Add &add) {
  for (const Call &call : c.calls("__syncwarp")) add(replace(c, {call.name, call.close + 1}, ""));
}

void fence_left_out(const Code &c, const Add &add) {
  for (const std::string_view name : {"__threadfence", "__threadfence_block", "__threadfence_system"})
    for (const Call &call : c.calls(name)) add(replace(c, {call.name, call.close + 1}, ""));
}

void order_relaxed(const Code &c, const Add &add) {
  for (std::size_t i = 0; i < c.size(); ++i) {
    for (const std::string_view order :
         {"memory_order_release", "memory_order_acquire", "memory_order_acq_rel", "memory_order_seq_cst"})
      if (c.is(i, order)) add(replace(c, i, "memory_order_relaxed"));
    if (c.is(i, "volatile") && c.in_function(i) && !c.is(i - 1, "asm")) add(replace(c, i, ""));
  }
}

void half_a_mask(const Code &c, const Add &add) {
  for (std::size_t i = 0; i < c.size(); ++i)
    if (c.is(i, "0xffffffff") || c.is(i, "0xffffffffu") || c.is(i, "0xFFFFFFFF") || c.is(i, "0xFFFFFFFFu"))
      add(replace(c, i, "0x0000ffffu"));
}

void other_lane(const Code &c, const Add &add) {
  for (const std::string_view name : {"__shfl_down_sync", "__shfl_up_sync", "__shfl_xor_sync", "__shfl_sync"})
    for (const Call &call : c.calls(name))
      if (call.arguments.size() >= 3 && !call.arguments[2].empty())
        add(replace(c, call.arguments[2], fmt::format("({}) + 1", c.text(call.arguments[2]))));
}

void other_direction(const Code &c, const Add &add) {
  for (const auto &[from, to] :
       {std::pair{"__shfl_down_sync", "__shfl_up_sync"}, std::pair{"__shfl_up_sync", "__shfl_down_sync"}})
    for (const Call &call : c.calls(from)) add(replace(c, call.name, to));
}

/// atomicAdd(to, v) as *to += v.
void not_atomic(const Code &c, const Add &add) {
  for (const Call &call : c.calls("atomicAdd"))
    if (call.arguments.size() == 2)
      add(replace(c, {call.name, call.close + 1},
                  fmt::format("(*({}) += {})", c.text(call.arguments[0]), c.text(call.arguments[1]))));
}

void no_longer_shared(const Code &c, const Add &add) {
  for (std::size_t i = 0; i < c.size(); ++i)
    if (c.is(i, "__shared__") && c.on_device(i) && (i == 0 || !c.is(i - 1, "extern"))) add(replace(c, i, ""));
}

}  // namespace

const std::vector<Kind> thread_kinds = {
    {"barrier: left out", barrier_left_out},
    {"barrier: of a warp only", barrier_of_a_warp},
    {"barrier: not for all threads", barrier_not_for_all},
    {"barrier: one statement earlier", barrier_earlier},
    {"barrier: of a warp left out", warp_barrier_left_out},
    {"memory order: fence left out", fence_left_out},
    {"memory order: relaxed", order_relaxed},
    {"mask: half of it", half_a_mask},
    {"mask: the next lane", other_lane},
    {"mask: the other direction", other_direction},
    {"atomic: not atomic", not_atomic},
    {"type: not shared", no_longer_shared},
};

}  // namespace warpgrade::mutants
