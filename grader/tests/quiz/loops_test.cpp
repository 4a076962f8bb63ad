#include "quiz/loops.hpp"

#include <gtest/gtest.h>

namespace warpgrade::quiz {
namespace {

TEST(QuizLoops, ReachFromTheirHeadToTheEndOfWhatTheyRepeat) {
  const std::string source =
      "if (i < n) a();\n"         // 1
      "for (int k = 0; k < n;\n"  // 2
      "     ++k) {\n"             // 3
      "  b();\n"                  // 4
      "}\n"                       // 5
      "c();\n"                    // 6
      "for (;;)\n"                // 7
      "  for (;;)\n"              // 8
      "    if (x) { d(); }\n"     // 9
      "    else\n"                // 10
      "      e();\n"              // 11
      "f(); // for ever\n"        // 12
      "do g(); while (x);\n"      // 13
      "format(); done();\n";      // 14
  for (const int line : {2, 3, 4, 5, 7, 8, 9, 10, 11, 13}) EXPECT_TRUE(in_a_loop(source, line)) << line;
  for (const int line : {1, 6, 12, 14, 15}) EXPECT_FALSE(in_a_loop(source, line)) << line;
}

}  // namespace
}  // namespace warpgrade::quiz
