// Answers that a student's kit can check without knowing them: a salted hash of each, made slow on purpose.
#pragma once

#include <string>
#include <string_view>

namespace warpgrade::judge {

/// A yescrypt hash of `answer`, at most 511 bytes, in about a twentieth of a second and 16 MiB. Equal
/// arguments give equal hashes. `salt`: 16 to 64 bytes, different for every question, not secret. Throws
/// std::runtime_error if the library refuses.
std::string seal(const std::string &answer, std::string_view salt);

/// Whether `sealed` is the hash of `answer`. Throws std::runtime_error if it is not a hash at all.
bool opens(const std::string &sealed, const std::string &answer);

}  // namespace warpgrade::judge
