// ./gradebook table: the assignments of the course as a table in Markdown.
#include "apps/command_line.hpp"
#include "apps/gradebook_commands.hpp"
#include "authoring/authoring.hpp"

namespace warpgrade::apps {

int gradebook_table(const std::vector<std::string> &words) {
  authoring::TableOptions w;
  CLI::App app(
      "Prints the assignments of the course as a table in Markdown: what each teaches, chapters of the "
      "textbook, "
      "hours, steps and points, from 'course' in each assignment.yaml.",
      "gradebook table");
  app.add_option("--into", w.into, "a file in which the table replaces the text between its marks");
  app.add_flag("--pages", w.pages, "link to NAME.html instead of handouts/NAME.md");
  if (const auto status = parse(app, words)) return *status;
  return authoring::write_course_table(w);
}

}  // namespace warpgrade::apps
