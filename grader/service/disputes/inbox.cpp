// The staff's side of disputes: the inbox, the page of a dispute, and what is decided there.
#include <fmt/format.h>

#include <algorithm>

#include "base/csv.hpp"
#include "base/text.hpp"
#include "base/zip.hpp"
#include "batch/bundle.hpp"
#include "service/api_error.hpp"
#include "service/disputes/dispute_pages.hpp"
#include "service/disputes/forms.hpp"
#include "service/disputes/reported.hpp"
#include "service/pages.hpp"
#include "variants/variants.hpp"

namespace warpgrade::service {

using report::PageCell;
using report::PageField;
using report::PageForm;
using report::PageSection;
using report::PageTable;
using report::ServicePage;

namespace {

constexpr int most_in_inbox = 200, most_in_csv = 1'000'000;
constexpr std::size_t longest_in_table = 160;  // bytes of a comment

/// In the folder with the files of the dispute.
std::string command_of(const Dispute &d) {
  return fmt::format("./grade {} --submission dispute-{}{}{}", d.about.cause.step, d.id,
                     d.about.again.empty() ? "" : " ", d.about.again);
}

/// The finding or the line with its text; a finding without a line with its sentence.
std::string finding_in_words(const Disputed &about) {
  const std::string more =
      !about.quoted.empty() ? "the line: " + about.quoted : cut_to(about.said, longest_in_table, "...");
  return about_in_words(about) + (more.empty() ? "" : "; ") + more;
}

/// A finding of nobody in particular: without the thread of one student.
std::string example_of(const std::string &rule, const std::string &said) {
  return fmt::format("{}: {}", rule, said.substr(0, said.find(" (thread ")));
}

/// The student's words, then what was decided last.
std::pair<std::string, const DisputeMessage *> comment_and_decision(
    const std::vector<DisputeMessage> &messages) {
  std::string comment;
  const DisputeMessage *decision = nullptr;
  for (const DisputeMessage &m : messages)
    if (m.kind == DisputeKind::comment)
      comment += (comment.empty() ? "" : "\n") + m.text;
    else
      decision = &m;
  return {comment, decision};
}

constexpr const char *with_similar = "this and ";

/// The choice for more than one. kind: answers reach similar ones; a fault of the grader those with the same cause
std::string scope_in_words(DisputeKind kind, std::size_t others) {
  return fmt::format("{}{} {} open {}{}", with_similar, others,
                     kind == DisputeKind::our_fault ? "other" : "similar", others == 1 ? "one" : "ones",
                     kind == DisputeKind::our_fault ? " with the same cause" : "");
}

/// Whether a decision about a dispute can be for this one too.
bool within_reach(DisputeKind kind, const Dispute &d, const Dispute &other) {
  return other.open && (kind != DisputeKind::our_fault || same_cause(d, other));
}

/// Of a form: disputes, each with its last message when the page was made, "12:40 14:47".
std::vector<std::pair<std::int64_t, std::int64_t>> read_by_their_author(const std::string &text) {
  std::vector<std::pair<std::int64_t, std::int64_t>> all;
  for (std::size_t at = 0; at < text.size();) {
    const std::string one = text.substr(at, text.find(' ', at) - at);
    at += one.size() + 1;
    const std::size_t colon = std::min(one.find(':'), one.size());
    const std::int64_t id = id_in(one.substr(0, colon)),
                       last = id_in(one.substr(std::min(colon + 1, one.size())));
    if (id > 0 && last > 0) all.emplace_back(id, last);
  }
  return all;
}

std::string kind_in_words(DisputeKind kind) {
  switch (kind) {
    case DisputeKind::comment:
      return "comment";
    case DisputeKind::answer:
      return "answer";
    case DisputeKind::points:
      return "points by hand";
    case DisputeKind::our_fault:
      return "the grader was wrong: our fault, not the student's";
    case DisputeKind::reopened:
      break;
  }
  return "opened again";
}

}  // namespace

ApiResponse DisputePages::inbox(const Visit &visit) {
  ServicePage p = visit.frame;
  p.title = "Disputes";
  PageTable table{"Open ones first, the oldest on top; then those that were decided, the latest on top",
                  {{"Dispute"},
                   {"Opened"},
                   {"Student"},
                   {"Report"},
                   {"About"},
                   {"Case, and how to repeat it"},
                   {"Comment"},
                   {"Similar", "", true},
                   {"State"}},
                  {},
                  "No student has disputed anything."};
  for (const Dispute &d : disputes_.all(most_in_inbox)) {
    const std::string address = fmt::format("/disputes/{}", d.id);
    table.rows.push_back(
        {{fmt::format("{}", d.id), address},
         {time_text(d.opened)},
         {person_in_words(d.student), "/students/" + path_part(d.student)},
         {fmt::format("{} submission {}", d.about.assignment, d.about.submission),
          fmt::format("/submissions/{}/report", d.about.submission)},
         {finding_in_words(d.about)},
         {fmt::format("{}{}", d.about.seen_in.empty() ? "" : d.about.seen_in + ": ", command_of(d))},
         {cut_to(disputes_.messages(d.id).front().text, longest_in_table, "...")},
         {std::to_string(disputes_.similar(d).size()), address + "#similar", true},
         {state_in_words(d)}});
  }
  PageSection listed{"", {counted()}};
  if (disputes_.count_open() > most_in_inbox || table.rows.size() == 2 * most_in_inbox)
    listed.sentences.push_back(fmt::format(
        "Listed are the {0} that have been open longest, and the {0} that were decided last; disputes.csv "
        "has all of them.",
        most_in_inbox));
  listed.table = std::move(table);
  p.sections.push_back(std::move(listed));
  PageTable exported{"For a spreadsheet", {{"File"}, {"What it has"}}, {}, ""};
  exported.rows = {{{"disputes.csv", "/disputes.csv"},
                    {"a row for each dispute, with names, cases, commands and answers"}}};
  p.sections.push_back({"", {}, std::move(exported)});
  p.sections.push_back(notes(disputes_.notes(), "Notes on findings"));
  return page_response(p);
}

ApiResponse DisputePages::inbox_as_csv(const Visit &visit) {
  need_staff(visit.person);
  std::string text =
      csv_row({"dispute", "opened",  "student", "name",      "assignment",   "submission", "step",
               "finding", "said",    "file",    "line",      "text_of_line", "case",       "command",
               "comment", "similar", "state",   "our_fault", "decided_by",   "decision"});
  for (const Dispute &d : disputes_.all(most_in_csv)) {
    const std::vector<DisputeMessage> messages = disputes_.messages(d.id);
    const auto [comment, decision] = comment_and_decision(messages);
    const std::optional<Person> person = people_.find(d.student);
    text += csv_row({std::to_string(d.id),
                     csv_text(time_text(d.opened)),
                     csv_text(d.student),
                     csv_text(person ? person->name : ""),
                     csv_text(d.about.assignment),
                     std::to_string(d.about.submission),
                     csv_text(d.about.cause.step),
                     csv_text(d.about.cause.rule),
                     csv_text(d.about.said),
                     csv_text(d.about.file),
                     d.about.line > 0 ? std::to_string(d.about.line) : "",
                     csv_text(d.about.quoted),
                     csv_text(d.about.seen_in),
                     csv_text(command_of(d)),
                     csv_text(comment),
                     std::to_string(disputes_.similar(d).size()),
                     csv_text(state_in_words(d)),
                     d.our_fault ? "yes" : "no",
                     csv_text(decision ? decision->author : ""),
                     csv_text(decision ? decision->text : "")});
  }
  return csv_response("disputes.csv", std::move(text));
}

ApiResponse DisputePages::page(const Visit &visit, const Dispute &d) {
  ServicePage p = visit.frame;
  p.title = fmt::format("Dispute {}: {}", d.id, state_in_words(d));
  PageTable facts{"What it is about", {{"What"}, {"Is"}}, {}, ""};
  const auto fact = [&](const char *what, const std::string &is, const std::string &link = "") {
    if (!is.empty()) facts.rows.push_back({{what}, {is, link}});
  };
  if (visit.staff()) fact("Student", person_in_words(d.student), "/students/" + path_part(d.student));
  fact("Submission", fmt::format("{} of {}", d.about.submission, d.about.assignment),
       fmt::format("/submissions/{}", d.about.submission));
  fact("Report", "the whole report", fmt::format("/submissions/{}/report", d.about.submission));
  fact("About", about_in_words(d.about));
  fact("The report said", d.about.said);
  fact("The line", d.about.quoted);
  if (visit.staff()) {
    fact("Case", d.about.seen_in);
    fact("Files", fmt::format("dispute-{}.zip", d.id), fmt::format("/disputes/{}/files", d.id));
  }
  p.sections.push_back({"", {}, std::move(facts)});
  if (visit.staff())
    p.sections.push_back({"Repeat it",
                          {"With the files above, in the folder of the course:"},
                          {},
                          "",
                          fmt::format("unzip dispute-{0}.zip -d dispute-{0}\n{1}", d.id, command_of(d))});
  if (const std::int64_t left = id_in(visit.request.asked("left_out")); visit.staff() && left > 0)
    p.sections.push_back(
        {"Not all were decided",
         {fmt::format(
             "{} of the similar disputes {} left out: since your page was made, somebody wrote in {} or "
             "decided {}. See the list below.",
             left, left == 1 ? "was" : "were", left == 1 ? "it" : "them", left == 1 ? "it" : "them")}});
  const std::vector<DisputeMessage> messages = disputes_.messages(d.id);
  for (const DisputeMessage &m : messages) {
    const bool told = m.kind == DisputeKind::our_fault && !visit.staff();
    p.sections.push_back(
        {fmt::format(
             "{}, {}: {}{}",
             m.kind == DisputeKind::comment || visit.staff() ? person_in_words(m.author) : "The course staff",
             time_text(m.at),
             told ? "the grader was wrong, which is our fault and not yours" : kind_in_words(m.kind),
             m.kind == DisputeKind::our_fault && taken_back(messages, m) ? " (taken back)" : ""),
         lines_of(m.text)});
  }
  const std::string address = fmt::format("/disputes/{}", d.id);
  if (d.student == visit.person.id) {
    note_as_read(shared_, disputes_, d);
    p.sections.push_back({d.open ? "Say more" : "Not settled?",
                          {d.open ? messages.size() > 1 && messages.back().kind == DisputeKind::reopened
                                        ? "The course staff opened it again, and have not decided yet."
                                        : "The course staff have not answered yet."
                                  : "A further comment opens the dispute again."}});
    p.sections.back().forms.push_back(
        {address, "Send", {{PageField::Kind::hidden, "what", "", "comment"}, text_field("text", "Comment")}});
  }
  if (!visit.staff()) return page_response(p);
  const std::vector<Dispute> alike = disputes_.similar(d);
  put_decisions(p, d, alike);
  PageTable others{"The same cause, or the same text of a line of the step with no other cause",
                   {{"Dispute"}, {"Student"}, {"About"}, {"Comment"}, {"State"}},
                   {},
                   "Nobody else has disputed this."};
  for (const Dispute &o : alike)
    others.rows.push_back({{fmt::format("{}", o.id), fmt::format("/disputes/{}", o.id)},
                           {person_in_words(o.student), "/students/" + path_part(o.student)},
                           {finding_in_words(o.about)},
                           {cut_to(disputes_.messages(o.id).front().text, longest_in_table, "...")},
                           {state_in_words(o)}});
  p.sections.push_back({"Similar disputes", {}, std::move(others)});
  p.sections.back().anchor = "similar";
  if (d.about.cause.rule.empty()) return page_response(p);
  const ReportedFinding finding{d.about.cause, d.about.said, d.about.file, d.about.line, d.about.quoted};
  PageSection section =
      notes(notes_on(disputes_.notes(d.about.assignment), {finding}), "Notes on this finding");
  section.sentences = {
      "Everybody whose report has this finding reads the sentence, on their page and in the report, until it "
      "is taken back. Another line or other names are the same finding."};
  if (d.about.cause.gist.empty()) section.sentences.push_back(reach_in_words(d.about.cause.rule));
  section.forms.insert(section.forms.begin(),
                       {"/disputes/notes",
                        "Attach",
                        {{PageField::Kind::hidden, "dispute", "", std::to_string(d.id)},
                         {PageField::Kind::choice, "where", "For", "", {this_step, every_step}},
                         text_field("text", "Sentence")}});
  p.sections.push_back(std::move(section));
  return page_response(p);
}

void DisputePages::put_decisions(ServicePage &p, const Dispute &d, const std::vector<Dispute> &similar) {
  const std::string address = fmt::format("/disputes/{}", d.id),
                    last = std::to_string(disputes_.messages(d.id).back().id);
  const auto form = [&](const char *what, const char *button, std::vector<PageField> fields) {
    fields.insert(fields.begin(), {PageField::Kind::hidden, "last", "", last});
    fields.insert(fields.begin(), {PageField::Kind::hidden, "what", "", what});
    return PageForm{address, button, std::move(fields)};
  };
  const auto with_scope = [&](DisputeKind kind, std::vector<PageField> fields) {
    std::string others;  // as the reader of this page sees them
    std::size_t count = 0;
    for (const Dispute &o : similar) {
      if (!within_reach(kind, d, o)) continue;
      others += fmt::format("{}{}:{}", count++ > 0 ? " " : "", o.id, disputes_.messages(o.id).back().id);
    }
    if (count == 0) return fields;
    fields.push_back({PageField::Kind::hidden, "similar", "", others});
    fields.push_back(
        {PageField::Kind::choice, "scope", "For", "", {this_dispute, scope_in_words(kind, count)}});
    return fields;
  };
  PageSection section{"Decide", {"The student reads every word of it, on their page and in the report."}};
  section.forms.push_back(
      form("answer", "Answer", with_scope(DisputeKind::answer, {text_field("text", "Answer")})));
  const auto served = shared_.courses.find(d.about.assignment);
  if (served != shared_.courses.end())
    if (const course::Step *step = served->second.assignment.find_step(d.about.cause.step);
        step && !step->beyond)
      section.forms.push_back(form(
          "points", "Give points",
          {{PageField::Kind::number, "points", fmt::format("Points of {}", points(step->points.total())), ""},
           text_field("text", "Reason")}));
  section.forms.push_back(
      form("our_fault", "The grader was wrong",
           with_scope(DisputeKind::our_fault, {text_field("text", "What was wrong, for the student")})));
  if (d.our_fault)
    section.sentences.push_back(d.open ? "Take back that the grader was wrong if it was not."
                                       : "To open it again takes back that the grader was wrong.");
  if (d.points_given)
    section.sentences.push_back(
        "Points that were given stay until they are withdrawn on the student's page.");
  if (!d.open || d.our_fault)
    section.forms.push_back(form("reopen", d.open ? "Take back" : "Open again", {text_field("text", "Why")}));
  p.sections.push_back(std::move(section));
  if (d.our_fault && served != shared_.courses.end())
    p.sections.push_back({"Grade again",
                          {"Once the grader is right, grade what counts of the student again. A preview "
                           "shows first what would "
                           "change; without one, the old result counts until the new one is there."},
                          {},
                          "",
                          "",
                          {{"/regrading/" + path_part(d.about.assignment),
                            "Preview grading again",
                            {{PageField::Kind::hidden, "student", "", d.student},
                             {PageField::Kind::hidden, "what", "", "preview"}}},
                           {"/regrade",
                            "Grade again what counts",
                            {{PageField::Kind::hidden, "student", "", d.student},
                             {PageField::Kind::hidden, "assignment", "", d.about.assignment}}}}});
}

PageSection DisputePages::notes(const std::vector<FindingNote> &all, const std::string &heading) {
  PageTable table{"Attached now",
                  {{"Finding"}, {"Assignment"}, {"Step"}, {"Sentence"}, {"By"}, {"Since"}},
                  {},
                  "No sentence is attached."};
  PageSection section{heading, {}};
  for (const FindingNote &note : all) {
    table.rows.push_back({{note.example},
                          {note.assignment},
                          {note.cause.step.empty() ? every_step : note.cause.step},
                          {note.text},
                          {person_in_words(note.author)},
                          {time_text(note.at)}});
    section.forms.push_back({"/disputes/notes",
                             fmt::format("Take back \"{}\"", cut_to(note.text, longest_in_table, "...")),
                             {{PageField::Kind::hidden, "note", "", std::to_string(note.id)}}});
  }
  section.table = std::move(table);
  return section;
}

ApiResponse DisputePages::files(const Visit &visit, const Dispute &d) {
  need_staff(visit.person);
  const std::optional<Submission> s = jobs_.submission(d.about.submission);
  const auto served = shared_.courses.find(d.about.assignment);
  const course::Step *step =
      served == shared_.courses.end() ? nullptr : served->second.assignment.find_step(d.about.cause.step);
  std::vector<ZipEntry> entries;
  for (const Part &part : s ? s->parts : std::vector<Part>{})
    if (step && part.step == step->id)
      for (auto &[name, text] : batch::unbundle(*step, variants::unmarked(jobs_.content(part.file)).content))
        entries.push_back({name == step->file ? step->path().string() : name, std::move(text)});
  if (entries.empty()) throw ApiError{404, "not_found", "This assignment is not served at the moment."};
  return {200,
          "application/zip",
          zip(entries),
          {{"Content-Disposition", fmt::format("attachment; filename=\"dispute-{}.zip\"", d.id)}}};
}

ApiResponse DisputePages::decide(const Visit &visit, const Dispute &d, DisputeKind kind) {
  const std::string text =
      text_of(visit.request, "text", kind == DisputeKind::reopened ? "reason" : "answer");
  const std::string scope = visit.request.field("scope");
  std::vector<Decision> all = {{d.id, kind, text, id_in(visit.request.field("last"))}};
  if (scope.starts_with(with_similar) && kind != DisputeKind::reopened)
    for (const auto &[id, last] : read_by_their_author(visit.request.field("similar")))
      all.push_back({id, kind, text, last});
  else if (!scope.empty() && scope != this_dispute)
    throw ApiError{400, "bad_request", "Choose whether this is for one dispute or for similar ones too."};
  const std::lock_guard writing(shared_.writing);
  const std::vector<Dispute> similar = disputes_.similar(d);
  std::size_t left_out = std::erase_if(all, [&](const Decision &one) {
    return one.dispute != d.id && std::none_of(similar.begin(), similar.end(), [&](const Dispute &o) {
             return o.id == one.dispute && within_reach(kind, d, o);
           });
  });
  const std::optional<std::size_t> changed = disputes_.decide_all(all, visit.person.id, shared_.now());
  if (!changed) throw somebody_was_faster();
  left_out += *changed;
  return go_to(fmt::format("/disputes/{}", d.id) +
               (left_out > 0 ? fmt::format("?left_out={}", left_out) : ""));
}

ApiResponse DisputePages::give_points(const Visit &visit, const Dispute &d) {
  const auto served = shared_.courses.find(d.about.assignment);
  if (served == shared_.courses.end())
    throw ApiError{409, "not_served",
                   "This assignment is not served at the moment, so no points can be given."};
  const std::string reason = text_of(visit.request, "text", "reason");
  const Order order =
      points_order(served->second, d.student, d.about.cause.step, visit.request.field("points"), reason);
  if (order.kind != Order::Kind::points) throw ApiError{400, "bad_request", "Say how many points."};
  const std::lock_guard writing(shared_.writing);
  if (!disputes_.decide({d.id, DisputeKind::points,
                         fmt::format("{} points for {}: {}", points(order.points), order.step, reason),
                         id_in(visit.request.field("last")), order},
                        visit.person.id, shared_.now()))
    throw somebody_was_faster();
  return go_to(fmt::format("/disputes/{}", d.id));
}

ApiResponse DisputePages::change_notes(const Visit &visit) {
  need_staff(visit.person);
  if (const std::string note = visit.request.field("note"); !note.empty()) {
    const std::lock_guard writing(shared_.writing);
    if (!disputes_.take_back(id_in(note), visit.person.id, shared_.now()))
      throw ApiError{404, "not_found", "There is no such note, or somebody has taken it back already."};
    return go_to("/disputes");
  }
  FindingNote note;
  std::string back;
  if (const std::string dispute = visit.request.field("dispute"); !dispute.empty()) {
    const Dispute d = dispute_at(visit, dispute);
    if (d.about.cause.rule.empty())
      throw ApiError{400, "bad_request",
                     "This dispute is not about a finding, so nobody else can have it. Answer it."};
    note.assignment = d.about.assignment;
    note.cause = d.about.cause;
    note.example = example_of(d.about.cause.rule, d.about.said);
    back = fmt::format("/disputes/{}", d.id);
  } else {
    const Submission s = submission_of(visit, visit.request.field("submission"));
    const Reported all = reported_of(s);
    if (visit.request.field("version") != all.version())
      throw ApiError{409, "changed",
                     "The submission was graded again after this page was made. Open the page again. Nothing "
                     "was saved."};
    const Disputed about = all.disputed(s, visit.request.field("about"), "");
    if (about.cause.rule.empty()) throw ApiError{400, "bad_request", "Choose a finding from the list."};
    note.assignment = s.assignment;
    note.cause = about.cause;
    note.example = example_of(about.cause.rule, about.said);
    back = fmt::format("/submissions/{}", s.id);
  }
  const std::string where = visit.request.field("where");
  if (where == every_step)
    note.cause.step.clear();
  else if (where != this_step)
    throw ApiError{400, "bad_request", "Choose whether the sentence is for this step or for every step."};
  note.text = text_of(visit.request, "text", "sentence");
  const std::lock_guard writing(shared_.writing);
  disputes_.attach(note, visit.person.id, shared_.now());
  return go_to(back);
}

}  // namespace warpgrade::service
