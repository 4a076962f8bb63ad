#include <gtest/gtest.h>

#include "report/text.hpp"
#include "tests/report/sample.hpp"

namespace warpgrade::report {
namespace {

TEST(Junit, CountsTestsFailuresAndSkippedOnes) {
  const std::string xml = to_junit(Sample().report());
  // step1: two passed, one skipped, one for the verdict; step2: three cases, two failed; step3: its verdict
  // alone.
  EXPECT_NE(xml.find(R"(<testsuites name="hw6" tests="8" failures="3" errors="0" time=")"), std::string::npos)
      << xml;
  EXPECT_NE(xml.find(R"(<testsuite name="hw6.step2" tests="3" failures="2" errors="0" skipped="0")"),
            std::string::npos)
      << xml;
}

TEST(Junit, NotesAndTheReasonForPointsByHandAreProperties) {
  Sample s;
  s.record.notes = {"Dispute 3 (step1), answer: See <slide> 12."};
  s.score.steps[1].points = 12;
  s.score.steps[1].computed_points = 2;
  s.score.steps[1].by_hand = score::Override{"step2", 12, "our \"header\" was wrong"};
  const std::string xml = to_junit(s.report());
  const std::size_t
      note = xml.find(R"(<property name="note" value="Dispute 3 (step1), answer: See &lt;slide&gt; 12."/>)"),
      second = xml.find(R"(<testsuite name="hw6.step2")"),
      by_hand = xml.find(R"(<property name="by_hand" value="12 points were given by hand, in place )"
                         R"(of 2: our &quot;header&quot; was wrong"/>)");
  EXPECT_LT(note, second) << xml;
  EXPECT_LT(second, by_hand) << xml;
  EXPECT_NE(by_hand, std::string::npos) << xml;
  EXPECT_EQ(xml.find("name=\"note\"", second), std::string::npos) << "once";
}

TEST(Junit, AFailureSaysVerdictAndReason) {
  EXPECT_NE(
      to_junit(Sample().report())
          .find(
              R"xml(<failure type="out_of_bounds" message="reads 4 bytes, 8 bytes past the end of A (4356 bytes)"/>)xml"),
      std::string::npos);
}

TEST(Junit, ControlCharactersAndMarkupCannotBreakTheXml) {
  Sample s;
  s.record.steps[1].cases[1].reason = "\x1b[31m ]]> <script>&\"'" + std::string(1, '\0') + "\x07";
  const std::string xml = to_junit(s.report());
  EXPECT_NE(xml.find(R"(\x1b[31m ]]&gt; &lt;script&gt;&amp;&quot;&apos;\x00\x07)"), std::string::npos) << xml;
}

TEST(Text, BidirectionalControlsAreMadeVisible) {
  EXPECT_EQ(for_terminal("a\xe2\x80\xae"
                         "b"),
            "a\\u202eb");
  EXPECT_EQ(for_json("a\xe2\x80\x8b"
                     "b"),
            "a\\u200bb");
}
TEST(Text, OrdinaryUnicodeStays) {
  EXPECT_EQ(for_terminal("3 \xc3\x97 4 \xce\xb1"), "3 \xc3\x97 4 \xce\xb1");
}
TEST(Text, OverlongAndTruncatedSequencesAreInvalid) {
  EXPECT_EQ(for_json("\xc0\xaf"), "\\xc0\\xaf");
  EXPECT_EQ(for_json("\xe2\x82"), "\\xe2\\x82");
}
TEST(Text, PointsHaveNoTrailingZeros) {
  EXPECT_EQ(points(25), "25");
  EXPECT_EQ(points(12.5), "12.5");
  EXPECT_EQ(points(0.333), "0.33");
  EXPECT_EQ(points(100), "100");
}
TEST(Text, WrapsAtSpacesAndKeepsWordsWhole) {
  EXPECT_EQ(wrap("one two three", 7), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(wrap("", 10), (std::vector<std::string>{""}));
}

}  // namespace
}  // namespace warpgrade::report
