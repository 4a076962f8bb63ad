#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>

#include "base/csv.hpp"
#include "base/text.hpp"
#include "batch/names.hpp"
#include "batch/roster.hpp"
#include "service/people.hpp"
#include "service/policy.hpp"
#include "service/serve.hpp"
#include "setup/files.hpp"
#include "setup/selection.hpp"

namespace warpgrade::service {

namespace {

constexpr const char *administrator = "the administrator";
constexpr std::size_t longest_id = 255;

void demand_id(const std::string &id) {
  if (id.empty() || id.find('/') != std::string::npos || id.front() == '.' ||
      !batch::hazard_in(id, longest_id).empty())
    throw UsageError(fmt::format(
        "'{}' cannot be the id of a person: it has to be usable as the name of a folder", for_terminal(id)));
}

void list_tokens(People &people) {
  for (const TokenFacts &t : people.tokens()) {
    const std::optional<Person> person = people.find(t.person);
    fmt::print("{}  {}  {}  made {}{}\n", for_terminal(t.person), person ? name_of(person->role) : "",
               t.public_part, time_text(t.made),
               t.revoked ? fmt::format(", revoked {}", time_text(*t.revoked)) : "");
  }
}

}  // namespace

int tokens(const TokensOptions &o) {
  const std::optional<Role> role = role_named(o.role);
  if (!role) throw UsageError(fmt::format("--role {}: accepted are student, ta and instructor", o.role));
  ServiceStore store(o.folder, ServiceStore::Access::create);
  People people(store);
  const std::int64_t now = std::time(nullptr);
  std::vector<Person> wanted;
  if (!o.roster.empty()) {
    batch::Roster roster = batch::Roster::read(o.roster);
    roster.choose_key({});
    for (const batch::Roster::Row &row : roster.rows()) {
      // Who has a token keeps it: the same roster, some rows longer, is read again in every term.
      const std::string id = roster.student(row);
      const std::optional<Person> known = people.find(id);
      people.add({id, row.name, known ? known->role : Role::student}, administrator, now);
      if (!people.has_token(id)) wanted.push_back({id, row.name, Role::student});
    }
  }
  for (const std::string &id : o.add) {
    demand_id(id);
    const std::optional<Person> known = people.find(id);
    people.add({id, known ? known->name : "", *role}, administrator, now);
    wanted.push_back({id, "", *role});
  }
  std::string made = csv_row({"student", "token"});
  for (const Person &person : wanted)
    made += csv_row({csv_text(person.id), people.make_token(person.id, administrator, now)});
  if (!wanted.empty() && o.out.empty()) fmt::print("{}", made);
  if (!wanted.empty() && !o.out.empty()) {
    write_whole(o.out, made, 0600);
    fmt::print("{} token{} in {}, which only its owner can read. They are not shown again.\n", wanted.size(),
               wanted.size() == 1 ? "" : "s", o.out);
  }
  for (const std::string &id : o.revoke) {
    const int revoked = people.revoke(id, administrator, now);
    if (revoked == 0) throw UsageError(fmt::format("{} has no valid token", for_terminal(id)));
    fmt::print("{}: {} token{} revoked\n", for_terminal(id), revoked, revoked == 1 ? "" : "s");
  }
  if (o.list) list_tokens(people);
  if (wanted.empty() && o.revoke.empty() && !o.list)
    fmt::print("Everybody on the roster has a token already.\n");
  return 0;
}

}  // namespace warpgrade::service
