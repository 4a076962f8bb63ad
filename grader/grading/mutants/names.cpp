#include "mutants/names.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "base/source_text.hpp"
#include "base/text.hpp"
#include "mutants/code.hpp"

namespace warpgrade::mutants {

namespace {

constexpr std::array<std::string_view, 60> given_names = {
    "alignas",       "auto",      "bool",     "break",     "case",     "char",     "class",
    "const",         "constexpr", "continue", "default",   "do",       "double",   "else",
    "enum",          "extern",    "false",    "float",     "for",      "goto",     "if",
    "inline",        "int",       "long",     "namespace", "nullptr",  "operator", "private",
    "public",        "register",  "return",   "short",     "signed",   "sizeof",   "static",
    "static_assert", "struct",    "switch",   "template",  "this",     "true",     "typedef",
    "typename",      "union",     "unsigned", "using",     "void",     "volatile", "while",
    "threadIdx",     "blockIdx",  "blockDim", "gridDim",   "warpSize", "dim3",     "float2",
    "float4",        "int2",      "int4",     "std"};

bool is_member(const Code &c, std::size_t i) {
  return i > 0 && (c.is(i - 1, ".") || c.is(i - 1, "->") || c.is(i - 1, "::"));
}

/// Whether the author of the file chose the name: it is not CUDA's, no member of something, and no function that the file
/// only calls.
bool is_chosen(const Code &c, std::size_t i) {
  const std::string_view w = c.word(i);
  if (!c.is_name(i) || w.starts_with("__") || is_member(c, i)) return false;
  if (std::find(given_names.begin(), given_names.end(), w) != given_names.end()) return false;
  return !c.is(i + 1, "(") || !c.in_function(i) || c.declares(i);
}

}  // namespace

std::string without_names(const std::string &source) {
  const Code code(source);
  std::map<std::string_view, std::size_t> numbers;
  for (std::size_t i = 0; i < code.size(); ++i)
    if (is_chosen(code, i)) numbers.try_emplace(code.word(i), numbers.size());
  std::string text;
  for (const std::string &line : lines_of(without_comments(source)))
    if (trimmed(line).starts_with("#")) text += trimmed(line) + '\n';
  for (std::size_t i = 0; i < code.size(); ++i) {
    const auto found = code.is_name(i) && !is_member(code, i) ? numbers.find(code.word(i)) : numbers.end();
    text += found == numbers.end() ? std::string(code.word(i)) : "#" + std::to_string(found->second);
    text += ' ';
  }
  return text;
}

}  // namespace warpgrade::mutants
