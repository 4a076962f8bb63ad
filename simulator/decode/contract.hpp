// Fused products and sums, contracted as ptxas does. Internal to simt.
#pragma once

#include <memory>

#include "ptx/module.hpp"

namespace warpgrade::simt {

/// The module with each `mul` that ptxas contracts with the next `add` or `sub` contracted: fma, or one of two
/// opcodes that PTX lacks, fms (a b - c) and fnma (c - a b). The same module if there is none.
std::shared_ptr<const ptx::Module> contracted(std::shared_ptr<const ptx::Module>);

}  // namespace warpgrade::simt
