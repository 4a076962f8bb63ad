// ./gradebook viva DIR: questions for each student about their own code.
#include "apps/command_line.hpp"
#include "apps/gradebook_commands.hpp"
#include "viva/viva.hpp"

namespace warpgrade::apps {

int gradebook_viva(const std::vector<std::string> &words) {
  constexpr std::size_t most = 30;
  viva::VivaOptions w;
  CLI::App app(
      "Writes questions for each student of a class about the code that this student handed in, with\n"
      "answers for the examiner. The simulator knows the answers, since it runs the kernels and their\n"
      "variants. Changes nothing in the class.",
      "gradebook viva");
  app.add_option("folder", w.folder, "of the class, as given to 'gradebook run --out'")->required();
  app.add_option("student", w.students, "only these; default: everybody who handed in something");
  app.add_option("--questions", w.questions, "for each student (6)")->check(CLI::Range(std::size_t{1}, most));
  app.add_option("--seed", w.seed, "the same number gives the same questions; default: a new one");
  app.add_option("--step", w.steps, "about these; default: two of each student's that are right")
      ->delimiter(',');
  app.add_option("--out", w.out, "the folder to write; default: viva/ in that of the class");
  add_toolchain_option(app, w.toolchain);
  app.add_flag("--no-sandbox", w.no_sandbox, "run student code with limits only");
  if (const auto status = parse(app, words)) return *status;
  return viva::viva(w);
}

}  // namespace warpgrade::apps
