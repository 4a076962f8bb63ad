#include "service/workspace/drafts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "batch/content.hpp"

namespace warpgrade::service {

namespace {

constexpr const char *draft_columns = "id, saved, aside, kept, lines, tab, text";
constexpr const char *of_file = "person = ? AND assignment = ? AND file = ?";

batch::Statement &bind(batch::Statement &statement, const DraftOf &of) {
  return statement.text(of.person).text(of.assignment).text(of.file);
}

Draft draft_at(batch::Statement &row, bool with_text) {
  Draft d;
  d.id = row.integer_at(0);
  d.saved = row.integer_at(1);
  d.aside = row.integer_at(2) != 0;
  d.kept = row.integer_at(3) != 0;
  d.lines = static_cast<std::size_t>(row.integer_at(4));
  d.tab = row.text_at(5);
  if (with_text) d.text = batch::expanded(row.text_at(6));
  return d;
}

}  // namespace

std::optional<Draft> Drafts::current(const DraftOf &of) {
  batch::Statement row = store_.database().prepare(fmt::format(
      "SELECT {} FROM draft WHERE {} AND aside = 0 ORDER BY id DESC LIMIT 1", draft_columns, of_file));
  if (!bind(row, of).step()) return std::nullopt;
  return draft_at(row, true);
}

std::optional<Draft> Drafts::version(const DraftOf &of, std::int64_t id) {
  batch::Statement row = store_.database().prepare(
      fmt::format("SELECT {} FROM draft WHERE {} AND id = ?", draft_columns, of_file));
  if (!bind(row, of).integer(id).step()) return std::nullopt;
  return draft_at(row, true);
}

std::vector<Draft> Drafts::history(const DraftOf &of, int most) {
  std::vector<Draft> all;
  batch::Statement row = store_.database().prepare(
      fmt::format("SELECT {} FROM draft WHERE {} ORDER BY id DESC LIMIT ?", draft_columns, of_file));
  bind(row, of).integer(most);
  while (row.step()) all.push_back(draft_at(row, false));
  return all;
}

Saved Drafts::save(const DraftOf &of, const std::string &text, const SaveHow &how, std::int64_t now) {
  Saved saved;
  store_.change([&] {
    batch::Database &db = store_.database();
    const std::optional<Draft> latest = current(of);
    saved.current = latest ? latest->id : 0;
    if (latest && latest->text == text) {
      saved.version = latest->id;
      if (how.keep) keep_row(latest->id);
      return;
    }
    saved.conflict = latest && latest->id != how.based_on && (how.tab.empty() || latest->tab != how.tab);
    std::int64_t began = now;
    if (latest && !saved.conflict && how.apart) {
      keep_row(latest->id);
    } else if (latest && !latest->kept && !saved.conflict) {
      batch::Statement row = db.prepare("SELECT began FROM draft WHERE id = ?");
      if (row.integer(latest->id).step() && now - row.integer_at(0) < merged_seconds &&
          now >= row.integer_at(0)) {
        began = row.integer_at(0);
        db.prepare("DELETE FROM draft WHERE id = ?").integer(latest->id).run();
      }
    }
    db.prepare(
          "INSERT INTO draft (person, assignment, file, tab, began, saved, aside, kept, lines, text) VALUES "
          "(?, ?, ?, ?, "
          "?, ?, ?, ?, ?, ?)")
        .text(of.person)
        .text(of.assignment)
        .text(of.file)
        .text(how.tab)
        .integer(began)
        .integer(now)
        .integer(saved.conflict ? 1 : 0)
        .integer(how.keep || saved.conflict ? 1 : 0)
        .integer(std::count(text.begin(), text.end(), '\n') + (text.empty() || text.back() == '\n' ? 0 : 1))
        .blob(batch::compressed(text))
        .run();
    saved.version = db.last_id();
    if (!saved.conflict) saved.current = saved.version;
    forget_old(of, saved.current);
  });
  return saved;
}

void Drafts::keep_row(std::int64_t id) {
  store_.database().prepare("UPDATE draft SET kept = 1 WHERE id = ?").integer(id).run();
}

void Drafts::keep(const DraftOf &of) {
  store_.change([&] {
    if (const auto latest = current(of)) keep_row(latest->id);
  });
}

void Drafts::forget_old(const DraftOf &of, std::int64_t but) {
  batch::Database &db = store_.database();
  batch::Statement typed =
      db.prepare(fmt::format("DELETE FROM draft WHERE id IN (SELECT id FROM draft WHERE kept = 0 AND {} "
                             "ORDER BY id DESC LIMIT -1 OFFSET ?) "
                             "AND id <> ?",
                             of_file));
  bind(typed, of).integer(most_versions).integer(but).run();
  batch::Statement large = db.prepare(fmt::format(
      "DELETE FROM draft WHERE id IN (SELECT id FROM (SELECT id, sum(length(text)) OVER (ORDER BY id "
      "DESC) AS bytes FROM draft WHERE {}) WHERE bytes > ?) AND id <> ?",
      of_file));
  bind(large, of).integer(most_bytes).integer(but).run();
}

}  // namespace warpgrade::service
