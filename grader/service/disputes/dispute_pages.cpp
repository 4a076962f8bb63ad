#include "service/disputes/dispute_pages.hpp"

#include <fmt/format.h>

#include <charconv>

#include "base/text.hpp"
#include "service/api_error.hpp"
#include "service/disputes/forms.hpp"
#include "service/disputes/reported.hpp"
#include "service/pages.hpp"

namespace warpgrade::service {

using report::PageCell;
using report::PageField;
using report::PageForm;
using report::PageSection;
using report::PageTable;
using report::ServicePage;

namespace {

constexpr const char *inbox_path = "/disputes", *csv_path = "/disputes.csv", *below = "/disputes/",
                     *notes_path = "/disputes/notes";

/// What the form begins with, from the address.
std::string chosen_by(const ApiRequest &request, const Reported &all) {
  const std::int64_t line = id_in(request.asked("line")), finding = id_in(request.asked("finding"));
  if (finding > 0 && static_cast<std::size_t>(finding) <= all.findings.size())
    return all.choices()[static_cast<std::size_t>(finding) - 1];
  return all.choice_at(request.asked("step"), line > 1'000'000 ? 0 : static_cast<int>(line));
}

PageForm form_to_open(const ApiRequest &request, const Submission &s, const Reported &all) {
  const std::int64_t line = id_in(request.asked("line"));
  return {"/disputes",
          "Send",
          {{PageField::Kind::hidden, "submission", "", std::to_string(s.id)},
           {PageField::Kind::hidden, "version", "", all.version()},
           {PageField::Kind::choice, "about", "What you dispute", chosen_by(request, all), all.choices()},
           {PageField::Kind::number, "line", "Line", line > 0 ? std::to_string(line) : "", {}, false},
           text_field("text", "What is wrong with it")}};
}

}  // namespace

bool DisputePages::has(const std::string &path) {
  return path == inbox_path || path == csv_path || path.starts_with(below);
}

ApiResponse DisputePages::answer(const Visit &visit) {
  const std::string &path = visit.request.path;
  if (visit.request.method == "POST") {
    if (path == inbox_path) return open(visit);
    if (path == notes_path) return change_notes(visit);
    if (path == csv_path) throw ApiError{405, "method_not_allowed", "This page accepts no forms."};
    return change(visit, dispute_at(visit, path.substr(std::string(below).size())));
  }
  if (path == csv_path) return inbox_as_csv(visit);
  if (path == inbox_path) return visit.staff() ? inbox(visit) : of_student(visit);
  const std::string rest = path.substr(std::string(below).size());
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  const Dispute d = dispute_at(visit, rest.substr(0, slash));
  if (rest.substr(slash) == "/files") return files(visit, d);
  if (slash < rest.size()) throw ApiError{404, "not_found", "There is no such page."};
  return page(visit, d);
}

Dispute DisputePages::dispute_at(const Visit &visit, const std::string &number) {
  const std::int64_t id = id_in(number);
  const std::optional<Dispute> found = id > 0 ? disputes_.find(id) : std::nullopt;
  if (!found || (found->student != visit.person.id && !visit.staff()))
    throw ApiError{404, "not_found", "There is no such dispute of yours."};
  return *found;
}

Submission DisputePages::submission_of(const Visit &visit, const std::string &number) {
  const std::int64_t id = id_in(number);
  std::optional<Submission> s = id > 0 ? jobs_.submission(id) : std::nullopt;
  if (!s || (s->student != visit.person.id && !visit.staff()) || !shared_.courses.contains(s->assignment))
    throw ApiError{404, "not_found", "There is no such submission of yours."};
  if (!s->done())
    throw ApiError{409, "not_done",
                   "The submission is not graded yet. Wait for its report, and dispute that."};
  return std::move(*s);
}

Reported DisputePages::reported_of(const Submission &s) {
  const ServedCourse &served = shared_.courses.at(s.assignment);
  return reported(Rendered(served, s, device_of(jobs_, s.assignment), false, {}),
                  sources_of(served, s, jobs_));
}

std::string DisputePages::person_in_words(const std::string &id) {
  const std::optional<Person> person = people_.find(id);
  return person && !person->name.empty() ? fmt::format("{}, {}", id, person->name) : id;
}

std::optional<PageCell> DisputePages::menu(const Person &person) {
  if (person.role != Role::student) {
    const int open = disputes_.count_open();
    return PageCell{open > 0 ? fmt::format("Disputes ({})", open) : "Disputes", inbox_path};
  }
  if (const std::size_t fresh = disputes_.unread(person.id).size(); fresh > 0)
    return PageCell{fmt::format("Disputes ({} answered)", fresh), inbox_path};
  return disputes_.of_student(person.id).empty() ? std::nullopt
                                                 : std::optional(PageCell{"Disputes", inbox_path});
}

std::optional<PageSection> DisputePages::unread(const Person &person) {
  const std::vector<Dispute> fresh = disputes_.unread(person.id);
  if (fresh.empty()) return std::nullopt;
  PageTable table{"Answers that you have not read yet", {{"Dispute"}, {"About"}, {"State"}}, {}, ""};
  for (const Dispute &d : fresh)
    table.rows.push_back({{fmt::format("Dispute {}", d.id), fmt::format("/disputes/{}", d.id)},
                          {fmt::format("{}, {}", d.about.assignment, about_in_words(d.about))},
                          {state_in_words(d)}});
  return PageSection{"The course staff have answered", {}, std::move(table)};
}

std::string DisputePages::counted() {
  return fmt::format("Disputes: {} open; {} showed that the grader was wrong.", disputes_.count_open(),
                     disputes_.count_our_fault());
}

ApiResponse DisputePages::of_student(const Visit &visit) {
  ServicePage p = visit.frame;
  p.title = "Your disputes";
  PageTable table{"The latest first",
                  {{"Dispute"}, {"Opened"}, {"Submission"}, {"About"}, {"State"}},
                  {},
                  "You have disputed nothing. The form is below the report of each submission."};
  for (const Dispute &d : disputes_.of_student(visit.person.id))
    table.rows.push_back({{fmt::format("Dispute {}", d.id), fmt::format("/disputes/{}", d.id)},
                          {time_text(d.opened)},
                          {fmt::format("{} of {}", d.about.submission, d.about.assignment),
                           fmt::format("/submissions/{}", d.about.submission)},
                          {about_in_words(d.about)},
                          {state_in_words(d)}});
  p.sections.push_back({"", {}, std::move(table)});
  return page_response(p);
}

void DisputePages::put_on(ServicePage &p, const ApiRequest &request, const Person &reader,
                          const Submission &s, const Rendered &rendered) {
  const Reported all = reported(rendered, sources_of(shared_.courses.at(s.assignment), s, jobs_));
  const bool own = reader.id == s.student;
  const std::vector<FindingNote> attached = disputes_.notes(s.assignment);
  PageTable findings{
      "What is wrong",
      {{"Step"}, {"Finding"}, {"Line"}, {"From the course staff"}, {own ? "Disagree?" : "Note"}},
      {},
      ""};
  for (std::size_t i = 0; i < all.findings.size(); ++i) {
    const ReportedFinding &f = all.findings[i];
    std::string said;
    for (const FindingNote &note : notes_on(attached, {f})) said += (said.empty() ? "" : " ") + note.text;
    findings.rows.push_back({{f.cause.step},
                             {f.said.empty() ? f.cause.rule : fmt::format("{}: {}", f.cause.rule, f.said)},
                             {f.line > 0 ? fmt::format("{}:{}", f.file, f.line) : ""},
                             {said},
                             {own ? "Dispute this" : "Attach a note",
                              fmt::format("/submissions/{}?finding={}#dispute", s.id, i + 1)}});
  }
  if (!findings.rows.empty()) p.sections.push_back({"Findings", {}, std::move(findings)});

  const std::vector<Dispute> open = disputes_.of_submission(s.id);
  PageTable table{"Disputes about this submission", {{"Dispute"}, {"About"}, {"Opened"}, {"State"}}, {}, ""};
  for (const Dispute &d : open) {
    table.rows.push_back({{fmt::format("Dispute {}", d.id), fmt::format("/disputes/{}", d.id)},
                          {about_in_words(d.about)},
                          {time_text(d.opened)},
                          {state_in_words(d)}});
    if (own) note_as_read(shared_, disputes_, d);
  }
  if (!open.empty()) p.sections.push_back({"Disputes", {}, std::move(table)});
  if (own) {
    p.sections.push_back(
        {"Is something wrong in this report?",
         {"Say what, about a finding or a line of your file. The course staff see the case and repeat it. "
          "Their answer will be here and in your report."}});
    p.sections.back().forms.push_back(form_to_open(request, s, all));
    p.sections.back().anchor = "dispute";
  } else if (reader.role != Role::student && !all.findings.empty()) {
    std::vector<std::string> choices = all.choices();
    choices.resize(all.findings.size());
    p.sections.push_back(
        {"A note on a finding",
         {"Everybody whose report has this finding reads the sentence, on their page and in the report, "
          "until it is taken back. Another line or other names are the same finding."}});
    for (std::size_t i = 0; i < all.findings.size(); ++i)
      if (all.findings[i].cause.gist.empty())
        p.sections.back().sentences.push_back(
            fmt::format("Finding {}: {}", i + 1, reach_in_words(all.findings[i].cause.rule)));
    p.sections.back().forms.push_back(
        {notes_path,
         "Attach",
         {{PageField::Kind::hidden, "submission", "", std::to_string(s.id)},
          {PageField::Kind::hidden, "version", "", all.version()},
          {PageField::Kind::choice, "about", "Finding", chosen_by(request, all), choices},
          {PageField::Kind::choice, "where", "For", "", {this_step, every_step}},
          text_field("text", "Sentence")}});
    p.sections.back().anchor = "dispute";
  }
}

ApiResponse DisputePages::open(const Visit &visit) {
  const Submission s = submission_of(visit, visit.request.field("submission"));
  if (s.student != visit.person.id)
    throw ApiError{403, "role", "Only the student who submitted it can dispute its report."};
  const Reported all = reported_of(s);
  if (visit.request.field("version") != all.version())
    throw ApiError{
        409, "changed",
        "The submission was graded again after this page was made, and its report has changed. Open the "
        "page again, and look whether there is still something to dispute. Nothing was saved."};
  const std::string text = text_of(visit.request, "text", "comment");
  Disputed about = all.disputed(s, visit.request.field("about"), visit.request.field("line"));
  const Rendered rendered(shared_.courses.at(s.assignment), s, device_of(jobs_, s.assignment), true, {});
  const report::TellingCase shows = rendered.telling_case(about.cause.step);
  about.seen_in = shows.name;
  about.again = shows.options;
  const std::lock_guard writing(shared_.writing);
  const std::optional<std::int64_t> id = disputes_.open(visit.person.id, about, text, shared_.now());
  if (!id)
    throw ApiError{
        429, "too_many_disputes",
        fmt::format("You have {} open disputes in {}, and more are taken when one of these is answered. "
                    "Nothing was saved.",
                    most_open_disputes, s.assignment)};
  return go_to(fmt::format("/disputes/{}", *id));
}

ApiResponse DisputePages::change(const Visit &visit, const Dispute &d) {
  const std::string what = visit.request.field("what");
  if (what == "comment") {
    if (d.student != visit.person.id)
      throw ApiError{403, "role", "Only the student who opened a dispute comments on it. Answer it instead."};
    const std::string text = text_of(visit.request, "text", "comment");
    const std::lock_guard writing(shared_.writing);
    if (!disputes_.comment(d, text, shared_.now()))
      throw ApiError{
          429, "too_many_disputes",
          fmt::format("A dispute has at most {} comments, and {} disputes can be open in an assignment. "
                      "Nothing was saved; ask the course staff in person.",
                      most_comments, most_open_disputes)};
    return go_to(fmt::format("/disputes/{}", d.id));
  }
  need_staff(visit.person);
  if (what == "answer") return decide(visit, d, DisputeKind::answer);
  if (what == "our_fault") return decide(visit, d, DisputeKind::our_fault);
  if (what == "reopen") return decide(visit, d, DisputeKind::reopened);
  if (what == "points") return give_points(visit, d);
  throw ApiError{400, "bad_request", "Choose what to do with the dispute."};
}

}  // namespace warpgrade::service
