#include "ptx/stores.hpp"

#include <gtest/gtest.h>

namespace warpgrade::ptx {
namespace {

std::optional<std::uint64_t> most_of(const std::string &body) {
  const Module module = parse(
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".visible .entry k(.param .u64 p)\n{ .reg .pred %p<2>; .reg .f32 %f<5>; .reg .b64 %rd<2>; .reg .b32 "
      "%r<2>;\n" +
      body + "\n}\n");
  return most_stored_bytes(*find_function(module, "k"));
}

TEST(Stores, AddUpOverTheCode) {
  EXPECT_EQ(most_of("st.global.f32 [%rd1], %f1; st.global.v4.f32 [%rd1], {%f1, %f2, %f3, %f4}; ret;"),
            4u + 16u);
  EXPECT_EQ(most_of("st.shared.f32 [%rd1], %f1; ret;"), 0u) << "shared memory holds no results";
  EXPECT_EQ(most_of("@%p1 bra DONE; st.global.f32 [%rd1], %f1; DONE: ret;"), 4u);
  EXPECT_EQ(most_of("red.global.add.f32 [%rd1], %f1; ret;"), 4u);
}

TEST(Stores, AreUnboundedInALoopAndWhereAWarpStores) {
  EXPECT_EQ(most_of("AGAIN: st.global.f32 [%rd1], %f1; @%p1 bra AGAIN; ret;"), std::nullopt);
  EXPECT_EQ(most_of("AGAIN: add.f32 %f1, %f1, %f2; @%p1 bra AGAIN; st.global.f32 [%rd1], %f1; ret;"), 4u)
      << "the loop is over before the store";
}

}  // namespace
}  // namespace warpgrade::ptx
