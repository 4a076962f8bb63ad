#include "service/people.hpp"

#include <fmt/format.h>
#include <sys/random.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "batch/content.hpp"

namespace warpgrade::service {

namespace {

constexpr std::string_view token_start = "wg_";
constexpr std::size_t public_digits = 12,
                      secret_digits = 64;  // 48 bits that name it, 256 that nobody guesses

std::string random_hex(std::size_t digits) {
  std::array<unsigned char, secret_digits / 2> bytes{};
  const std::size_t wanted = digits / 2;
  if (::getrandom(bytes.data(), wanted, 0) != static_cast<ssize_t>(wanted))
    throw std::system_error(errno, std::generic_category(), "the system has no random numbers");
  std::string text;
  for (std::size_t i = 0; i < wanted; ++i) text += fmt::format("{:02x}", bytes[i]);
  return text;
}

constexpr std::pair<Role, std::string_view> roles[] = {
    {Role::student, "student"}, {Role::ta, "ta"}, {Role::instructor, "instructor"}};

}  // namespace

std::string_view name_of(Role role) {
  for (const auto &[r, name] : roles)
    if (r == role) return name;
  return "";
}

std::optional<Role> role_named(std::string_view word) {
  for (const auto &[role, name] : roles)
    if (name == word) return role;
  return std::nullopt;
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char differs = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    differs = static_cast<unsigned char>(
        differs | (static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i])));
  return differs == 0;
}

void People::add(const Person &person, std::string_view actor, std::int64_t now) {
  store_.change([&] {
    const std::optional<Person> before = find(person.id);
    if (before == person) return;
    store_.database()
        .prepare(
            "INSERT INTO person (id, name, role) VALUES (?, ?, ?) "
            "ON CONFLICT DO UPDATE SET name = excluded.name, role = excluded.role")
        .text(person.id)
        .text(person.name)
        .text(name_of(person.role))
        .run();
    if (!before || before->role != person.role)
      note_in_audit(store_.database(), now, actor, "role", person.id,
                    fmt::format("{} -> {}", before ? name_of(before->role) : "none", name_of(person.role)));
  });
}

std::optional<Person> People::find(const std::string &id) {
  batch::Statement statement = store_.database().prepare("SELECT id, name, role FROM person WHERE id = ?");
  if (!statement.text(id).step()) return std::nullopt;
  return Person{statement.text_at(0), statement.text_at(1),
                role_named(statement.text_at(2)).value_or(Role::student)};
}

std::vector<Person> People::all() {
  std::vector<Person> people;
  batch::Statement statement = store_.database().prepare("SELECT id, name, role FROM person ORDER BY id");
  while (statement.step())
    people.push_back({statement.text_at(0), statement.text_at(1),
                      role_named(statement.text_at(2)).value_or(Role::student)});
  return people;
}

std::string People::make_token(const std::string &person, std::string_view actor, std::int64_t now) {
  const std::string public_part = random_hex(public_digits), secret = random_hex(secret_digits);
  store_.change([&] {
    store_.database()
        .prepare("INSERT INTO token (public, person, hash, made) VALUES (?, ?, ?, ?)")
        .text(public_part)
        .text(person)
        .text(batch::hash_of(secret))
        .integer(now)
        .run();
    note_in_audit(store_.database(), now, actor, "token made", person, public_part);
  });
  return fmt::format("{}{}_{}", token_start, public_part, secret);
}

int People::revoke(const std::string &person, std::string_view actor, std::int64_t now) {
  int revoked = 0;
  store_.change([&] {
    store_.database()
        .prepare("UPDATE token SET revoked = ? WHERE person = ? AND revoked IS NULL")
        .integer(now)
        .text(person)
        .run();
    revoked = static_cast<int>(store_.database().changed());
    if (revoked > 0)
      note_in_audit(store_.database(), now, actor, "tokens revoked", person, std::to_string(revoked));
  });
  return revoked;
}

std::vector<TokenFacts> People::tokens() {
  std::vector<TokenFacts> tokens;
  batch::Statement statement = store_.database().prepare(
      "SELECT person, public, made, revoked FROM token ORDER BY person, made, public");
  while (statement.step())
    tokens.push_back({statement.text_at(0), statement.text_at(1), statement.integer_at(2),
                      statement.null_at(3) ? std::nullopt : std::optional(statement.integer_at(3))});
  return tokens;
}

bool People::has_token(const std::string &person) {
  batch::Statement statement =
      store_.database().prepare("SELECT 1 FROM token WHERE person = ? AND revoked IS NULL LIMIT 1");
  return statement.text(person).step();
}

void People::consent(const std::string &person, bool agrees, std::int64_t now) {
  store_.change([&] {
    batch::Database &db = store_.database();
    if (agrees)
      db.prepare("INSERT INTO consent (person, at) VALUES (?, ?) ON CONFLICT DO NOTHING")
          .text(person)
          .integer(now)
          .run();
    else
      db.prepare("DELETE FROM consent WHERE person = ?").text(person).run();
    if (db.changed() > 0)
      note_in_audit(db, now, person, agrees ? "name shown" : "name hidden", person, "leaderboards");
  });
}

bool People::consents(const std::string &person) {
  batch::Statement statement = store_.database().prepare("SELECT 1 FROM consent WHERE person = ?");
  return statement.text(person).step();
}

std::map<std::string, std::string> People::names_by_consent() {
  std::map<std::string, std::string> names;
  batch::Statement statement =
      store_.database().prepare("SELECT p.id, p.name FROM consent c JOIN person p ON p.id = c.person");
  while (statement.step())
    names[statement.text_at(0)] = statement.text_at(1).empty() ? statement.text_at(0) : statement.text_at(1);
  return names;
}

std::optional<Person> People::whose(std::string_view token) {
  if (token.size() != token_start.size() + public_digits + 1 + secret_digits ||
      !token.starts_with(token_start) || token[token_start.size() + public_digits] != '_')
    return std::nullopt;
  const std::string_view public_part = token.substr(token_start.size(), public_digits);
  const std::string_view secret = token.substr(token_start.size() + public_digits + 1);
  batch::Statement statement =
      store_.database().prepare("SELECT hash, person FROM token WHERE public = ? AND revoked IS NULL");
  const bool known = statement.text(public_part).step();
  // An unknown public part takes the same time as a wrong secret.
  const std::string stored = known ? statement.text_at(0) : std::string(secret_digits, '0');
  const bool right = equal_in_constant_time(stored, batch::hash_of(secret));
  return known && right ? find(statement.text_at(1)) : std::nullopt;
}

}  // namespace warpgrade::service
