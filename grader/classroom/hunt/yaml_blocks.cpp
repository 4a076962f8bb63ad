#include "hunt/yaml_blocks.hpp"

#include <algorithm>

namespace warpgrade::hunt {

namespace {

constexpr std::size_t step_indent = 4;

std::size_t indent_of(std::string_view line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

/// "{id: x, cases: all}", of one line or several: each key as a block.
std::vector<Block> flow_blocks(std::string_view text) {
  std::vector<Block> all;
  std::string now;
  int depth = 0;
  char quote = 0;
  const auto end = [&] {
    const std::size_t first = now.find_first_not_of(' ');
    if (first != std::string::npos) {
      now.erase(0, first);
      all.emplace_back(now.substr(0, now.find(':')), std::string(step_indent, ' ') + now + '\n');
    }
    now.clear();
  };
  for (const char c : text) {
    if (quote != 0)
      quote = c == quote ? '\0' : quote;
    else if (c == '"' || c == '\'')
      quote = c;
    depth += quote == 0 && (c == '{' || c == '[') ? 1 : 0;
    depth -= quote == 0 && (c == '}' || c == ']') ? 1 : 0;
    const bool outer = (c == '{' && depth == 1) || (c == '}' && depth == 0);
    if (quote == 0 && depth == 1 && c == ',')
      end();
    else if (depth > 0 && !outer)
      now += c == '\n' ? ' ' : c;
  }
  end();
  return all;
}

}  // namespace

std::vector<Block> blocks_of(std::string_view text, std::size_t indent) {
  std::vector<Block> all;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    const std::size_t in = indent_of(line);
    if (in == line.size() || line[in] == '#') continue;
    if (in == indent) all.emplace_back(std::string(line.substr(in, line.find(':') - in)), "");
    if (in >= indent && !all.empty()) all.back().second += std::string(line) + '\n';
  }
  return all;
}

std::string block_of(const std::vector<Block> &all, std::string_view key) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Block &b) { return b.first == key; });
  return found == all.end() ? "" : found->second;
}

std::vector<std::vector<Block>> steps_of(std::string_view steps) {
  std::vector<std::string> items;
  for (std::size_t at = 0; at < steps.size();) {
    const std::size_t end = std::min(steps.find('\n', at), steps.size());
    std::string line(steps.substr(at, end - at));
    at = end + 1;
    if (line.starts_with("  - ")) {
      items.emplace_back();
      line[2] = ' ';
    }
    if (!items.empty()) items.back() += line + '\n';
  }
  std::vector<std::vector<Block>> all;
  for (const std::string &item : items)
    all.push_back(item[indent_of(item)] == '{' ? flow_blocks(item) : blocks_of(item, step_indent));
  return all;
}

}  // namespace warpgrade::hunt
