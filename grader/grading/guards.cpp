#include "grading/guards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <set>
#include <sstream>
#include <utility>

#include "base/source_text.hpp"

namespace warpgrade::grading {

namespace {

constexpr std::size_t most_lines_named = 3;

/// "line 7", "lines 7 and 9".
std::string lines_in_words(const std::vector<std::string> &lines) {
  if (lines.size() == 1) return "line " + lines.front();
  const std::vector<std::string> first(lines.begin(), lines.end() - 1);
  return fmt::format("lines {} and {}", fmt::join(first, ", "), lines.back());
}

}  // namespace

Guards::Guards(const ptx::Module &module, std::string file, const std::string &source)
    : module_(module), file_(std::move(file)) {
  std::istringstream text(without_comments(source));
  for (std::string line; std::getline(text, line);) lines_.push_back(line);
}

std::string Guards::text(int line) const {
  const auto at = static_cast<std::size_t>(line);
  return at >= 1 && at <= lines_.size() ? lines_[at - 1] : "";
}

bool Guards::is_loop(int line) const {
  const std::string code = text(line);
  const std::size_t start = code.find_first_not_of(" \t{}");
  if (start == std::string::npos) return false;
  const std::string rest = code.substr(start);
  return rest.starts_with("for") || rest.starts_with("while") || rest.starts_with("do");
}

std::string Guards::known_error(int line) const {
  const std::string code = text(line);
  for (const char *own : {"trap", "assert", "abort", "asm", "unreachable"})
    if (code.find(own) != std::string::npos) return "";
  if (code.find_first_of("/%") != std::string::npos) return "integer division by zero";
  if (code.find_first_of("*[") != std::string::npos || code.find("->") != std::string::npos)
    return "a null pointer is read or written";
  return "";
}

std::string Guards::allocated_in(int line) const {
  constexpr std::size_t longest = 300;  // the library matches recursively
  const std::string code = text(line).substr(0, longest);
  static const std::regex call(
      R"(cudaMalloc(?:Async|Pitch)?\s*\(\s*(?:\(\s*void\s*\*\s*\*\s*\)\s*)?&\s*([A-Za-z_]\w*(?:\[\w+\]|(?:\.|->)[A-Za-z_]\w*)*)\s*,)");
  std::smatch found;
  return std::regex_search(code, found, call) ? found[1].str() : "";
}

bool Guards::has_equal(int line) const {
  return text(line).find("<=") != std::string::npos;
}

const std::vector<ptx::Condition> &Guards::conditions(const simt::Diagnostic &d) {
  const auto [known, fresh] = known_.try_emplace({d.kernel, d.here.at});
  if (fresh)
    for (const ptx::Function &f : module_.functions)
      if (f.entry && ptx::demangle(f.name) == d.kernel)
        known->second = ptx::conditions_before(module_, f, d.here.at);
  return known->second;
}

std::string Guards::returns(const simt::Diagnostic &d) {
  if (d.code != simt::Code::invalid_shuffle || d.here.at.file != file_ ||
      d.message.find("which has returned") == std::string::npos)
    return "";
  std::vector<std::string> guards;
  for (const ptx::Condition &c : conditions(d))
    if (!is_loop(c.at.line) && c.at.line < d.here.at.line) guards.push_back(std::to_string(c.at.line));
  if (guards.empty() || guards.size() > most_lines_named) return "";
  return guards.size() == 1
             ? fmt::format("; the condition in line {} decides which lanes return", guards.front())
             : fmt::format("; the conditions in {} decide which lanes return", lines_in_words(guards));
}

std::string Guards::words(const simt::Diagnostic &d) {
  if (d.code != simt::Code::out_of_bounds || d.here.at.file != file_ || d.buffer.empty()) return "";
  std::vector<std::string> exact, guards, loops;
  for (const ptx::Condition &c : conditions(d)) {
    const bool loop = is_loop(c.at.line), equal = has_equal(c.at.line);
    std::string line = std::to_string(c.at.line);
    if (!loop && c.equal_passes && d.distance_bytes > 0) exact.push_back(line);
    if (equal) line += " (`<=`)";
    (loop ? loops : guards).push_back(line);
  }
  if (!exact.empty()) {
    const std::string_view sign = has_equal(std::stoi(exact.front())) ? "`<=`" : "a comparison";
    return fmt::format("; {} in line {} lets the thread through{}", sign, exact.front(),
                       sign == "`<=`" ? "" : ": it passes where both sides are equal");
  }
  if (guards.empty() && loops.empty()) return d.message.starts_with("shared ") ? "" : "; is a guard missing?";
  if (guards.size() + loops.size() > most_lines_named) return "";
  if (guards.empty())
    return fmt::format(
        "; only the bound of the loop in {} is checked before it: is that bound right, or is a guard "
        "missing?",
        lines_in_words(loops));
  guards.insert(guards.end(), loops.begin(), loops.end());
  std::sort(guards.begin(), guards.end(),
            [](const std::string &a, const std::string &b) { return std::stoi(a) < std::stoi(b); });
  return fmt::format("; the condition{} in {} let{} the thread through", guards.size() == 1 ? "" : "s",
                     lines_in_words(guards), guards.size() == 1 ? "s" : "");
}

}  // namespace warpgrade::grading
