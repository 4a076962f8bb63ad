// What the command that packs a kit knows about the programs in it.
#include "pack/kit.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <map>
#include <regex>

#include "course/assignment.hpp"
#include "pack/programs.hpp"
#include "setup/course_root.hpp"

namespace warpgrade::pack {
namespace {

TEST(Kit, KnowsTheNewestGlibcThatAProgramNeeds) {
  EXPECT_EQ(glibc_of(std::string("\0GLIBC_2.2.5\0GLIBC_2.34\0GLIBC_2.14\0", 35)), "2.34");
  EXPECT_EQ(glibc_of("GLIBC_PRIVATE, and GLIBC_2."), "");
  EXPECT_EQ(glibc_of(""), "");
}

std::string elf_for(int machine, unsigned char bits = ELFCLASS64) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = bits;
  header.e_machine = static_cast<Elf64_Half>(machine);
  return std::string(reinterpret_cast<const char *>(&header), sizeof header);
}

TEST(Kit, KnowsTheMachineThatAProgramIsFor) {
  EXPECT_EQ(machine_of(elf_for(EM_X86_64)), "x86_64");
  EXPECT_EQ(machine_of(elf_for(EM_AARCH64)), "aarch64");
  EXPECT_EQ(machine_of(elf_for(EM_RISCV)), "") << "students do not have it";
  EXPECT_EQ(machine_of(elf_for(EM_X86_64, ELFCLASS32)), "") << "the x32 ABI";
  EXPECT_EQ(machine_of(elf_for(EM_X86_64).substr(0, 63)), "");
  EXPECT_EQ(machine_of("#!/bin/sh\n" + std::string(100, ' ')), "");
}

TEST(Kit, StartsTheProgramsThatItHasAndNoOthers) {
  const std::string one = start_script({{"x86_64", "grade", ""}});
  EXPECT_THAT(one, testing::HasSubstr("this kit is for Linux on x86_64, and"));
  EXPECT_THAT(one, testing::Not(testing::HasSubstr("aarch64")));
  const std::string both = start_script({{"aarch64", "grade", ""}, {"x86_64", "other", ""}});
  EXPECT_THAT(both, testing::HasSubstr("this kit is for Linux on x86_64 or aarch64, and"));
  EXPECT_THAT(both, testing::HasSubstr("Linux-aarch64) loader=/lib/ld-linux-aarch64.so.1 ;;"));
  EXPECT_THAT(both,
              testing::Not(testing::AnyOf(testing::HasSubstr("{cases}"), testing::HasSubstr("{names}"))));
}

/// The kit's README.md; empty when it has none.
std::string readme_of(const std::string &name) {
  for (const batch::PackedFile &file : make_kit(WARPGRADE_ROOT, name, {}, "/nowhere").files)
    if (file.path == name + "/README.md") return file.content;
  return "";
}

TEST(Kit, OfEveryAssignmentHasAReadmeWithItsFilesCommandsAndPoints) {
  for (const std::string &name : assignment_names(WARPGRADE_ROOT)) {
    const course::Assignment a =
        course::read_assignment(std::filesystem::path(WARPGRADE_ROOT) / "assignments" / name);
    const std::string text = readme_of(name);
    EXPECT_THAT(text, testing::StartsWith("# " + name + ": " + a.title + "\n"));
    EXPECT_THAT(text, testing::HasSubstr("\n    ./grade " + a.steps.front().id + " ")) << name;
    for (const course::Step &step : a.steps) {
      const auto row = "\n| `" + step.id + "` | `" + step.file + "` | " + step.title;
      EXPECT_EQ(text.find(row) != std::string::npos, !step.beyond) << name << " " << step.id;
    }
    EXPECT_THAT(text, testing::HasSubstr("\n" + fmt::format("{:g}", a.points) + " points in all")) << name;
  }
}

TEST(Kit, OfHuntsHasTheFaultsAndDoesNotSayWhereTheyAre) {
  const Kit kit = make_kit(WARPGRADE_ROOT, "hunts", {}, "/nowhere");
  const std::regex answered("answer line: *[0-9]|answer cause: *[a-z]");
  std::map<std::string, std::string> files;
  for (const batch::PackedFile &file : kit.files) {
    files[file.path] = file.content;
    EXPECT_THAT(file.path, testing::Not(testing::HasSubstr("hidden")));
    EXPECT_FALSE(std::regex_search(file.content, answered)) << file.path;
  }
  const course::Assignment a =
      course::read_assignment(std::filesystem::path(WARPGRADE_ROOT) / "assignments/hunts");
  ASSERT_EQ(a.steps.size(), 12u);
  for (const course::Step &step : a.steps) {
    ASSERT_TRUE(step.hunt && step.hunt->known()) << step.id;
    const std::string &mine = files["hunts/" + step.file],
                      &starter = files["hunts/starter/hunts/" + step.file];
    EXPECT_NE(mine.find("\n// answer line:\n// answer cause:\n"), std::string::npos) << step.id;
    EXPECT_EQ(mine, starter) << "with which a kit compares a fix";
  }
}

}  // namespace
}  // namespace warpgrade::pack
