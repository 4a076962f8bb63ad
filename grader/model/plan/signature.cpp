#include "plan/signature.hpp"

#include <algorithm>
#include <cctype>
#include <stdexcept>

namespace warpgrade::plan {
namespace {

/// A type that a launcher may take by value or point to.
struct KnownType {
  std::string_view name, mangled;
  Passed passed;
  std::size_t bytes;
  bool by_value = true;
};

constexpr KnownType known_types[] = {
    {"bool", "b", Passed::integer, 1},
    {"char", "c", Passed::integer, 1},
    {"signed char", "a", Passed::integer, 1},
    {"int8_t", "a", Passed::integer, 1},
    {"unsigned char", "h", Passed::integer, 1},
    {"uint8_t", "h", Passed::integer, 1},
    {"short", "s", Passed::integer, 2},
    {"int16_t", "s", Passed::integer, 2},
    {"unsigned short", "t", Passed::integer, 2},
    {"uint16_t", "t", Passed::integer, 2},
    {"int", "i", Passed::integer, 4},
    {"int32_t", "i", Passed::integer, 4},
    {"unsigned", "j", Passed::integer, 4},
    {"unsigned int", "j", Passed::integer, 4},
    {"uint32_t", "j", Passed::integer, 4},
    {"long", "l", Passed::integer, 8},
    {"int64_t", "l", Passed::integer, 8},
    {"unsigned long", "m", Passed::integer, 8},
    {"uint64_t", "m", Passed::integer, 8},
    {"size_t", "m", Passed::integer, 8},
    {"long long", "x", Passed::integer, 8},
    {"unsigned long long", "y", Passed::integer, 8},
    {"float", "f", Passed::real, 4},
    {"double", "d", Passed::real, 8},
    {"half", "6__half", Passed::real, 2, false},
    {"__half", "6__half", Passed::real, 2, false},
    {"__nv_bfloat16", "13__nv_bfloat16", Passed::real, 2, false},
    {"__nv_fp8_e4m3", "13__nv_fp8_e4m3", Passed::real, 1, false},
};

const KnownType *known_type(std::string_view name) {
  const auto *found = std::find_if(std::begin(known_types), std::end(known_types),
                                   [&](const KnownType &t) { return t.name == name; });
  return found == std::end(known_types) ? nullptr : found;
}

/// Names and asterisks: "const float *A" is const, float, *, A.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  bool in_word = false;
  for (const char c : text) {
    const bool part = std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == ':';
    if (part && !in_word) words.emplace_back();
    if (part) words.back() += c;
    if (c == '*') words.emplace_back("*");
    in_word = part;
  }
  return words;
}

[[noreturn]] void refuse(std::string_view parameter, const std::string &why) {
  throw std::invalid_argument("the parameter '" + std::string(parameter) + "' of a launcher " + why);
}

Parameter parameter_of(std::string_view text) {
  std::vector<std::string> words = words_of(text);
  Parameter p;
  if (words.size() < 2 || words.back() == "*") refuse(text, "needs a type and a name");
  p.name = words.back();
  words.pop_back();
  const bool pointer = words.back() == "*";
  if (pointer) words.pop_back();
  const bool pointers =
      pointer && words.size() > 2 && words.back() == "const" && words[words.size() - 2] == "*";
  if (pointers) words.resize(words.size() - 2);
  if (!words.empty() && words.front() == "const") {
    p.constant = true;
    words.erase(words.begin());
  }
  if (words.empty() || std::find(words.begin(), words.end(), "*") != words.end())
    refuse(text,
           "must be a value, a pointer to values, or an array of constant pointers ('float *const *x')");
  for (const std::string &word : words)
    p.type += (p.type.empty() ? "" : " ") + (word.starts_with("std::") ? word.substr(5) : word);
  const KnownType *known = known_type(p.type);
  if (known != nullptr) p.value_bytes = known->bytes;
  if (pointer) {
    if (known == nullptr && words.size() > 1) refuse(text, "has a type that is not known here");
    p.passed = pointers ? Passed::pointers : Passed::pointer;
  } else if (known == nullptr || !known->by_value) {
    refuse(text, "cannot be passed by value; accepted are C's integers, float and double");
  } else {
    p.passed = known->passed;
  }
  return p;
}

/// Mangles types one after the other; a repeated one is abbreviated ("S_", "S0_").
class Mangler {
 public:
  std::string mangle(const Parameter &p) {
    const KnownType *known = known_type(p.type);
    const std::string type =
        known != nullptr ? std::string(known->mangled) : std::to_string(p.type.size()) + p.type;
    const std::string value = type.size() == 1 ? type : seen(type, type);
    if (p.passed != Passed::pointer && p.passed != Passed::pointers) return value;
    const std::string to = p.constant ? seen("K" + type, "K" + value) : value;
    const std::string full = (p.constant ? "PK" : "P") + type, pointer = seen(full, "P" + to);
    if (p.passed == Passed::pointer) return pointer;
    return seen("PK" + full, "P" + seen("K" + full, "K" + pointer));
  }

 private:
  /// full: the type without abbreviations, which identifies it; written: with them
  std::string seen(const std::string &full, const std::string &written) {
    const auto found = std::find(seen_.begin(), seen_.end(), full);
    if (found == seen_.end()) {
      seen_.push_back(full);
      return written;
    }
    const auto number = found - seen_.begin();
    constexpr std::string_view digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";  // of base 36
    if (number == 0) return "S_";
    return std::string("S") + digits[static_cast<std::size_t>(number - 1) % digits.size()] + "_";
  }
  std::vector<std::string> seen_;
};

}  // namespace

Signature::Signature(std::string_view text) : text_(text) {
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    parameters_.push_back(parameter_of(text.substr(at, end - at)));
    at = end + 1;
  }
  // So that an abbreviation has one digit: two for each parameter, four for an array of pointers.
  const std::size_t most = count(Passed::pointers) > 0 ? 9 : 18;
  if (parameters_.size() > most)
    throw std::invalid_argument("a launcher has at most " + std::to_string(most) + " parameters");
}

std::size_t Signature::count(Passed passed) const {
  return static_cast<std::size_t>(std::count_if(parameters_.begin(), parameters_.end(),
                                                [&](const Parameter &p) { return p.passed == passed; }));
}

const Parameter *Signature::find(std::string_view name) const {
  const auto found = std::find_if(parameters_.begin(), parameters_.end(),
                                  [&](const Parameter &p) { return p.name == name; });
  return found == parameters_.end() ? nullptr : &*found;
}

std::string name_on_device(std::string_view parameter, std::size_t device) {
  return std::string(parameter) + "[" + std::to_string(device) + "]";
}

std::string declaration(const Signature &signature, std::string_view name) {
  return "void " + std::string(name) + "(" + signature.text() + ")";
}

std::string mangled_entry(const Signature &signature, std::string_view name) {
  std::string mangled = "_Z" + std::to_string(name.size()) + std::string(name);
  Mangler types;
  for (const Parameter &p : signature.parameters()) mangled += types.mangle(p);
  return mangled;
}

}  // namespace warpgrade::plan
