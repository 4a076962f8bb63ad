#include "ptx/parameter_types.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace warpgrade::ptx {
namespace {

using Types = std::vector<std::string>;

TEST(ParameterTypes, AreThoseOfTheCompiledName) {
  EXPECT_EQ(parameter_types("tile(float*, int)"), (Types{"float*", "int"}));
  EXPECT_EQ(parameter_types("scale<char, (int)4>(char*, unsigned long)"), (Types{"char*", "unsigned long"}));
  EXPECT_EQ(parameter_types("(anonymous namespace)::one(int (*)(int, int))"), (Types{"int (*)(int, int)"}));
  EXPECT_EQ(parameter_types("sum(Pair<int, float>*)"), (Types{"Pair<int, float>*"}));
  EXPECT_EQ(parameter_types("nothing()"), Types{});
  EXPECT_EQ(parameter_types("tile"), std::nullopt) << "an extern \"C\" kernel";
  EXPECT_EQ(parameter_types("tile(float*, ..."), std::nullopt) << "a name that was cut";
}

TEST(ParameterTypes, OfKnownSizeSayHowManyBytesAnElementHas) {
  EXPECT_EQ(bytes_of_type("float const"), 4u);
  EXPECT_EQ(bytes_of_type("unsigned char"), 1u);
  EXPECT_EQ(bytes_of_type("unsigned long long"), 8u);
  EXPECT_EQ(bytes_of_type("short int"), 2u);
  EXPECT_EQ(bytes_of_type("std::uint16_t"), 2u);
  EXPECT_EQ(bytes_of_type("const float4"), 16u);
  EXPECT_EQ(bytes_of_type("uchar3"), 3u);
  EXPECT_EQ(bytes_of_type("__half2"), 4u);
  EXPECT_EQ(bytes_of_type("float*"), 8u) << "a pointer to pointers";
  for (const char *type : {"Pixel", "byte", "T", "float5", "int4x", "", "std::byte"})
    EXPECT_EQ(bytes_of_type(type), 0u) << type;
}

TEST(ParameterTypes, TellPointersAndIntegersFromData) {
  for (const char *type : {"int", "unsigned int", "long long", "size_t", "const int"})
    EXPECT_TRUE(is_integer_type(type)) << type;
  for (const char *type : {"float", "double", "bool", "int4", "Pair", "int*"})
    EXPECT_FALSE(is_integer_type(type)) << type;
  EXPECT_TRUE(is_pointer_type("const float *__restrict__"));
  EXPECT_FALSE(is_pointer_type("Pair<int*>"));
  EXPECT_EQ(bytes_of_type(pointed_to("const short *__restrict__")), 2u);
}

TEST(ParameterTypes, OfAPointerToArraysAreThoseOfTheirElements) {
  for (const char *type : {"short const (*) [4]", "const short (*__restrict__)[4][2]", "short (*)[]"}) {
    EXPECT_TRUE(is_pointer_type(type)) << type;
    EXPECT_EQ(bytes_of_type(pointed_to(type)), 2u) << type;
  }
  EXPECT_TRUE(is_pointer_type("short (**)[4]"));
  EXPECT_EQ(bytes_of_type(pointed_to("short (**)[4]")), 8u) << "a pointer to pointers";
  for (const char *type : {"short (*)(int)", "short (&)[4]", "Pair<short (*) [4]>", "short (*(*)(int)) [4]"})
    EXPECT_FALSE(is_pointer_type(type)) << type;
}

}  // namespace
}  // namespace warpgrade::ptx
