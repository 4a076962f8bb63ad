#include "ptx/sass.hpp"

#include <elf.h>

#include <algorithm>
#include <cstring>

namespace warpgrade::ptx {
namespace {

constexpr std::uint16_t machine_cuda = 190;  // EM_CUDA
constexpr std::size_t instruction_bytes = 16;
constexpr std::uint16_t operation_bits = 0x1ff;  // the three above them tell where the operands come from
constexpr std::string_view code_prefix = ".text.";

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
  if (offset >= names.size()) throw FormatError("ELF image: a section's name lies outside");
  const auto *text = reinterpret_cast<const char *>(names.data()) + offset;
  return {text, ::strnlen(text, names.size() - offset)};
}

std::set<std::uint16_t> operations_of(std::span<const std::byte> code) {
  if (code.size() % instruction_bytes != 0)
    throw FormatError("ELF image: code that is not a whole number of instructions");
  std::set<std::uint16_t> operations;
  for (std::size_t at = 0; at < code.size(); at += instruction_bytes)
    operations.insert(static_cast<std::uint16_t>(elf_at<std::uint16_t>(code, at) & operation_bits));
  return operations;
}

constexpr std::uint16_t ffma = 0x023, load_local = 0x183, store_local = 0x187;

/// Of the code between a quarter and three quarters of the FFMAs: not what comes before and after a loop.
double local_per_fma_of(std::span<const std::byte> code) {
  std::vector<std::size_t> products, local;
  for (std::size_t at = 0; at + instruction_bytes <= code.size(); at += instruction_bytes) {
    const auto operation = static_cast<std::uint16_t>(elf_at<std::uint16_t>(code, at) & operation_bits);
    if (operation == ffma) products.push_back(at);
    if (operation == load_local || operation == store_local) local.push_back(at);
  }
  if (products.empty()) return 0;
  const std::size_t first = products.size() / 4, last = products.size() * 3 / 4;
  const auto from = std::lower_bound(local.begin(), local.end(), products[first]);
  const auto to = std::lower_bound(from, local.end(), products[last]);
  return static_cast<double>(to - from) / static_cast<double>(std::max<std::size_t>(1, last - first));
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
  std::vector<MachineCode> functions;
  for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr section = section_at(i);
    const std::string name = name_at(names, section.sh_name);
    if (section.sh_type == SHT_NOBITS || !name.starts_with(code_prefix)) continue;
    const auto code = contents(bytes, section);
    functions.push_back({name.substr(code_prefix.size()), image.sm, {}, 0});
    if (!instruction_layout_is_known(image.sm)) continue;
    functions.back().operations = operations_of(code);
    functions.back().local_per_fma = local_per_fma_of(code);
  }
  return functions;
}

std::string_view tensor_core_operation(int sm, std::uint16_t operation) {
  for (const TensorCoreOperation &known : tensor_core_operations)
    if (known.operation == operation && sm >= known.first_sm && sm <= known.last_sm) return known.name;
  return {};
}

}  // namespace warpgrade::ptx
