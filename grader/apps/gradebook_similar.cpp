// ./gradebook similar DIR --out FOLDER: the code of a class, laid out for JPlag and Dolos.
#include "apps/command_line.hpp"
#include "apps/gradebook_commands.hpp"
#include "gradebook/gradebook.hpp"

namespace warpgrade::apps {

int gradebook_similar(const std::vector<std::string> &words) {
  std::string folder, out;
  CLI::App app(
      "Writes the code of a class in the layout of JPlag and Dolos: a folder per student with the submission "
      "that counts, "
      "the\n"
      "starter as base code, and Dolos's tables. CUDA files get the suffix .cpp, which both read. Sends "
      "nothing\n"
      "anywhere.",
      "gradebook similar");
  app.add_option("folder", folder, "of the class, as given to 'gradebook run --out'")->required();
  app.add_option("--out", out, "the folder to make")->required();
  if (const auto status = parse(app, words)) return *status;
  return gradebook::lay_out_for_comparison(folder, out);
}

}  // namespace warpgrade::apps
