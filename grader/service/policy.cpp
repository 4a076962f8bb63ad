#include "service/policy.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>

#include "course/late.hpp"
#include "course/yaml.hpp"

namespace warpgrade::service {

namespace {

std::int64_t policy_time(const course::Yaml &y) {
  const std::string text = y.text();
  const std::int64_t time = course::read_time(text);
  // Without a zone, readers in two places would read two deadlines.
  const std::size_t clock = text.find(':');
  if (time == 0 || clock == std::string::npos ||
      (text.find_first_of("+-Z", clock) == std::string::npos && !text.ends_with("UTC")))
    y.fail(fmt::format("'{}' is not a time with its zone, such as 2026-03-01 23:59:00 +0900", text));
  return time;
}

Policy policy_of(const course::Yaml &y) {
  y.expect_keys({"opens", "closes", "counts", "quota", "reveal_hidden", "leaderboard", "workspace",
                 "workspace_minutes"});
  Policy p;
  if (const auto time = y.find("opens")) p.opens = policy_time(*time);
  if (const auto time = y.find("closes")) {
    p.closes = policy_time(*time);
    if (p.opens && *p.closes <= *p.opens) time->fail("'closes' is not after 'opens'");
  }
  if (const auto which = y.find("counts")) p.best_counts = which->one_of({"last", "best"}) == "best";
  if (const auto quota = y.find("quota")) {
    quota->expect_keys({"hour", "day", "queued"});
    if (const auto n = quota->find("hour")) p.quota.hour = static_cast<int>(n->integer(1, 100'000));
    if (const auto n = quota->find("day")) p.quota.day = static_cast<int>(n->integer(1, 1'000'000));
    if (const auto n = quota->find("queued")) p.quota.queued = static_cast<int>(n->integer(1, 1000));
  }
  if (const auto when = y.find("reveal_hidden"))
    p.reveal_hidden_after_due = when->one_of({"never", "after_due"}) == "after_due";
  if (const auto workspace = y.find("workspace")) p.workspace = workspace->one_of({"on", "off"}) == "on";
  if (const auto n = y.find("workspace_minutes"))
    p.workspace_minutes = static_cast<int>(n->integer(0, 60 * 64));
  if (const auto board = y.find("leaderboard")) {
    const std::string word = board->one_of({"off", "pseudonyms", "names_by_consent"});
    p.leaderboard = word == "off"          ? Board::off
                    : word == "pseudonyms" ? Board::pseudonyms
                                           : Board::names_by_consent;
  }
  return p;
}

std::map<std::string, Policy> policies_of(const course::Yaml &file,
                                          const std::vector<std::string> &assignments) {
  file.expect_keys({"assignments"});
  std::map<std::string, Policy> policies;
  for (const std::string &name : assignments) policies[name];
  for (const auto &[name, policy] : file.at("assignments").entries()) {
    if (!policies.contains(name))
      policy.fail(fmt::format("'{}' is not an assignment of this course; there are: {}", name,
                              fmt::join(assignments, ", ")));
    policies[name] = policy_of(policy);
  }
  return policies;
}

}  // namespace

std::map<std::string, Policy> parse_policies(const std::string &text, const std::string &name,
                                             const std::vector<std::string> &assignments) {
  return policies_of(course::Yaml::parse(text, name), assignments);
}

std::map<std::string, Policy> read_policies(const std::filesystem::path &file,
                                            const std::vector<std::string> &assignments) {
  if (std::filesystem::exists(file)) return policies_of(course::Yaml::read(file), assignments);
  std::map<std::string, Policy> policies;
  for (const std::string &name : assignments) policies[name];
  return policies;
}

std::string time_text(std::int64_t time) {
  return fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(static_cast<std::time_t>(time)));
}

bool opens_later(const Policy &p, std::int64_t now) {
  return p.opens && now < *p.opens;
}

std::string why_closed(const Policy &p, std::int64_t now) {
  if (opens_later(p, now)) return fmt::format("Submissions open at {}.", time_text(*p.opens));
  if (p.closes && now >= *p.closes) return fmt::format("Submissions closed at {}.", time_text(*p.closes));
  return "";
}

}  // namespace warpgrade::service
