// What must end in an answer, through the three harnesses of PTX and that of archives: every input that once
// crashed, hung or swallowed memory (found/), programs that between them use most of what is read (seeds/),
// and what mutation made of them to get further (corpus/).
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "exercise.hpp"
#include "exercise_archive.hpp"

namespace warpgrade::fuzz {
namespace {

std::vector<std::filesystem::path> files_of(const char *folder) {
  std::vector<std::filesystem::path> files;
  for (const auto &entry :
       std::filesystem::directory_iterator(std::string(WARPGRADE_FUZZ_FOLDER) + "/" + folder))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<char> read(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void exercise_all(const char *folder, std::size_t files_at_least) {
  const auto files = files_of(folder);
  EXPECT_GE(files.size(), files_at_least) << "of " << folder << "/ something is missing";
  for (const auto &path : files) {
    SCOPED_TRACE(path.filename());
    const std::vector<char> input = read(path);
    const auto bytes = std::as_bytes(std::span(input));
    EXPECT_NO_THROW(exercise_ptx(bytes));
    EXPECT_NO_THROW(exercise_fatbin(bytes));
    EXPECT_NO_THROW(exercise_simt(bytes));
  }
}

TEST(FuzzRegressions, WhatWasOnceFoundEndsInAnAnswer) {
  exercise_all("found", 10);
}

TEST(FuzzRegressions, WhatTheFuzzersBeginWithEndsInAnAnswer) {
  exercise_all("seeds", 25);
  exercise_all("corpus", 190);
}

TEST(FuzzRegressions, ArchivesEndInHandinsThatKeepTheirPromises) {
  std::size_t files = 0;
  for (const char *folder : {"archive/seeds", "archive/corpus", "archive/found"})
    for (const auto &path : files_of(folder)) {
      SCOPED_TRACE(path.filename());
      const std::vector<char> input = read(path);
      EXPECT_NO_THROW(exercise_archive(std::as_bytes(std::span(input))));
      ++files;
    }
  EXPECT_GE(files, 180u) << "something is missing";
}

}  // namespace
}  // namespace warpgrade::fuzz
