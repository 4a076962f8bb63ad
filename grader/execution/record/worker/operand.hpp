// The memory operand of an x86-64 instruction: which registers its address is made of. For the message about
// a fault at an address that the kernel does not report.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace warpgrade::record {

/// The general registers at a fault, in the order in which instructions number them: rax, rcx, rdx, rbx, rsp,
/// rbp, rsi, rdi, r8 to r15.
using Registers = std::array<std::uint64_t, 16>;

/// The addresses that an instruction accesses: one, or two if it moves strings. `count` is 0 where that
/// cannot be told, and where there is none.
struct Accessed {
  std::array<std::uint64_t, 2> address{};
  int count = 0;
  void add(std::uint64_t one) { address[static_cast<std::size_t>(count++)] = one; }
};

/// `code` is the instruction at which the program stopped. Displacements of AVX-512 are taken as they stand,
/// not in units of the operand: the address may be off by some thousand bytes.
inline Accessed accessed(const std::uint8_t *code, const Registers &registers) {
  constexpr int rsi = 6, rdi = 7;
  enum class Map { one_byte, two_bytes, three_bytes };
  Accessed result;
  const auto reg = [&](unsigned number) { return registers[number & 15]; };
  bool index_high = false, base_high = false;
  Map map = Map::one_byte;
  for (bool prefix = true; prefix;) {
    switch (*code) {
      case 0x26:
      case 0x2E:
      case 0x36:
      case 0x3E:
      case 0x64:
      case 0x65:
      case 0x66:
      case 0x67:
      case 0xF0:
      case 0xF2:
      case 0xF3:
        ++code;
        break;
      default:
        prefix = false;
    }
  }
  if ((*code & 0xF0) == 0x40) {  // REX
    index_high = *code & 2, base_high = *code & 1;
    ++code;
  } else if (*code == 0xC5) {  // VEX and EVEX: the bits are inverted
    map = Map::two_bytes;
    code += 2;
  } else if (*code == 0xC4 || *code == 0x62) {
    index_high = !(code[1] & 0x40), base_high = !(code[1] & 0x20);
    map = (code[1] & 7) == 1 ? Map::two_bytes : Map::three_bytes;
    code += *code == 0xC4 ? 3 : 4;
  }
  if (map == Map::one_byte && *code == 0x0F) {
    map = Map::two_bytes;
    ++code;
    if (*code == 0x38 || *code == 0x3A) map = Map::three_bytes, ++code;
  }
  const unsigned opcode = *code++;
  if (map == Map::one_byte) {
    if (opcode == 0xA4 || opcode == 0xA5 || opcode == 0xA6 || opcode == 0xA7) {  // movs, cmps
      result.add(reg(rsi)), result.add(reg(rdi));
      return result;
    }
    if (opcode == 0xAC || opcode == 0xAD) return result.add(reg(rsi)), result;  // lods
    if ((opcode & 0xFE) == 0xAA || (opcode & 0xFE) == 0xAE)
      return result.add(reg(rdi)), result;  // stos, scas
    const bool has_operand = (opcode < 0x40 && (opcode & 4) == 0) || opcode == 0x63 || opcode == 0x69 ||
                             opcode == 0x6B || (opcode >= 0x80 && opcode <= 0x8F) ||
                             (opcode & 0xFE) == 0xC0 || (opcode & 0xFE) == 0xC6 ||
                             (opcode >= 0xD0 && opcode <= 0xD3) || (opcode >= 0xD8 && opcode <= 0xDF) ||
                             (opcode & 0xFE) == 0xF6 || (opcode & 0xFE) == 0xFE;
    if (!has_operand) return result;
  } else if (map == Map::two_bytes) {
    const bool has_none = (opcode >= 0x05 && opcode <= 0x0B) || (opcode >= 0x30 && opcode <= 0x37) ||
                          opcode == 0x77 || (opcode >= 0x80 && opcode <= 0x8F) || (opcode & 0xF7) == 0xA0 ||
                          (opcode & 0xF7) == 0xA1 || opcode == 0xA2 || opcode == 0xAA ||
                          (opcode >= 0xC8 && opcode <= 0xCF);
    if (has_none) return result;
  }
  const unsigned modrm = *code++, mode = modrm >> 6;
  if (mode == 3) return result;  // a register
  // Gathers and scatters have a vector of indices: the beginning says which buffer it is.
  const bool many = map == Map::three_bytes && ((opcode & 0xFC) == 0x90 || (opcode & 0xFC) == 0xA0);
  std::uint64_t address = 0;
  bool far_displacement = mode == 2;
  if ((modrm & 7) == 4) {
    const unsigned sib = *code++, index = (sib >> 3 & 7) | (index_high ? 8u : 0u);
    if (index != 4 && !many) address += reg(index) << (sib >> 6);
    if ((sib & 7) == 5 && mode == 0)
      far_displacement = true;
    else
      address += reg((sib & 7) | (base_high ? 8u : 0u));
  } else if ((modrm & 7) == 5 && mode == 0) {
    return result;  // relative to the instruction: a variable of the program
  } else {
    address += reg((modrm & 7) | (base_high ? 8u : 0u));
  }
  if (far_displacement) {
    std::uint32_t bits = 0;
    for (int i = 3; i >= 0; --i) bits = bits << 8 | code[i];
    address += static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(bits)));
  } else if (mode == 1) {
    address += static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int8_t>(*code)));
  }
  result.add(address);
  return result;
}

}  // namespace warpgrade::record
