// Products and sums in one rounding, as ptxas joins them. Internal to simt.
#pragma once

#include <memory>

#include "ptx/module.hpp"

namespace warpgrade::simt {

/// The module with each `mul` that ptxas joins to the `add` or `sub` behind it joined: fma, or one of two
/// opcodes that PTX lacks, fms (a b - c) and fnma (c - a b). The same module where there is none.
std::shared_ptr<const ptx::Module> contracted(std::shared_ptr<const ptx::Module>);

}  // namespace warpgrade::simt
