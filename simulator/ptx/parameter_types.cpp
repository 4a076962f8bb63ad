#include "ptx/parameter_types.hpp"

#include <algorithm>
#include <cctype>
#include <map>

namespace warpgrade::ptx {
namespace {

using Words = std::vector<std::string>;

bool is_in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == ':';
}

/// The words of a type without what says nothing of its size.
Words words_of(std::string_view type) {
  Words result;
  for (std::size_t at = 0; at < type.size();) {
    std::size_t end = at;
    while (end < type.size() && is_in_word(type[end])) ++end;
    std::string word(type.substr(at, std::max<std::size_t>(end - at, 1)));
    at += word.size();
    for (const std::string_view space : {"::", "std::", "cuda::std::"})
      if (word.starts_with(space) && word.size() > space.size()) word.erase(0, space.size());
    if (word == " " || word == "const" || word == "volatile" || word.find("restrict") != std::string::npos)
      continue;
    result.push_back(std::move(word));
  }
  return result;
}

/// "unsigned long long", "float"; 0 if a word is none of a built-in type.
std::uint32_t bytes_of_built_in(const Words &words) {
  static const std::map<std::string_view, std::uint32_t> sizes = {
      {"int", 4},  {"unsigned", 4}, {"signed", 4}, {"float", 4}, {"char", 1},
      {"bool", 1}, {"short", 2},    {"long", 8},   {"double", 8}};
  std::uint32_t result = 0;
  for (const std::string &word : words) {
    const auto size = sizes.find(word);
    if (size == sizes.end()) return 0;
    // "int", "unsigned" and "signed" give way to what they come with.
    const bool plain = word == "int" || word == "unsigned" || word == "signed";
    if (result == 0 || !plain) result = size->second;
  }
  return result;
}

const std::map<std::string_view, std::uint32_t> &named_integers() {
  static const std::map<std::string_view, std::uint32_t> sizes = {
      {"int8_t", 1},  {"uint8_t", 1},  {"int16_t", 2},   {"uint16_t", 2},  {"int32_t", 4}, {"uint32_t", 4},
      {"int64_t", 8}, {"uint64_t", 8}, {"size_t", 8},    {"ptrdiff_t", 8}, {"uint", 4},    {"ushort", 2},
      {"ulong", 8},   {"intptr_t", 8}, {"uintptr_t", 8}, {"__int128", 16}};
  return sizes;
}

std::uint32_t bytes_of_named(const std::string &word) {
  static const std::map<std::string_view, std::uint32_t> others = {
      {"half", 2},    {"__half", 2},        {"nv_bfloat16", 2},    {"__nv_bfloat16", 2}, {"half2", 4},
      {"__half2", 4}, {"nv_bfloat162", 4},  {"__nv_bfloat162", 4}, {"char16_t", 2},      {"char32_t", 4},
      {"wchar_t", 4}, {"__nv_fp8_e4m3", 1}, {"__nv_fp8_e5m2", 1}};
  static const std::map<std::string_view, std::uint32_t> elements = {
      {"char", 1}, {"uchar", 1}, {"short", 2}, {"ushort", 2}, {"int", 4},      {"uint", 4},
      {"long", 8}, {"ulong", 8}, {"float", 4}, {"double", 8}, {"longlong", 8}, {"ulonglong", 8}};
  for (const auto *table : {&named_integers(), &others})
    if (const auto found = table->find(word); found != table->end()) return found->second;
  const auto vector = elements.find(std::string_view(word).substr(0, word.empty() ? 0 : word.size() - 1));
  if (vector == elements.end() || word.back() < '1' || word.back() > '4') return 0;
  return vector->second * static_cast<std::uint32_t>(word.back() - '0');
}

/// Where "(*) [4]" begins in "float const (*) [4]", a pointer to arrays; npos in other types.
std::size_t brackets_of_pointer(std::string_view type) {
  const std::size_t none = std::string_view::npos, open = type.rfind("(*"), close = type.find(')', open);
  if (open == none || close == none || !type.ends_with(']')) return none;
  const std::size_t extent = type.find_first_not_of(' ', close + 1);
  const Words inside = words_of(type.substr(open + 1, close - open - 1));
  const bool pointers = std::all_of(inside.begin(), inside.end(), [](const auto &one) { return one == "*"; });
  return pointers && extent != none && type[extent] == '[' ? open : none;
}

}  // namespace

std::optional<std::vector<std::string>> parameter_types(std::string_view demangled) {
  int angles = 0;
  std::size_t at = 0;
  constexpr std::string_view nameless = "(anonymous namespace)";
  for (; at < demangled.size(); ++at) {
    if (demangled.substr(at).starts_with(nameless)) at += nameless.size();
    if (angles == 0 && demangled.substr(at).starts_with('(')) break;
    if (at < demangled.size()) angles += demangled[at] == '<' ? 1 : demangled[at] == '>' ? -1 : 0;
  }
  if (at >= demangled.size() || demangled.back() != ')') return std::nullopt;
  const std::string_view inside = demangled.substr(at + 1, demangled.size() - at - 2);
  std::vector<std::string> result;
  int depth = 0;
  std::string one;
  for (const char c : inside) {
    depth += c == '(' || c == '<' || c == '[' ? 1 : c == ')' || c == '>' || c == ']' ? -1 : 0;
    if (c != ',' || depth > 0) {
      if (c != ' ' || !one.empty()) one += c;
      continue;
    }
    result.push_back(std::move(one));
    one.clear();
  }
  if (!one.empty() && one != "void") result.push_back(std::move(one));
  return result;
}

std::uint32_t bytes_of_type(std::string_view type) {
  if (is_pointer_type(type)) return 8;
  const Words words = words_of(type);
  if (const std::uint32_t bytes = bytes_of_built_in(words)) return bytes;
  return words.size() == 1 ? bytes_of_named(words.front()) : 0;
}

bool is_integer_type(std::string_view type) {
  const Words words = words_of(type);
  const bool counts = std::none_of(words.begin(), words.end(), [](const std::string &word) {
    return word == "float" || word == "double" || word == "bool";
  });
  return counts &&
         (bytes_of_built_in(words) > 0 || (words.size() == 1 && named_integers().count(words.front()) > 0));
}

bool is_pointer_type(std::string_view type) {
  const Words words = words_of(type);
  return (!words.empty() && words.back() == "*") || brackets_of_pointer(type) != std::string_view::npos;
}

std::string pointed_to(std::string_view type) {
  const std::size_t brackets = brackets_of_pointer(type), last = type.rfind('*');
  if (brackets == std::string_view::npos) return std::string(type.substr(0, last));
  if (last == brackets + 1) return std::string(type.substr(0, brackets));
  return std::string(type).erase(last, 1);
}

}  // namespace warpgrade::ptx
