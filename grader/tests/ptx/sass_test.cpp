#include "ptx/sass.hpp"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>

namespace warpgrade::ptx {
namespace {

void append(std::vector<std::byte> &to, const void *from, std::size_t bytes) {
  const auto *first = static_cast<const std::byte *>(from);
  to.insert(to.end(), first, first + bytes);
}

/// An ELF image for sm_90 with one function "k" of these instructions' first words.
Image image_of(const std::vector<std::uint16_t> &instructions, std::size_t odd_bytes = 0, int sm = 90) {
  const std::string names = std::string("\0.text.k\0.names\0", 16);
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_machine = 190;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 3;
  header.e_shstrndx = 2;
  Elf64_Shdr none{}, code{}, text{};
  code.sh_name = 1;
  code.sh_type = SHT_PROGBITS;
  code.sh_offset = sizeof header;
  code.sh_size = instructions.size() * 16 + odd_bytes;
  text.sh_name = 9;
  text.sh_type = SHT_STRTAB;
  text.sh_offset = code.sh_offset + code.sh_size;
  text.sh_size = names.size();
  header.e_shoff = text.sh_offset + text.sh_size;
  Image image{Image::Kind::elf, sm, "", {}};
  append(image.bytes, &header, sizeof header);
  for (const std::uint16_t first : instructions) {
    append(image.bytes, &first, sizeof first);
    image.bytes.resize(image.bytes.size() + 14);
  }
  image.bytes.resize(image.bytes.size() + odd_bytes);
  append(image.bytes, names.data(), names.size());
  for (const Elf64_Shdr *section : {&none, &code, &text}) append(image.bytes, section, sizeof *section);
  return image;
}

TEST(MachineCode, AnOperationIsTheLowNineBitsOfAnInstruction) {
  // FFMA with registers, HMMA, HMMA under another predicate, NOP: 0x223, 0x23c, 0x23c, 0x918.
  const auto functions = read_machine_code(image_of({0x7223, 0x723c, 0x023c, 0x7918}));
  ASSERT_EQ(functions.size(), 1u);
  EXPECT_EQ(functions[0].function, "k");
  EXPECT_EQ(functions[0].operations, (std::set<std::uint16_t>{0x023, 0x03c, 0x118}));
}

TEST(MachineCode, ANumberIsATensorCoreOperationOnlyWhereItMeansOne) {
  EXPECT_EQ(tensor_core_operation(90, 0x03c), "HMMA");
  EXPECT_EQ(tensor_core_operation(90, 0x1f0), "HGMMA");
  EXPECT_EQ(tensor_core_operation(120, 0x1f0), "");
  EXPECT_EQ(tensor_core_operation(100, 0x1ea), "UTCMMA");
  EXPECT_EQ(tensor_core_operation(90, 0x1ea), "");
  EXPECT_EQ(tensor_core_operation(90, 0x023), "");  // FFMA
}

TEST(MachineCode, LocalAccessesAreCountedWhereMostProductsAre) {
  // A loop of FFMA, LDL, FFMA, STL; before and after it, stores of local memory that run once.
  std::vector<std::uint16_t> code(20, 0x7387);
  for (int i = 0; i < 64; ++i) code.insert(code.end(), {0x7223, 0x7983, 0x7223, 0x7387});
  code.insert(code.end(), 20, 0x7387);
  EXPECT_NEAR(read_machine_code(image_of(code)).at(0).local_per_fma, 1, 0.05);
  EXPECT_EQ(read_machine_code(image_of({0x7983, 0x7223, 0x7223, 0x7223, 0x7223})).at(0).local_per_fma, 0);
  EXPECT_EQ(read_machine_code(image_of({0x7983})).at(0).local_per_fma, 0);
}

TEST(MachineCode, OfAnUnknownArchitectureNothingIsClaimed) {
  EXPECT_FALSE(instruction_layout_is_known(61));  // instructions of 8 bytes
  EXPECT_FALSE(instruction_layout_is_known(130));
  const auto functions = read_machine_code(image_of({0x723c}, 0, 130));
  ASSERT_EQ(functions.size(), 1u);
  EXPECT_TRUE(functions[0].operations.empty());
}

TEST(MachineCode, DamagedImagesAreRefusedAtEveryLength) {
  const Image whole = image_of({0x7223, 0x723c});
  for (std::size_t length = 0; length < whole.bytes.size(); ++length) {
    Image cut = whole;
    cut.bytes.resize(length);
    EXPECT_THROW(read_machine_code(cut), FormatError) << length;
  }
  EXPECT_THROW(read_machine_code(image_of({0x7223}, 8)), FormatError);
}

TEST(MachineCode, NoByteThatIsChangedLeadsOutside) {
  const Image whole = image_of({0x7223, 0x723c});
  for (std::size_t at = 0; at < whole.bytes.size(); ++at)
    for (const int value : {0x00, 0x7f, 0xff}) {
      Image changed = whole;
      changed.bytes[at] = static_cast<std::byte>(value);
      try {
        read_machine_code(changed);
      } catch (const FormatError &) {
      }
    }
}

}  // namespace
}  // namespace warpgrade::ptx
