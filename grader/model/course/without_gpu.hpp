// What an assignment does about points for speed where a class is graded without a GPU: `without_gpu`.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace warpgrade::course {

enum class WithoutGpu : std::uint8_t {
  leave,     ///< they wait for a GPU
  rescale,   ///< the points of a step are those for what can be measured, scaled to its maximum
  predicted  ///< the rate predicted for the GPU of `predict_for` earns them
};

/// As assignment.yaml writes it: "rescale".
constexpr std::string_view name_of(WithoutGpu policy) {
  return policy == WithoutGpu::rescale ? "rescale" : policy == WithoutGpu::predicted ? "predicted" : "leave";
}
/// None: there is no such policy.
constexpr std::optional<WithoutGpu> without_gpu_of(std::string_view name) {
  for (const WithoutGpu policy : {WithoutGpu::leave, WithoutGpu::rescale, WithoutGpu::predicted})
    if (name_of(policy) == name) return policy;
  return std::nullopt;
}

/// In place of the name of a GPU: there is none.
inline constexpr std::string_view no_gpu = "none";

}  // namespace warpgrade::course
