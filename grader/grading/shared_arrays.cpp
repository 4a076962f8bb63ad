#include "grading/shared_arrays.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>
#include <regex>
#include <sstream>
#include <string>

#include "grading/grading.hpp"

namespace warpgrade::grading {

namespace {

using Text = std::string;
constexpr std::int64_t largest = 1 << 20;
constexpr int most_nested = 32;
/// The library matches recursively: what it gets is short.
constexpr std::size_t longest_line = 400;

/// Without comments; a line stays a line.
Text without_comments(std::string_view source) {
  Text text;
  for (std::size_t i = 0; i < source.size();) {
    if (source.substr(i, 2) == "//") {
      i = std::min(source.find('\n', i), source.size());
    } else if (source.substr(i, 2) == "/*") {
      const std::size_t end = source.find("*/", i + 2);
      text += ' ';
      i = end == std::string_view::npos ? source.size() : end + 2;
    } else {
      text += source[i++];
    }
  }
  return text;
}

/// "BM * (BK + 1)", with constants by name.
class Expression {
 public:
  Expression(std::string_view text, const std::map<Text, Text> &constants, int depth)
      : text_(text), constants_(constants), depth_(depth) {}

  std::optional<std::int64_t> value() {
    const auto v = sum();
    blanks();
    return v && at_ == text_.size() && *v > 0 && *v <= largest ? v : std::nullopt;
  }

 private:
  void blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool take(char c) {
    blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  std::optional<std::int64_t> sum() {
    auto v = product();
    while (v) {
      const bool plus = take('+');
      if (!plus && !take('-')) break;
      const auto next = product();
      if (!next) return std::nullopt;
      v = plus ? *v + *next : *v - *next;
    }
    return v;
  }
  std::optional<std::int64_t> product() {
    auto v = term();
    while (v) {
      const bool times = take('*');
      if (!times && !take('/')) break;
      const auto next = term();
      if (!next || (!times && *next == 0) || *v > largest || *next > largest) return std::nullopt;
      v = times ? *v * *next : *v / *next;
    }
    return v;
  }
  std::optional<std::int64_t> term() {
    if (++nested_ > most_nested) return std::nullopt;
    if (take('(')) {
      const auto v = sum();
      return v && take(')') ? v : std::nullopt;
    }
    blanks();
    std::size_t end = at_;
    while (end < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[end])) || text_[end] == '_'))
      ++end;
    const std::string_view word = text_.substr(at_, end - at_);
    at_ = end;
    if (word.empty()) return std::nullopt;
    if (!std::isdigit(static_cast<unsigned char>(word.front()))) return constant(Text(word));
    std::int64_t number = 0;
    const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    const std::string_view suffix = word.substr(static_cast<std::size_t>(rest - word.data()));
    const bool plain = suffix.find_first_not_of("uUlL") == std::string_view::npos;
    return error == std::errc() && plain && number <= largest ? std::optional(number) : std::nullopt;
  }
  std::optional<std::int64_t> constant(const Text &name) const {
    const auto found = constants_.find(name);
    if (found == constants_.end() || depth_ == 8) return std::nullopt;
    return Expression(found->second, constants_, depth_ + 1).value();
  }

  std::string_view text_;
  const std::map<Text, Text> &constants_;
  int depth_;
  int nested_ = 0;
  std::size_t at_ = 0;
};

/// What each constant is defined as; "" for one that is defined twice.
std::map<Text, Text> constants_in(const Text &text) {
  std::map<Text, Text> all;
  const auto add = [&](const Text &name, const Text &value) {
    const auto [known, fresh] = all.try_emplace(name, value);
    if (!fresh && known->second != value) known->second.clear();
  };
  static const std::regex macro(R"(#[ \t]*define[ \t]+(\w+)[ \t]+([\w+*/() \t-]+))");
  static const std::regex variable(
      R"((?:constexpr|const|enum)\b[\w \t]*?[ \t{]((?:\w+\s*=\s*[\w+*/() \t-]+,?\s*)+))");
  static const std::regex one(R"((\w+)\s*=\s*([\w+*/() \t-]+))");
  std::istringstream lines(text);
  for (Text line; std::getline(lines, line);) {
    if (line.size() > longest_line) continue;
    const std::sregex_iterator end;
    for (std::sregex_iterator m(line.begin(), line.end(), macro); m != end; ++m) add((*m)[1], (*m)[2]);
    for (std::sregex_iterator m(line.begin(), line.end(), variable); m != end; ++m) {
      const Text list = (*m)[1];
      for (std::sregex_iterator o(list.begin(), list.end(), one); o != end; ++o) add((*o)[1], (*o)[2]);
    }
  }
  return all;
}

std::optional<std::uint32_t> bytes_of_type(const Text &type) {
  static const std::map<Text, std::uint32_t> known = {
      {"char", 1}, {"unsigned char", 1}, {"bool", 1},         {"short", 2},    {"half", 2},   {"__half", 2},
      {"int", 4},  {"unsigned", 4},      {"unsigned int", 4}, {"float", 4},    {"double", 8}, {"float2", 8},
      {"int2", 8}, {"float4", 16},       {"int4", 16},        {"long long", 8}};
  const auto found = known.find(type);
  return found == known.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

void note_shared_arrays(CounterRecord &record, const course::Step &step, const build::Build &build,
                        std::string_view source) {
  constexpr std::uint64_t most_of_a_kernel = 49152;  // in arrays that are declared with their sizes
  const std::uint64_t most =
      std::min(step.rules.static_shared_bytes.value_or(most_of_a_kernel), most_of_a_kernel);
  record.shared_room = most - std::min(most, build.static_shared_bytes);
  record.shared_arrays = shared_arrays_in(source);
}

std::vector<SharedArray> shared_arrays_in(std::string_view source) {
  constexpr std::size_t most_text = 1 << 18;
  if (source.size() > most_text) return {};
  const Text text = without_comments(source);
  const std::map<Text, Text> constants = constants_in(text);
  std::map<Text, SharedArray> all;
  std::map<Text, bool> twice;
  const std::string_view mark = "__shared__";
  for (std::size_t at = text.find(mark); at != Text::npos; at = text.find(mark, at + 1)) {
    const std::size_t begin = at + mark.size();
    const std::string declaration = text.substr(begin, std::min(text.find(';', begin) - begin, longest_line));
    static const std::regex start(
        R"(^\s*(?:__align__\s*\(\d+\)\s*|alignas\s*\(\d+\)\s*)?([\w ]+?)\s+(?=\w+\s*\[))");
    std::smatch type;
    if (!std::regex_search(declaration, type, start)) continue;
    const auto bytes = bytes_of_type(type[1]);
    if (!bytes) continue;
    const std::string rest = type.suffix();
    static const std::regex one(R"((\w+)((?:\s*\[[^\[\]]*\])+))");
    static const std::regex extent(R"(\[([^\[\]]*)\])");
    for (std::sregex_iterator m(rest.begin(), rest.end(), one), end; m != end; ++m) {
      const Text extents = (*m)[2];
      SharedArray array{(*m)[1], 0, *bytes};
      int dimensions = 0;
      bool known = true;
      for (std::sregex_iterator e(extents.begin(), extents.end(), extent); e != end && known; ++e) {
        const Text inner = (*e)[1];
        const auto size = Expression(inner, constants, 0).value();
        known = size.has_value();
        if (!known) break;
        array.row_bytes = static_cast<std::uint32_t>(*size) * *bytes;
        array.bytes *= static_cast<std::uint64_t>(*size);
        ++dimensions;
      }
      const auto [before, fresh] = all.try_emplace(array.name, array);
      if (!known || dimensions < 2 || (!fresh && !(before->second == array))) twice[array.name] = true;
    }
  }
  std::vector<SharedArray> list;
  for (const auto &[name, array] : all)
    if (!twice.contains(name)) list.push_back(array);
  return list;
}

}  // namespace warpgrade::grading
