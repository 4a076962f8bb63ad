#include "plan/signature.hpp"

#include <algorithm>
#include <type_traits>
#include <typeinfo>
#include <vector>

namespace warpgrade::plan {
namespace {

/// text: the parameters in parentheses
template <typename... Parameters>
Signature row(void (*)(Parameters...), std::string_view problem, std::string_view text) {
  // A function's type is mangled as in the name of a function: "FviPKfE", the result `void` first.
  const std::string_view type = typeid(void(Parameters...)).name();
  return {problem,
          text.substr(1, text.size() - 2),
          type.substr(2, type.size() - 3),
          (std::size_t{0} + ... + std::is_same_v<Parameters, int>),
          (std::size_t{0} + ... + std::is_same_v<Parameters, float>),
          (std::size_t{0} + ... + std::is_pointer_v<Parameters>)};
}

}  // namespace

std::span<const Signature> signatures() {
#define SIGNATURE(problem, parameters, buffers) \
  row(static_cast<void(*) parameters>(nullptr), #problem, #parameters),
  static const std::vector<Signature> known = {
#include "plan/signatures.inc"
  };
#undef SIGNATURE
  return known;
}

const Signature *find_signature(std::string_view problem) {
  const std::span<const Signature> known = signatures();
  const auto found =
      std::find_if(known.begin(), known.end(), [&](const Signature &s) { return s.problem == problem; });
  return found == known.end() ? nullptr : &*found;
}

std::string declaration(const Signature &signature, std::string_view name) {
  return "void " + std::string(name) + "(" + std::string(signature.parameters) + ")";
}

std::string mangled_entry(const Signature &signature, std::string_view name) {
  return "_Z" + std::to_string(name.size()) + std::string(name) + std::string(signature.mangled);
}

}  // namespace warpgrade::plan
