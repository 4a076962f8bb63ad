#include "remote/connection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <nlohmann/json.hpp>

#include "base/packages.hpp"
#include "base/process.hpp"
#include "remote/protocol.hpp"
#include "sandbox/sandbox.hpp"
#include "setup/course_root.hpp"
#include "setup/files.hpp"

namespace warpgrade::remote {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t largest_answer = 64 << 20;
constexpr int connect_seconds = 10;

/// A line of curl's configuration; quotes and backslashes are the only characters that it reads specially.
std::string curl_line(const std::string &name, const std::string &value) {
  std::string quoted;
  for (const char c : value) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (c != '\n' && c != '\r') quoted += c;
  }
  return fmt::format("{} = \"{}\"\n", name, quoted);
}

bool names_this_machine(const std::string &host) {
  return host == "localhost" || host == "[::1]" || host == "127.0.0.1";
}

/// The value of a header among those that curl wrote down; empty if it is not there.
std::string header_in(const std::string &headers, const std::string &name) {
  for (const std::string &line : lines_of(headers)) {
    const std::size_t colon = line.find(':');
    if (colon != std::string::npos && folded(line.substr(0, colon)) == name)
      return trimmed(line.substr(colon + 1));
  }
  return "";
}

}  // namespace

fs::path login_file() {
  const std::string config = environment("XDG_CONFIG_HOME"), home = environment("HOME");
  if (config.empty() && home.empty())
    throw UsageError("the token cannot be stored: neither XDG_CONFIG_HOME nor HOME is set");
  return (config.empty() ? fs::path(home) / ".config" : fs::path(config)) / "warpgrade" / "login.json";
}

Login read_login() {
  const fs::path file = login_file();
  const std::string text = read_or_empty(file);
  if (text.empty())
    throw UsageError("no service is known yet: run './grade login URL' first, with the course's URL");
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("url") || !json["url"].is_string() || !json.contains("token") ||
      !json["token"].is_string())
    throw UsageError(fmt::format("{} cannot be read: './grade login URL' writes it again", file.string()));
  return {checked_url(json["url"].get<std::string>()), json["token"].get<std::string>()};
}

void write_login(const Login &login) {
  const fs::path file = login_file();
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  fs::permissions(file.parent_path(), fs::perms::owner_all, error);
  write_whole(file, nlohmann::json{{"url", login.url}, {"token", login.token}}.dump() + "\n", 0600);
}

namespace {

std::string checked(const std::string &url, std::string_view also, const char *what, const char *example,
                    const char *secret) {
  const bool secure = url.starts_with("https://");
  if (!secure && !url.starts_with("http://"))
    throw UsageError(
        fmt::format("'{}' is not the URL of a {}, such as {}", for_terminal(url), what, example));
  std::string rest = url.substr(secure ? 8 : 7);
  while (rest.ends_with('/')) rest.pop_back();
  const bool plain = !rest.empty() && std::all_of(rest.begin(), rest.end(), [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) ||
           std::string_view(".-_:[]/").find(c) != std::string_view::npos ||
           also.find(c) != std::string_view::npos;
  });
  if (!plain)
    throw UsageError(
        fmt::format("'{}' contains characters that the URL of a {} cannot contain", for_terminal(url), what));
  const std::string authority = rest.substr(0, rest.find_first_of("/?"));
  const std::string host = authority.starts_with('[') ? authority.substr(0, authority.find(']') + 1)
                                                      : authority.substr(0, authority.find(':'));
  if (!secure && !names_this_machine(host))
    throw UsageError(fmt::format("plain HTTP exposes {1} on the way to {0}; use https", host, secret));
  return (secure ? "https://" : "http://") + rest;
}

}  // namespace

std::string checked_url(const std::string &url) {
  return checked(url, "", "service", "https://gpu.example.edu", "your token");
}

std::string checked_platform_url(const std::string &url) {
  return checked(url, "?&=%~+,;", "platform", "https://canvas.example.edu/login/oauth2/token",
                 "the token and the grades");
}

std::string Answer::message() const {
  if (status == 0) return body;
  const auto json = nlohmann::json::parse(body, nullptr, false);
  if (json.is_object() && json.contains("error") && json["error"].is_object() &&
      json["error"].contains("message") && json["error"]["message"].is_string())
    return for_terminal(json["error"]["message"].get<std::string>());
  return fmt::format(
      "the answer has HTTP status {} and does not come from a Warpgrade server: is the URL right?", status);
}

Answer send(const Request &request) {
  const Scratch folder;  // nobody else can read it, and arguments of processes are visible to everybody
  const fs::path config = folder.path() / "config", sent = folder.path() / "sent",
                 headers = folder.path() / "headers", received = folder.path() / "received";
  std::string text =
      curl_line("url", request.url) + curl_line("output", received.string()) +
      curl_line("dump-header", headers.string()) + curl_line("write-out", "%{http_code}") +
      curl_line("proto", "=http,https") + curl_line("noproxy", "localhost,127.0.0.1,[::1]") +
      fmt::format("silent\nshow-error\ngloboff\nconnect-timeout = {}\nmax-time = {}\nmax-filesize = {}\n",
                  connect_seconds, request.seconds, largest_answer);
  for (const std::string &header : request.headers) text += curl_line("header", header);
  if (!request.token.empty()) text += curl_line("header", "Authorization: Bearer " + request.token);
  if (!request.body.empty()) {
    write_scratch(sent, request.body);
    text += curl_line("data-binary", "@" + sent.string()) +
            curl_line("header", "Content-Type: " + request.content) + curl_line("header", "Expect:");
  }
  write_scratch(config, text);
  const CommandOutcome curl =
      run_command({"curl", "--disable", "--config", config.string()}, request.seconds + 5);
  if (!curl.started)
    throw UsageError(fmt::format("this needs curl, which is not installed: '{}'", install_command("curl")));
  Answer answer;
  std::from_chars(curl.out.data(), curl.out.data() + curl.out.size(), answer.status);
  if (!curl.ok()) answer.status = 0;  // also when the connection broke in the middle of an answer
  answer.body = answer.status == 0 ? for_terminal(trimmed(curl.error.empty() ? curl.end : curl.error))
                                   : read_or_empty(received);
  const std::string after = header_in(read_or_empty(headers), "retry-after");
  std::from_chars(after.data(), after.data() + after.size(), answer.retry_after);
  return answer;
}

Answer ask(const Login &login, const std::string &path, const std::string &body, int seconds) {
  return send({login.url + path,
               login.token,
               "application/json",
               body,
               {fmt::format("Warpgrade-Api: {}", api_version)},
               seconds});
}

}  // namespace warpgrade::remote
