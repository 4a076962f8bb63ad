#include "plan/again.hpp"

#include <map>
#include <type_traits>
#include <variant>

#include "plan/describe.hpp"

namespace warpgrade::plan {
namespace {

/// Calls what(buffer) with a reference to every buffer that the operation names.
template <typename Any, typename What>
void each_buffer(Any &operation, What what) {
  const auto visit = [&](auto &o) {
    using Kind = std::remove_const_t<std::remove_reference_t<decltype(o)>>;
    if constexpr (std::is_same_v<Kind, Allocate> || std::is_same_v<Kind, Free>) what(o.buffer);
    if constexpr (requires { o.to; }) what(o.to.buffer);
    if constexpr (requires { o.from; }) what(o.from.buffer);
    if constexpr (requires { o.pointers; })
      for (auto &pointer : o.pointers) what(pointer.to.buffer);
    if constexpr (requires { o.tensor_maps; })
      for (auto &map : o.tensor_maps) what(map.to.buffer);
  };
  std::visit(visit, operation);
}

/// Of what the first call created: what the second call uses in its place.
struct InPlace {
  std::map<std::uint32_t, std::uint32_t> buffers, streams, events;
};

/// Whether a stream or an event of the second call takes the place of one of the first, as it did before.
bool takes_place(std::map<std::uint32_t, std::uint32_t> &in_place, std::uint32_t first,
                 std::uint32_t second) {
  return in_place.try_emplace(first, second).first->second == second;
}

/// The stream or event that an operation names; nullptr if it names none.
std::uint32_t *named(Operation &operation, bool &is_event) {
  is_event = true;
  if (auto *o = std::get_if<RecordEvent>(&operation)) return &o->event;
  if (auto *o = std::get_if<WaitForEvent>(&operation)) return &o->event;
  auto *waits = std::get_if<HostWaits>(&operation);
  if (waits != nullptr && waits->what == HostWaits::For::event) return &waits->number;
  is_event = false;
  if (auto *o = std::get_if<UseStream>(&operation)) return &o->stream;
  return waits != nullptr && waits->what == HostWaits::For::stream ? &waits->number : nullptr;
}

/// The default streams are the same ones in both calls.
bool same_stream(const LaunchPlan &plan, InPlace &in_place, std::uint32_t first, std::uint32_t second) {
  const auto is_default = [&](std::uint32_t stream) { return plan.streams.at(stream).device == stream; };
  if (is_default(first) || is_default(second)) return first == second;
  return plan.streams.at(first) == plan.streams.at(second) && takes_place(in_place.streams, first, second);
}

/// Whether the second call's operation does to its buffers what the first call's did to the corresponding ones.
bool same(const LaunchPlan &plan, Operation first, Operation second, InPlace &in_place) {
  bool one_is_event = false, other_is_event = false;
  std::uint32_t *const one = named(first, one_is_event), *const other = named(second, other_is_event);
  if (one != nullptr && other != nullptr && one_is_event == other_is_event) {
    if (!(one_is_event ? takes_place(in_place.events, *one, *other)
                       : same_stream(plan, in_place, *one, *other)))
      return false;
    *one = *other;
    return first == second;
  }
  std::map<std::uint32_t, std::uint32_t> &in_place_of = in_place.buffers;
  const auto *old = std::get_if<Allocate>(&first), *fresh = std::get_if<Allocate>(&second);
  if (old != nullptr && fresh != nullptr) {
    in_place_of[old->buffer] = fresh->buffer;
    return plan.buffers[old->buffer].bytes == plan.buffers[fresh->buffer].bytes;
  }
  Operation moved = first;
  each_buffer(moved, [&](std::uint32_t &buffer) {
    const auto found = in_place_of.find(buffer);
    if (found != in_place_of.end()) buffer = found->second;
  });
  return moved == second;
}

}  // namespace

std::optional<CallsDiffer> difference_of_calls(const LaunchPlan &plan, std::size_t first_call,
                                               std::span<const KernelLayout> kernels) {
  InPlace in_place;
  const std::vector<Operation> &all = plan.operations;
  std::size_t at = 0;
  while (at < first_call && first_call + at < all.size() &&
         same(plan, all[at], all[first_call + at], in_place))
    ++at;
  if (at < first_call)
    return CallsDiffer{at,
                       "the first call does, and the second does not: " + describe(all[at], plan, kernels)};
  if (first_call + at < all.size())
    return CallsDiffer{first_call + at, "the second call does, and the first does not: " +
                                            describe(all[first_call + at], plan, kernels)};
  return std::nullopt;
}

}  // namespace warpgrade::plan
