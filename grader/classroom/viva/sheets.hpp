// Questions as files: sheets to print, and what platforms import. Internal to viva/.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "quiz/question.hpp"

namespace warpgrade::viva {

struct Asked {
  std::string step;
  quiz::Question question;
};

struct Sheet {
  std::string student, name;
  std::vector<Asked> questions;
  std::string why_none;  ///< where there are no questions
};

/// What is asked; with the step where no line shows what it is about.
std::string heading(const Asked &);
/// "step2.cu:7: s += t[x];" for a question about a line.
std::string place(const Asked &);

enum class Show : std::uint8_t {
  questions,  ///< for the student
  answers,    ///< for the examiner: with the reason, and the mistake behind each wrong answer
  practice,   ///< the choices can be clicked, and show by themselves whether they are right
};

/// A page that needs no script and nothing else; printed, each student has sheets of their own.
std::string to_html(const std::string &title, const std::vector<Sheet> &, Show);
/// Moodle's GIFT: a category for each student.
std::string to_gift(const std::string &title, const std::vector<Sheet> &);
/// Moodle's XML: the same.
std::string to_moodle_xml(const std::string &title, const std::vector<Sheet> &);
/// QTI 2.1, for Canvas and others: a zip with a test for each student.
std::string to_qti(const std::string &title, const std::vector<Sheet> &);
/// step: of `kind: viva`, which the questions are for; may be empty.
inline constexpr const char *viva_schema = "warpgrade.viva/1";
std::string to_json(const std::string &assignment, const std::string &step, std::uint64_t seed,
                    const std::vector<Sheet> &);

}  // namespace warpgrade::viva
