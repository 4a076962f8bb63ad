// ./gradebook viva DIR: questions for each student about their own code.
#include "apps/command_line.hpp"
#include "apps/gradebook_commands.hpp"
#include "base/usage.hpp"
#include "service/service_store.hpp"
#include "viva/exam.hpp"
#include "viva/viva.hpp"

namespace warpgrade::apps {

int gradebook_viva(const std::vector<std::string> &words) {
  constexpr std::size_t most = 30;
  viva::VivaOptions w;
  std::string answers;
  CLI::App app(
      "Writes questions for each student of a class about the code that this student handed in, with\n"
      "answers for the examiner. The simulator knows the answers, since it runs the kernels and their\n"
      "variants. Changes nothing in the class, unless it is given answers.",
      "gradebook viva");
  app.add_option("folder", w.folder, "of the class, as given to 'gradebook run --out'")->required();
  app.add_option("student", w.students, "only these; default: everybody who handed in something");
  app.add_option("--questions", w.questions, "for each student; default: as the exam says, or 6")
      ->check(CLI::Range(std::size_t{1}, most));
  app.add_option("--seed", w.seed, "the same number gives the same questions; default: a new one");
  app.add_option("--step", w.steps, "about these; default: two of each student's that are right")
      ->delimiter(',');
  app.add_option("--out", w.out, "the folder to write; default: viva/ in that of the class");
  app.add_option("--for", w.exam,
                 "the step of 'kind: viva' that they are for; default: the only one, if any");
  app.add_option(
      "--answers", answers,
      "a CSV file with the columns id, question, choice, or id, 1, 2, 3 and so on: gives points for the "
      "answers in\nit, or for none if a row is wrong");
  add_toolchain_option(app, w.toolchain);
  app.add_flag("--no-sandbox", w.no_sandbox, "run student code with limits only");
  if (const auto status = parse(app, words)) return *status;
  if (answers.empty()) return viva::viva(w);
  if (!w.students.empty() || !w.steps.empty() || w.questions || w.seed)
    throw UsageError("--answers takes questions and students from its file and from viva.json");
  const int done = viva::take_answers({w.folder, answers, w.exam, w.out});
  service::note_command_in_audit(w.folder, "exam", w.exam.empty() ? "the exam" : w.exam, answers);
  return done;
}

}  // namespace warpgrade::apps
