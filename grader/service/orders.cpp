#include "service/orders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "service/policy.hpp"

namespace warpgrade::service {

namespace {

constexpr std::array order_kinds = {"points",  "withdraw", "regrade", "recount", "rescore",
                                    "preview", "apply",    "discard", "undo"};  // in the order of Order::Kind

std::string detail_of(const Order &o) {
  if (o.kind == Order::Kind::points)
    return fmt::format("{} {}: {} ({})", o.assignment, o.step, points(o.points), o.reason);
  if (o.kind == Order::Kind::preview)
    return fmt::format("{} {}", o.assignment, o.step == "*" ? "of everybody" : "of " + o.student);
  if (o.kind == Order::Kind::discard || o.kind == Order::Kind::undo) return o.assignment;
  if (o.kind != Order::Kind::apply) return fmt::format("{} {}", o.assignment, o.step);
  std::string ids = o.reason;
  std::replace(ids.begin(), ids.end(), '\n', ' ');
  return fmt::format("{} {}", o.assignment, ids.empty() ? "to all" : "to " + ids);
}

}  // namespace

void Orders::announce(const std::string &text, std::string_view actor, std::int64_t now) {
  store_.change([&] {
    store_.database()
        .prepare("INSERT INTO announcement (at, text) VALUES (?, ?)")
        .integer(now)
        .text(text)
        .run();
    note_in_audit(store_.database(), now, actor, "announcement", std::to_string(store_.database().last_id()),
                  text);
  });
}

void Orders::end_announcement(std::int64_t id, std::string_view actor, std::int64_t now) {
  store_.change([&] {
    store_.database()
        .prepare("UPDATE announcement SET ended = ? WHERE id = ? AND ended IS NULL")
        .integer(now)
        .integer(id)
        .run();
    if (store_.database().changed() > 0)
      note_in_audit(store_.database(), now, actor, "announcement ended", std::to_string(id), "");
  });
}

std::vector<Announcement> Orders::announcements() {
  std::vector<Announcement> all;
  batch::Statement statement =
      store_.database().prepare("SELECT id, at, text FROM announcement WHERE ended IS NULL ORDER BY id DESC");
  while (statement.step())
    all.push_back({statement.integer_at(0), statement.integer_at(1), statement.text_at(2)});
  return all;
}

void Orders::policy_changed(const std::string &hash, const std::string &difference, std::string_view actor,
                            std::int64_t now) {
  store_.change([&] {
    note_in_audit(store_.database(), now, actor, "policy edited", policy_file_name, difference);
    note_in_audit(store_.database(), now, actor, "policy", policy_file_name, hash);
  });
}

void Orders::put(const Order &o) {
  store_.database()
      .prepare(
          "INSERT INTO staff_order (kind, assignment, student, step, points, reason) VALUES (?, ?, ?, ?, ?, "
          "?)")
      .text(order_kinds.at(static_cast<std::size_t>(o.kind)))
      .text(o.assignment)
      .text(o.student)
      .text(o.step)
      .real(o.points)
      .text(o.reason)
      .run();
}

void Orders::thresholds_changed(const ThresholdsChange &c, const std::string &difference) {
  store_.change([&] {
    store_.database()
        .prepare(
            "INSERT INTO thresholds_change (at, actor, assignment, file, before, after) VALUES (?, ?, ?, ?, "
            "?, ?)")
        .integer(c.at)
        .text(c.actor)
        .text(c.assignment)
        .text(c.file)
        .text(c.before)
        .text(c.after)
        .run();
    put({0, Order::Kind::rescore, c.assignment, c.actor, "", 0, ""});
    note_in_audit(store_.database(), c.at, c.actor, "thresholds", fmt::format("{} {}", c.assignment, c.file),
                  difference);
  });
}

std::optional<ThresholdsChange> Orders::latest_thresholds_change(const std::string &assignment) {
  batch::Statement latest = store_.database().prepare(
      "SELECT at, actor, file, before, after FROM thresholds_change WHERE assignment = ? ORDER BY id DESC "
      "LIMIT 1");
  if (!latest.text(assignment).step()) return std::nullopt;
  return ThresholdsChange{latest.integer_at(0), latest.text_at(1), assignment,
                          latest.text_at(2),    latest.text_at(3), latest.text_at(4)};
}

void Orders::give(const Order &o, std::string_view actor, std::int64_t now) {
  store_.change([&] { give_within(o, actor, now); });
}

void Orders::give_within(const Order &o, std::string_view actor, std::int64_t now) {
  put(o);
  note_in_audit(store_.database(), now, actor, order_kinds.at(static_cast<std::size_t>(o.kind)), o.student,
                detail_of(o));
}

std::vector<Order> Orders::open(const std::string &assignment) {
  std::vector<Order> orders;
  batch::Statement statement = store_.database().prepare(
      "SELECT id, kind, student, step, points, reason FROM staff_order WHERE done = 0 AND assignment = ? "
      "ORDER BY id");
  statement.text(assignment);
  while (statement.step()) {
    Order o;
    o.id = statement.integer_at(0);
    for (std::size_t i = 0; i < order_kinds.size(); ++i)
      if (statement.text_at(1) == order_kinds.at(i)) o.kind = static_cast<Order::Kind>(i);
    o.assignment = assignment;
    o.student = statement.text_at(2);
    o.step = statement.text_at(3);
    o.points = statement.real_at(4);
    o.reason = statement.text_at(5);
    orders.push_back(std::move(o));
  }
  return orders;
}

void Orders::done(std::int64_t id) {
  store_.change(
      [&] { store_.database().prepare("UPDATE staff_order SET done = 1 WHERE id = ?").integer(id).run(); });
}

void Orders::done(std::int64_t id, const AuditEntry &e) {
  store_.change([&] {
    store_.database().prepare("UPDATE staff_order SET done = 1 WHERE id = ?").integer(id).run();
    note_in_audit(store_.database(), e.at, e.actor, e.what, e.subject, e.detail);
  });
}

void Orders::note(const AuditEntry &e) {
  store_.change([&] { note_in_audit(store_.database(), e.at, e.actor, e.what, e.subject, e.detail); });
}

std::optional<AuditEntry> Orders::latest_regrading(const std::string &assignment) {
  batch::Statement latest = store_.database().prepare(
      "SELECT at, actor, what, subject, detail FROM audit WHERE what LIKE 'regrade %' AND subject = ? ORDER "
      "BY id "
      "DESC LIMIT 1");
  if (!latest.text(assignment).step()) return std::nullopt;
  return AuditEntry{latest.integer_at(0), latest.text_at(1), latest.text_at(2), latest.text_at(3),
                    latest.text_at(4)};
}

std::vector<AuditEntry> Orders::audit(int most) {
  std::vector<AuditEntry> entries;
  batch::Statement statement = store_.database().prepare(
      "SELECT at, actor, what, subject, detail FROM audit ORDER BY id DESC LIMIT ?");
  statement.integer(most);
  while (statement.step())
    entries.push_back({statement.integer_at(0), statement.text_at(1), statement.text_at(2),
                       statement.text_at(3), statement.text_at(4)});
  return entries;
}

}  // namespace warpgrade::service
