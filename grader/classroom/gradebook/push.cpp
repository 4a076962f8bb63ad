#include "gradebook/push.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>
#include <thread>

#include "base/csv.hpp"
#include "base/encoding.hpp"
#include "base/lock.hpp"
#include "batch/content.hpp"
#include "batch/exports.hpp"
#include "gradebook/class_files.hpp"
#include "gradebook/class_run.hpp"
#include "gradebook/damage.hpp"
#include "gradebook/variant_rules.hpp"
#include "gradebook/waiting.hpp"
#include "platforms/platform.hpp"
#include "setup/files.hpp"

namespace warpgrade::gradebook {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr const char *record_name = "gradebook.pushed.json", *lock_name = "gradebook.push.lock";
constexpr int failures_in_a_row = 3;  // of a platform that answers with errors: then it is not the students

/// The platform's ids by the class's: a CSV with columns "student" and "user".
std::map<std::string, std::string> read_users(const fs::path &file) {
  std::map<std::string, std::string> users;
  std::set<std::string> seen;
  try {
    const CsvTable table(utf8_of(read_whole(file)), {.trimmed = true});
    std::size_t student = SIZE_MAX, user = SIZE_MAX;
    for (std::size_t c = 0; table.rows() > 0 && c < table.columns(0); ++c) {
      if (folded(table.cell(0, c)) == "student") student = c;
      if (folded(table.cell(0, c)) == "user") user = c;
    }
    if (student == SIZE_MAX || user == SIZE_MAX)
      throw CsvError("the first line must have the columns 'student' and 'user'");
    for (std::size_t r = 1; r < table.rows(); ++r) {
      const std::string &id = table.cell(r, student), &there = table.cell(r, user);
      if (id.empty() || there.empty()) continue;  // such a student is reported when the scores are sent
      if (!users.emplace(id, there).second)
        throw CsvError(fmt::format("student '{}' has a second line", id), table.line(r));
      if (!seen.insert(there).second)
        throw CsvError(fmt::format("user '{}' belongs to two students", there), table.line(r));
    }
  } catch (const CsvError &e) {
    throw UsageError(fmt::format("{}:{}: {}", file.string(), e.line(), for_terminal(e.what())));
  } catch (const EncodingError &e) {
    throw UsageError(fmt::format("{}:{}: {}", file.string(), e.line(), e.what()));
  }
  return users;
}

/// What a platform has accepted: line item -> user -> {message, points, sent}. The message is a hash.
class Record {
 public:
  Record(const fs::path &folder, std::string line_item)
      : file_(folder / record_name), line_item_(std::move(line_item)), all_(json::object()) {
    if (!fs::exists(file_)) return;
    all_ = json::parse(read_whole(file_), nullptr, false);
    const bool sound =
        all_.is_object() && std::all_of(all_.begin(), all_.end(), [](const json &users) {
          return users.is_object() && std::all_of(users.begin(), users.end(), [](const json &s) {
                   return s.is_object() && s.contains("message") && s["message"].is_string() &&
                          s.contains("points") && s["points"].is_string();
                 });
        });
    if (!sound)
      throw UsageError(
          fmt::format("{} says what was sent, and cannot be read: restore it, or remove it to send "
                      "every score again",
                      file_.string()));
  }
  bool has(const std::string &user, const std::string &message) const {
    return entry(user).value("message", "") == message;
  }
  /// "79/100", as it was sent; empty: nothing was.
  std::string points(const std::string &user) const { return entry(user).value("points", ""); }
  void keep(const std::string &user, const std::string &message, const std::string &points) {
    all_[line_item_][user] = {
        {"message", message}, {"points", points}, {"sent", platforms::utc(std::time(nullptr))}};
    write_whole(file_, all_.dump(1) + "\n");
  }

 private:
  json entry(const std::string &user) const {
    return all_.value(line_item_, json::object()).value(user, json::object());
  }
  fs::path file_;
  std::string line_item_;
  json all_;
};

/// Two that send would send everything twice.
Descriptor only_one(const fs::path &folder) {
  const fs::path file = folder / lock_name;
  Descriptor lock(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (lock.get() < 0)
    throw std::system_error(errno, std::generic_category(), "cannot write " + file.string());
  try {
    if (lock_file(lock.get(), Lock::alone, 0)) return lock;
  } catch (const std::system_error &e) {
    throw UsageError(fmt::format("{}: {}", file.string(), e.what()));
  }
  throw UsageError(
      fmt::format("another 'gradebook push' sends the scores of {}: wait until it ends", folder.string()));
}

std::vector<platforms::StudentGrades> chosen(std::vector<platforms::StudentGrades> all,
                                             const PushOptions &w) {
  if (w.students.empty()) return all;
  std::set<std::string> wanted(w.students.begin(), w.students.end());
  std::erase_if(all, [&](const auto &s) { return wanted.count(s.student) == 0; });
  for (const auto &s : all) wanted.erase(s.student);
  if (!wanted.empty())
    throw UsageError(fmt::format("there is no student '{}' in {}", for_terminal(*wanted.begin()), w.folder));
  return all;
}

LtiSite site_of(const PushOptions &w) {
  if (!w.site.empty()) return read_lti_site(w.site);
  const fs::path beside = find_root() / lti_file_name;
  if (!fs::exists(beside))
    throw UsageError(fmt::format("which platform? --lti FILE, or {} beside assignments/ (docs/platforms.md)",
                                 lti_file_name));
  return read_lti_site(beside);
}

void sleep_before_next_try(int seconds, const std::string &why) {
  fmt::print(stderr, "{}; trying again in {} s\n", why, seconds);
  std::this_thread::sleep_for(std::chrono::seconds(seconds));
}

std::string points_text(const platforms::StudentGrades &s) {
  return fmt::format("{}/{}", warpgrade::points(*s.grade()), warpgrade::points(s.max_points));
}

enum class Fate : std::uint8_t { to_send, sent, unchanged, left_out, failed };

/// What becomes of the score of one student.
struct Score {
  platforms::StudentGrades grades;
  Fate fate = Fate::to_send;
  std::string why = {};   ///< of a score that is not sent
  std::string user = {};  ///< the platform's id
  std::string points = {}, before = {}, hash = {};

  json message() const {
    json m = json::parse(platforms::lti.exports.of_student(grades));
    m["userId"] = user;
    // Platforms erase a grade whose grading is not finished, and its older value with it. So a score that is
    // sent is final, as far as the platform knows.
    m["gradingProgress"] = "FullyGraded";
    return m;
  }
};

/// Why there is no score that the platform should keep. Empty: there is one.
std::string why_left_out(const platforms::StudentGrades &s, const PushOptions &w) {
  using platforms::Standing;
  if (w.service.undecided.contains(s.student)) return points_to_carry_out;
  if (s.standing == Standing::grader_error) return "the grader failed, a person must look";
  if (s.standing == Standing::archive_refused)
    return "nothing was graded, a person must look" + (s.refused.empty() ? "" : ": " + s.refused);
  if (!s.grade()) return "not yet graded";
  if (s.ungraded_points > 0 && !w.partial)
    return fmt::format("{} point{}; --partial sends {} without them", warpgrade::points(s.ungraded_points),
                       s.ungraded_points == 1 ? " waits" : "s wait", points_text(s));
  return "";
}

Score decide(const platforms::StudentGrades &grades, const LtiSite &site,
             const std::map<std::string, std::string> &users, const Record &record, const PushOptions &w) {
  Score s{grades};
  const auto instead = [&s](Fate fate, std::string why) {
    s.fate = fate;
    s.why = std::move(why);
    return s;
  };
  if (std::string why = why_left_out(grades, w); !why.empty())
    return instead(Fate::left_out, "left out: " + why);
  const auto user = users.find(grades.student);
  if (!site.users.empty() && user == users.end())
    return instead(Fate::failed, fmt::format("failed: {} has no user for this student", site.users.string()));
  s.user = for_json(site.users.empty() ? grades.student : user->second);
  s.points = points_text(grades);
  s.before = record.points(s.user);
  json timeless = s.message();
  timeless.erase("timestamp");
  s.hash = batch::hash_of(timeless.dump());
  if (!w.again && record.has(s.user, s.hash))
    return instead(Fate::unchanged, s.points + ", which the platform has already");
  return s;
}

std::string sentence_about(const Score &s, const PushOptions &w) {
  std::string text = s.points + (w.dry_run ? " would be sent" : " sent");
  if (s.user != s.grades.student) text += " for user " + s.user;
  if (s.grades.ungraded_points > 0)
    text += fmt::format(", without {} undecided", warpgrade::points(s.grades.ungraded_points));
  if (s.before.empty()) return text;
  return text + (s.before == s.points ? ", with another comment or time" : ", instead of " + s.before);
}

/// Says a line about each student. Ends early after a failure that concerns all, which it gives.
Delivery send(std::vector<Score> &scores, LtiPlatform &platform, const std::string &line_item, Record &record,
              const PushOptions &w) {
  int in_a_row = 0;
  for (Score &s : scores) {
    Delivery done;
    if (s.fate == Fate::to_send) {
      if (!w.dry_run) done = platform.deliver(line_item, [&] { return s.message().dump(); });
      const bool sent = done.failure.empty();
      s.fate = sent ? Fate::sent : Fate::failed;
      s.why = sent ? sentence_about(s, w) : "failed: " + done.failure;
      in_a_row = done.transient ? in_a_row + 1 : 0;
      if (sent && !w.dry_run) record.keep(s.user, s.hash, s.points);
    }
    fmt::print("{:<16} {}\n", for_terminal(s.grades.student), for_terminal(s.why));
    done.for_all = done.for_all || in_a_row == failures_in_a_row;
    if (done.for_all) return done;
  }
  return {};
}

}  // namespace

int push_grades(const batch::Store &store, const course::Assignment &assignment, const batch::RulesOf &rules,
                const LtiSite &site, const PushOptions &w, const Wait &wait) {
  const auto line_item = site.line_items.find(assignment.name);
  if (line_item == site.line_items.end())
    throw UsageError(fmt::format("{}: line_items has no address for {}",
                                 w.site.empty() ? lti_file_name : w.site, assignment.name));
  if (!w.service.unread.empty())
    throw UsageError(fmt::format(
        "{}: {}. Nothing was sent. Run this command with the account of the service; after an update, start "
        "the service first",
        decisions_unread, w.service.unread));
  const auto users = site.users.empty() ? std::map<std::string, std::string>() : read_users(site.users);
  client_assertion(site, 0);  // finds a key that cannot sign before anything is sent, and with --dry-run
  batch::Export exported = batch::export_of(store, assignment, rules);
  add_notes(exported.grades, w.service);
  if (!exported.outdated.empty())
    throw UsageError(
        fmt::format("the YAML files changed after {} {} scored; run 'gradebook rescore {}' first",
                    exported.outdated.size(), exported.outdated.size() == 1 ? "student was" : "students were",
                    shell_word(w.folder)));
  const bool gpu = batch::device_of(store, assignment).gpu;
  const Descriptor lock = w.dry_run ? Descriptor() : only_one(store.folder());
  Record record(store.folder(), line_item->second);
  std::vector<Score> scores;
  for (const platforms::StudentGrades &s : chosen(exported.grades.students, w))
    scores.push_back(decide(s, site, users, record, w));
  LtiPlatform platform(site, wait);
  const Delivery last = send(scores, platform, line_item->second, record, w);
  const auto count = [&](Fate fate) {
    return std::count_if(scores.begin(), scores.end(), [&](const Score &s) { return s.fate == fate; });
  };
  fmt::print("{}: {} {}, {} unchanged, {} failed, {} left out\n", line_item->second, count(Fate::sent),
             w.dry_run ? "to send" : "sent", count(Fate::unchanged), count(Fate::failed),
             count(Fate::left_out));
  if (const std::string waiting = points_that_wait(exported.grades, gpu); !waiting.empty() && !w.partial)
    fmt::print(stderr, "{}. {}, or send the scores without these points with --partial\n", waiting,
               what_decides_them(exported.grades, gpu));
  if (last.for_all) {
    fmt::print(stderr,
               "gradebook: stopped there, since the others would fail in the same way; the same command "
               "continues\n");
    return last.transient ? grader_failed : usage;
  }
  return conclude_with_damage(store, assignment,
                              count(Fate::failed) + count(Fate::left_out) > 0 ? below : full_score);
}

int push(const PushOptions &w) {
  if (!w.public_key.empty()) {
    fmt::print("{}", public_key_set(w.public_key));
    return full_score;
  }
  if (w.folder.empty()) throw UsageError("which class? Name its folder, as given to 'gradebook run --out'");
  const LtiSite site = site_of(w);
  const batch::Store store(w.folder, batch::Store::Access::read);
  const ClassCourse course = course_of(store);
  return push_grades(store, course.assignment, rules_of(store, course), site, w, sleep_before_next_try);
}

}  // namespace warpgrade::gradebook
