#include "pack/package.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace warpgrade::pack {

std::string wrong_with_id(std::string_view id) {
  constexpr std::size_t most = 64;
  const auto plain = [](unsigned char c) {
    return (c < 0x80 && std::isalnum(c)) || c == '.' || c == '-' || c == '@';
  };
  if (id.empty()) return "it is empty";
  if (id.size() > most) return fmt::format("it has more than {} characters", most);
  if (id.find("_HW") != std::string_view::npos || id.ends_with(".zip"))
    return "give only the ID; the rest of the file's name is added";
  if (!std::all_of(id.begin(), id.end(), plain))
    return "it may have the letters a to z and A to Z (ASCII), digits, and the signs . - @, and nothing else";
  if (!std::isalnum(static_cast<unsigned char>(id.front()))) return "it must begin with a letter or a digit";
  return "";
}

std::string archive_name(std::string_view id, std::string_view assignment) {
  std::string upper(assignment);
  std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
  return fmt::format("{}_{}.zip", id, upper);
}

}  // namespace warpgrade::pack
