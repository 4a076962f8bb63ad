// Requests to a service or a platform. curl sends them, so that TLS, certificates and proxies work as
// everywhere on the machine.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace warpgrade::remote {

/// Where a student's service is, and the token for it.
struct Login {
  std::string url, token;
};

/// $XDG_CONFIG_HOME/warpgrade/login.json or ~/.config/warpgrade/login.json. Throws UsageError when there is
/// no home.
std::filesystem::path login_file();
/// Throws UsageError when nobody has logged in, or the file cannot be read.
Login read_login();
/// Writes the file so that its owner alone can read it. Throws FileError.
void write_login(const Login &);

/// The URL without a slash at its end. Throws UsageError unless it is http or https with a plain host and
/// port; http is accepted for this machine alone, because plain HTTP exposes the token on the way.
std::string checked_url(const std::string &url);

/// The same of a URL that may also have a query, as those of platforms do.
std::string checked_platform_url(const std::string &url);

struct Request {
  std::string url;
  std::string token = {};    ///< sent as Authorization: Bearer; empty: none
  std::string content = {};  ///< type of the body
  std::string body = {};     ///< empty: a GET; else a POST
  std::vector<std::string> headers = {};
  int seconds = 30;
};

struct Answer {
  int status = 0;  ///< of HTTP; 0: no answer, and `body` says why
  std::string body;
  std::int64_t retry_after = 0;  ///< seconds; 0: the service did not say
  /// The service's sentence for people, if the body is an error of it; else one about the status.
  std::string message() const;
};

/// Sends one request, follows no redirect, and waits at most `seconds`. Throws UsageError when there is no
/// curl.
Answer send(const Request &);
/// The same to a service; a body is JSON.
Answer ask(const Login &, const std::string &path, const std::string &body = "", int seconds = 30);

}  // namespace warpgrade::remote
