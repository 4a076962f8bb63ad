// ./grade login URL: keeps the token for --remote.
#include "apps/command_line.hpp"
#include "apps/commands.hpp"
#include "remote/remote.hpp"

namespace warpgrade::apps {

int grade_login(const std::vector<std::string> &words) {
  std::string url;
  CLI::App app(
      "Asks for your token for the course's service, checks it, and stores it in "
      "~/.config/warpgrade/login.json,\n"
      "which only you can read. Then './grade STEP --remote' grades there.",
      "grade login");
  app.add_option("url", url, "of the course's service, such as https://gpu.example.edu")->required();
  if (const auto status = parse(app, words)) return *status;
  return remote::log_in(url);
}

}  // namespace warpgrade::apps
