#include "remote/remote.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>

#include "base/base64.hpp"
#include "remote/connection.hpp"
#include "setup/files.hpp"
#include "setup/interruption.hpp"
#include "steps/watch.hpp"

namespace warpgrade::remote {

namespace {

using Json = nlohmann::json;
using SteadyClock = std::chrono::steady_clock;

constexpr std::uint64_t largest_source = 1 << 20;
constexpr int poll_milliseconds = 400;  // the service looks at its queue twice a second
constexpr auto patience_before =
    std::chrono::seconds(20);  // with a service that does not answer, before it has accepted
constexpr auto patience_after = std::chrono::minutes(10);  // and while it grades

/// An answer that ends the command.
struct Ended {
  int status;
  std::string why;
  bool for_good = false;  ///< with --watch, the next file that is saved would get the same answer
};

Ended ended_by(const Login &login, const Answer &a) {
  std::string why = a.message();
  if (a.status == 0) why = fmt::format("{} cannot be reached: {}", login.url, why);
  if (a.retry_after > 0) why += fmt::format(" (Try again in {} s.)", a.retry_after);
  // The token is not valid, or one side is older than the other.
  const bool for_good = a.status == 401 || a.status == 426 || a.status == 501;
  return {a.status == 0 || a.status >= 500 ? grader_failed : usage, why, for_good};
}

/// A line that is written over on a terminal; nothing in a pipe.
class RemoteProgress {
 public:
  explicit RemoteProgress(bool quiet) : shown_(!quiet && ::isatty(STDERR_FILENO)) {}
  ~RemoteProgress() { say(""); }
  RemoteProgress(const RemoteProgress &) = delete;
  RemoteProgress &operator=(const RemoteProgress &) = delete;
  void say(const std::string &what) const {
    if (shown_) fmt::print(stderr, "\r\x1b[K{}", what);
    if (shown_) std::fflush(stderr);
  }

 private:
  bool shown_;
};

/// The files of these steps as the service wants them. `named`: a missing file is a mistake; otherwise it was
/// not handed in.
std::string upload_of(const Course &course, const std::vector<const course::Step *> &steps, bool named) {
  Json files = Json::array();
  std::set<std::string> sent;
  const auto add = [&](const std::filesystem::path &file, const std::string &name) {
    const auto bytes = read_regular(file, largest_source);
    if (!bytes) return false;
    if (sent.insert(name).second)
      files.push_back({{"name", name},
                       {"base64", base64({reinterpret_cast<const char *>(bytes->data()), bytes->size()})}});
    return true;
  };
  for (const course::Step *step : steps) {
    if (step->beyond)
      throw UsageError(fmt::format("{} is beyond the course, which a service does not grade", step->id));
    const std::filesystem::path file = step->source_in(course.submission);
    if (!add(file, step->path().string())) {
      if (named)
        throw UsageError(fmt::format("{} is missing, cannot be read, or has more than {} bytes",
                                     file.string(), largest_source));
      continue;
    }
    for (const std::string &header : step->headers) add(file.parent_path() / header, header);
  }
  if (files.empty())
    throw UsageError(
        fmt::format("{} contains no file of {}", course.submission.string(), course.assignment.name));
  return Json{{"assignment", course.assignment.name}, {"files", files}}.dump();
}

Json json_of(const Answer &a) {
  Json json = Json::parse(a.body, nullptr, false);
  if (!json.is_object()) throw Ended{grader_failed, a.message()};
  return json;
}

/// "place 3 in the queue, about 40 s"; "step3: case 4 of 23"
std::string words_for(const Json &s) {
  const std::string state = s.value("state", "");
  if (state == "queued") {
    if (s.contains("waiting_for")) return for_terminal(s.value("waiting_for", ""));
    return fmt::format("place {} in the queue, it starts in about {:.0f} s", s.value("ahead", 0) + 1,
                       s.value("wait_seconds", 0.0));
  }
  for (const Json &step : s.value("steps", Json::array()))
    if (step.is_object() && step.value("state", "") == "running")
      return fmt::format("{}: {}", for_terminal(step.value("id", "")), for_terminal(step.value("doing", "")));
  return state;
}

class RemoteGrading {
 public:
  RemoteGrading(const RemoteOptions &w, Login login) : wanted_(w), login_(std::move(login)) {}

  /// Gives the submission's number. The same files again are the same submission, so that asking again after
  /// a broken connection does no harm.
  std::int64_t submit(const std::string &upload) {
    const RemoteProgress progress(wanted_.quiet);
    const auto began = SteadyClock::now();
    for (;;) {
      const Answer a = ask(login_, "/v1/submissions", upload);
      if (a.status == 200 || a.status == 201) {
        const std::int64_t id = json_of(a).value("id", std::int64_t{0});
        if (!wanted_.quiet)
          fmt::print(stderr, "submission {} {}\n", id,
                     a.status == 200 ? "has the same files: it is not graded a second time" : "is accepted");
        return id;
      }
      const bool away = a.status == 0 || a.status == 503;
      if (!away || SteadyClock::now() - began > patience_before) throw ended_by(login_, a);
      progress.say("no answer from the service; trying again");
      if (interrupted(1000))
        throw Ended{128 + *interruption_.signal(), "it is not known whether anything was submitted", true};
    }
  }

  /// Waits until it is graded, and gives the service's last word on it.
  Json wait(std::int64_t id) {
    const RemoteProgress progress(wanted_.quiet);
    const std::string again = fmt::format("'./grade --remote --attach {}' shows its report", id);
    auto heard = SteadyClock::now();
    for (;;) {
      const Answer a = ask(login_, fmt::format("/v1/submissions/{}", id));
      if (a.status == 200) {
        heard = SteadyClock::now();
        Json s = json_of(a);
        if (s.value("state", "") == "done") return s;
        progress.say(words_for(s));
      } else if (a.status != 0 && a.status < 500 && a.status != 429) {
        throw ended_by(login_, a);
      } else if (SteadyClock::now() - heard > patience_after) {
        Ended e = ended_by(login_, a);
        e.why += fmt::format("; submission {} is not lost: {}", id, again);
        throw e;
      } else {
        progress.say("no answer from the service; the submission is safe; trying again");
      }
      if (interrupted(poll_milliseconds)) {
        progress.say("");
        throw Ended{128 + *interruption_.signal(),
                    fmt::format("submission {} continues without this command: {}", id, again), true};
      }
    }
  }

  /// Shows the report, writes the files, gives the exit status.
  int show(std::int64_t id, const Json &done) const {
    const report::Style style = terminal_style(wanted_.verbose, wanted_.quiet);
    const std::string text =
        report_of(id, fmt::format("text&color={:d}&verbose={:d}&quiet={:d}&columns={}", style.color,
                                  style.verbose, style.quiet, style.columns));
    std::cout << text << std::flush;
    for (const auto &[file, format] :
         {std::pair(&wanted_.json, "json"), {&wanted_.junit, "junit"}, {&wanted_.html, "html"}})
      if (!file->empty()) write_whole(*file, report_of(id, format));
    return done.value("exit_status", static_cast<int>(grader_failed));
  }

  const Interruption &interruption() const { return interruption_; }

 private:
  bool interrupted(int milliseconds) const {
    pollfd stop{interruption_.descriptor(), POLLIN, 0};
    ::poll(&stop, 1, milliseconds);
    return interruption_.signal().has_value();
  }
  std::string report_of(std::int64_t id, const std::string &format) const {
    Answer a;
    for (int tries = 0; tries < 5; ++tries) {
      a = ask(login_, fmt::format("/v1/submissions/{}/report?format={}", id, format), "", 60);
      if (a.status == 200) return a.body;
      if (a.status != 0 && a.status != 503) break;
      if (interrupted(1000)) break;
    }
    throw ended_by(login_, a);
  }

  const RemoteOptions &wanted_;
  Login login_;
  Interruption interruption_;
};

int grade_remotely(RemoteGrading &grading, const RemoteOptions &w) {
  if (w.attach > 0) return grading.show(w.attach, grading.wait(w.attach));
  const Course course = open_course(w.common, w.steps);
  const std::vector<const course::Step *> steps = pick_steps(course.assignment, w.steps);
  const auto grade_now = [&](const std::vector<const course::Step *> &now) {
    const std::int64_t id = grading.submit(upload_of(course, now, !w.steps.empty()));
    return grading.show(id, grading.wait(id));
  };
  if (!w.watch) return grade_now(steps);
  const steps::FilesOfSteps files(steps, course.submission);
  steps::Watch watch(files.all());
  std::set<std::filesystem::path> saved(files.all().begin(), files.all().end());
  for (;;) {
    int status = full_score;
    try {
      status = grade_now(files.using_any(saved));
      saved.clear();
    } catch (const Ended &e) {
      if (e.for_good) throw;
      fmt::print(stderr, "grade: {}\n", e.why);
      status = e.status;  // what was saved is submitted with what is saved next
    } catch (const UsageError &e) {
      fmt::print(stderr, "grade: {}\n", for_terminal(e.what(), true));
      status = usage;
    }
    fmt::print(stderr, "Waiting until a file is saved; Ctrl-C ends.\n");
    const auto fresh = watch.next(grading.interruption().descriptor());
    if (!fresh || grading.interruption().signal()) return status;
    saved.insert(fresh->begin(), fresh->end());
  }
}

}  // namespace

int grade(const RemoteOptions &w) {
  RemoteGrading grading(w, read_login());
  try {
    return grade_remotely(grading, w);
  } catch (const Ended &e) {
    fmt::print(stderr, "grade: {}\n", e.why);
    return e.status;
  }
}

}  // namespace warpgrade::remote
