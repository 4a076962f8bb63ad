// A platform that accepts scores over LTI 1.3 Assignment and Grade Services 2.0: what lti.yaml says about it,
// and the two requests to it. OpenSSL signs; curl sends.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "remote/connection.hpp"

namespace warpgrade::gradebook {

inline constexpr const char *lti_file_name = "lti.yaml";

struct LtiSite {
  std::string client_id, token_url, audience;
  std::filesystem::path key;    ///< PEM, an RSA key
  std::filesystem::path users;  ///< CSV: student, user; empty: ids are those of the platform
  std::map<std::string, std::string> line_items;  ///< URLs by assignment
};
/// Files are relative to the YAML file. Throws course::ConfigError, or UsageError for a URL.
LtiSite read_lti_site(const std::filesystem::path &);

/// The public half of a key as platforms want it: a JSON Web Key Set. Throws UsageError when the key cannot
/// be used: not RSA of 2048 bits or more, with a passphrase, or readable by others.
std::string public_key_set(const std::filesystem::path &key);

/// A JSON Web Token, valid for a minute from `now` (seconds since 1970), with which the tool asks for an
/// access token. Throws UsageError like public_key_set().
std::string client_assertion(const LtiSite &, std::int64_t now);

/// Where the scores of a line item go. Its query stays behind the path.
std::string scores_url(const std::string &line_item);

struct Delivery {
  std::string failure;     ///< what went wrong; empty: the platform accepted the message
  bool for_all = false;    ///< the next message would fail in the same way
  bool transient = false;  ///< the platform is at fault, and may accept it later
};

/// Before another try: waits so many seconds; `why` says what went wrong.
using Wait = std::function<void(int seconds, const std::string &why)>;

/// Sends messages with one access token, which is asked for when it is needed.
class LtiPlatform {
 public:
  LtiPlatform(LtiSite site, Wait wait) : site_(std::move(site)), wait_(std::move(wait)) {}
  /// Tries up to four times while the platform has no answer, or status 408, 429 or 5xx. `message` is called
  /// for each try: platforms ignore a message that is no newer than the last one.
  Delivery deliver(const std::string &line_item, const std::function<std::string()> &message);

 private:
  remote::Answer patiently(const std::function<remote::Request()> &);
  Delivery ask_for_token();

  LtiSite site_;
  Wait wait_;
  std::string token_;
};

}  // namespace warpgrade::gradebook
