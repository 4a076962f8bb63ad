#include "quiz/quiz.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cctype>
#include <iostream>

#include "report/text.hpp"
#include "setup/files.hpp"

namespace warpgrade::quiz {

namespace {

constexpr std::string_view letters = "ABCD";

void print_wrapped(const std::string &text, const std::string &first, const std::string &others,
                   std::size_t columns) {
  const std::vector<std::string> lines = report::wrap(for_terminal(text), columns - first.size());
  for (std::size_t i = 0; i < lines.size(); ++i) fmt::print("{}{}\n", i == 0 ? first : others, lines[i]);
}

void print_question(const Question &q, std::size_t number, std::size_t columns) {
  const std::string head = fmt::format("{}. ", number), blank(head.size(), ' ');
  fmt::print("\n");
  print_wrapped(q.text, head, blank, columns);
  if (q.line > 0) print_wrapped(q.code, fmt::format("{}{}:{}:  ", blank, q.file, q.line), blank, columns);
  for (std::size_t c = 0; c < q.choices.size(); ++c)
    print_wrapped(q.choices[c], fmt::format("{}{}  ", blank, letters[c]), blank + "   ", columns);
}

std::string answer_of(const Question &q) {
  return fmt::format("{}, {}", letters[q.answer], q.choices[q.answer]);
}

/// Asks on the terminal. Gives the number of right answers, or nothing at the end of the input.
std::optional<std::size_t> ask_all(const std::vector<Question> &questions, std::size_t columns) {
  std::size_t right = 0;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const Question &q = questions[i];
    print_question(q, i + 1, columns);
    std::size_t chosen = letters.size();
    for (std::string line; chosen >= q.choices.size();) {
      fmt::print("   Your answer (A to D): ");
      std::fflush(stdout);
      if (!std::getline(std::cin, line)) return std::nullopt;
      line = trimmed(line);
      if (line.size() == 1)
        chosen = letters.find(static_cast<char>(std::toupper(static_cast<unsigned char>(line[0]))));
    }
    right += chosen == q.answer;
    print_wrapped(chosen == q.answer ? fmt::format("Right. {}", q.why)
                                     : fmt::format("No: it is {}. {} is what comes out if {}.", answer_of(q),
                                                   letters[chosen], q.mistakes[chosen]),
                  "   ", "   ", columns);
    if (chosen != q.answer) print_wrapped(q.why, "   ", "   ", columns);
  }
  return right;
}

void print_answers(const std::vector<Question> &questions, std::size_t columns) {
  fmt::print("\nAnswers\n");
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const Question &q = questions[i];
    const std::string head = fmt::format("{}. ", i + 1), blank(head.size(), ' ');
    print_wrapped(fmt::format("{}. {} (topic: {})", answer_of(q), q.why, q.topic), head, blank, columns);
  }
}

}  // namespace

int quiz(const QuizOptions &w) {
  if (w.step.empty()) throw UsageError("which step? For example: ./grade quiz step2");
  const Course course = open_course(w.common, {w.step});
  const course::Assignment &a = course.assignment;
  const course::Step &step = find_kernel(a, w.step);
  const auto machine = look_at_machine(course.root, a, DeviceChoice::simulator, !w.common.no_sandbox,
                                       toolchain_named(w.common.toolchain));
  const grading::Options options = grading_options(w.common, a);
  const std::uint64_t seed = w.common.seed.value_or(fresh_seed() % 10000);
  std::vector<Question> questions;
  try {
    Subject subject(a, machine->environment, options, step, {course.root, course.submission}, seed);
    questions = choose(subject, w.questions);
  } catch (const NoSubject &e) {
    fmt::print("{}\nQuestions need a kernel that is right: '{}' says what is wrong.\n",
               for_terminal(e.what(), true), command_again(w.common, a, course.submission, step.id));
    return below;
  }
  if (questions.empty()) {
    fmt::print("There is nothing in {} to ask about.\n", step.file);
    return below;
  }
  if (!w.json.empty()) write_whole(w.json, to_json(questions, a, step.id, seed));
  const std::size_t columns = std::max<std::size_t>(
      report::narrowest, std::min<std::size_t>(terminal_style().columns, report::widest));
  fmt::print("{} {}: {} question{} about your kernel (seed {})\n", a.name, step.id, questions.size(),
             questions.size() == 1 ? "" : "s", seed);
  if (isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0) {
    const auto right = ask_all(questions, columns);
    if (!right) return below;
    fmt::print("\n{} of {} right.\n", *right, questions.size());
    return *right == questions.size() ? full_score : below;
  }
  for (std::size_t i = 0; i < questions.size(); ++i) print_question(questions[i], i + 1, columns);
  print_answers(questions, columns);
  return full_score;
}

}  // namespace warpgrade::quiz
