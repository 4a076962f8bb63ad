// ./gradebook status DIR [ID...]: how far a class is, and what a person should look at.
#include "apps/command_line.hpp"
#include "apps/gradebook_commands.hpp"
#include "gradebook/gradebook.hpp"

namespace warpgrade::apps {

int gradebook_status(const std::vector<std::string> &words) {
  std::string folder;
  std::vector<std::string> ids;
  CLI::App app("How far a class is, and what a person should look at; also while it is being graded.",
               "gradebook status");
  app.add_option("folder", folder, "of the class: what --out of 'gradebook run' named")->required();
  app.add_option("id", ids, "of students: their steps one by one");
  if (const auto status = parse(app, words)) return *status;
  return gradebook::status(folder, ids);
}

}  // namespace warpgrade::apps
