// Pages of the staff, and what they change.
#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "base/text.hpp"
#include "gpu/referee.hpp"
#include "gpu/retired.hpp"
#include "grading/record_fields.hpp"
#include "grading/record_json.hpp"
#include "service/api_error.hpp"
#include "service/disputes/forms.hpp"
#include "service/pages.hpp"

namespace warpgrade::service {

using report::PageCell;
using report::PageField;
using report::PageForm;
using report::PageSection;
using report::PageTable;
using report::ServicePage;

namespace {

constexpr int most_of_audit = 100, runs_looked_at = 10, most_failures_shown = 20;

}  // namespace

Order points_order(const ServedCourse &served, const std::string &student, const std::string &step_id,
                   const std::string &given, const std::string &reason) {
  const course::Step *step = served.assignment.find_step(step_id);
  if (!step || step->beyond) throw ApiError{400, "bad_request", "There is no such step."};
  Order order{0, Order::Kind::withdraw, served.assignment.name, student, step->id, 0, ""};
  if (const std::string text = trimmed(given); !text.empty()) {
    order.kind = Order::Kind::points;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), order.points);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(order.points) ||
        order.points < 0 || order.points > step->points.total())
      throw ApiError{400, "bad_request",
                     fmt::format("{} has from 0 to {} points.", step->id, points(step->points.total()))};
    order.reason = in_one_line(written(reason, "reason"));
  }
  return order;
}

ApiResponse Pages::give_points(const Visit &visit) {
  need(visit, Role::ta);
  const Person student = named(visit.field("student"));
  const ServedCourse &served = course(visit.field("assignment"));
  const Order order =
      points_order(served, student.id, visit.field("step"), visit.field("points"), visit.field("reason"));
  if (jobs_.submissions_of(student.id, served.assignment.name, 1).empty())
    throw ApiError{400, "bad_request", "Nothing was submitted by this student."};
  orders_.give(order, visit.person.id, shared_.now());
  return go_to("/students/" + path_part(student.id));
}

ApiResponse Pages::regrade(const Visit &visit) {
  need(visit, Role::ta);
  const Person student = named(visit.field("student"));
  orders_.give(
      {0, Order::Kind::regrade, course(visit.field("assignment")).assignment.name, student.id, "", 0, ""},
      visit.person.id, shared_.now());
  return go_to("/students/" + path_part(student.id));
}

ApiResponse Pages::announce(const Visit &visit) {
  need(visit, Role::ta);
  if (const std::string ended = visit.field("end"); !ended.empty()) {
    std::int64_t id = 0;
    std::from_chars(ended.data(), ended.data() + ended.size(), id);
    orders_.end_announcement(id, visit.person.id, shared_.now());
  } else {
    orders_.announce(written(visit.field("text"), "announcement"), visit.person.id, shared_.now());
  }
  return go_to("/staff");
}

ApiResponse Pages::tokens(const Visit &visit) {
  need(visit, Role::instructor);
  const std::string id = written(visit.field("person"), "id of a person");
  if (visit.field("what") == "revoke") {
    people_.revoke(named(id).id, visit.person.id, shared_.now());
    return go_to("/staff");
  }
  const std::optional<Role> role = role_named(visit.field("role"));
  if (!role) throw ApiError{400, "bad_request", "There is no such role."};
  const std::optional<Person> known = people_.find(id);
  if (known && known->role != *role)
    throw ApiError{400, "bad_request",
                   fmt::format("{} has the role '{}'; 'gradebook tokens' changes it.", for_terminal(id),
                               name_of(known->role))};
  if (!known) people_.add({id, "", *role}, visit.person.id, shared_.now());
  ServicePage p = page(&visit, "A new token");
  p.sections.push_back({"",
                        {fmt::format("For {}. It is shown only once; the service keeps only its hash.", id)},
                        {},
                        "",
                        people_.make_token(id, visit.person.id, shared_.now())});
  return shown(p);
}

void Pages::health(ServicePage &p) {
  PageTable graders{"Graders",
                    {{"Assignment"}, {"State"}, {"Device"}, {"At a time", "", true}, {"Last seen", "", true}},
                    {},
                    "Nothing has started yet."};
  PageTable clocks{"GPUs in the latest measurement of an assignment",
                   {{"Assignment"},
                    {"Submission"},
                    {"Clock", "", true},
                    {"Memory clock", "", true},
                    {"Temperature", "", true},
                    {"Power", "", true},
                    {"Throttled by"}},
                   {},
                   ""};
  for (const GraderState &g : jobs_.graders()) {
    const std::string device =
        g.device.empty() ? "" : json::read<grading::DeviceRecord>(json::Json::parse(g.device)).name;
    graders.rows.push_back(
        {{g.assignment},
         {g.ready ? "ready" : "cannot grade: " + g.detail},
         {device},
         {g.slots >= slots_of_a_cluster ? "the cluster's" : fmt::format("{}", g.slots), "", true},
         {fmt::format("{} s ago", shared_.now() - g.seen), "", true}});
    for (const Part &part : jobs_.latest_runs(g.assignment, runs_looked_at)) {
      const grading::StepRecord record = grading::step_record_of(part.record);
      if (!record.performance || record.performance->states.empty()) continue;
      const gpu::GpuState &state = record.performance->states.back();
      const std::string held = gpu::throttle_reasons(state);
      clocks.rows.push_back(
          {{g.assignment},
           {fmt::format("{}", part.submission), fmt::format("/submissions/{}", part.submission)},
           {fmt::format("{} MHz", state.sm_mhz), "", true},
           {fmt::format("{} MHz", state.memory_mhz), "", true},
           {fmt::format("{} °C", state.celsius), "", true},
           {fmt::format("{:.0f} W", state.watts), "", true},
           {held.empty() ? "nothing" : held}});
      break;
    }
  }
  PageSection now{
      "Health",
      {fmt::format("{} waiting, {} running.", jobs_.count(State::queued), jobs_.count(State::running))},
      {}};
  for (const gpu::RetiredGpu &gpu : gpu::retired_gpus(std::filesystem::temp_directory_path().string()))
    now.sentences.push_back(gpu.sentence + ".");
  for (const auto &[name, served] : shared_.courses)
    if (served.variants && !served.variants->wrong().empty())
      now.sentences.push_back(for_terminal(served.variants->wrong()) + ". Then start the service again.");
  for (const Held &held : jobs_.held())
    now.sentences.push_back(fmt::format(
        "{}: {} step{} of {} student{} wait{}, because this cannot be read: {}. Grading of them goes on "
        "when it can.",
        held.assignment, held.parts, held.parts == 1 ? "" : "s", held.students, held.students == 1 ? "" : "s",
        held.parts == 1 ? "s" : "", for_terminal(held.why)));
  now.table = std::move(graders);
  p.sections.push_back(std::move(now));
  if (!clocks.rows.empty()) p.sections.push_back({"", {}, std::move(clocks)});
  PageTable failed{"The latest steps on which the grader itself failed, three times each",
                   {{"Submission"}, {"Step"}},
                   {},
                   "The grader itself has not failed on any step."};
  for (const Part &part : jobs_.failures(most_failures_shown))
    failed.rows.push_back(
        {{fmt::format("{}", part.submission), fmt::format("/submissions/{}", part.submission)}, {part.step}});
  p.sections.push_back({"Failures", {}, std::move(failed)});
}

ApiResponse Pages::staff(const Visit &visit) {
  need(visit, Role::ta);
  ServicePage p = page(&visit, "Staff");
  health(p);
  p.sections.push_back({"Disputes", {disputes_.counted()}});

  PageSection announcements{"Announcements", {"Everybody sees them on every page."}, {}};
  announcements.forms.push_back({"/announce", "Announce", {{PageField::Kind::area, "text", "Text", ""}}});
  for (const Announcement &a : orders_.announcements())
    announcements.forms.push_back({"/announce",
                                   fmt::format("End \"{}\"", for_json(a.text.substr(0, 40))),
                                   {{PageField::Kind::hidden, "end", "", std::to_string(a.id)}}});
  p.sections.push_back(std::move(announcements));

  PageTable everybody{
      "People", {{"Id"}, {"Name"}, {"Role"}, {"Latest submission"}}, {}, "Nobody has a token yet."};
  for (const Person &person : people_.all()) {
    const std::vector<Submission> latest = jobs_.submissions_of(person.id, "", 1);
    const bool expected = person.role == Role::student;
    everybody.rows.push_back(
        {{person.id, "/students/" + path_part(person.id)},
         {person.name},
         {std::string(name_of(person.role))},
         latest.empty() ? PageCell{expected ? "none yet" : ""}
                        : PageCell{fmt::format("{}, {}", latest[0].assignment, time_text(latest[0].received)),
                                   fmt::format("/submissions/{}", latest[0].id)}});
  }
  p.sections.push_back({"People", {}, std::move(everybody)});

  if (visit.person.role == Role::instructor) {
    p.sections.push_back(
        {"Tokens",
         {"A new token is shown once. Revoking ends all tokens of a person at once."},
         {},
         "",
         "",
         {{"/tokens",
           "Make a token",
           {{PageField::Kind::hidden, "what", "", "make"},
            {PageField::Kind::text, "person", "Id", ""},
            {PageField::Kind::choice, "role", "Role", "", {"student", "ta", "instructor"}}}},
          {"/tokens",
           "Revoke all tokens",
           {{PageField::Kind::hidden, "what", "", "revoke"}, {PageField::Kind::text, "person", "Id", ""}}}}});
    PageTable audit{fmt::format("The latest {} changes", most_of_audit),
                    {{"When"}, {"Who"}, {"What"}, {"Of"}, {"Details"}},
                    {},
                    "Nothing was changed yet."};
    for (const AuditEntry &e : orders_.audit(most_of_audit))
      audit.rows.push_back({{time_text(e.at)}, {e.actor}, {e.what}, {e.subject}, {e.detail}});
    p.sections.push_back({"Audit log", {}, std::move(audit)});
  }
  return shown(p);
}

}  // namespace warpgrade::service
