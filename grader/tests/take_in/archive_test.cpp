// Hostile archives, each beside one that differs in nothing but the hostile part and is accepted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "make_archive.hpp"

namespace warpgrade::batch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr const char *steps[] = {"step0_naive.cu", "step1_coalesced.cu", "step2_shared.cu",
                                 "step3_blocktile.cu", "step4_nonsquare.cu"};

/// What becomes of an archive that a student hands in.
Handin handed_in(const std::string &bytes, const course::Assignment &assignment = hw6(),
                 const std::string &name = "20261234_HW6.zip", const TakeInOptions &options = {}) {
  const Scratch scratch;
  const auto file = scratch.write(name, bytes);
  Handin handin = taken(file, options, assignment).only();
  EXPECT_EQ(std::distance(std::filesystem::recursive_directory_iterator(scratch.path()), {}), 1)
      << "something was written";
  return handin;
}

#define EXPECT_ACCEPTED(handin)                                          \
  do {                                                                   \
    const Handin accepted = (handin);                                    \
    EXPECT_EQ(accepted.refused, "");                                     \
    EXPECT_THAT(names_of(accepted), ::testing::ElementsAreArray(steps)); \
    EXPECT_THAT(accepted.id_mismatch, "");                               \
  } while (false)

#define EXPECT_REFUSED(handin, why)               \
  do {                                            \
    const Handin refused = (handin);              \
    EXPECT_THAT(refused.refused, HasSubstr(why)); \
    EXPECT_THAT(refused.files, IsEmpty());        \
    EXPECT_EQ(refused.student, "20261234");       \
  } while (false)

const char *no_file =
    "It contains no file of hw6. Expected: step0_naive.cu, step1_coalesced.cu, step2_shared.cu, "
    "step3_blocktile.cu, step4_nonsquare.cu.";

ZipBytes honest() {
  ZipBytes zip;
  for (const Item &item : all_steps()) zip.add(item.path, item.content);
  return zip;
}

std::vector<Item> with(const Item &more) {
  std::vector<Item> items = all_steps();
  items.push_back(more);
  return items;
}

course::Assignment limited(void (*change)(course::ArchiveLimits &)) {
  course::Assignment assignment = hw6();
  change(assignment.archive_limits);
  return assignment;
}

TEST(Archive, EveryFormatIsReadWithTheTextOfEachStep) {
  for (const std::string format : {"zip", "tar", "tar.gz", "tar.xz", "tar.bz2", "tar.zst", "7z"}) {
    SCOPED_TRACE(format);
    const Handin handin = handed_in(pack(format, all_steps()), hw6(), "20261234_HW6." + format);
    EXPECT_ACCEPTED(handin);
    ASSERT_EQ(handin.files.size(), 5u);
    EXPECT_EQ(handin.files[3].content, "// step3\n");
    EXPECT_EQ(handin.student, "20261234");
    EXPECT_THAT(handin.notes, IsEmpty());
  }
}

TEST(Archive, IsRecognizedByItsContentsNotByItsName) {
  EXPECT_ACCEPTED(handed_in(pack("tar.gz", all_steps())));
}

TEST(ZipSlip, AnyNameThatLeadsOutRefusesTheWholeArchive) {
  EXPECT_ACCEPTED(handed_in(honest().add("notes/evil.txt", "x").bytes()));
  for (const char *name : {"../evil.txt", "a/../../evil.txt", "a/..", "..\\evil.txt", "a\\..\\..\\evil.txt"})
    EXPECT_REFUSED(handed_in(honest().add(name, "x").bytes()),
                   "has '..' in its name, which leads out of the archive");
  for (const char *name : {"/etc/evil", "\\evil", "C:\\evil", "c:evil", "//server/evil"})
    EXPECT_REFUSED(handed_in(honest().add(name, "x").bytes()), "has an absolute name");
  for (const std::string format : {"tar", "tar.gz", "7z"}) {
    SCOPED_TRACE(format);
    EXPECT_REFUSED(handed_in(pack(format, with({"../step0_naive.cu", "evil"}))), "has '..' in its name");
    EXPECT_REFUSED(handed_in(pack(format, with({"/tmp/evil", "x"}))), "has an absolute name");
  }
}

TEST(ZipSlip, PartsAreComparedAndNotPrefixes) {
  for (const char *name : {"..evil/a.txt", "a../b.txt", "a/...", "a/..b"})
    EXPECT_ACCEPTED(handed_in(honest().add(name, "x").bytes()));
}

TEST(ZipSlip, TheSentenceNamesTheEntry) {
  EXPECT_EQ(handed_in(honest().add("../../evil.txt", "x").bytes()).refused,
            "'../../evil.txt' has '..' in its name, which leads out of the archive. Nothing of the "
            "submission is read; pack the step files again and hand them in.");
}

TEST(ZipSlip, NothingIsWrittenAnywhereNearTheArchive) {
  const Scratch scratch;
  scratch.write("class/20261234_HW6.zip", honest().add("../../evil.txt", "x").bytes());
  scratch.write("class/20265678_HW6.zip", honest().bytes());
  const Taken all = taken(scratch.path() / "class");
  EXPECT_NE(all.of("20261234").refused, "");
  EXPECT_ACCEPTED(all.of("20265678"));
  EXPECT_FALSE(std::filesystem::exists(scratch.path() / "evil.txt"));
  EXPECT_EQ(std::distance(std::filesystem::recursive_directory_iterator(scratch.path()), {}), 3);
}

TEST(ZipSymlink, LinksOfEitherKindRefuseTheWholeArchive) {
  EXPECT_ACCEPTED(handed_in(honest().add("link", "/etc/passwd", {.mode = 0100644}).bytes()));
  EXPECT_REFUSED(handed_in(honest().add("link", "/etc/passwd", {.mode = 0120777}).bytes()),
                 "'link' is a symbolic link, not a file");
  for (const std::string format : {"zip", "tar", "7z"}) {
    SCOPED_TRACE(format);
    EXPECT_REFUSED(handed_in(pack(format, with({"dir", "../..", 0120777}))),
                   "'dir' is a symbolic link, not a file");
  }
  EXPECT_REFUSED(handed_in(pack("tar.gz", with({"twin.cu", "", 0100644, "step0_naive.cu"}))),
                 "'twin.cu' is a hard link, not a file");
}

TEST(ZipSymlink, AStepFileThatIsALinkIsNeverRead) {
  std::vector<Item> items = all_steps();
  items[0] = {"step0_naive.cu", "/etc/hostname", 0120777};
  EXPECT_REFUSED(handed_in(pack("zip", items)), "'step0_naive.cu' is a symbolic link, not a file");
}

TEST(ZipFifo, DevicesFifosAndSetuidFilesRefuseTheWholeArchive) {
  for (const unsigned mode : {0010644u, 0020644u, 0060644u, 0140755u}) {
    SCOPED_TRACE(mode);
    EXPECT_REFUSED(handed_in(honest().add("pipe", "", {.mode = mode}).bytes()),
                   "'pipe' is a device or a FIFO");
  }
  for (const unsigned mode : {0010644u, 0020644u, 0060644u})
    EXPECT_REFUSED(handed_in(pack("tar", with({"pipe", "", mode}))), "'pipe' is a device or a FIFO");
  EXPECT_REFUSED(handed_in(honest().add("run", "x", {.mode = 0104755}).bytes()),
                 "'run' is marked to run with the rights of its owner (setuid or setgid)");
  EXPECT_REFUSED(handed_in(pack("tar", with({"run", "x", 0102755}))), "setuid or setgid");
  EXPECT_ACCEPTED(handed_in(honest().add("run", "x", {.mode = 0100755}).bytes()));
}

TEST(ZipFifo, AFolderMayPassOnItsGroup) {  // as folders that a course shares do
  EXPECT_ACCEPTED(handed_in(pack("tar", with({"shared", "", 0042775}))));
}

TEST(ZipBomb, MoreThanTheLimitUnpackedIsRefused) {
  const auto assignment = limited([](auto &limits) { limits.unpacked_bytes = 100'000, limits.ratio = 1e6; });
  EXPECT_ACCEPTED(handed_in(pack("zip", with({"data.bin", std::string(99'000, '\0')})), assignment));
  for (const std::string format : {"zip", "tar.gz", "tar.xz", "7z"}) {
    SCOPED_TRACE(format);
    EXPECT_REFUSED(handed_in(pack(format, with({"data.bin", std::string(100'000, '\0')})), assignment),
                   "Unpacked, it has more than 0.0953674 MiB");
  }
}

TEST(ZipBomb, AHighRatioIsRefusedFromTheSizeOnWhereItMatters) {
  // Zeros deflate to a thousandth.
  const auto assignment =
      limited([](auto &limits) { limits.ratio = 100, limits.ratio_from_bytes = 1 << 20; });
  EXPECT_ACCEPTED(handed_in(pack("zip", with({"zeros.bin", std::string(1'000'000, '\0')})), assignment));
  EXPECT_REFUSED(handed_in(pack("zip", with({"zeros.bin", std::string(2 << 20, '\0')})), assignment),
                 "Unpacked, it has more than 100 times the size of the archive");
  std::string noise;
  for (std::uint32_t i = 0, x = 1; i < 2u << 20; ++i)
    noise += static_cast<char>((x = x * 1664525 + 1013904223) >> 24);
  EXPECT_ACCEPTED(handed_in(pack("zip", with({"noise.bin", noise})), assignment));
}

TEST(ZipBomb, WithTheLimitsOfHw6FiftyKilobytesDoNotBecomeSixtyMegabytes) {
  EXPECT_REFUSED(handed_in(pack("zip", with({"step0_naive.cu.bak", std::string(50 << 20, 'a')}))),
                 "more than 100 times");
  EXPECT_REFUSED(handed_in(pack("tar.gz", with({"b", std::string(50 << 20, 'a')}))), "more than 100 times");
}

TEST(ZipBomb, AnArchiveThatIsTooLargeItselfIsNotOpened) {
  const auto assignment = limited([](auto &limits) { limits.packed_bytes = 4096; });
  EXPECT_REFUSED(handed_in(honest().add("data", std::string(4096, 'x')).bytes(), assignment),
                 "0.0 MiB, at most 0.00390625");
  EXPECT_ACCEPTED(handed_in(honest().add("data", std::string(2048, 'x')).bytes(), assignment));
}

TEST(ZipBomb, EntriesThatShareBytesAreRefused) {
  EXPECT_ACCEPTED(handed_in(honest().add_nested("kernel", "kernel2", false).bytes()));
  EXPECT_REFUSED(handed_in(honest().add_nested("kernel", "kernel2", true).bytes()),
                 "The entries 'kernel' and 'kernel2' of the zip overlap");
}

TEST(ZipBomb, CompressedTwiceOverIsRefused) {
  std::string twice = pack("tar.gz", all_steps());
  EXPECT_ACCEPTED(handed_in(twice));
  EXPECT_REFUSED(handed_in(gzipped(twice)), "is compressed several times over");
}

TEST(ZipBomb, ArchivesInArchivesAreOpenedAsDeepAsTheLimitSays) {
  const std::string one = pack("zip", all_steps()), two = pack("zip", {{"hw6.zip", one}}),
                    three = pack("tar.gz", {{"a/hw6.zip", two}});
  EXPECT_ACCEPTED(handed_in(one));
  EXPECT_ACCEPTED(handed_in(two));
  EXPECT_REFUSED(handed_in(three), "'a/hw6.zip/hw6.zip' is an archive in an archive, more than 2 deep");
  EXPECT_ACCEPTED(handed_in(three, limited([](auto &limits) { limits.depth = 3; })));
}

TEST(ZipBomb, WhatIsInNestedArchivesCountsTowardsTheLimits) {
  const auto assignment =
      limited([](auto &limits) { limits.unpacked_bytes = 1'000'000, limits.ratio = 1e6; });
  const std::string inner = pack("zip", {{"data.bin", std::string(600'000, '\0')}});
  EXPECT_EQ(handed_in(pack("zip", {{"a.zip", inner}}), assignment).refused, "");
  EXPECT_REFUSED(handed_in(pack("zip", {{"a.zip", inner}, {"b.zip", inner}}), assignment),
                 "Unpacked, it has more than");
  EXPECT_REFUSED(handed_in(pack("zip", {{"a.zip", pack("zip", with({"../x", ""}))}})),
                 "has '..' in its name");
}

TEST(ZipMany, MoreEntriesThanTheLimitAreRefused) {
  const auto many = [](std::size_t count) {
    ZipBytes zip = honest();
    for (std::size_t i = 5; i < count; ++i) zip.add("f" + std::to_string(i), "");
    return zip.bytes();
  };
  EXPECT_ACCEPTED(handed_in(many(2000)));
  EXPECT_REFUSED(handed_in(many(2001)), "2001 entries, at most 2000 are accepted");
  std::vector<Item> folders = all_steps();
  for (int i = 0; i < 1996; ++i) folders.push_back({"d" + std::to_string(i) + "/", "", 0040755});
  EXPECT_REFUSED(handed_in(pack("tar.gz", folders)), "more than 2000 entries");
}

TEST(ZipNames, ControlCharactersBrokenBytesAndDashesRefuseTheWholeArchive) {
  EXPECT_REFUSED(handed_in(honest().add("a\nb.cu", "x").bytes()),
                 "'a\\x0ab.cu' has a control character in its name");
  EXPECT_REFUSED(handed_in(honest().add("\x1b[2Jstep.cu", "x").bytes()), "has a control character");
  EXPECT_REFUSED(handed_in(honest().add("a\xc2\x9b.cu", "x").bytes()), "has a control character");
  EXPECT_REFUSED(handed_in(honest().add(std::string("step0_naive.cu\0.txt", 19), "x").bytes()),
                 "has a control character");
  EXPECT_REFUSED(handed_in(honest().add("a\xff.cu", "x").bytes()), "not valid UTF-8");
  EXPECT_REFUSED(handed_in(honest().add("a\xff.cu", "x", {.flags = 0}).bytes()), "not valid UTF-8");
  EXPECT_REFUSED(handed_in(honest().add("a\xc0\xaf.cu", "x").bytes()), "not valid UTF-8");
  EXPECT_REFUSED(handed_in(honest().add("-rf", "x").bytes()), "'-rf' has a name that begins with '-'");
  EXPECT_REFUSED(handed_in(honest().add("dir/--help/a", "x").bytes()), "begins with '-'");
  EXPECT_REFUSED(handed_in(honest().add("", "x").bytes()), "has no name");
  EXPECT_REFUSED(handed_in(pack("tar", with({"a\xff.cu", "x"}))), "not valid UTF-8");
  EXPECT_REFUSED(handed_in(pack("tar", with({"a\x07.cu", "x"}))), "control character");
}

TEST(ZipNames, UnusualNamesAreNamed) {
  const Handin handin = handed_in(honest()
                                      .add("$(touch x).cu", "x")
                                      .add("`id`", "x")
                                      .add("\xea\xb3\xbc\xec\xa0\x9c.txt", "x")  // Korean, UTF-8
                                      .add("a -b.txt", "x")
                                      .bytes());
  EXPECT_ACCEPTED(handin);
  EXPECT_THAT(handin.notes,
              ElementsAre("Each of 4 other files is not used, since only the step files of hw6 are: "
                          "'$(touch x).cu', '`id`', '\xea\xb3\xbc\xec\xa0\x9c.txt', 'a -b.txt'."));
}

TEST(ZipNames, NamesInUtf8AreReadTheSameInEveryFormat) {
  for (const std::string format : {"zip", "tar", "tar.gz", "7z"}) {
    SCOPED_TRACE(format);
    const Handin handin = handed_in(pack(format, all_steps("\xea\xb3\xbc\xec\xa0\x9c/")));
    EXPECT_ACCEPTED(handin);
    EXPECT_THAT(handin.notes, IsEmpty());
  }
}

TEST(ZipNames, TwoOfTheSameNameAreRefusedInWhateverCase) {
  EXPECT_REFUSED(handed_in(honest().add("step0_naive.cu", "other").bytes()),
                 "'step0_naive.cu' occurs in it twice");
  EXPECT_REFUSED(handed_in(honest().add("Step0_Naive.CU", "other").bytes()), "perhaps in different case");
  EXPECT_REFUSED(handed_in(honest().add("./step0_naive.cu", "other").bytes()),
                 "'step0_naive.cu' occurs in it twice");
  EXPECT_REFUSED(handed_in(pack("tar", with({"step0_naive.cu", "later"}))), "occurs in it twice");
}

TEST(ZipNames, AVeryLongNameIsRefused) {
  EXPECT_ACCEPTED(handed_in(honest().add(std::string(512, 'n'), "x").bytes()));
  EXPECT_REFUSED(handed_in(honest().add(std::string(513, 'n'), "x").bytes()),
                 "has a name of more than 512 bytes");
}

TEST(ZipNames, AnEntryThatHasTwoNamesIsRefused) {  // one for those who check, one for those who read
  const char *why = "and the entry itself has another name";
  EXPECT_REFUSED(handed_in(honest().add("notes.txt", "x", {.local_name = "../evil"}).bytes()), why);
  EXPECT_REFUSED(handed_in(honest().add("../evil", "x", {.local_name = "notes.txt"}).bytes()), why);
  EXPECT_REFUSED(handed_in(honest().add("notes.txt", "x", {.local_name = "n"}).bytes()), why);
}

TEST(EmptyZip, IsASubmissionWithoutFiles) {
  const Handin handin = handed_in(ZipBytes().bytes());
  EXPECT_EQ(handin.refused, "");
  EXPECT_THAT(handin.files, IsEmpty());
  EXPECT_THAT(handin.notes, ElementsAre(no_file));
  EXPECT_THAT(handed_in(pack("tar.gz", {})).notes, ElementsAre(no_file));
}

TEST(EmptyZip, AFileOfNoBytesIsAnUploadThatFailed) {
  EXPECT_EQ(handed_in("").refused,
            "'20261234_HW6.zip' is empty, 0 bytes: the upload did not arrive. Hand it in again.");
}

TEST(Truncated, AnIncompleteArchiveIsRefusedWhereverItEnds) {
  const auto cut = [](const std::string &bytes, std::size_t size) {
    return handed_in(bytes.substr(0, size), hw6(), "20261234_HW6.zip", {.apart = false});
  };
  const std::string zip = pack("zip", all_steps());
  for (std::size_t size = 1; size < zip.size(); ++size) {
    SCOPED_TRACE(size);
    const Handin handin = cut(zip, size);
    EXPECT_NE(handin.refused, "");
    EXPECT_THAT(handin.files, IsEmpty());
  }
  for (const std::string format : {"tar.gz", "tar.xz", "7z"}) {
    const std::string bytes = pack(format, all_steps());
    for (std::size_t size = 1; size + 40 < bytes.size(); size += 7) {
      SCOPED_TRACE(format + ", " + std::to_string(size));
      EXPECT_NE(cut(bytes, size).refused, "");
    }
  }
}

TEST(Truncated, TheSentenceSaysSo) {
  const std::string zip = pack("zip", all_steps());
  EXPECT_THAT(
      handed_in(zip.substr(0, zip.size() / 2)).refused,
      StartsWith("The zip is incomplete: its directory, which is at the end, is missing or damaged."));
}

TEST(Damaged, ADirectoryChecksumThatDiffersFromTheEntrysRefusesTheArchive) {
  const auto with_note = [](const ZipBytes::Odd &odd) { return honest().add("notes.txt", "x", odd).bytes(); };
  const std::string last = "step4_nonsquare.cu";
  for (const bool trailed : {false, true}) {
    SCOPED_TRACE(trailed);
    EXPECT_ACCEPTED(handed_in(with_note({.trailed = trailed})));
    EXPECT_REFUSED(
        handed_in(with_note({.crc_off_by = 1, .trailed = trailed})),
        "The zip is damaged: its directory has another checksum for 'notes.txt' than the entry itself.");
    ZipBytes zip;
    for (const Item &item : all_steps())
      zip.add(item.path, item.content, {.crc_off_by = item.path == last ? 1u : 0u, .trailed = trailed});
    EXPECT_REFUSED(handed_in(zip.bytes()), "another checksum for 'step4_nonsquare.cu'");
  }
}

TEST(Damaged, AStepWhoseChecksumIsWrongRefusesTheArchive) {
  std::string zip = honest().bytes();
  zip[zip.find("// step2")] = '#';
  EXPECT_REFUSED(handed_in(zip), "is damaged");
}

TEST(Encrypted, IsRefusedWithTheReason) {
  EXPECT_REFUSED(handed_in(pack_encrypted(all_steps())), "is encrypted");
}

TEST(Rar, IsRefusedWithWhatIsRead) {
  EXPECT_EQ(handed_in(std::string("Rar!\x1a\x07\x01\x00", 8) + std::string(600, 'x')).refused,
            "'20261234_HW6.zip' is a RAR archive, which is not read. Hand in a .zip; .tar, .tar.gz, .tar.xz "
            "and .7z are "
            "read too.");
}

TEST(Rar, TextIsNoArchive) {
  EXPECT_REFUSED(handed_in("__global__ void step0() {}\n"), "is not an archive, or it is damaged");
  EXPECT_REFUSED(handed_in(std::string(5000, 'x')), "is not an archive, or it is damaged");
}

TEST(Folder, OnDiskTheSameEntriesAreRefused) {
  const Scratch scratch;
  for (const char *student : {"20261234", "20265678", "20269999", "20260001", "20260002"})
    scratch.write_all(std::string("class/") + student, all_steps());
  std::filesystem::create_symlink("/etc/passwd", scratch.path() / "class/20261234/link");
  ASSERT_EQ(::mkfifo((scratch.path() / "class/20265678/pipe").c_str(), 0644), 0);
  scratch.write("class/20260001/Step0_Naive.cu", "twin");
  scratch.write("class/20260002/-rf", "");
  const Taken all = taken(scratch.path() / "class");
  EXPECT_THAT(all.of("20261234").refused, StartsWith("'link' is a symbolic link, not a file."));
  EXPECT_THAT(all.of("20265678").refused, StartsWith("'pipe' is a device or a FIFO, not a file."));
  EXPECT_THAT(all.of("20260001").refused, HasSubstr("perhaps in different case"));
  EXPECT_THAT(all.of("20260002").refused, HasSubstr("begins with '-'"));
  EXPECT_ACCEPTED(all.of("20269999"));
}

TEST(Folder, ALinkInPlaceOfASubmissionIsRefusedAndTheOthersAreRead) {
  const Scratch scratch;
  scratch.write_all("class/20265678", all_steps());
  scratch.write("secret/step0_naive.cu", "hidden");
  std::filesystem::create_directory_symlink(scratch.path() / "secret", scratch.path() / "class/20261234");
  std::filesystem::create_symlink(scratch.write("other.zip", honest().bytes()),
                                  scratch.path() / "class/20267777.zip");
  const Taken all = taken(scratch.path() / "class");
  EXPECT_THAT(all.of("20261234").refused, HasSubstr("is a symbolic link"));
  EXPECT_THAT(all.of("20267777").refused, HasSubstr("is a symbolic link"));
  EXPECT_ACCEPTED(all.of("20265678"));
}

}  // namespace
}  // namespace warpgrade::batch
