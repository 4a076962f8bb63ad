#include "ptx/architecture.hpp"

#include <charconv>

namespace warpgrade::ptx {

Architecture::Architecture(std::string_view name) {
  constexpr std::string_view prefix = "compute_";
  constexpr int oldest = 75, newest = 199, first_exact = 90;
  if (!name.starts_with(prefix)) return;
  name.remove_prefix(prefix.size());
  int number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  const std::string_view rest = name.substr(static_cast<std::size_t>(end - name.data()));
  if (error != std::errc() || name[0] == '0' || number < oldest || number > newest) return;
  if (rest.empty() || (rest == "a" && number >= first_exact)) capability = number, exact = !rest.empty();
}

bool Architecture::runs_on(int major, int minor) const {
  const int gpu = 10 * major + minor;
  return exact ? gpu == capability : gpu >= capability;
}

std::string Architecture::machine_code(int major, int minor) const {
  return "sm_" + std::to_string(10 * major + minor) + (exact ? "a" : "");
}

}  // namespace warpgrade::ptx
