#include "ptx/sass.hpp"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <utility>

#include "ptx/line_table.hpp"

namespace warpgrade::ptx {
namespace {

constexpr std::uint16_t machine_cuda = 190;  // EM_CUDA
constexpr std::size_t instruction_bytes = 16;
constexpr std::uint16_t operation_bits = 0x1ff;  // the three above them tell where the operands come from
constexpr std::string_view code_prefix = ".text.", attributes = ".nv.info",
                           line_program = ".nv_debug_line_sass";

template <class T>
T elf_at(std::span<const std::byte> bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) throw FormatError("ELF image: truncated");
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::span<const std::byte> contents(std::span<const std::byte> bytes, const Elf64_Shdr &section) {
  if (section.sh_offset > bytes.size() || section.sh_size > bytes.size() - section.sh_offset)
    throw FormatError("ELF image: truncated section");
  return bytes.subspan(section.sh_offset, section.sh_size);
}

std::string name_at(std::span<const std::byte> names, std::uint32_t offset) {
  if (offset >= names.size()) throw FormatError("ELF image: a section's name is outside");
  const auto *text = reinterpret_cast<const char *>(names.data()) + offset;
  return {text, ::strnlen(text, names.size() - offset)};
}

/// Of each kernel, by the index of its symbol: what the section of attributes says.
std::map<std::uint32_t, int> registers_of(std::span<const std::byte> section) {
  constexpr std::uint8_t sized = 4, register_count = 0x2f;
  std::map<std::uint32_t, int> registers;
  for (std::size_t at = 0; at + 4 <= section.size();) {
    const auto form = elf_at<std::uint8_t>(section, at), what = elf_at<std::uint8_t>(section, at + 1);
    const auto size = elf_at<std::uint16_t>(section, at + 2);
    if (form == sized && what == register_count && size == 8)
      registers[elf_at<std::uint32_t>(section, at + 4)] =
          static_cast<int>(elf_at<std::uint32_t>(section, at + 8));
    at += 4 + (form == sized ? size : 0);
  }
  return registers;
}

std::set<std::uint16_t> operations_of(std::span<const std::byte> code) {
  if (code.size() % instruction_bytes != 0)
    throw FormatError("ELF image: code that is not a whole number of instructions");
  std::set<std::uint16_t> operations;
  for (std::size_t at = 0; at < code.size(); at += instruction_bytes)
    operations.insert(static_cast<std::uint16_t>(elf_at<std::uint16_t>(code, at) & operation_bits));
  return operations;
}

constexpr std::uint16_t call = 0x144, branch = 0x147;
constexpr int new_branches = 90;  // from this architecture on, the lowest 8 bits of a jump are elsewhere

/// A field of an instruction of 128 bits.
std::uint64_t field(std::span<const std::byte> code, std::size_t at, unsigned first, unsigned bits) {
  const auto low = elf_at<std::uint64_t>(code, at), high = elf_at<std::uint64_t>(code, at + 8);
  const std::uint64_t value = first >= 64  ? high >> (first - 64)
                              : first == 0 ? low
                                           : low >> first | high << (64 - first);
  return value & ((1ULL << bits) - 1);
}

/// Where a jump goes: the index of an instruction, -1 if it is outside.
std::int32_t target_of(std::span<const std::byte> code, std::size_t index, int sm) {
  const std::size_t at = index * instruction_bytes;
  auto words = static_cast<std::int64_t>(field(code, at, 34, 48) << 16) >> 16;  // sign-extended
  if (sm >= new_branches) words = words * 256 + static_cast<std::int64_t>(field(code, at, 16, 8));
  const std::int64_t to =
      static_cast<std::int64_t>(index) + 1 + words * 4 / static_cast<int>(instruction_bytes);
  return to < 0 || to >= static_cast<std::int64_t>(code.size() / instruction_bytes)
             ? -1
             : static_cast<std::int32_t>(to);
}

std::vector<MachineInstruction> instructions_of(std::span<const std::byte> code, int sm) {
  std::vector<MachineInstruction> all(code.size() / instruction_bytes);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto get = [&](unsigned first, unsigned bits) {
      return static_cast<std::uint8_t>(field(code, i * instruction_bytes, first, bits));
    };
    MachineInstruction &made = all[i];
    made.operation = static_cast<std::uint16_t>(field(code, i * instruction_bytes, 0, 9));
    made.form = get(9, 3);
    made.guard = get(12, 3);
    made.stall = get(105, 4);
    made.result = get(110, 3);
    made.operands = get(113, 3);
    made.waits = get(116, 6);
    made.reuse = get(122, 3);
    made.a = get(24, 8), made.b = get(32, 8), made.c = get(64, 8);
    constexpr std::array<std::uint8_t, 8> sizes = {1, 1, 2, 2, 4, 8, 16, 16};
    made.bytes = sizes[get(73, 3)];
    made.groups = get(38, 6);
    if (made.operation == branch || made.operation == call) made.target = target_of(code, i, sm);
    if (made.operation == branch && made.guard == MachineInstruction::none) made.guard = get(87, 3);
  }
  return all;
}

/// Fills in text_line of the functions, whose indices are given by section.
void add_lines(std::span<const std::byte> program, const std::map<std::uint64_t, std::uint32_t> &section_of,
               std::map<std::uint32_t, MachineCode *> &functions) {
  for (const auto &[offset, lines] : read_line_program(program)) {
    const auto section = section_of.find(offset);
    if (section == section_of.end() || !functions.contains(section->second)) continue;
    std::vector<MachineInstruction> &all = functions[section->second]->instructions;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::uint64_t end = i + 1 < lines.size() ? lines[i + 1].address : all.size() * instruction_bytes;
      for (std::uint64_t at = lines[i].address / instruction_bytes;
           at < std::min<std::uint64_t>(all.size(), end / instruction_bytes); ++at)
        all[at].text_line = lines[i].line;
    }
  }
}

struct TensorCoreOperation {
  std::uint16_t operation;
  int first_sm, last_sm;  // where it means this
  std::string_view name;
};
constexpr TensorCoreOperation tensor_core_operations[] = {
    {0x037, 72, 121, "IMMA"},     // mma of s8, u8, s4, u4
    {0x03c, 70, 121, "HMMA"},     // mma of f16, bf16, tf32
    {0x03d, 75, 121, "BMMA"},     // mma of b1
    {0x03f, 80, 121, "DMMA"},     // mma of f64
    {0x07a, 89, 121, "QMMA"},     // mma of e4m3, e5m2
    {0x07f, 120, 121, "OMMA"},    // mma of e2m1 with block scales
    {0x1f0, 90, 90, "HGMMA"},     // wgmma of f16, bf16, tf32
    {0x1f1, 90, 90, "IGMMA"},     // wgmma of s8, u8
    {0x1f2, 90, 90, "BGMMA"},     // wgmma of b1
    {0x1f3, 90, 90, "QGMMA"},     // wgmma of e4m3, e5m2
    {0x1ea, 100, 110, "UTCMMA"},  // tcgen05.mma: UTCHMMA, UTCIMMA, UTCQMMA, UTCOMMA
};

}  // namespace

bool instruction_layout_is_known(int sm) {
  return sm >= 70 && sm <= 121;
}

std::vector<MachineCode> read_machine_code(const Image &image) {
  const std::span<const std::byte> bytes = image.bytes;
  const auto header = elf_at<Elf64_Ehdr>(bytes, 0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_machine != machine_cuda)
    throw FormatError("ELF image: not for an NVIDIA GPU");
  const auto section_at = [&](std::uint64_t index) {
    if (header.e_shoff > bytes.size()) throw FormatError("ELF image: truncated");
    return elf_at<Elf64_Shdr>(bytes, header.e_shoff + index * header.e_shentsize);
  };
  if (header.e_shentsize < sizeof(Elf64_Shdr) || header.e_shstrndx >= header.e_shnum)
    throw FormatError("ELF image: a damaged header");
  const auto names = contents(bytes, section_at(header.e_shstrndx));
  std::map<std::uint32_t, int> registers;
  std::span<const std::byte> lines, symbols;
  std::vector<std::pair<std::span<const std::byte>, std::size_t>> relocations;  // and the size of each
  for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr section = section_at(i);
    const std::string name = name_at(names, section.sh_name);
    if (name == attributes) registers = registers_of(contents(bytes, section));
    if (name == line_program) lines = contents(bytes, section);
    if (section.sh_type == SHT_SYMTAB) symbols = contents(bytes, section);
    if (name.starts_with(".rel") && name.ends_with(line_program))
      relocations.emplace_back(contents(bytes, section),
                               section.sh_type == SHT_RELA ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel));
  }
  std::map<std::uint64_t, std::uint32_t> section_of;  // by what is relocated in the table of lines
  for (const auto &[entries, size] : relocations)
    for (std::size_t at = 0; at + size <= entries.size(); at += size) {
      const auto entry = elf_at<Elf64_Rel>(entries, at);
      section_of[entry.r_offset] =
          elf_at<Elf64_Sym>(symbols, ELF64_R_SYM(entry.r_info) * sizeof(Elf64_Sym)).st_shndx;
    }
  std::vector<MachineCode> functions;
  std::vector<std::uint32_t> sections;
  for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr section = section_at(i);
    const std::string name = name_at(names, section.sh_name);
    if (section.sh_type == SHT_NOBITS || !name.starts_with(code_prefix)) continue;
    const auto code = contents(bytes, section);
    functions.push_back(
        {name.substr(code_prefix.size()), image.sm, {}, registers[section.sh_info & 0xffffff], {}});
    sections.push_back(static_cast<std::uint32_t>(i));
    if (!instruction_layout_is_known(image.sm)) continue;
    functions.back().operations = operations_of(code);
    functions.back().instructions = instructions_of(code, image.sm);
  }
  std::map<std::uint32_t, MachineCode *> by_section;
  for (std::size_t i = 0; i < functions.size(); ++i) by_section[sections[i]] = &functions[i];
  add_lines(lines, section_of, by_section);
  return functions;
}

std::string_view tensor_core_operation(int sm, std::uint16_t operation) {
  for (const TensorCoreOperation &known : tensor_core_operations)
    if (known.operation == operation && sm >= known.first_sm && sm <= known.last_sm) return known.name;
  return {};
}

}  // namespace warpgrade::ptx
