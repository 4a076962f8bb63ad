// Problems for tests, from the bodies of their kernels.
#pragma once

#include <string>

#include "prove/prove.hpp"

namespace warpgrade::prove {

/// A kernel k(a, n) in blocks of 32 threads that cover n, with the index in %r3.
Problem problem_with(const std::string &body, ptx::Module &);

/// A kernel k(out, n) in one block of 32 threads, with the thread in %r1 and the address of its element in %rd1.
Problem one_block_with(const std::string &body, ptx::Module &);

/// A kernel k with these parameters, of which the problem says nothing yet.
Problem problem_of(const std::string &parameters, const std::string &body, ptx::Module &);

}  // namespace warpgrade::prove
