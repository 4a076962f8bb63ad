// Files: whole or not there; in hostile folders, regular or refused.
#include "base/files.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <system_error>

namespace warpgrade {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Files : public ::testing::Test {
 protected:
  Files() {
    std::string name = (fs::temp_directory_path() / "files-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~Files() override { fs::remove_all(folder_); }
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto &entry : fs::directory_iterator(folder_))
      found.push_back(entry.path().filename().string());
    return found;
  }
  fs::path folder_;
};

TEST_F(Files, RoundTrip) {
  const std::string text("a\0b\n\xff", 5);
  write_whole(folder_ / "file", text);
  EXPECT_EQ(read_whole(folder_ / "file"), text);
  write_whole(folder_ / "file", "new");
  EXPECT_EQ(read_whole(folder_ / "file"), "new");
  EXPECT_EQ(names(), std::vector<std::string>{"file"});
}

TEST_F(Files, AFileOfTheKernelHasNoSizeAndIsStillRead) {
  EXPECT_THAT(read_whole("/proc/self/status"), HasSubstr("Name:"));
}

TEST_F(Files, AFileThatCannotBeReadOrWrittenIsNamedWithTheReason) {
  try {
    read_whole(folder_ / "none");
    FAIL();
  } catch (const ReadError &e) {
    EXPECT_EQ(e.what(), "cannot read " + (folder_ / "none").string() + ": No such file or directory");
  }
  EXPECT_EQ(read_or_empty(folder_ / "none"), "");
  try {
    write_whole(folder_ / "none/file", "");
    FAIL();
  } catch (const FileError &e) {
    EXPECT_EQ(e.what(), "cannot write " + (folder_ / "none/file").string() + ": No such file or directory");
  }
}

TEST_F(Files, NothingIsLeftOfAFileThatCannotReplaceItsTarget) {
  fs::create_directory(folder_ / "target");
  EXPECT_THROW(write_whole(folder_ / "target", "x"), FileError);
  EXPECT_EQ(names(), std::vector<std::string>{"target"});
}

TEST_F(Files, APipeIsWrittenToAndNotReplaced) {
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  const Descriptor reader(::open((folder_ / "pipe").c_str(), O_RDONLY | O_NONBLOCK));
  write_whole(folder_ / "pipe", "words");
  char got[6] = {};
  EXPECT_EQ(::read(reader.get(), got, 5), 5);
  EXPECT_STREQ(got, "words");
  EXPECT_TRUE(fs::is_fifo(folder_ / "pipe"));
}

TEST_F(Files, TheModeIsTheRequestedOneLessTheUmask) {
  const mode_t before = ::umask(022);
  write_whole(folder_ / "secret", "", 0600);
  write_whole(folder_ / "open", "");
  ::umask(before);
  struct stat facts {};
  ASSERT_EQ(::stat((folder_ / "secret").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777u, 0600u);
  ASSERT_EQ(::stat((folder_ / "open").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777u, 0644u);
}

TEST_F(Files, ScratchFilesNeverFollowOrReplaceExistingFiles) {
  fs::create_symlink(folder_ / "elsewhere", folder_ / "link");
  EXPECT_THROW(write_scratch(folder_ / "link", "x"), FileError);
  EXPECT_FALSE(fs::exists(folder_ / "elsewhere"));
  write_scratch(folder_ / "file", "x");
  EXPECT_THROW(write_scratch(folder_ / "file", "y"), FileError);
  EXPECT_EQ(read_whole(folder_ / "file"), "x");
}

TEST_F(Files, InAHostileFolderOnlyARegularFileIsOpened) {
  std::ofstream(folder_ / "file") << "text";
  fs::create_symlink("file", folder_ / "link");
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(read_regular(folder_ / "file", 4)->size(), 4u);
  EXPECT_FALSE(read_regular(folder_ / "file", 3));
  for (const char *name : {"link", "pipe", ".", "none"})
    EXPECT_FALSE(read_regular(folder_ / name, 100)) << name;
  try {
    RegularFile file(folder_ / "pipe");  // does not wait for a writer
    FAIL();
  } catch (const std::system_error &e) {
    EXPECT_EQ(e.code().value(), EINVAL);
  }
}

TEST_F(Files, AnyPartOfAFileCanBeRead) {
  std::ofstream(folder_ / "file") << "0123456789";
  const RegularFile file(folder_ / "file");
  std::string part(4, '-');
  EXPECT_EQ(file.read(3, part), 4u);
  EXPECT_EQ(part, "3456");
  EXPECT_EQ(file.read(8, part), 2u);
  EXPECT_EQ(file.read(99, part), 0u);
  EXPECT_EQ(read_end(folder_ / "file", 3), "789");
  EXPECT_EQ(read_end(folder_ / "file", 99), "0123456789");
  EXPECT_THAT(read_end(folder_ / "none", 3), IsEmpty());
}

TEST_F(Files, ATruncatedStreamIsNotTakenForAWholeOne) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const Descriptor from(ends[0]);
  Descriptor to(ends[1]);
  ASSERT_TRUE(write_all(to.get(), "abc"));
  to.close();
  std::vector<std::byte> two(2);
  EXPECT_TRUE(read_all(from.get(), two));
  EXPECT_FALSE(read_all(from.get(), two));
}

}  // namespace
}  // namespace warpgrade
