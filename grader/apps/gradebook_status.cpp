// ./gradebook status DIR [ID...]: how far a class is, and what a person should look at.
#include "apps/command_line.hpp"
#include "apps/gradebook_commands.hpp"
#include "gradebook/gradebook.hpp"

namespace warpgrade::apps {

int gradebook_status(const std::vector<std::string> &words) {
  std::string folder;
  std::vector<std::string> ids;
  CLI::App app(
      "Shows the progress of a class, and what needs a person's attention, even while it is being graded.",
      "gradebook status");
  app.add_option("folder", folder, "of the class, as given to 'gradebook run --out'")->required();
  app.add_option("id", ids, "of students: their steps one by one");
  if (const auto status = parse(app, words)) return *status;
  return gradebook::status(folder, ids);
}

}  // namespace warpgrade::apps
