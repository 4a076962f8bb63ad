// A service in a folder that goes away, with two students, and a clock that the test sets.
#pragma once

#include "service/jobs.hpp"
#include "service/people.hpp"
#include "tests/batch/a_class.hpp"

namespace warpgrade::tests {

struct AService {
  AService() {
    people.add({"20261234", "", service::Role::student}, "the test", now);
    people.add({"20265678", "", service::Role::student}, "the test", now);
    people.add({"assistant", "", service::Role::ta}, "the test", now);
    announce("conditions");
  }
  /// A process that grades hw6 is there.
  void announce(const std::string &fingerprint, int slots = 2) {
    jobs.announce({"hw6", true, "", "", fingerprint, slots, now});
  }
  service::Receipt submit(const std::string &student, const std::vector<service::StepText> &steps) {
    return jobs.submit(student, "hw6", steps, quota, now);
  }
  std::vector<service::StepText> step(const std::string &text) const { return {{"step0", text}}; }
  /// The student of what is graded next; empty: nothing.
  std::string next(int slots = 100) {
    const auto work = jobs.claim("hw6", slots, now);
    if (work) claimed = *work;
    return work ? work->student : "";
  }
  void finish() { jobs.finish(claimed.part, "{}", 5, 2.0, "conditions"); }

  Folder folder;
  std::int64_t now = 1'800'000'000;
  service::ServiceStore store{folder.path(), service::ServiceStore::Access::create};
  service::Jobs jobs{store};
  service::People people{store};
  service::Quota quota;
  service::Work claimed;
};

}  // namespace warpgrade::tests
