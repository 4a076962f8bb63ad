#include "course/plain_name.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ptx/architecture.hpp"

namespace warpgrade::course {
namespace {

constexpr std::size_t longest_name = 100;

bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return is_lower(c) || (c >= 'A' && c <= 'Z');
}
template <typename First, typename Rest>
bool made_of(std::string_view name, First first, Rest rest) {
  return !name.empty() && first(name[0]) && std::all_of(name.begin(), name.end(), rest);
}

bool is_stem(std::string_view name) {
  return made_of(
      name, [](char c) { return is_letter(c) || is_digit(c); },
      [](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
}

}  // namespace

bool is_step(std::string_view name) {
  return made_of(name, is_lower, [](char c) { return is_lower(c) || is_digit(c) || c == '_'; });
}
bool is_assignment(std::string_view name) {
  return made_of(name, is_lower, [](char c) { return is_lower(c) || is_digit(c) || c == '_' || c == '-'; });
}
bool is_entry(std::string_view name) {
  return made_of(
      name, [](char c) { return is_letter(c) || c == '_'; },
      [](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
}
bool is_file(std::string_view name) {
  return name.ends_with(".cu") && is_stem(name.substr(0, name.size() - 3));
}
bool is_answer_file(std::string_view name) {
  return name.ends_with(".yaml") && is_stem(name.substr(0, name.size() - 5));
}
bool is_header(std::string_view name) {
  return name.ends_with(".h") && is_stem(name.substr(0, name.size() - 2));
}
bool is_architecture(std::string_view name) {
  return ptx::Architecture(name).capability != 0;
}

std::string plain_name(const Yaml &y, bool (*accepts)(std::string_view), const char *accepted) {
  std::string name = y.text();
  if (name.size() > longest_name)
    y.fail(fmt::format("a name of {} bytes; at most {} are accepted", name.size(), longest_name));
  if (!accepts(name)) y.fail(fmt::format("'{}' is not {}", name, accepted));
  return name;
}

}  // namespace warpgrade::course
