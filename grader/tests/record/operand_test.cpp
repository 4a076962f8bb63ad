// Which address an instruction accesses, byte by byte as assemblers write them.
#include "record/worker/operand.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

namespace warpgrade::record {
namespace {

/// Register n holds 0x1000 * (n + 1).
std::vector<std::uint64_t> of(std::initializer_list<int> bytes) {
  Registers registers{};
  for (std::size_t n = 0; n < registers.size(); ++n) registers[n] = 0x1000 * (n + 1);
  std::vector<std::uint8_t> code(bytes.begin(), bytes.end());
  code.resize(16);
  const Accessed found = accessed(code.data(), registers);
  return {found.address.begin(), found.address.begin() + found.count};
}
using Addresses = std::vector<std::uint64_t>;

TEST(Operand, IsABaseAnIndexAndADisplacement) {
  EXPECT_EQ(of({0x8B, 0x06}), Addresses{0x7000});                           // mov eax, [rsi]
  EXPECT_EQ(of({0x8B, 0x46, 0xFC}), Addresses{0x6FFC});                     // mov eax, [rsi-4]
  EXPECT_EQ(of({0x8B, 0x86, 0x00, 0x01, 0x00, 0x00}), Addresses{0x7100});   // mov eax, [rsi+256]
  EXPECT_EQ(of({0x48, 0x89, 0x04, 0xCF}), Addresses{0x8000 + 8 * 0x2000});  // mov [rdi+rcx*8], rax
  EXPECT_EQ(of({0x43, 0x89, 0x44, 0xA5, 0x04}),
            Addresses{0xE000 + 4 * 0xD000 + 4});  // mov [r13+r12*4+4], eax
  EXPECT_EQ(of({0x8B, 0x04, 0x8D, 0x10, 0x00, 0x00, 0x00}),
            Addresses{4 * 0x2000 + 16});                 // mov eax, [rcx*4+16]
  EXPECT_EQ(of({0x8B, 0x04, 0x24}), Addresses{0x5000});  // mov eax, [rsp]
}

TEST(Operand, OfVectorInstructionsIsFound) {
  EXPECT_EQ(of({0xF3, 0x0F, 0x10, 0x04, 0x8E}), Addresses{0x7000 + 4 * 0x2000});  // movss xmm0, [rsi+rcx*4]
  EXPECT_EQ(of({0xF3, 0x41, 0x0F, 0x58, 0x00}), Addresses{0x9000});               // addss xmm0, [r8]
  EXPECT_EQ(of({0xC5, 0xFA, 0x10, 0x06}), Addresses{0x7000});                     // vmovss xmm0, [rsi]
  EXPECT_EQ(of({0xC4, 0xC1, 0x7C, 0x10, 0x01}), Addresses{0xA000});               // vmovups ymm0, [r9]
  EXPECT_EQ(of({0xC4, 0xE2, 0x7D, 0x18, 0x07}), Addresses{0x8000});               // vbroadcastss ymm0, [rdi]
  EXPECT_EQ(of({0x62, 0xD1, 0x7C, 0x48, 0x10, 0x02}), Addresses{0xB000});         // vmovups zmm0, [r10]
  EXPECT_EQ(of({0xC4, 0xE2, 0x75, 0x92, 0x04, 0x86}), Addresses{0x7000});  // vgatherdps ymm0, [rsi+ymm0*4]
}

TEST(Operand, OfStringInstructionsMayBeTwo) {
  EXPECT_EQ(of({0xF3, 0xA4}), (Addresses{0x7000, 0x8000}));  // rep movsb
  EXPECT_EQ(of({0xF3, 0x48, 0xAB}), Addresses{0x8000});      // rep stosq
}

TEST(Operand, IsMissingWithoutAnAccess) {
  EXPECT_EQ(of({0x89, 0xC8}), Addresses{});                          // mov eax, ecx
  EXPECT_EQ(of({0x8B, 0x05, 0x10, 0x00, 0x00, 0x00}), Addresses{});  // mov eax, [rip+16]
  EXPECT_EQ(of({0x0F, 0x0B}), Addresses{});                          // ud2
  EXPECT_EQ(of({0xB8, 0x06, 0x00, 0x00, 0x00}), Addresses{});        // mov eax, 6
}

}  // namespace
}  // namespace warpgrade::record
