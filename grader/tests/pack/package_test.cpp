// The name and the bytes of what a student hands in.
#include "pack/package.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "base/zip.hpp"
#include "batch/archive.hpp"
#include "batch/bytes.hpp"
#include "batch/zip_directory.hpp"

namespace warpgrade::pack {
namespace {

using ::testing::HasSubstr;

TEST(Package, IsNamedByTheStudentAndTheAssignment) {
  EXPECT_EQ(archive_name("20261234", "hw6"), "20261234_HW6.zip");
}

TEST(Package, TakesIdsThatCoursesUseAndNothingThatAPathOrAShellReads) {
  for (const char *id : {"20261234", "s1234567", "b.student", "first.last@example.edu", "A-17"})
    EXPECT_EQ(wrong_with_id(id), "") << id;
  for (const char *id : {"", ".", "..", "../x", "a/b", "a b", "-rf", "a;b", "a\nb", "a_b",
                         "\xed\x95\x99\xec\x83\x9d", "20261234.zip", "20261234_HW6"})
    EXPECT_NE(wrong_with_id(id), "") << id;
  EXPECT_NE(wrong_with_id(std::string(65, 'a')), "");
  EXPECT_THAT(wrong_with_id("20261234_HW6.zip"), HasSubstr("only the ID"));
}

TEST(Zip, IsWhatTheReaderOfSubmissionsAccepts) {
  std::mt19937 random(7);
  std::string noise;
  for (int i = 0; i < 100000; ++i) noise += static_cast<char>(random());
  const std::string bytes = zip({{"step0_naive.cu", "int x;\n"}, {"empty", ""}, {"folder/noise", noise}});
  EXPECT_NO_THROW(batch::check_zip(batch::MemoryBytes(bytes), 3));
  EXPECT_EQ(bytes, zip({{"step0_naive.cu", "int x;\n"}, {"empty", ""}, {"folder/noise", noise}}));
}

TEST(Zip, RoundTripsAndOtherFilesAreRejected) {
  const std::string bytes = zip({{"step0_naive.cu", "int x;\n"}, {"empty", ""}, {"folder/more", "text"}});
  const auto entries = stored_entries(bytes);
  ASSERT_TRUE(entries);
  ASSERT_EQ(entries->size(), 3u);
  EXPECT_EQ(entries->at(0).path, "step0_naive.cu");
  EXPECT_EQ(entries->at(0).content, "int x;\n");
  EXPECT_EQ(entries->at(1).content, "");
  EXPECT_EQ(entries->at(2).path, "folder/more");
  EXPECT_EQ(stored_entries(zip({}))->size(), 0u);
  for (std::size_t n = 0; n < bytes.size(); ++n) EXPECT_FALSE(stored_entries(bytes.substr(0, n))) << n;
  // Any damage is found or changes nothing but a name, a time or a permission; it never reads beyond the end.
  for (std::size_t n = 0; n < bytes.size(); ++n)
    for (const char flip : {1, 64, -1}) {
      std::string damaged = bytes;
      damaged[n] = static_cast<char>(damaged[n] ^ flip);
      const auto read = stored_entries(damaged).value_or(std::vector<ZipEntry>());
      for (const ZipEntry &e : read)
        EXPECT_TRUE(e.content.empty() || e.content == "int x;\n" || e.content == "text") << n;
    }
}

TEST(Zip, WithoutFilesIsStillAZip) {
  EXPECT_EQ(zip({}).size(), 22u);
  EXPECT_NO_THROW(batch::check_zip(batch::MemoryBytes(zip({})), 0));
}

}  // namespace
}  // namespace warpgrade::pack
