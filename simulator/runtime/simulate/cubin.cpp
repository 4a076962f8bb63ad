#include "runtime/simulate/cubin.hpp"

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace warpgrade::cuda {
namespace {

template <class T>
std::optional<T> read(std::span<const std::byte> from, std::uint64_t at) {
  if (at > from.size() || from.size() - at < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, from.data() + at, sizeof value);
  return value;
}

std::span<const std::byte> part(std::span<const std::byte> of, std::uint64_t at, std::uint64_t size) {
  if (at > of.size() || size > of.size() - at) return {};
  return of.subspan(at, size);
}

std::string text_at(std::span<const std::byte> strings, std::uint64_t at) {
  if (at >= strings.size()) return {};
  const auto *first = reinterpret_cast<const char *>(strings.data()) + at;
  return std::string(first, ::strnlen(first, strings.size() - at));
}

struct Sections {
  std::span<const std::byte> info, symbols, symbol_names;
};

Sections sections_of(std::span<const std::byte> elf) {
  Sections found;
  const auto header = read<Elf64_Ehdr>(elf, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return found;
  const auto section = [&](std::uint64_t i) {
    return read<Elf64_Shdr>(elf, header->e_shoff + i * sizeof(Elf64_Shdr));
  };
  const auto names = section(header->e_shstrndx);
  if (!names) return found;
  const auto name_bytes = part(elf, names->sh_offset, names->sh_size);
  for (std::uint64_t i = 0; i < header->e_shnum; ++i) {
    const auto one = section(i);
    if (!one) break;
    const auto bytes = part(elf, one->sh_offset, one->sh_size);
    if (text_at(name_bytes, one->sh_name) == ".nv.info") found.info = bytes;
    if (one->sh_type != SHT_SYMTAB) continue;
    found.symbols = bytes;
    if (const auto strings = section(one->sh_link))
      found.symbol_names = part(elf, strings->sh_offset, strings->sh_size);
  }
  return found;
}

}  // namespace

// .nv.info is a list of {format, attribute, size or value}; format 4 is followed by `size` bytes. Attribute
// 0x2f says how many registers a kernel uses: {symbol index, count}.
std::map<std::string, int> registers_in(std::span<const std::byte> elf) {
  constexpr std::uint8_t sized = 4, register_count = 0x2f;
  std::map<std::string, int> result;
  const Sections sections = sections_of(elf);
  for (std::uint64_t at = 0; at + 4 <= sections.info.size();) {
    const auto format = *read<std::uint8_t>(sections.info, at);
    const auto attribute = *read<std::uint8_t>(sections.info, at + 1);
    const auto size = *read<std::uint16_t>(sections.info, at + 2);
    at += 4;
    if (format != sized) continue;
    if (attribute == register_count) {
      const auto index = read<std::uint32_t>(sections.info, at);
      const auto count = read<std::uint32_t>(sections.info, at + 4);
      const auto symbol =
          index ? read<Elf64_Sym>(sections.symbols, std::uint64_t{*index} * sizeof(Elf64_Sym)) : std::nullopt;
      if (symbol && count && *count <= 255)
        result[text_at(sections.symbol_names, symbol->st_name)] = static_cast<int>(*count);
    }
    at += size;
  }
  return result;
}

}  // namespace warpgrade::cuda
