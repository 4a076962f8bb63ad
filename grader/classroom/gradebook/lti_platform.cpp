#include "gradebook/lti_platform.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <nlohmann/json.hpp>

#include "base/base64.hpp"
#include "base/packages.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "batch/content.hpp"
#include "course/yaml.hpp"
#include "sandbox/sandbox.hpp"
#include "setup/course_root.hpp"
#include "setup/files.hpp"
#include "setup/selection.hpp"

namespace warpgrade::gradebook {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr const char *score_scope = "https://purl.imsglobal.org/spec/lti-ags/scope/score";
constexpr int lifetime_of_assertion = 60, tries = 4, longest_wait = 120;  // seconds, but for tries

std::string in_form(std::string_view text) {
  return percent_encoded(text, "-_.~");
}

/// What openssl prints. No words name the key itself, which other users of the machine could see.
std::string openssl(std::vector<std::string> words, const fs::path &key) {
  words.insert(words.begin(), "openssl");
  const CommandOutcome done = run_command(words, 60);
  if (!done.started)
    throw UsageError(
        fmt::format("signing needs openssl, which is not installed: '{}'", install_command("openssl")));
  if (!done.ok())
    throw UsageError(fmt::format(
        "{} is not an RSA key in PEM without a passphrase, such as 'openssl genrsa -out FILE 3072' "
        "writes; openssl says: {}",
        key.string(), for_terminal(trimmed(done.error.substr(0, done.error.find('\n'))))));
  return done.out;
}

/// The modulus of the key: bytes, the highest first.
std::string modulus_of(const fs::path &key) {
  struct stat s {};
  if (::stat(key.c_str(), &s) != 0)
    throw UsageError(fmt::format("cannot open the key {}: {}; 'openssl genrsa -out {} 3072' makes one",
                                 key.string(), std::strerror(errno), shell_word(key.string())));
  if ((s.st_mode & 077) != 0)
    throw UsageError(fmt::format(
        "other users can read the key {}: make a new one, or, if nobody has read it, 'chmod 600 {}'",
        key.string(), shell_word(key.string())));
  const std::string text =
      openssl({"pkey", "-in", key.string(), "-passin", "pass:", "-noout", "-text_pub"}, key);
  const std::size_t begin = text.find("Modulus:"), end = text.find("Exponent: 65537 ");
  if (begin == std::string::npos || end == std::string::npos)
    throw UsageError(fmt::format(
        "{} is a key of another kind; platforms want RSA, such as 'openssl genrsa -out FILE 3072' writes",
        key.string()));
  std::string digits, bytes;
  for (const char c : text.substr(begin + 8, end - begin - 8))
    if (std::isxdigit(static_cast<unsigned char>(c))) digits += c;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  bytes.erase(0, bytes.find_first_not_of('\0'));
  if (bytes.size() < 256)
    throw UsageError(
        fmt::format("{} has {} bits; platforms want 2048 or more", key.string(), bytes.size() * 8));
  return bytes;
}

/// So that the platform finds the key among others, and nobody has to choose a name.
std::string key_id_of(const std::string &modulus) {
  return batch::hash_of(modulus).substr(0, 16);
}

std::string random_word() {
  return fmt::format("{:016x}{:016x}", fresh_seed(), fresh_seed());
}

/// The same request may be accepted later.
bool may_pass(const remote::Answer &a) {
  return a.status == 0 || a.status == 408 || a.status == 429 || (a.status >= 500 && a.status != 501);
}

/// The status, and what the platform says about it: OAuth's words, else the beginning of the text.
std::string said_in(const remote::Answer &a) {
  const json body = json::parse(a.body, nullptr, false);
  std::string said;
  if (body.is_object())
    for (const char *key : {"error", "error_description", "message", "detail"})
      if (body.contains(key) && body[key].is_string())
        said += (said.empty() ? "" : ": ") + body[key].get<std::string>();
  if (said.empty()) said = a.body.substr(0, 200);
  std::string sentence = fmt::format("HTTP status {}", a.status);
  if (!trimmed(said).empty()) sentence += ", " + for_terminal(trimmed(said));
  if (a.retry_after > longest_wait) sentence += fmt::format("; it asks to wait {} s", a.retry_after);
  return sentence;
}

}  // namespace

std::string public_key_set(const fs::path &file) {
  const std::string modulus = base64url(modulus_of(file));
  const json key = {{"kty", "RSA"}, {"alg", "RS256"}, {"use", "sig"}, {"kid", key_id_of(modulus)},
                    {"e", "AQAB"},  {"n", modulus}};
  return json{{"keys", {key}}}.dump(2) + "\n";
}

LtiSite read_lti_site(const fs::path &file) {
  const course::Yaml y = course::Yaml::read(file);
  y.expect_keys({"client_id", "token_url", "audience", "key", "users", "line_items"});
  const auto url = [](const course::Yaml &value) {
    try {
      return remote::checked_platform_url(value.text());
    } catch (const UsageError &e) {
      value.fail(e.what());
    }
  };
  LtiSite site;
  site.client_id = y.at("client_id").text();
  site.token_url = url(y.at("token_url"));
  const auto audience = y.find("audience");
  site.audience = audience ? audience->text() : site.token_url;
  site.key = file.parent_path() / y.at("key").text();
  if (const auto users = y.find("users")) site.users = file.parent_path() / users->text();
  for (const auto &[assignment, line_item] : y.at("line_items").entries())
    site.line_items[assignment] = url(line_item);
  return site;
}

std::string client_assertion(const LtiSite &site, std::int64_t now) {
  const json header = {{"typ", "JWT"}, {"alg", "RS256"}, {"kid", key_id_of(base64url(modulus_of(site.key)))}};
  const json claims = {{"iss", site.client_id},
                       {"sub", site.client_id},
                       {"aud", site.audience},
                       {"iat", now},
                       {"exp", now + lifetime_of_assertion},
                       {"jti", random_word()}};
  const std::string text = base64url(header.dump()) + "." + base64url(claims.dump());
  const Scratch folder;
  const fs::path what = folder.path() / "text", signature = folder.path() / "signature";
  write_scratch(what, text);
  openssl({"dgst", "-sha256", "-sign", site.key.string(), "-passin", "pass:", "-out", signature.string(),
           what.string()},
          site.key);
  return text + "." + base64url(read_whole(signature));
}

std::string scores_url(const std::string &line_item) {
  const std::size_t query = std::min(line_item.find('?'), line_item.size());
  return line_item.substr(0, query) + "/scores" + line_item.substr(query);
}

remote::Answer LtiPlatform::patiently(const std::function<remote::Request()> &request) {
  for (int i = 1;; ++i) {
    remote::Answer answer = remote::send(request());
    if (!may_pass(answer) || i == tries || answer.retry_after > longest_wait) return answer;
    wait_(static_cast<int>(std::max<std::int64_t>(answer.retry_after, std::int64_t{1} << (i - 1))),
          answer.status == 0 ? answer.body : fmt::format("HTTP status {}", answer.status));
  }
}

Delivery LtiPlatform::ask_for_token() {
  const remote::Answer a = patiently([&] {
    return remote::Request{
        .url = site_.token_url,
        .content = "application/x-www-form-urlencoded",
        .body =
            fmt::format("grant_type=client_credentials&client_assertion_type={}&client_assertion={}&scope={}",
                        in_form("urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
                        client_assertion(site_, std::time(nullptr)), in_form(score_scope)),
        .headers = {"Accept: application/json"}};
  });
  if (a.status == 0) return {fmt::format("{} does not answer: {}", site_.token_url, a.body), true, true};
  if (a.status < 200 || a.status > 299)
    return {fmt::format("{} gives no access token: {}. {}", site_.token_url, said_in(a),
                        may_pass(a) ? "Try again later."
                                    : "Compare client_id and audience with what the platform shows, and "
                                      "the clock of this machine with the time; the platform needs the key "
                                      "that 'gradebook push --public-key KEY' prints."),
            true, may_pass(a)};
  const json body = json::parse(a.body, nullptr, false);
  if (!body.is_object() || !body.contains("access_token") || !body["access_token"].is_string())
    return {fmt::format("{} answers without an access token: is this the URL for tokens?", site_.token_url),
            true};
  if (body.contains("scope") && body["scope"].is_string() &&
      body["scope"].get<std::string>().find(score_scope) == std::string::npos)
    return {
        fmt::format("the platform does not let this tool write scores: allow it the scope {}", score_scope),
        true};
  token_ = body["access_token"].get<std::string>();
  return {};
}

Delivery LtiPlatform::deliver(const std::string &line_item, const std::function<std::string()> &message) {
  remote::Answer a;
  for (const bool fresh : {false, true}) {  // a token that ran out is replaced once
    if (token_.empty())
      if (Delivery failed = ask_for_token(); !failed.failure.empty()) return failed;
    a = patiently([&] {
      return remote::Request{.url = scores_url(line_item),
                             .token = token_,
                             .content = "application/vnd.ims.lis.v1.score+json",
                             .body = message()};
    });
    if (a.status != 401 || fresh) break;
    token_.clear();
  }
  if (a.status >= 200 && a.status <= 299) return {};
  if (a.status == 0)
    return {fmt::format("{} does not answer: {}", scores_url(line_item), a.body), true, true};
  std::string why = said_in(a);
  if (a.status == 401) why += " (the platform refuses the access token that it gave)";
  if (a.status == 403) why += fmt::format(" (the tool needs the scope {} for this line item)", score_scope);
  if (a.status == 404 || a.status == 422) why += " (no such line item, or no such user in its course)";
  if (a.status == 409) why += " (the platform has a newer score; is the clock of this machine right?)";
  return {why, a.status == 401 || a.status == 429, may_pass(a)};
}

}  // namespace warpgrade::gradebook
