// Text files as spreadsheets save them: detects the encoding and converts to UTF-8.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace warpgrade {

/// The encoding cannot be determined for sure. what() is for people: the bytes that show it, and how to save
/// the file as UTF-8.
class EncodingError : public std::runtime_error {
 public:
  EncodingError(const std::string &what, int line) : std::runtime_error(what), line_(line) {}
  int line() const { return line_; }  ///< counted from 1

 private:
  int line_;
};

/// The text of a file in UTF-8, or in UTF-16 with a byte order mark or with mostly Latin letters, without the
/// mark. Throws EncodingError.
std::string utf8_of(std::string_view bytes);

}  // namespace warpgrade
