// In which order a GPU adds the products of f64, if not as the simulator does.
#pragma once

#include <string>
#include <vector>

#include "tests/simt/tensor_cases.hpp"

namespace warpgrade::gpu {

/// Of fragments of a product of f64, rounded to nearest: which orders of products and of C give what a GPU
/// got, how often, and which NaNs it made. operands, got   of fragments 0 ... count - 1, one after the other
std::string compare_orders(const simt::tensor::Case &,
                           const std::vector<std::vector<std::uint32_t>> &operands,
                           const std::vector<std::uint32_t> &got, std::size_t count);

}  // namespace warpgrade::gpu
