// The answers to an exam: read from a file or as a service collects them, and held against the questions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "batch/store.hpp"
#include "viva/sheets.hpp"

namespace warpgrade::viva {

/// The questions that were made for a step, as viva.json has them; without names of students.
struct Exam {
  std::string assignment, step;
  std::uint64_t seed = 0;
  std::vector<Sheet> sheets;
  /// Null for a student that has none.
  const Sheet *find(const std::string &student) const;
};
/// Throws std::runtime_error where the text is not that of viva.json.
Exam exam_of(const std::string &json);

/// By question: a place in its choices; none: not answered.
using Chosen = std::vector<std::optional<std::size_t>>;

/// A file with a row for each student (id, 1, 2, 3, ...) or for each answer (id, question, choice). A choice is its letter
/// or its text. Throws UsageError that names every row that is wrong.
std::map<std::string, Chosen> read_answers(const std::string &csv, const std::string &file, const Exam &);

/// What the store of a class keeps. `by`: where the answers come from, for people.
batch::ExamRow exam_row(const course::Step &, const Exam &, const Sheet &, const Chosen &,
                        const std::string &by);

struct AnswersOptions {
  std::string folder, file;  ///< of the class; the answers
  std::string step;          ///< empty: the only exam
  std::string questions;     ///< the folder with viva.json; empty: that of the exam
};
/// ./gradebook viva --answers: gives points for all of them, or for none if a row is wrong. Gives the exit status.
int take_answers(const AnswersOptions &);

/// The exam of that name, or the only one. Null where the assignment has none and none is named; throws UsageError.
const course::Step *exam_step(const course::Assignment &, const std::string &name);
/// Where sheets and viva.json are by default.
std::filesystem::path exam_folder(const std::filesystem::path &class_folder, const course::Step *exam);

}  // namespace warpgrade::viva
