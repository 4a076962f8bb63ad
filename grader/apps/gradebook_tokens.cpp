// ./gradebook tokens DIR: makes, lists and revokes the tokens with which people use a service.
#include "apps/command_line.hpp"
#include "apps/gradebook_commands.hpp"
#include "service/serve.hpp"

namespace warpgrade::apps {

int gradebook_tokens(const std::vector<std::string> &words) {
  service::TokensOptions w;
  CLI::App app(
      "Makes the tokens with which people use a service. A token is shown once: DIR keeps only its hash.\n"
      "A running service accepts new tokens, and refuses revoked ones, immediately.",
      "gradebook tokens");
  app.add_option("dir", w.folder, "the folder of the service; created if missing")->required();
  app.add_option("--roster", w.roster, "a CSV of the class: everybody on it who has no token gets one")
      ->check(CLI::ExistingFile);
  app.add_option("--add", w.add, "the id of a person who gets another token")->allow_extra_args(false);
  app.add_option("--role", w.role, "of those that --add names: student, ta or instructor")
      ->check(CLI::IsMember({"student", "ta", "instructor"}))
      ->capture_default_str();
  app.add_option("--out", w.out, "write the new tokens to this file, as CSV, instead of printing them");
  app.add_option("--revoke", w.revoke, "the id of a person whose tokens are revoked")
      ->allow_extra_args(false);
  app.add_flag("--list", w.list, "list who has tokens, without the tokens");
  if (const auto status = parse(app, words)) return *status;
  return service::tokens(w);
}

}  // namespace warpgrade::apps
