// Text as code points, and text from outside made safe for its destination: each destination has an escaper
// of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpgrade {

/// The code point at `at` and its length in bytes, or nothing when the bytes there are not valid UTF-8.
std::optional<std::pair<char32_t, std::size_t>> code_point(std::string_view text, std::size_t at);
bool is_utf8(std::string_view text);

/// For a terminal: control characters, and characters that reorder text (bidi), become visible escapes such
/// as \x1b or \u202e; invalid UTF-8 becomes \xNN. Line feeds stay when `keep_lines`; tabs become spaces.
std::string for_terminal(std::string_view, bool keep_lines = false);
/// Valid UTF-8, with the same visible escapes for invalid bytes; line feeds and tabs stay. For JSON strings.
std::string for_json(std::string_view);
/// For XML 1.0 and HTML, text and attributes: also & < > " ' as entities.
std::string for_xml(std::string_view);
/// Letters and digits of ASCII and the characters of `plain` unchanged, other bytes as %XX. For parts of
/// URLs, and for names of files.
std::string percent_encoded(std::string_view text, std::string_view plain);
/// As one word of a POSIX shell, quoted if necessary.
std::string shell_word(std::string_view);

/// Without blanks and line ends on either side.
std::string trimmed(std::string_view);
/// A to Z in lower case; other bytes stay.
std::string folded(std::string_view);
/// The last line with something on it; empty if there is none.
std::string last_words(const std::string &text);
/// Its beginning, of at most so many bytes and without half a character at the end, with `mark` behind it if anything is
/// missing.
std::string cut_to(std::string_view text, std::size_t most, std::string_view mark = "");
/// Of a form or an address: nothing unless all of it is digits, after a minus or not, and it fits 64 bits.
std::optional<std::int64_t> whole_number(std::string_view);
/// Without line ends.
std::vector<std::string> lines_of(const std::string &text);

/// 25, 12.5, 0.33: two decimals at most, without trailing zeros.
std::string points(double);

}  // namespace warpgrade
