// ./gradebook export DIR --format ...: the grades of a class in the formats of other systems.
#include <fmt/format.h>

#include "apps/command_line.hpp"
#include "apps/gradebook_commands.hpp"
#include "gradebook/gradebook.hpp"
#include "service/disputes/said.hpp"

namespace warpgrade::apps {

int gradebook_export(const std::vector<std::string> &words) {
  gradebook::ExportOptions w;
  CLI::App app(
      "Writes the grades of a class in the format of another system. Runs nothing and changes nothing in "
      "the\n"
      "class; says who is missing on either side.",
      "gradebook export");
  app.add_option("folder", w.folder, "of the class, as given to 'gradebook run --out'")->required();
  using platforms::listed, platforms::names_of;
  const std::string filled = listed(names_of([](const auto &e) { return e.fill != nullptr; }), "and"),
                    folders = listed(names_of([](const auto &e) { return e.of_student != nullptr; }), "and");
  constexpr auto any = [](const platforms::Exports &e) { return e.any(); };
  app.add_option("file", w.file, fmt::format("for {}: the file that was exported there", filled));
  app.add_option("--format", w.format, listed(names_of(any), "or"))
      ->required()
      ->check([any](const std::string &name) { return platforms::why_not(name, any); });
  app.add_option("--out", w.out, fmt::format("the file to write; for {} a folder", folders))->required();
  app.add_option("--column", w.fill.column, "of the grades, as in the file's header");
  app.add_option("--id-column", w.fill.id_column, "with the ids of the class's students");
  app.add_flag("--partial", w.partial,
               "export even if points wait for a GPU or another measurement: they count as 0");
  if (const auto status = parse(app, words)) return *status;
  w.service = service::from_service(w.folder);
  return gradebook::export_grades(w);
}

}  // namespace warpgrade::apps
