#include "gpu/arena_damage.hpp"

namespace warpgrade::gpu {
namespace {

std::string bytes_text(std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " byte" : " bytes");
}

std::string sentence(const std::string &name, std::uint64_t bytes, std::uint64_t nearest, bool after) {
  return name + ": " + bytes_text(bytes) + (after ? " past the end " : " before the start ") +
         (bytes == 1 ? "was" : "were") + " overwritten, the nearest " + bytes_text(nearest) +
         (after ? " past it" : " before it");
}

}  // namespace

void describe(const GuardDamage &damage, const std::string &buffer, std::vector<std::string> &sentences) {
  if (damage.before > 0) sentences.push_back(sentence(buffer, damage.before, damage.nearest_before, false));
  if (damage.after > 0) sentences.push_back(sentence(buffer, damage.after, damage.nearest_after, true));
}

}  // namespace warpgrade::gpu
