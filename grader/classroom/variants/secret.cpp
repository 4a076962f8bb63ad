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

/// HMAC-SHA256 (RFC 2104), in hexadecimal. Neither the secret nor the result for one id follows from the results for
/// others.
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

/// What a file of secrets says about an assignment.
struct Line {
  std::string secret, list;  ///< list: empty if it does not say
  int number = 0;
  std::size_t at = 0;  ///< where the line begins
};
std::optional<Line> line_of(const std::filesystem::path &file, const std::string &assignment) {
  if (!std::filesystem::exists(file)) return std::nullopt;
  std::istringstream lines(read_whole(file));
  Line found;
  for (std::string line; std::getline(lines, line); found.at += line.size() + 1) {
    ++found.number;
    std::istringstream words(line);
    std::string name;
    if (!(words >> name >> found.secret) || name != assignment) continue;
    found.list.clear();
    words >> found.list;
    return found;
  }
  return std::nullopt;
}

/// The parameters and their values, in order.
std::string list_of(const Variants &all) {
  std::string list;
  for (const Parameter &p : all.parameters) {
    list += p.name + ":";
    for (const Value &value : p.values) list += " " + value.name;
    list += "\n";
  }
  constexpr std::size_t digits = 16;
  return keyed_hash("list of variants", list).substr(0, digits);
}

}  // namespace

Variant variant_of(const Variants &all, std::string_view student, std::string_view secret) {
  constexpr std::size_t digits = 15;  // 60 bits: no variant is noticeably rarer than another
  const std::string hash =
      keyed_hash(secret, fmt::format("warpgrade variant 1\n{}\n{}", all.assignment, folded(student)));
  return all.at(std::stoull(hash.substr(0, digits), nullptr, 16) % all.size());
}

std::optional<std::string> secret_of(const std::filesystem::path &file, const std::string &assignment) {
  const std::optional<Line> line = line_of(file, assignment);
  return line ? std::optional(line->secret) : std::nullopt;
}

bool same_list(const Variants &a, const Variants &b) {
  return list_of(a) == list_of(b);
}

std::string nobody_has_a_variant(const std::filesystem::path &secrets, const std::string &assignment) {
  return fmt::format(
      "{0} has variants, but {1} has no secret of it: everybody is graded by the files as they are. To give "
      "each student a variant, run 'gradebook kit {0} --roster FILE' before anybody submits, and then this "
      "command again.",
      assignment, secrets.string());
}

std::string secret_is_missing(const std::filesystem::path &kept, const std::string &assignment) {
  const bool there = std::filesystem::exists(kept);
  return fmt::format(
      "{}: {}, but files of {} were graded here as variants, which follow from it. Put back {} from the "
      "backup "
      "of {}{}",
      kept.string(),
      there ? fmt::format("there is no secret of {} in it", assignment) : "this file is missing", assignment,
      there ? "that line" : "the file", kept.parent_path().string(),
      there ? ""
            : fmt::format(". Without a backup, copy the {} with which 'gradebook kit {} --roster FILE' made "
                          "the kits",
                          secrets_file, assignment));
}

void demand_same_list(const std::filesystem::path &file, const Variants &all, bool of_class) {
  const std::optional<Line> line = line_of(file, all.assignment);
  if (!line || line->list.empty() || line->list == list_of(all)) return;
  throw UsageError(fmt::format(
      "{}:{}: the parameters or values in {} of {} are not those for which this secret was drawn, so "
      "students "
      "would have other variants than their kits. Undo that change or, if no kit was handed out, {}",
      file.string(), line->number, all.file, all.assignment,
      of_class
          ? "begin again in another folder"
          : fmt::format("draw a new secret: 'gradebook kit {} --roster FILE --new-secret'", all.assignment)));
}

std::string secret_line(const Variants &all, const std::string &secret) {
  return fmt::format("{} {} {}\n", all.assignment, secret, list_of(all));
}

std::string secret_or_new(const std::filesystem::path &file, const Variants &all, bool new_one) {
  const std::optional<Line> known = line_of(file, all.assignment);
  if (known && !new_one) {
    demand_same_list(file, all);
    return known->secret;
  }
  std::string text = std::filesystem::exists(file)
                         ? read_whole(file)
                         : "# Which variant a student has follows from these secrets. Keep this "
                           "file, and show it to nobody.\n";
  if (known) text.insert(known->at, "# replaced: ");
  if (!text.ends_with('\n')) text += '\n';
  std::string secret = drawn_secret();
  constexpr unsigned owner_alone = 0600;
  write_whole(file, text + secret_line(all, secret), owner_alone);
  return secret;
}

}  // namespace warpgrade::variants
