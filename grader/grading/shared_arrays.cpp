#include "grading/shared_arrays.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <regex>
#include <sstream>
#include <string>

#include "base/source_text.hpp"
#include "grading/grading.hpp"
#include "problem/formula.hpp"

namespace warpgrade::grading {

namespace {

using Text = std::string;
constexpr std::int64_t largest = 1 << 20;
constexpr int deepest = 8;  // constants defined by constants
/// The library matches recursively: what it gets is short.
constexpr std::size_t longest_line = 400;

/// Values of constants by name, each computed once: a text may define them by each other over and over.
class Values {
 public:
  explicit Values(std::map<Text, Text> definitions) : definitions_(std::move(definitions)) {}

  /// Of "BM * (BK + 1)"; nothing unless it is a whole number that an array can have as its size.
  std::optional<std::int64_t> of(const Text &text, int depth = 0) try {
    const problem::Formula formula(text);
    problem::Formula::Variables variables;
    for (const Text &name : formula.names()) {
      const auto value = constant(name, depth);
      if (!value) return std::nullopt;
      variables[name] = static_cast<double>(*value);
    }
    const double value = formula.value(variables);
    const bool whole = value >= 1 && value <= largest && value == std::floor(value);
    return whole ? std::optional(static_cast<std::int64_t>(value)) : std::nullopt;
  } catch (const problem::FormulaError &) {
    return std::nullopt;
  }

 private:
  std::optional<std::int64_t> constant(const Text &name, int depth) {
    const auto definition = definitions_.find(name);
    if (definition == definitions_.end() || depth == deepest) return std::nullopt;
    const auto [known, fresh] = known_.try_emplace(name);  // nothing, should it be defined by itself
    if (fresh) known->second = of(definition->second, depth + 1);
    return known->second;
  }

  const std::map<Text, Text> definitions_;
  std::map<Text, std::optional<std::int64_t>> known_;
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
  const Text text = without_comments(Text(source));
  Values values(constants_in(text));
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
        const auto size = values.of(inner);
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
