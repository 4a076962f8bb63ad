#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <sstream>

namespace warpgrade {

std::optional<std::pair<char32_t, std::size_t>> code_point(std::string_view s, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
  const unsigned char lead = byte(at);
  if (lead < 0x80) return {{lead, 1}};
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || at + length > s.size()) return std::nullopt;
  char32_t value = lead & (0x7fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xc0u) != 0x80u) return std::nullopt;
    value = (value << 6) | (byte(at + i) & 0x3fu);
  }
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < least[length] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) return std::nullopt;
  return {{value, length}};
}

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto c = code_point(text, at);
    if (!c) return false;
    at += c->second;
  }
  return true;
}

namespace {

bool reorders_or_hides(char32_t c) {
  return (c >= 0x200b && c <= 0x200f) || (c >= 0x202a && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) ||
         c == 0xfeff || c == 0x061c || (c >= 0xe0000 && c <= 0xe007f);
}

enum class Sink { terminal_line, terminal_lines, json, xml };

void put(std::string &out, char32_t c, std::string_view bytes, Sink sink) {
  const bool keeps_lines = sink != Sink::terminal_line;
  if (c == '\n' && keeps_lines)
    out += '\n';
  else if (c == '\t')
    out += sink == Sink::json || sink == Sink::xml ? "\t" : "  ";
  else if (c < 0x20 || (c >= 0x7f && c < 0xa0))
    out += fmt::format("\\x{:02x}", static_cast<std::uint32_t>(c));
  else if (reorders_or_hides(c))
    out += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(c));
  else if (sink == Sink::xml && (c == 0xfffe || c == 0xffff))
    out += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(c));
  else if (sink == Sink::xml && c == '&')
    out += "&amp;";
  else if (sink == Sink::xml && c == '<')
    out += "&lt;";
  else if (sink == Sink::xml && c == '>')
    out += "&gt;";
  else if (sink == Sink::xml && c == '"')
    out += "&quot;";
  else if (sink == Sink::xml && c == '\'')
    out += "&apos;";
  else
    out += bytes;
}

std::string escape(std::string_view s, Sink sink) {
  std::string out;
  out.reserve(s.size());
  for (std::size_t at = 0; at < s.size();) {
    if (const auto c = code_point(s, at)) {
      put(out, c->first, s.substr(at, c->second), sink);
      at += c->second;
    } else {
      out += fmt::format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(s[at])));
      ++at;
    }
  }
  return out;
}

}  // namespace

std::string for_terminal(std::string_view s, bool keep_lines) {
  return escape(s, keep_lines ? Sink::terminal_lines : Sink::terminal_line);
}
std::string for_json(std::string_view s) {
  return escape(s, Sink::json);
}
std::string for_xml(std::string_view s) {
  return escape(s, Sink::xml);
}

std::string percent_encoded(std::string_view text, std::string_view plain) {
  std::string encoded;
  for (const char c : text) {
    const bool stays = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       plain.find(c) != std::string_view::npos;
    encoded += stays ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return encoded;
}

std::string shell_word(std::string_view word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return std::isalnum(c) ||
           std::string_view("/._-+=:,@%").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (plain) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(blanks) + 1 - begin));
}

std::string folded(std::string_view text) {
  std::string small(text);
  for (char &c : small)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return small;
}

std::string last_words(const std::string &text) {
  std::string last;
  for (const std::string &line : lines_of(text))
    if (line.find_first_not_of(" \t\r") != std::string::npos) last = line;
  return last;
}

std::string cut_to(std::string_view text, std::size_t most, std::string_view mark) {
  if (text.size() <= most) return std::string(text);
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U) --most;
  return std::string(text.substr(0, most)).append(mark);
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::vector<std::string> lines_of(const std::string &text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string points(double value) {
  std::string text = fmt::format("{:.2f}", value);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

}  // namespace warpgrade
