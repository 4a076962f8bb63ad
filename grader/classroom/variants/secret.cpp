#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/random.h>

#include <array>
#include <span>
#include <sstream>
#include <stdexcept>

#include "base/files.hpp"
#include "base/text.hpp"
#include "base/usage.hpp"
#include "variants/variants.hpp"

namespace warpgrade::variants {

namespace {

std::string in_hex(std::span<const unsigned char> bytes) {
  std::string hex;
  for (const unsigned char byte : bytes) hex += fmt::format("{:02x}", byte);
  return hex;
}

/// HMAC-SHA256 (RFC 2104), in hexadecimal. Somebody who knows the results for some ids can derive neither the secret nor
/// the result for any other id.
std::string keyed_hash(std::string_view key, std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> hash{};
  unsigned size = 0;
  if (::HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
             reinterpret_cast<const unsigned char *>(text.data()), text.size(), hash.data(),
             &size) == nullptr)
    throw std::runtime_error("OpenSSL computes no HMAC-SHA256");
  return in_hex({hash.data(), size});
}

std::string drawn_secret() {
  std::array<unsigned char, 32> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw std::runtime_error("the operating system gives no random numbers");
  return in_hex(bytes);
}

}  // namespace

Variant variant_of(const Variants &all, std::string_view student, std::string_view secret) {
  constexpr std::size_t digits = 15;  // 60 bits: no variant is noticeably rarer than another
  const std::string hash =
      keyed_hash(secret, fmt::format("warpgrade variant 1\n{}\n{}", all.assignment, folded(student)));
  return all.at(std::stoull(hash.substr(0, digits), nullptr, 16) % all.size());
}

std::optional<std::string> secret_of(const std::filesystem::path &file, const std::string &assignment) {
  if (!std::filesystem::exists(file)) return std::nullopt;
  std::istringstream lines(read_whole(file));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name, secret;
    if (words >> name >> secret && name == assignment) return secret;
  }
  return std::nullopt;
}

std::string secret_or_new(const std::filesystem::path &file, const std::string &assignment) {
  if (auto known = secret_of(file, assignment)) return *known;
  const std::string before = std::filesystem::exists(file)
                                 ? read_whole(file)
                                 : "# Which variant a student has follows from these secrets. Keep this "
                                   "file, and show it to nobody.\n";
  std::string secret = drawn_secret();
  constexpr unsigned owner_alone = 0600;
  write_whole(file, fmt::format("{}{} {}\n", before, assignment, secret), owner_alone);
  return secret;
}

}  // namespace warpgrade::variants
