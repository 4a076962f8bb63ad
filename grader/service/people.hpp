// Who may do what: people with roles, and the tokens with which their programs identify themselves. A token
// is shown once, when it is made; the store has a hash of it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "service/service_store.hpp"

namespace warpgrade::service {

enum class Role : std::uint8_t { student, ta, instructor };
std::string_view name_of(Role);
/// Nothing for a word that names none.
std::optional<Role> role_named(std::string_view);

struct Person {
  std::string id, name;
  Role role = Role::student;
  bool operator==(const Person &) const = default;
};

struct TokenFacts {
  std::string person, public_part;
  std::int64_t made = 0;
  std::optional<std::int64_t> revoked;
};

class People {
 public:
  explicit People(ServiceStore &store) : store_(store) {}

  /// Adds a person, or changes name and role of a known one. The change of a role is noted in the audit log.
  void add(const Person &, std::string_view actor, std::int64_t now);
  std::optional<Person> find(const std::string &id);
  std::vector<Person> all();  ///< by id

  /// A new token for a known person; earlier ones stay valid. It is never shown again.
  std::string make_token(const std::string &person, std::string_view actor, std::int64_t now);
  /// All valid tokens of a person; gives how many there were.
  int revoke(const std::string &person, std::string_view actor, std::int64_t now);
  std::vector<TokenFacts> tokens();
  bool has_token(const std::string &person);

  /// Whether a person agreed to be named on leaderboards; nobody has until then. A change is noted in the
  /// audit log.
  void consent(const std::string &person, bool agrees, std::int64_t now);
  bool consents(const std::string &person);
  /// The names of all who agreed, by id; where no name is known, the id.
  std::map<std::string, std::string> names_by_consent();

  /// Whose token this is; nothing if it is nobody's, or was revoked. Takes the same time for every wrong
  /// secret.
  std::optional<Person> whose(std::string_view token);

 private:
  ServiceStore &store_;
};

/// Whether two texts are equal, in a time that depends only on their lengths.
bool equal_in_constant_time(std::string_view, std::string_view);

}  // namespace warpgrade::service
