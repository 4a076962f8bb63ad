// ./gradebook serve DIR --assignment hw6: a service that grades what students submit over the network.
#include "apps/command_line.hpp"
#include "apps/gradebook_commands.hpp"
#include "apps/gradebook_options.hpp"
#include "service/serve.hpp"

namespace warpgrade::apps {

int gradebook_serve(const std::vector<std::string> &words) {
  service::ServeOptions w;
  CLI::App app(
      "Runs a service: students submit with './grade STEP --remote' and read the report that this machine\n"
      "measured. DIR keeps the queue and the class; after any interruption the same command continues.\n"
      "See docs/server.md.",
      "gradebook serve");
  app.add_option("dir", w.folder, "the folder of the service; 'gradebook tokens' adds people to it")
      ->required();
  app.add_option("--assignment", w.assignments, "what is graded, such as hw6; more than once for several")
      ->required()
      ->allow_extra_args(false);
  app.add_option("--address", w.address, "where it listens; a proxy in front of it adds TLS")
      ->capture_default_str();
  app.add_option("--port", w.port, "0: any free port")->check(CLI::Range(0, 65535))->capture_default_str();
  app.add_option("--secret", w.secret,
                 "the file of secrets with which kits with variants were made; default: variants.secret");
  app.add_option("--seed", w.grading.seed, "of the random inputs; default: drawn from the operating system");
  add_grading_options(app, w.grading);
  if (const auto status = parse(app, words)) return *status;
  return service::serve(w);
}

}  // namespace warpgrade::apps
