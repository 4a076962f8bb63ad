// A copy of an assignment, to be edited by a test.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "course/assignment.hpp"
#include "tests/places.hpp"

namespace warpgrade::course {

namespace fs = std::filesystem;

/// A copy of assignments/hw6, or of another, in which one text is replaced by another.
class Edited : public ::testing::Test {
 protected:
  explicit Edited(std::string name = "hw6") : name_(std::move(name)) {}
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("warpgrade-course-" + std::to_string(::getpid()));
    fs::remove_all(root_);
    folder_ = root_ / name_;
    fs::create_directories(root_);
    fs::copy(fs::path(place::assignments) / name_, folder_, fs::copy_options::recursive);
  }
  void TearDown() override { fs::remove_all(root_); }

  void replace(const fs::path &file, const std::string &from, const std::string &to) {
    std::stringstream text;
    text << std::ifstream(folder_ / file).rdbuf();
    std::string s = text.str();
    const auto at = s.find(from);
    ASSERT_NE(at, std::string::npos) << "fixture: '" << from << "' is not in " << file;
    line_ = 1 + static_cast<int>(std::count(s.begin(), s.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    s.replace(at, from.size(), to);
    std::ofstream(folder_ / file) << s;
  }
  /// "FILE:LINE: ": the place of the last replacement.
  std::string place(const fs::path &file) const {
    return (folder_ / file).string() + ":" + std::to_string(line_) + ": ";
  }

  std::string error() {
    try {
      const Assignment a = read_assignment(folder_);
      read_all_thresholds(folder_, a);
    } catch (const ConfigError &e) {
      return e.what();
    }
    return "no error";
  }

  std::string name_;
  fs::path root_, folder_;
  int line_ = 0;
};

}  // namespace warpgrade::course
