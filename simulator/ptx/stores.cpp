#include "ptx/stores.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace warpgrade::ptx {
namespace {

/// The instructions that may run twice: those between a label and a branch back to it. Nothing where a branch
/// has targets that only the run knows.
std::optional<std::vector<bool>> in_loops(const Function &kernel) {
  std::vector<bool> repeated(kernel.instructions.size());
  for (std::size_t at = 0; at < kernel.instructions.size(); ++at) {
    const Instruction &i = kernel.instructions[at];
    if (i.opcode.starts_with("brx")) return std::nullopt;
    if (!i.opcode.starts_with("bra") || i.operands.empty()) continue;
    for (const Label &label : kernel.labels)
      if (label.name == i.operands.front().name && label.instruction <= at)
        std::fill(repeated.begin() + label.instruction,
                  repeated.begin() + static_cast<std::ptrdiff_t>(at) + 1, true);
  }
  return repeated;
}

/// Of "st.global.v4.f32": 16.
std::optional<std::uint64_t> bytes_of(std::string_view opcode) {
  std::uint64_t bytes = 0, elements = 1;
  for (std::size_t at = opcode.find('.'); at != std::string_view::npos;) {
    const std::size_t end = opcode.find('.', at + 1);
    const std::string_view part = opcode.substr(at + 1, end == std::string_view::npos ? end : end - at - 1);
    at = end;
    if (part == "v2" || part == "v4" || part == "v8") elements = static_cast<std::uint64_t>(part[1] - '0');
    if (part.ends_with("128"))
      bytes = 16;
    else if (part.ends_with("64"))
      bytes = 8;
    else if (part.ends_with("32") || part.ends_with("x2"))
      bytes = 4;
    else if (part.ends_with("16"))
      bytes = 2;
    else if (part == "b8" || part == "u8" || part == "s8")
      bytes = 1;
  }
  if (bytes == 0) return std::nullopt;
  return bytes * elements;
}

bool is_of_other_memory(std::string_view opcode) {
  return opcode.find(".shared") != std::string_view::npos ||
         opcode.find(".local") != std::string_view::npos || opcode.find(".param") != std::string_view::npos;
}

}  // namespace

std::optional<std::uint64_t> most_stored_bytes(const Function &kernel) {
  const auto repeated = in_loops(kernel);
  if (!repeated) return std::nullopt;
  std::uint64_t all = 0;
  for (std::size_t at = 0; at < kernel.instructions.size(); ++at) {
    const std::string_view opcode = kernel.instructions[at].opcode;
    if (opcode.starts_with("call")) return std::nullopt;
    const bool stores =
        opcode.starts_with("st.") || opcode.starts_with("atom.") || opcode.starts_with("red.");
    // Those that move more than a thread's own registers hold.
    if (opcode.starts_with("cp.") || opcode.starts_with("wmma.store") || opcode.starts_with("st.bulk") ||
        opcode.starts_with("st.async") || opcode.starts_with("red.async") || opcode.starts_with("multimem")) {
      if (opcode.starts_with("cp.async") && opcode.find("bulk") == std::string_view::npos) continue;
      return std::nullopt;
    }
    if (!stores || is_of_other_memory(opcode)) continue;
    const auto bytes = bytes_of(opcode);
    if (!bytes || (*repeated)[at]) return std::nullopt;
    all += *bytes;
  }
  return all;
}

}  // namespace warpgrade::ptx
