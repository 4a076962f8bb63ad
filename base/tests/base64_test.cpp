#include "base/base64.hpp"

#include <gtest/gtest.h>

namespace warpgrade {
namespace {

TEST(Base64, IsWhatTheStandardSays) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foob"), "Zm9vYg==");
  EXPECT_EQ(base64("fooba"), "Zm9vYmE=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64(std::string("\xff\xfb\x00", 3)), "//sA");
}

TEST(Base64, RoundTrips) {
  std::string bytes;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(from_base64(base64(bytes)), bytes) << i;
    bytes += static_cast<char>(i * 37 + i / 256);
  }
}

TEST(Base64, RefusesInvalidText) {
  for (const char *text :
       {"Z", "Zg", "Zg=", "Zg===", "=Zg=", "Zm9v\n", "Zm 9", "Zm9-", "Zm9v====", "Z=g=", "\xff\xff\xff\xff"})
    EXPECT_EQ(from_base64(text), std::nullopt) << text;
}

TEST(Base64, RefusesASecondSpellingOfTheSameBytes) {
  EXPECT_EQ(from_base64("Zh=="), std::nullopt) << "bits after the last byte";
  EXPECT_EQ(from_base64("Zm9="), std::nullopt);
}

TEST(Base64, UrlsGetOtherDigitsAndNoPadding) {
  EXPECT_EQ(base64("\xfb\xff\xfe?"), "+//+Pw==");
  EXPECT_EQ(base64url("\xfb\xff\xfe?"), "-__-Pw");
  EXPECT_EQ(base64url(""), "");
}

}  // namespace
}  // namespace warpgrade
