// What the staff decides on a page: announcements, and orders that the process that grades an assignment
// carries out, since it alone writes the class. An order is on the disk and in the audit log before the page
// says so. Everything throws batch::StoreError.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "service/service_store.hpp"

namespace warpgrade::service {

struct Announcement {
  std::int64_t id = 0, at = 0;
  std::string text;
};

struct Order {
  enum class Kind { points, withdraw, regrade, recount, rescore, preview, apply, discard, undo };
  std::int64_t id = 0;
  Kind kind = Kind::regrade;
  std::string assignment, student;  ///< of what is for all students, who ordered it
  /// Of points, and where they are withdrawn; of a preview of everybody: "*"; of apply and discard, when the preview
  /// was begun; of undo, the number of the regrading.
  std::string step;
  double points = 0;  ///< given by hand
  std::string
      reason;  ///< for people; of a preview, who ordered it; of apply, ids, a line each, or nobody's: all
};

/// Of the thresholds of an assignment, in a file of the course.
struct ThresholdsChange {
  std::int64_t at = 0;
  std::string actor, assignment, file;
  std::string before, after;  ///< the file's whole text
};

struct AuditEntry {
  std::int64_t at = 0;
  std::string actor, what, subject, detail;
};

class Orders {
 public:
  explicit Orders(ServiceStore &store) : store_(store) {}

  void announce(const std::string &text, std::string_view actor, std::int64_t now);
  void end_announcement(std::int64_t id, std::string_view actor, std::int64_t now);
  std::vector<Announcement> announcements();  ///< that are shown, the latest first

  /// Notes that the policy is another one. hash: of the file; difference: for people.
  void policy_changed(const std::string &hash, const std::string &difference, std::string_view actor,
                      std::int64_t now);

  void give(const Order &, std::string_view actor, std::int64_t now);
  /// The same within a change that has begun.
  void give_within(const Order &, std::string_view actor, std::int64_t now);
  /// Notes a change and orders that points are computed with it. difference: for people.
  void thresholds_changed(const ThresholdsChange &, const std::string &difference);
  std::optional<ThresholdsChange> latest_thresholds_change(const std::string &assignment);
  /// Not yet carried out, in the order in which they were given.
  std::vector<Order> open(const std::string &assignment);
  void done(std::int64_t id);
  void done(std::int64_t id, const AuditEntry &came_of_it);
  /// What came of an order, for the audit log: "regrade applied", "regrade undone", "regrade refused" and the like.
  void note(const AuditEntry &);
  /// The latest of these of an assignment.
  std::optional<AuditEntry> latest_regrading(const std::string &assignment);

  std::vector<AuditEntry> audit(int most);  ///< the latest first

 private:
  void put(const Order &);  // within a change
  ServiceStore &store_;
};

}  // namespace warpgrade::service
