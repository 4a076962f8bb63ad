// Files between machines: what is not whole, not ours or of another protocol is never believed.
#include "batch/task_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/batch/a_class.hpp"

namespace warpgrade::tests {
namespace {

using namespace batch;
namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::string bytes_of(const fs::path &file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void put(const fs::path &file, const std::string &text) {
  std::ofstream(file, std::ios::binary) << text;
}

TaskResult a_result() {
  return {"step1", "abc", "f", 2.5, "n1", true, "{\"x\": \"\xff\n\"}"};
}

template <class T>
std::string refused(const fs::path &file) {
  try {
    return read_task_file<T>(file) ? "believed" : "not there";
  } catch (const RefusedFile &e) {
    return e.what();
  }
}

TEST(TaskFiles, RoundTripWithAnyBytes) {
  const Folder folder;
  std::string any;
  for (int c = 0; c < 256; ++c) any += static_cast<char>(c);
  TaskWork work;
  work.orders = {"0.1", "/a b", "hw6", "gpu", "clang", 18446744073709551615u, "f", true, 3};
  work.items = {{"step0", "hash", any, 2}, {"step1", "other", "", 0}};
  write_task_file(folder / "work", work);
  EXPECT_EQ(read_task_file<TaskWork>(folder / "work"), work);
  const ArrayWork array{"id", work.orders, {work.items, {}}};
  write_task_file(folder / "array", array);
  EXPECT_EQ(read_task_file<ArrayWork>(folder / "array"), array);
  write_task_file(folder / "result", a_result());
  EXPECT_EQ(read_task_file<TaskResult>(folder / "result"), a_result());
  NodeFacts facts{"n1", "0.1", "asked", {true, "NVIDIA H200", "sm_90", ""}, "nvcc 13.0", "bubblewrap", ""};
  write_task_file(folder / "facts", facts);
  EXPECT_EQ(read_task_file<NodeFacts>(folder / "facts"), facts);
}

TEST(TaskFiles, OneThatIsCutShortAnywhereIsRefused) {
  const Folder folder;
  write_task_file(folder / "result", a_result());
  const std::string whole = bytes_of(folder / "result");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    put(folder / "part", whole.substr(0, size));
    EXPECT_THAT(refused<TaskResult>(folder / "part"), HasSubstr("part: it is ")) << size;
  }
}

TEST(TaskFiles, AChangeOfAnyByteIsSeen) {
  const Folder folder;
  write_task_file(folder / "result", a_result());
  const std::string whole = bytes_of(folder / "result");
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string other = whole;
    other[at] = static_cast<char>(other[at] ^ 1);
    put(folder / "other", other);
    const std::string said = refused<TaskResult>(folder / "other");
    EXPECT_NE(said, "not there");
    // A blank of the first line may become another blank.
    if (said == "believed") {
      EXPECT_LT(at, whole.find('\n')) << other;
    }
  }
}

TEST(TaskFiles, AnotherProtocolKindOrProgramIsNamed) {
  const Folder folder;
  write_task_file(folder / "result", a_result());
  std::string text = bytes_of(folder / "result");
  EXPECT_THAT(refused<TaskRefusal>(folder / "result"), HasSubstr("it is not a refusal of this program"));
  text.replace(text.find(" 2 "), 3, " 7 ");
  put(folder / "newer", text);
  EXPECT_EQ(refused<TaskResult>(folder / "newer"), "newer: it uses protocol 7, and this gradebook reads 2");
  put(folder / "noise", "hello\nworld");
  EXPECT_THAT(refused<TaskResult>(folder / "noise"), HasSubstr("it is not a result of this program"));
}

TEST(TaskFiles, NonFilesAreRefusedAndMissingFilesAreNothing) {
  const Folder folder;
  EXPECT_EQ(read_task_file<TaskResult>(folder / "nothing"), std::nullopt);
  fs::create_directory(folder / "folder");
  EXPECT_THAT(refused<TaskResult>(folder / "folder"), HasSubstr("folder: it"));
  fs::create_symlink("/etc/passwd", folder / "link");
  EXPECT_THAT(refused<TaskResult>(folder / "link"), HasSubstr("it cannot be read"));
}

TEST(TaskFiles, AreOnlyForTheirOwnerAndLeaveNoOtherName) {
  const Folder folder;
  write_task_file(folder / "result", a_result());
  write_task_file(folder / "result", a_result());
  EXPECT_EQ(fs::status(folder / "result").permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}

TEST(TaskFiles, AMissingFolderIsReported) {
  const Folder folder;
  try {
    write_task_file(folder / "gone/result", a_result());
    FAIL();
  } catch (const std::runtime_error &e) {
    EXPECT_THAT(e.what(), HasSubstr("gone/result: No such file or directory"));
  }
}

}  // namespace
}  // namespace warpgrade::tests
