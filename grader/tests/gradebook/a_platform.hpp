// A platform that takes scores over LTI 1.3, in this process: it checks signatures, tokens and messages as
// the specifications of OAuth 2 (RFC 7523) and Assignment and Grade Services 2.0 ask, and can be told to
// fail.
#pragma once

#include <fmt/format.h>
#include <httplib.h>

#include <algorithm>
#include <ctime>
#include <deque>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/base64.hpp"
#include "base/files.hpp"
#include "base/process.hpp"

namespace warpgrade::tests {

class APlatform {
 public:
  using json = nlohmann::json;
  struct Failure {
    int status;
    const char *retry_after = nullptr;
  };

  /// scratch: a folder for the files of one check of a signature
  explicit APlatform(std::filesystem::path scratch) : scratch_(std::move(scratch)) {
    server_.Post("/token", [this](const auto &request, auto &answer) { give_token(request, answer); });
    server_.Post("/5/lineitem/scores", [this](const auto &request, auto &answer) { take(request, answer); });
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
  }
  ~APlatform() {
    while (!server_.is_running()) std::this_thread::yield();
    server_.stop();
    thread_.join();
  }
  std::string url(const std::string &path) const { return fmt::format("http://127.0.0.1:{}{}", port_, path); }
  std::string token_url() const { return url("/token"); }
  std::string line_item() const { return url("/5/lineitem?type_id=1"); }

  // What a test sets before it sends, and looks at afterwards.
  std::string key_set;                                     ///< JSON Web Key Set of the tool
  std::set<std::string> users = {"s1", "s2", "s3", "s4"};  ///< of the course
  std::int64_t clock_ahead = 0;                            ///< seconds
  int uses_of_token = 1000;
  std::string scope = "https://purl.imsglobal.org/spec/lti-ags/scope/score";  ///< that it grants
  std::deque<Failure> failures;              ///< of the next scores; then it answers as it should
  std::map<std::string, json> scores;        ///< by user: the last message
  std::vector<std::string> posted, refused;  ///< users of accepted messages; why something was not accepted
  int tokens = 0, requests = 0;

 private:
  static std::string from_base64url(std::string text) {
    std::replace(text.begin(), text.end(), '-', '+');
    std::replace(text.begin(), text.end(), '_', '/');
    text.append((4 - text.size() % 4) % 4, '=');
    return from_base64(text).value_or("");
  }
  /// Distinguished encoding of ASN.1 (X.690).
  static std::string der(char tag, const std::string &content) {
    std::string length;
    for (std::size_t n = content.size(); n > 0; n >>= 8)
      length.insert(length.begin(), static_cast<char>(n & 255));
    if (content.size() > 127) length.insert(length.begin(), static_cast<char>(0x80 | length.size()));
    return tag + (length.empty() ? std::string(1, '\0') : length) + content;
  }
  static std::string integer(std::string bytes) {
    if (static_cast<unsigned char>(bytes.at(0)) > 127) bytes.insert(bytes.begin(), '\0');
    return der(2, bytes);
  }
  static std::string public_key(const json &key) {  // RFC 8017, in the envelope of RFC 5280
    const std::string rsa("\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01\x05\x00", 13);
    return der(0x30, der(0x30, rsa) +
                         der(3, std::string(1, '\0') + der(0x30, integer(from_base64url(key.at("n"))) +
                                                                     integer(from_base64url(key.at("e"))))));
  }
  bool is_signed(const std::string &text, const std::string &signature, const json &key) const {
    const auto file = [&](const char *name) { return (scratch_ / name).string(); };
    write_whole(file("text"), text);
    write_whole(file("signature"), signature);
    write_whole(file("key.der"), public_key(key));
    return run_command({"openssl", "dgst", "-sha256", "-verify", file("key.der"), "-keyform", "DER",
                        "-signature", file("signature"), file("text")},
                       60)
        .ok();
  }
  /// Empty: the assertion is good.
  std::string against(const std::string &assertion) {
    const std::size_t first = assertion.find('.'), second = assertion.find('.', first + 1);
    if (second == std::string::npos) return "no JWT";
    const json header = json::parse(from_base64url(assertion.substr(0, first)));
    const json claims = json::parse(from_base64url(assertion.substr(first + 1, second - first - 1)));
    if (header.at("alg") != "RS256" || header.at("typ") != "JWT") return "not RS256";
    const json keys = json::parse(key_set).at("keys");
    const auto key = std::find_if(keys.begin(), keys.end(), [&](const json &k) {
      return k.at("kid") == header.at("kid") && k.at("kty") == "RSA" && k.at("use") == "sig";
    });
    if (key == keys.end()) return "unknown kid";
    if (!is_signed(assertion.substr(0, second), from_base64url(assertion.substr(second + 1)), *key))
      return "wrong signature";
    const std::int64_t now = std::time(nullptr) + clock_ahead;
    if (claims.at("iss") != "tool-1" || claims.at("sub") != "tool-1") return "unknown client";
    if (claims.at("aud") != token_url()) return "for another audience";
    if (claims.at("iat") > now + 5 || claims.at("exp") <= now || claims.at("exp") > now + 3600)
      return "expired";
    if (!seen_.insert(claims.at("jti")).second) return "used before";
    return "";
  }
  void refuse(httplib::Response &answer, int status, const std::string &why) {
    refused.push_back(why);
    answer.status = status;
    answer.set_content(json{{"error", "invalid_client"}, {"error_description", why}}.dump(),
                       "application/json");
  }
  void give_token(const httplib::Request &request, httplib::Response &answer) {
    const std::scoped_lock lock(mutex_);
    if (request.get_param_value("grant_type") != "client_credentials" ||
        request.get_param_value("client_assertion_type") !=
            "urn:ietf:params:oauth:client-assertion-type:jwt-bearer" ||
        request.get_param_value("scope") != "https://purl.imsglobal.org/spec/lti-ags/scope/score")
      return refuse(answer, 400, "no request of client credentials");
    if (const std::string why = against(request.get_param_value("client_assertion")); !why.empty())
      return refuse(answer, 401, why);
    token_ = fmt::format("token-{}", ++tokens);
    uses_left_ = uses_of_token;
    answer.set_content(
        json{{"access_token", token_}, {"token_type", "Bearer"}, {"expires_in", 3600}, {"scope", scope}}
            .dump(),
        "application/json");
  }
  void take(const httplib::Request &request, httplib::Response &answer) {
    const std::scoped_lock lock(mutex_);
    ++requests;
    if (request.get_header_value("Authorization") != "Bearer " + token_ || uses_left_-- <= 0)
      return refuse(answer, 401, "token expired");
    if (!failures.empty()) {
      if (failures.front().retry_after != nullptr)
        answer.set_header("Retry-After", failures.front().retry_after);
      answer.status = failures.front().status;
      failures.pop_front();
      return;
    }
    if (request.get_header_value("Content-Type") != "application/vnd.ims.lis.v1.score+json")
      return refuse(answer, 415, "not a score");
    if (request.get_param_value("type_id") != "1")
      return refuse(answer, 404, "the query of the line item is lost");
    const json score = json::parse(request.body);
    const std::string user = score.at("userId"), time = score.at("timestamp");
    if (!users.contains(user)) return refuse(answer, 404, "no user " + user);
    if (scores.contains(user) && time <= scores[user].at("timestamp").get<std::string>())
      return refuse(answer, 409, "no newer than the last score");
    scores[user] = score;
    // Moodle and Canvas keep a grade only with this word; with others, they erase an older one too.
    if (score.at("gradingProgress") != "FullyGraded") scores[user]["scoreGiven"] = nullptr;
    posted.push_back(user);
    answer.status = 204;
  }

  std::filesystem::path scratch_;
  httplib::Server server_;
  int port_ = 0;
  std::thread thread_;
  std::mutex mutex_;
  std::string token_;
  int uses_left_ = 0;
  std::set<std::string> seen_;
};

}  // namespace warpgrade::tests
