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

/// Whether the second call's operation does to its buffers what the first call's did to the corresponding ones.
bool same(const LaunchPlan &plan, const Operation &first, const Operation &second,
          std::map<std::uint32_t, std::uint32_t> &in_place_of) {
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
  std::map<std::uint32_t, std::uint32_t> in_place_of;  // of the first call's buffers: the second call's
  const std::vector<Operation> &all = plan.operations;
  std::size_t at = 0;
  while (at < first_call && first_call + at < all.size() &&
         same(plan, all[at], all[first_call + at], in_place_of))
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
