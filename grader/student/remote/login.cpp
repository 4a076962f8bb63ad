#include <fmt/format.h>
#include <termios.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "remote/connection.hpp"
#include "remote/remote.hpp"

namespace warpgrade::remote {

namespace {

/// While one lives, what is typed does not appear on the terminal.
class SilentTerminal {
 public:
  SilentTerminal() {
    if (!::isatty(STDIN_FILENO) || ::tcgetattr(STDIN_FILENO, &before_) != 0) return;
    termios silent = before_;
    silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    changed_ = ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent) == 0;
  }
  ~SilentTerminal() {
    if (changed_) ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
  }
  SilentTerminal(const SilentTerminal &) = delete;
  SilentTerminal &operator=(const SilentTerminal &) = delete;

 private:
  termios before_{};
  bool changed_ = false;
};

}  // namespace

int log_in(const std::string &url) {
  Login login{checked_url(url), ""};
  {
    if (::isatty(STDIN_FILENO)) fmt::print(stderr, "Your token for {} (it is not shown): ", login.url);
    const SilentTerminal silent;
    std::getline(std::cin, login.token);
    if (::isatty(STDIN_FILENO)) fmt::print(stderr, "\n");
  }
  login.token = trimmed(login.token);
  if (login.token.empty()) throw UsageError("no token was given");
  const Answer answer = ask(login, "/v1/me");
  if (answer.status != 200) {
    fmt::print(stderr, "grade: {}: {}\n", login.url, answer.message());
    return answer.status == 0 || answer.status >= 500 ? grader_failed : usage;
  }
  const auto me = nlohmann::json::parse(answer.body, nullptr, false);
  write_login(login);
  fmt::print("{}: you are {}. './grade STEP --remote' now grades there.\n", login.url,
             for_terminal(me.is_object() ? me.value("id", "?") : "?"));
  return 0;
}

}  // namespace warpgrade::remote
