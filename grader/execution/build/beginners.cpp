#include "build/beginners.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <regex>
#include <vector>

#include "base/did_you_mean.hpp"
#include "build/source_text.hpp"

namespace warpgrade::build {

namespace {

constexpr std::size_t longest_line = 400;  // a longer one is not one of these, and std::regex recurses

struct CompilerError {
  int line = 0;
  std::string text;  ///< after "error: "
};

/// "FILE(12): error: text" and "FILE:12:7: error: text"; clang's words below nvcc's go first, since its line
/// is the better one.
std::vector<CompilerError> errors_in(std::string_view log, const std::string &file) {
  static const std::regex place(R"(^[(:](\d{1,7})(?:\)|:\d{1,7})?: error: (.*)$)");
  constexpr std::string_view clang = "clang says: ";
  std::vector<CompilerError> errors;
  for (std::size_t at = 0; at < log.size();) {
    const std::size_t end = std::min(log.find('\n', at), log.size());
    std::string_view line = log.substr(at, end - at);
    at = end + 1;
    const bool better = line.starts_with(clang);
    if (better) line.remove_prefix(clang.size());
    if (!line.starts_with(file) || line.size() > longest_line) continue;
    const std::string rest(line.substr(file.size()));
    std::smatch parts;
    if (std::regex_match(rest, parts, place))
      errors.insert(better ? errors.begin() : errors.end(), {std::stoi(parts[1]), parts[2]});
  }
  return errors;
}

/// What beginners misspell, as CUDA spells it.
const std::vector<std::string> &cuda_names() {
  static const std::vector<std::string> names = {"threadIdx",
                                                 "blockIdx",
                                                 "blockDim",
                                                 "gridDim",
                                                 "warpSize",
                                                 "__syncthreads",
                                                 "__syncwarp",
                                                 "__global__",
                                                 "__device__",
                                                 "__host__",
                                                 "__shared__",
                                                 "__restrict__",
                                                 "__constant__",
                                                 "atomicAdd",
                                                 "atomicMax",
                                                 "atomicMin",
                                                 "atomicCAS",
                                                 "float4",
                                                 "float2",
                                                 "make_float4",
                                                 "cudaMalloc",
                                                 "cudaMemcpy",
                                                 "cudaMemset",
                                                 "cudaFree",
                                                 "cudaMemcpyHostToDevice",
                                                 "cudaMemcpyDeviceToHost",
                                                 "cudaMemcpyDeviceToDevice",
                                                 "cudaDeviceSynchronize",
                                                 "__shfl_down_sync",
                                                 "__shfl_xor_sync",
                                                 "__shfl_sync",
                                                 "dim3"};
  return names;
}

std::string on_unknown_name(const std::string &name) {
  if (name == "printf" || name == "puts")
    return fmt::format("{} is not declared: add `#include <cstdio>` at the top of the file", name);
  if (name == "cout" || name == "endl" || name == "std::cout" || name == "std::endl")
    return "a kernel cannot use cout: call printf, and add `#include <cstdio>` at the top of the file";
  const auto spelt_alike =
      std::find_if(cuda_names().begin(), cuda_names().end(),
                   [&](const std::string &known) { return plain_name(known) == plain_name(name); });
  const std::string meant = spelt_alike != cuda_names().end() ? *spelt_alike : nearest(name, cuda_names());
  return meant.empty() || meant == name ? ""
                                        : fmt::format("'{}' is not declared; did you mean {}?", name, meant);
}

/// A message of a compiler and what it means. The first group, if any, is what the sentence names.
struct Meaning {
  const char *message;
  std::string (*words)(const std::string &name);
};

std::string of_call(const std::string &name) {
  return fmt::format(
      "a kernel is called like a function. A launch says how many blocks and threads run it: "
      "`{}<<<blocks, threads>>>(...)`",
      name.empty() ? "kernel" : name);
}

std::string of_launch(const std::string &name) {
  return fmt::format(
      "{} is launched with <<<...>>>, but is not a kernel: write `__global__` before its `void`",
      name.empty() ? "a function" : name);
}

std::string of_stream(const std::string &) {
  return on_unknown_name("cout");
}

std::string of_semicolon(const std::string &) {
  return "a `;` is missing at the end of this statement";
}

std::string of_semicolon_before(const std::string &) {
  return "a `;` is missing before this line, at the end of the statement above";
}

constexpr Meaning meanings[] = {
    // nvcc, then clang
    {R"re(identifier "([\w:]{1,80})" is undefined.*)re", on_unknown_name},
    {R"re(use of undeclared identifier '([\w:]{1,80})'.*)re", on_unknown_name},
    {R"re(unknown type name '(\w{1,80})'.*)re", on_unknown_name},
    {R"re(namespace "std" has no member "(\w{1,80})".*)re", on_unknown_name},
    {R"re(no member named '(\w{1,80})' in namespace 'std'.*)re", on_unknown_name},
    {R"re(identifier "std::(?:cout|endl)" is undefined in device code.*)re", of_stream},
    {R"re(calling a __host__ function\(".*(?:ostream|operator<<).*)re", of_stream},
    {R"re(reference to __host__ (?:function|variable) '(?:operator<<|cout|endl).*)re", of_stream},
    {R"re(a __global__ function call must be configured.*)re", of_call},
    {R"re(call to global function '?(\w{1,80})'? not configured.*)re", of_call},
    {R"re(a (?:host|__device__) function call cannot be configured.*)re", of_launch},
    {R"re(kernel call to non-global function '?(\w{1,80})'?.*)re", of_launch},
    {R"re(expected ';'.*)re", of_semicolon},
    {R"re(expected a ";".*)re", of_semicolon_before},
};

std::string meaning_of(const std::string &message) {
  for (const Meaning &known : meanings) {
    std::smatch parts;
    if (!std::regex_match(message, parts, std::regex(known.message))) continue;
    if (std::string words = known.words(parts.size() > 1 ? parts[1].str() : ""); !words.empty()) return words;
  }
  return "";
}

bool asks_for_a_brace(std::string_view log) {
  return log.find("expected a \"}\"") != std::string_view::npos ||
         log.find("error: expected '}'") != std::string_view::npos;
}

}  // namespace

std::string in_plain_words(std::string_view log, std::string_view source, const std::string &file) {
  if (asks_for_a_brace(log))
    if (const auto line = unclosed_brace(source))
      return fmt::format("Line {}: this `{{` is never closed; its `}}` is missing.", *line);
  constexpr std::size_t most = 3;
  std::vector<std::string> said, sentences;
  for (const CompilerError &error : errors_in(log, file)) {
    const std::string words = meaning_of(error.text);
    const auto was_said = [&](const std::string &what) {
      return std::find(said.begin(), said.end(), what) != said.end();
    };
    // Of one `;`, clang's line is better than nvcc's.
    if (words.empty() || was_said(words) || (words == of_semicolon_before("") && was_said(of_semicolon(""))))
      continue;
    said.push_back(words);
    sentences.push_back(fmt::format("Line {}: {}{}", error.line, words, words.ends_with('?') ? "" : "."));
    if (sentences.size() == most) break;
  }
  return fmt::format("{}", fmt::join(sentences, " "));
}

}  // namespace warpgrade::build
