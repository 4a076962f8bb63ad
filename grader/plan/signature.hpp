// The launchers that problems call, as C++ signatures: the rows of plan/signatures.inc, from which
// cuda/record/entry.cpp makes the calls.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace warpgrade::plan {

struct Signature {
  std::string_view problem;     ///< CallRequest::problem
  std::string_view parameters;  ///< as the handout writes them
  std::string_view mangled;     ///< the parameters in the Itanium C++ ABI
  std::size_t integers, reals, buffers;
};

std::span<const Signature> signatures();
const Signature *find_signature(std::string_view problem);

/// "void step3(int M, ...)" and "_Z5step3iiifPKfS0_fPf" for the entry `name`.
std::string declaration(const Signature &, std::string_view name);
std::string mangled_entry(const Signature &, std::string_view name);

}  // namespace warpgrade::plan
