#include "service/disputes/reported.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text.hpp"
#include "batch/content.hpp"
#include "report/class.hpp"
#include "service/api_error.hpp"
#include "service/disputes/dispute_pages.hpp"
#include "service/disputes/forms.hpp"
#include "service/disputes/said.hpp"

namespace warpgrade::service {

namespace {

constexpr std::size_t most_of_choice = 140, most_of_number = 20;  // bytes

std::string in_words(const ReportedFinding &f) {
  return fmt::format("{}: {}{}{}", f.cause.step, f.cause.rule,
                     f.line > 0 ? fmt::format(" in {}:{}", f.file, f.line) : "",
                     f.said.empty() ? "" : ": " + f.said);
}

/// What the report says of it: the whole sentence of the finding, or of the verdict.
std::string sentence_of(const grading::StepRecord &step, const report::ClassDiagnostic &d) {
  for (const judge::Finding &f : step.findings)
    if (f.severity == "error" && f.code == d.code && f.file == d.file && f.line == d.line) return f.message;
  return step.reason.empty() ? d.cause : step.reason;
}

}  // namespace

std::vector<std::string> Reported::choices() const {
  std::vector<std::string> all;
  for (const ReportedFinding &f : findings)
    all.push_back(
        fmt::format("{}. {}", all.size() + 1, cut_to(in_one_line(in_words(f)), most_of_choice, "...")));
  for (const std::string &step : steps)
    all.push_back(
        fmt::format("{}. {}: the line below; without a line, the whole step", all.size() + 1, step));
  return all;
}

std::string Reported::choice_at(const std::string &step, int line) const {
  const std::vector<std::string> all = choices();
  for (std::size_t i = 0; i < findings.size(); ++i)
    if (line > 0 && findings[i].cause.step == step && findings[i].line == line) return all[i];
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (steps[i] == step) return all[findings.size() + i];
  return "";
}

std::string Reported::version() const {
  std::string text;
  for (const ReportedFinding &f : findings)
    text += fmt::format("{} {} {} {}\n", f.cause.step, f.cause.rule, f.cause.gist, f.line);
  return batch::hash_of(text).substr(0, 16);
}

Disputed Reported::disputed(const Submission &s, const std::string &choice, const std::string &line) const {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(choice.data(), choice.data() + choice.size(), number);
  if (error != std::errc() || *end != '.' || number == 0 || number > findings.size() + steps.size())
    throw ApiError{400, "bad_request", "Choose what you dispute from the list."};
  Disputed about;
  about.assignment = s.assignment;
  about.submission = s.id;
  if (number <= findings.size()) {
    const ReportedFinding &f = findings[number - 1];
    if (const std::string other = trimmed(line); !other.empty() && other != std::to_string(f.line))
      throw ApiError{
          400, "bad_request",
          fmt::format(
              "You chose {}, and line {} too. Nothing was saved: go back, and leave the line empty, or "
              "choose the step instead of the finding to dispute another line.",
              f.line > 0 ? fmt::format("the finding at line {}", f.line) : "a finding without a line",
              cut_to(in_one_line(other), most_of_number, "..."))};
    about.cause = f.cause;
    about.said = f.said;
    about.file = f.file;
    about.line = f.line;
    about.quoted = f.quoted;
    return about;
  }
  about.cause.step = steps[number - findings.size() - 1];
  const std::string text = trimmed(line);
  if (text.empty()) return about;
  const auto source = sources.find(about.cause.step);
  const std::vector<std::string> lines =
      source == sources.end() ? std::vector<std::string>{} : lines_of(source->second);
  const auto [after, wrong] = std::from_chars(text.data(), text.data() + text.size(), about.line);
  if (wrong != std::errc() || after != text.data() + text.size() || about.line < 1 ||
      static_cast<std::size_t>(about.line) > lines.size())
    throw ApiError{
        400, "bad_request",
        fmt::format("The file of {} has the lines 1 to {}; leave the line empty for the whole step.",
                    about.cause.step, lines.size())};
  about.quoted = report::quoted_line(source->second, about.line);
  if (const auto file = files.find(about.cause.step); file != files.end()) about.file = file->second;
  return about;
}

Reported reported(const Rendered &rendered, const std::map<std::string, std::string> &sources) {
  Reported all;
  all.sources = sources;
  for (const grading::StepRecord &step : rendered.as_students_know_it().steps) {
    all.steps.push_back(step.id);
    all.files[step.id] = step.file;
    const auto source = sources.find(step.id);
    for (report::ClassDiagnostic &d :
         report::diagnostics_of(step, source == sources.end() ? nullptr : &source->second)) {
      std::string said = sentence_of(step, d);
      all.findings.push_back({{d.step, d.code, report::gist(d.cause)},
                              std::move(said),
                              std::move(d.file),
                              d.line,
                              std::move(d.text)});
    }
  }
  return all;
}

std::vector<FindingNote> notes_on(const std::vector<FindingNote> &notes,
                                  const std::vector<ReportedFinding> &findings) {
  std::vector<FindingNote> mine;
  for (const FindingNote &note : notes)
    if (std::any_of(findings.begin(), findings.end(), [&](const ReportedFinding &f) {
          return f.cause.rule == note.cause.rule && f.cause.gist == note.cause.gist &&
                 (note.cause.step.empty() || note.cause.step == f.cause.step);
        }))
      mine.push_back(note);
  return mine;
}

std::vector<std::string> remarks_on(ServiceStore &store, const Submission &s, const Rendered &rendered) {
  Disputes disputes(store);
  std::vector<std::string> remarks;
  for (const Dispute &d : disputes.of_submission(s.id))
    for (std::string &sentence : said_of(d, disputes.messages(d.id))) remarks.push_back(std::move(sentence));
  const std::vector<FindingNote> notes = disputes.notes(s.assignment);
  if (notes.empty()) return remarks;
  const Reported all = reported(rendered, {});
  for (const ReportedFinding &f : all.findings)
    for (const FindingNote &note : notes_on(notes, {f}))
      remarks.push_back(fmt::format("The course staff about {}{} in {}: {}", f.cause.rule,
                                    f.line > 0 ? fmt::format(" at {}:{}", f.file, f.line) : "", f.cause.step,
                                    in_one_line(note.text)));
  return remarks;
}

}  // namespace warpgrade::service
