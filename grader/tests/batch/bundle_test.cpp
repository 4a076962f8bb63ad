#include "batch/bundle.hpp"

#include <gtest/gtest.h>

namespace warpgrade::batch {
namespace {

using Files = std::map<std::string, std::string>;

course::Step step_with(std::vector<std::string> headers) {
  course::Step step;
  step.file = "matmul.cu";
  step.headers = std::move(headers);
  return step;
}

TEST(Bundle, OfAStepWithoutHeadersIsTheFileAsItIs) {
  const course::Step step = step_with({});
  for (const std::string text : {"", "int a;", "no newline\n\n", "\n// ==== options.h ====\nint b;\n"}) {
    EXPECT_EQ(bundle(step, text, {}), text);
    EXPECT_EQ(unbundle(step, text), (Files{{"matmul.cu", text}}));
  }
}

TEST(Bundle, RoundTrips) {
  const course::Step step = step_with({"options.h", "more.h"});
  for (const Files &headers : {Files{{"options.h", "a\n"}, {"more.h", "b"}}, Files{{"more.h", ""}},
                               Files{{"options.h", ""}}, Files{}}) {
    Files all = headers;
    all["matmul.cu"] = "#include \"options.h\"\nint x;";
    EXPECT_EQ(unbundle(step, bundle(step, all["matmul.cu"], headers)), all);
  }
}

TEST(Bundle, KeepsTheNumbersOfTheFilesOwnLines) {
  const std::string file = "first\nsecond\n";
  EXPECT_EQ(bundle(step_with({"options.h"}), file, {{"options.h", "x"}}).rfind(file, 0), 0u);
}

TEST(Bundle, TellsHeadersOfOtherTextApart) {
  const course::Step step = step_with({"options.h"});
  EXPECT_NE(bundle(step, "f", {{"options.h", "1"}}), bundle(step, "f", {{"options.h", "2"}}));
  EXPECT_NE(bundle(step, "f", {{"options.h", ""}}), bundle(step, "f", {}));
}

TEST(Bundle, LetsNoTextNameAFileThatTheStepDoesNotHave) {
  const Files files = unbundle(step_with({"options.h"}), "x\n// ==== pa2.h ====\nint evil;\n");
  EXPECT_EQ(files.size(), 1u);
  EXPECT_TRUE(files.contains("matmul.cu"));
}

}  // namespace
}  // namespace warpgrade::batch
