// What must end in an answer, through the harness that it was made for: every input that once
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
#include "exercise_message.hpp"
#include "exercise_plan.hpp"
#include "exercise_service.hpp"
#include "exercise_yaml.hpp"

namespace warpgrade::fuzz {
namespace {

std::vector<std::filesystem::path> files_of(const char *folder) {
  std::vector<std::filesystem::path> files;
  std::error_code none;  // a folder for which there is nothing
  for (const auto &entry :
       std::filesystem::directory_iterator(std::string(WARPGRADE_FUZZ_FOLDER) + "/" + folder, none))
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

TEST(FuzzRegressions, EarlierFindingsEndInAnAnswer) {
  exercise_all("found", 10);
}

TEST(FuzzRegressions, SeedsOfTheFuzzersEndInAnAnswer) {
  exercise_all("seeds", 25);
  exercise_all("corpus", 190);
}

/// What is below `kind`/: seeds, corpus, found.
void exercise_kind(const std::string &kind, std::size_t files_at_least,
                   void (*exercise)(std::span<const std::byte>)) {
  std::size_t files = 0;
  for (const char *folder : {"/seeds", "/corpus", "/found"})
    for (const auto &path : files_of((kind + folder).c_str())) {
      SCOPED_TRACE(path.filename());
      const std::vector<char> input = read(path);
      EXPECT_NO_THROW(exercise(std::as_bytes(std::span(input))));
      ++files;
    }
  EXPECT_GE(files, files_at_least) << "of " << kind << "/ something is missing";
}

TEST(FuzzRegressions, ArchivesEndInHandinsThatKeepTheirPromises) {
  exercise_kind("archive", 180, exercise_archive);
}

TEST(FuzzRegressions, FilesOfACourseEndInWhatTheySayOrInALineThatIsWrong) {
  exercise_kind("yaml", 13, exercise_yaml);
}

TEST(FuzzRegressions, PlansOfHostileWorkersEndInAReplayOrInAReason) {
  exercise_kind("plan", 24, exercise_plan);
}

#ifdef WARPGRADE_FUZZ_SERVICE  // not without cpp-httplib
TEST(FuzzRegressions, RequestsToAServiceEndInOneAnswerOfItsOwn) {
  exercise_kind("service", 25, exercise_service);
}
#endif

TEST(FuzzRegressions, MessagesEndInRecordsThatComeBackTheSame) {
  exercise_kind("message", 8, exercise_message);
}

}  // namespace
}  // namespace warpgrade::fuzz
