// What the command that packs a kit knows about the programs in it.
#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "pack/programs.hpp"

namespace warpgrade::pack {
namespace {

TEST(Kit, KnowsTheNewestGlibcThatAProgramAsksFor) {
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

}  // namespace
}  // namespace warpgrade::pack
