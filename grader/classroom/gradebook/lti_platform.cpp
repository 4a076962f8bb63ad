#include "gradebook/lti_platform.hpp"

#include <fmt/format.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/base64.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "batch/content.hpp"
#include "course/yaml.hpp"
#include "setup/course_root.hpp"
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

template <auto release>
struct Release {
  template <typename T>
  void operator()(T *it) const {
    release(it);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Release<EVP_PKEY_free>>;

/// Throws UsageError unless it is a private RSA key that only its owner can read.
Key read_key(const fs::path &file) {
  struct stat s {};
  if (::stat(file.c_str(), &s) != 0)
    throw UsageError(fmt::format("cannot open the key {}: {}; 'openssl genrsa -out {} 3072' makes one",
                                 file.string(), std::strerror(errno), shell_word(file.string())));
  if ((s.st_mode & 077) != 0)
    throw UsageError(fmt::format(
        "other users can read the key {}: make a new one, or, if nobody has read it, 'chmod 600 {}'",
        file.string(), shell_word(file.string())));
  const std::string text = read_whole(file);
  const std::unique_ptr<BIO, Release<BIO_free_all>> bytes(
      BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  const auto no_passphrase = [](char *, int, int, void *) { return -1; };  // else it asks on the terminal
  Key key(PEM_read_bio_PrivateKey(bytes.get(), nullptr, no_passphrase, nullptr));
  if (!key) {
    const char *const why = ERR_reason_error_string(ERR_get_error());
    throw UsageError(fmt::format(
        "{} is not an RSA key in PEM without a passphrase, such as 'openssl genrsa -out FILE 3072' writes{}",
        file.string(), why != nullptr ? fmt::format("; OpenSSL says: {}", why) : ""));
  }
  if (EVP_PKEY_is_a(key.get(), "RSA") == 0)
    throw UsageError(fmt::format(
        "{} is a key of another kind; platforms want RSA, such as 'openssl genrsa -out FILE 3072' writes",
        file.string()));
  if (const int bits = EVP_PKEY_get_bits(key.get()); bits < 2048)
    throw UsageError(fmt::format("{} has {} bits; platforms want 2048 or more", file.string(), bits));
  return key;
}

/// The modulus or the exponent of a key: bytes, the highest first.
std::string number_of(const Key &key, const char *name) {
  BIGNUM *number = nullptr;
  if (EVP_PKEY_get_bn_param(key.get(), name, &number) == 0)
    throw std::runtime_error("OpenSSL does not give the numbers of the key");
  const std::unique_ptr<BIGNUM, Release<BN_free>> owned(number);
  std::string bytes(static_cast<std::size_t>(BN_num_bytes(number)), '\0');
  BN_bn2bin(number, reinterpret_cast<unsigned char *>(bytes.data()));
  return bytes;
}

/// RSASSA-PKCS1-v1_5 with SHA-256, which is RS256.
std::string signature_of(const std::string &text, const Key &key) {
  const std::unique_ptr<EVP_MD_CTX, Release<EVP_MD_CTX_free>> context(EVP_MD_CTX_new());
  const auto *const bytes = reinterpret_cast<const unsigned char *>(text.data());
  std::size_t size = 0;
  std::string signature;
  if (EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key.get()) == 1 &&
      EVP_DigestSign(context.get(), nullptr, &size, bytes, text.size()) == 1) {
    signature.resize(size);
    if (EVP_DigestSign(context.get(), reinterpret_cast<unsigned char *>(signature.data()), &size, bytes,
                       text.size()) == 1) {
      signature.resize(size);
      return signature;
    }
  }
  throw std::runtime_error("OpenSSL could not sign with the key");
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
  const Key key = read_key(file);
  const std::string modulus = base64url(number_of(key, OSSL_PKEY_PARAM_RSA_N));
  const json entry = {{"kty", "RSA"},
                      {"alg", "RS256"},
                      {"use", "sig"},
                      {"kid", key_id_of(modulus)},
                      {"e", base64url(number_of(key, OSSL_PKEY_PARAM_RSA_E))},
                      {"n", modulus}};
  return json{{"keys", {entry}}}.dump(2) + "\n";
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
  const Key key = read_key(site.key);
  const json header = {
      {"typ", "JWT"}, {"alg", "RS256"}, {"kid", key_id_of(base64url(number_of(key, OSSL_PKEY_PARAM_RSA_N)))}};
  const json claims = {{"iss", site.client_id},
                       {"sub", site.client_id},
                       {"aud", site.audience},
                       {"iat", now},
                       {"exp", now + lifetime_of_assertion},
                       {"jti", random_word()}};
  const std::string text = base64url(header.dump()) + "." + base64url(claims.dump());
  return text + "." + base64url(signature_of(text, key));
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
