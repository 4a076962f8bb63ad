// A small class in a folder that goes away, for tests of the store.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "batch/scoring.hpp"
#include "batch/store.hpp"

namespace warpgrade::tests {

class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "warpgrade-batch-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder &) = delete;
  Folder &operator=(const Folder &) = delete;
  const std::filesystem::path &path() const { return path_; }
  std::filesystem::path operator/(const std::string &name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

/// Two steps: "base", 10 points, and "more", 5 of extra credit.
inline course::Assignment two_steps() {
  course::Assignment a;
  a.name = "hw";
  a.seed = 42;
  course::Step base;
  base.id = "base";
  base.problem = problem::find_problem("sgemm");
  base.title = "The base";
  base.file = "base.cu";
  base.points = {10, 0, 0};
  course::Step more;
  more.id = "more";
  more.problem = base.problem;
  more.title = "More";
  more.file = "more.cu";
  more.points = {5, 0, 0};
  more.extra_credit = true;
  a.steps = {base, more};
  return a;
}

inline batch::Handin handin(const std::string &student, const std::string &base, const std::string &more,
                            std::int64_t when = 1000) {
  batch::Handin h;
  h.student = student;
  h.source = student + ".zip";
  h.handed_in = when;
  if (!base.empty()) h.files.push_back({"base.cu", base});
  if (!more.empty()) h.files.push_back({"more.cu", more});
  return h;
}

inline grading::StepRecord record(const std::string &step,
                                  judge::Verdict verdict = judge::Verdict::accepted) {
  grading::StepRecord r;
  r.id = step;
  r.verdict = verdict;
  if (verdict != judge::Verdict::accepted) r.reason = "for a reason";
  return r;
}

inline batch::Grading grading_of(const std::string &step, const std::string &conditions = "{}") {
  return {step,
          "fingerprint of " + conditions,
          conditions,
          "{}",
          {false, "Warpgrade simulator", "compute_80", ""}};
}

/// A class that has begun.
inline batch::Store begun(const std::filesystem::path &folder) {
  batch::Store store(folder, batch::Store::Access::create);
  if (!store.info()) store.begin({"hw", 42});
  for (const char *step : {"base", "more"}) store.grade_with(grading_of(step));
  return store;
}

}  // namespace warpgrade::tests
