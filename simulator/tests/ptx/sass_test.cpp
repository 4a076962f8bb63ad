#include "ptx/sass.hpp"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>

#include "ptx/line_table.hpp"

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

/// Sets bits of an instruction of image_of().
void set(Image &image, std::size_t instruction, unsigned first, std::uint64_t value) {
  std::byte *at = image.bytes.data() + sizeof(Elf64_Ehdr) + 16 * instruction + first / 64 * 8;
  std::uint64_t word;
  std::memcpy(&word, at, sizeof word);
  word |= value << first % 64;
  std::memcpy(at, &word, sizeof word);
}

TEST(MachineCode, AnInstructionSaysWhenTheNextMayIssueAndWhatItWaitsFor) {
  Image image = image_of({0x7223, 0x7223});  // FFMA R5, R1.reuse, R2, R4
  set(image, 1, 16, 5), set(image, 1, 24, 1), set(image, 1, 32, 2), set(image, 1, 64, 4);
  set(image, 1, 105, 11);        // stall
  set(image, 1, 110, 3);         // its result ends counter 3
  set(image, 1, 113, 7);         // no counter for its operands
  set(image, 1, 116, 0b000101);  // waits for counters 0 and 2
  set(image, 1, 122, 0b001);     // the next instruction finds R1 again
  const MachineInstruction i = read_machine_code(image).at(0).instructions.at(1);
  EXPECT_EQ(i.operation, 0x023);
  EXPECT_EQ(i.form, 1);
  EXPECT_EQ(i.guard, MachineInstruction::none);
  EXPECT_EQ(i.stall, 11);
  EXPECT_EQ(i.result, 3);
  EXPECT_EQ(i.operands, MachineInstruction::none);
  EXPECT_EQ(i.waits, 0b000101);
  EXPECT_EQ(i.reuse, 0b001);
  EXPECT_EQ(i.a, 1);
  EXPECT_EQ(i.b, 2);
  EXPECT_EQ(i.c, 4);
  EXPECT_EQ(i.text_line, 0) << "nothing says which";
}

TEST(MachineCode, AJumpNamesTheInstructionThatItGoesTo) {
  const auto target = [](std::int64_t words) {
    Image image = image_of({0x7223, 0x7223, 0x7947, 0x7223});
    set(image, 2, 16, static_cast<std::uint64_t>(words) & 0xff);
    set(image, 2, 34, (static_cast<std::uint64_t>(words) >> 8) & 0x3fffffff);
    set(image, 2, 64, words < 0 ? 0x3ffff : 0);
    return read_machine_code(image).at(0).instructions.at(2).target;
  };
  EXPECT_EQ(target(-8), 1);
  EXPECT_EQ(target(0), 3);
  EXPECT_EQ(target(-400), -1) << "outside of the function";
}

/// A table of lines for instructions at 0, 16 and 48: lines 7, 9 and 4.
std::vector<std::byte> table_of_lines() {
  const std::vector<int> header = {1, 1, 0xfb, 14, 10, 0, 1,
                                   1, 1, 1,    0,  0,  0, 1};             // up to the lengths of opcodes
  const std::vector<int> program = {0, 9,  2, 0, 0,    0, 0, 0, 0, 0, 0,  // the address, which is relocated
                                    3, 6,  1,                             // line 7
                                    2, 16, 3, 2, 1,                       // at 16 line 9
                                    9, 32, 0, 3, 0x7b, 1,                 // at 48 line 4
                                    0, 1,  1};                            // the end
  const auto version = static_cast<std::uint16_t>(2);
  const auto header_length = static_cast<std::uint32_t>(header.size());
  const auto length = static_cast<std::uint32_t>(6 + header.size() + program.size());
  std::vector<std::byte> bytes;
  append(bytes, &length, sizeof length);
  append(bytes, &version, sizeof version);
  append(bytes, &header_length, sizeof header_length);
  for (const int b : header) bytes.push_back(static_cast<std::byte>(b));
  for (const int b : program) bytes.push_back(static_cast<std::byte>(b));
  return bytes;
}

TEST(LineTable, GivesTheLineOfEachAddressFromWhichItHolds) {
  const auto all = read_line_program(table_of_lines());
  ASSERT_EQ(all.size(), 1u);
  const auto &[offset, lines] = *all.begin();
  EXPECT_EQ(offset, 4u + 2 + 4 + 14 + 3) << "where the relocated address is";
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0].address, 0u);
  EXPECT_EQ(lines[0].line, 7);
  EXPECT_EQ(lines[1].address, 16u);
  EXPECT_EQ(lines[1].line, 9);
  EXPECT_EQ(lines[2].address, 48u);
  EXPECT_EQ(lines[2].line, 4);
}

TEST(LineTable, EveryTruncatedTableIsRefused) {
  const std::vector<std::byte> whole = table_of_lines();
  for (std::size_t size = 1; size < whole.size(); ++size) {
    const std::vector<std::byte> part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_THROW(read_line_program(part), FormatError) << size;
  }
}

TEST(MachineCode, OfAnUnknownArchitectureNothingIsClaimed) {
  EXPECT_FALSE(instruction_layout_is_known(61));  // instructions of 8 bytes
  EXPECT_FALSE(instruction_layout_is_known(130));
  const auto functions = read_machine_code(image_of({0x723c}, 0, 130));
  ASSERT_EQ(functions.size(), 1u);
  EXPECT_TRUE(functions[0].operations.empty());
  EXPECT_TRUE(functions[0].instructions.empty());
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
