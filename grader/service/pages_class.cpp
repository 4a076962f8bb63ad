// Pages that show a whole class, the streams that say when one changed, and what students decide
// and read about themselves there.
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>

#include "base/text.hpp"
#include "batch/content.hpp"
#include "batch/store.hpp"
#include "gradebook/class_pages.hpp"
#include "service/api_error.hpp"
#include "service/pages.hpp"
#include "service/render.hpp"
#include "setup/course_root.hpp"

namespace warpgrade::service {

using report::PageField;
using report::PageSection;
using report::PageTable;

namespace {

using Steady = std::chrono::steady_clock;
constexpr auto fresh_for = std::chrono::seconds(5);  // how old a page of a class may be
constexpr int at_most_one_part_in = 10;              // of the time is spent on drawing a page
constexpr auto drawn_anyway = std::chrono::minutes(1);
constexpr const char *board_page = "/leaderboard.html", *whole_page = "/class.html",
                     *board_events = "/events", *whole_events = "/class-events";

struct NothingGraded : ApiError {
  NothingGraded() : ApiError{404, "not_found", "Nothing in this class is graded yet.", 0} {}
};

/// Changes whenever the store of a class does.
std::string state_of(const std::filesystem::path &folder) {
  std::string state;
  for (const char *name : {"gradebook.db", "gradebook.db-wal"}) {
    struct stat facts {};
    if (::stat((folder / name).c_str(), &facts) == 0)
      state += fmt::format("{} {}.{} ", facts.st_size, facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec);
  }
  return state;
}

}  // namespace

Shared::Drawn Pages::drawn(const ServedCourse &served, bool board) {
  const std::string &name = served.assignment.name;
  const std::map<std::string, std::string> names =
      board && served.policy().leaderboard == Board::names_by_consent ? people_.names_by_consent()
                                                                      : std::map<std::string, std::string>{};
  const std::lock_guard drawing(shared_.drawing);
  Shared::Drawn &drawn = shared_.drawn[name + (board ? board_page : whole_page)];
  const auto now = Steady::now();
  const auto rests_until = drawn.at + std::max<Steady::duration>(fresh_for, at_most_one_part_in * drawn.took);
  if (!drawn.html.empty() && now < rests_until) return drawn;
  std::string from = state_of(shared_.folder / name);
  for (const auto &[id, shown] : names) from += fmt::format("{}={};", id, shown);
  // Staff see who has not submitted yet; a leaderboard shows results.
  std::map<std::string, std::string> expected;
  if (!board)
    for (const Person &person : people_.all())
      if (person.role == Role::student) expected[person.id] = person.name;
  for (const auto &[id, shown] : expected) from += fmt::format("{}:{};", id, shown);
  if (!drawn.html.empty() && drawn.drawn_from == from && now < drawn.at + drawn_anyway) return drawn;
  try {
    const batch::Store store(shared_.folder / name, batch::Store::Access::read);
    if (!store.info()) throw NothingGraded{};
    const gradebook::ClassView view = gradebook::view_of(
        store, [](const gradebook::SeenStudent &s) { return "/students/" + path_part(s.id); }, {}, expected);
    if (board) {
      drawn.version = batch::hash_of(view.leaderboard(names));
      drawn.html = view.leaderboard(names, {board_events + 1, drawn.version});
    } else {
      drawn.version = batch::hash_of(view.dashboard());
      drawn.html = view.dashboard({whole_events + 1, drawn.version});
    }
  } catch (const batch::StoreError &e) {
    if (e.kind != batch::StoreError::Kind::unusable) throw;
    throw NothingGraded{};
  }
  drawn.drawn_from = std::move(from);
  drawn.at = Steady::now();
  drawn.took = drawn.at - now;
  return drawn;
}

std::string Pages::version_of(const std::string &topic) {
  const std::size_t slash = std::min(topic.find('/'), topic.size());
  return drawn(course(topic.substr(0, slash)), topic.substr(slash) == board_page).version;
}

ApiResponse Pages::class_page(const Visit &visit, const std::string &rest) {
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  const ServedCourse &served = course(rest.substr(0, slash));
  const std::string which = rest.substr(slash);
  const bool events = which == board_events || which == whole_events,
             board = which == board_page || which == board_events;
  if (!board && which != whole_page && !events) throw ApiError{404, "not_found", "There is no such page."};
  if (!board || served.policy().leaderboard == Board::off) need(visit, Role::ta);
  Shared::Drawn page;
  try {
    page = drawn(served, board);
  } catch (const NothingGraded &) {
    if (events) throw;
    return class_before_grading(visit, served, board);
  }
  if (!events) return {200, "text/html; charset=utf-8", page.html, {}};
  // A proxy would collect what comes for a while before it passes it on.
  ApiResponse r{200,
                "text/event-stream",
                fmt::format("retry: 5000\n\nevent: board\ndata: {}\n\n", page.version),
                {{"X-Accel-Buffering", "no"}}};
  r.stream = {served.assignment.name + (board ? board_page : whole_page), page.version, visit.person.id};
  return r;
}

ApiResponse Pages::class_before_grading(const Visit &visit, const ServedCourse &served, bool board) {
  ServicePage before =
      page(&visit, fmt::format("{} of {}", board ? "Leaderboard" : "Class", served.assignment.name));
  PageSection section{"", {"Nothing in this class is graded yet."}, {}};
  if (!board) {
    PageTable table{"Students of the course", {{"Student"}, {"Name"}}, {}, "The roster names no students."};
    for (const Person &person : people_.all())
      if (person.role == Role::student)
        table.rows.push_back({{person.id, "/students/" + path_part(person.id)}, {person.name}});
    section.table = std::move(table);
  }
  before.sections.push_back(std::move(section));
  return shown(before);
}

ApiResponse Pages::consent(const Visit &visit) {
  const std::string what = visit.field("what");
  if (what != "show" && what != "hide")
    throw ApiError{400, "bad_request", "Choose whether your name is shown or not."};
  {
    const std::lock_guard writing(shared_.writing);
    people_.consent(visit.person.id, what == "show", shared_.now());
  }
  return go_to("/");
}

std::string Pages::pseudonym(const ServedCourse &served, const std::string &student) const {
  if (served.policy().leaderboard == Board::off) return "";
  try {
    return gradebook::pseudonym_of(shared_.folder / served.assignment.name, student);
  } catch (const UsageError &) {
    return "";  // the leaderboard says that the table of names is damaged
  }
}

std::optional<PageSection> Pages::name_on_leaderboards(const Person &person) {
  if (person.role != Role::student) return std::nullopt;
  std::vector<std::string> where, pseudonyms;
  const bool shown = people_.consents(person.id);
  for (const auto &[name, served] : shared_.courses) {
    const bool by_consent = served.policy().leaderboard == Board::names_by_consent;
    if (by_consent) where.push_back(name);
    if (const std::string drawn = pseudonym(served, person.id); !drawn.empty() && !(by_consent && shown))
      pseudonyms.push_back(fmt::format("On the leaderboard of {} you are {}.", name, drawn));
  }
  if (where.empty() && pseudonyms.empty()) return std::nullopt;
  if (where.empty()) return PageSection{"Your name on leaderboards", std::move(pseudonyms), {}};
  PageSection section{
      "Your name on leaderboards",
      {shown
           ? fmt::format("You agreed that everybody in this course sees your name ({}) on the leaderboard of "
                         "{}. You can withdraw at any time.",
                         person.name.empty() ? person.id : person.name, fmt::join(where, ", "))
           : fmt::format("The leaderboard of {} shows a random name for you. If you agree, everybody in this "
                         "course sees your own name ({}) instead. Nothing else depends on it.",
                         fmt::join(where, ", "), person.name.empty() ? person.id : person.name)},
      {},
      "",
      "",
      {{"/consent",
        shown ? "Hide my name" : "Show my name",
        {{PageField::Kind::hidden, "what", "", shown ? "hide" : "show"}}}}};
  section.sentences.insert(section.sentences.begin(), pseudonyms.begin(), pseudonyms.end());
  return section;
}

std::optional<PageSection> Pages::points_given(const Person &person) {
  PageTable table{"They replace what was graded, and nothing is deducted from them",
                  {{"Assignment"}, {"Step"}, {"Points", "", true}, {"Reason"}},
                  {},
                  ""};
  for (const auto &[name, served] : shared_.courses)
    for (const score::Override &o : points_by_hand(shared_.folder, name, person.id))
      table.rows.push_back({{name}, {o.step}, {points(o.points), "", true}, {o.reason}});
  if (table.rows.empty()) return std::nullopt;
  return PageSection{"Points given by hand", {}, std::move(table)};
}

}  // namespace warpgrade::service
