#include "course/handout.hpp"

#include <gtest/gtest.h>

#include "tests/places.hpp"

namespace warpgrade::course {
namespace {

const Assignment &hw6() {
  static const Assignment a = read_assignment(std::string(place::assignments) + "/hw6");
  return a;
}

Handout parse(const std::string &head, const std::string &body = "## Goal\n") {
  return parse_handout("---\n" + head + "---\n" + body, "handouts/hw6.md", hw6());
}

std::string error(const std::string &head) {
  try {
    parse(head);
  } catch (const ConfigError &e) {
    return e.what();
  }
  return "no error";
}

TEST(HandoutHead, SaysWhatIsDrawnAndWhichMistakesAreShown) {
  const Handout h = parse(
      "measured: measured/a.json\n"
      "figures:\n"
      "  rows: {draws: threads, step: step0, at: {m: 8, n: 8, k: 8}, lanes: [0, 1, 2]}\n"
      "  roof: {draws: roofline, gpu: nvidia-h200}\n"
      "mistakes:\n"
      "  edge: {step: step2, fixture: race/x, case: {m: 33, n: 33, k: 33, beta: 2}}\n");
  EXPECT_EQ(h.measured, "measured/a.json");
  ASSERT_EQ(h.figures.size(), 2u);
  EXPECT_EQ(h.figures[0].name, "rows");
  EXPECT_EQ(h.figures[0].lanes, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(h.figures[0].at.integers, (std::vector<std::int64_t>{8, 8, 8}));
  EXPECT_EQ(h.figures[0].line, 4);
  EXPECT_EQ(h.figures[1].gpu, "nvidia-h200");
  ASSERT_EQ(h.mistakes.size(), 1u);
  EXPECT_EQ(h.mistakes[0].fixture, "race/x");
  EXPECT_EQ(h.mistakes[0].on->reals, (std::vector<double>{1, 2}));
  EXPECT_EQ(h.body, "## Goal\n");
  EXPECT_EQ(h.body_line, 9) << "the line of the file on which the text begins";
}

TEST(HandoutHead, DrawsAFragmentOfALaneAndBanksOfASolutionOrOfAFixture) {
  const Handout h = parse(
      "figures:\n"
      "  lane: {draws: fragment, lane: 5}\n"
      "  good: {draws: banks, step: step2, at: {m: 8, n: 8, k: 8}, warp: 1}\n"
      "  slow: {draws: banks, step: step2, fixture: accepted/x, at: {m: 8, n: 8, k: 8}}\n");
  ASSERT_EQ(h.figures.size(), 3u);
  EXPECT_EQ(h.figures[0].lanes, std::vector<int>{5});
  EXPECT_EQ(h.figures[1].warp, 1u);
  EXPECT_EQ(h.figures[1].fixture, "");
  EXPECT_EQ(h.figures[2].fixture, "accepted/x");
  EXPECT_NE(error("figures:\n  f: {draws: fragment, lane: 32}\n"), "no error");
}

TEST(HandoutHead, DrawsTheBanksOfAnAccessOfAnyWidth) {
  const Handout h = parse(
      "figures:\n"
      "  usual: {draws: banks, step: step2, at: {m: 8, n: 8, k: 8}}\n"
      "  words: {draws: banks, step: step2, at: {m: 8, n: 8, k: 8}, bytes: 4, access: store}\n");
  ASSERT_EQ(h.figures.size(), 2u);
  EXPECT_EQ(h.figures[0].bytes, 16u);
  EXPECT_FALSE(h.figures[0].store);
  EXPECT_EQ(h.figures[1].bytes, 4u);
  EXPECT_TRUE(h.figures[1].store);
  const std::string head = "figures:\n  f: {step: step2, at: {m: 8, n: 8, k: 8}, ";
  EXPECT_EQ(error(head + "draws: banks, bytes: 3}\n"),
            "handouts/hw6.md:3: 'bytes' is '3', should be one of 1, 2, 4, 8, 16");
  EXPECT_EQ(error(head + "draws: tiles, bytes: 4}\n"), "handouts/hw6.md:3: 'bytes' is for figures of banks");
}

TEST(HandoutHead, ErrorsNameTheLineAndWhatWouldBeAccepted) {
  EXPECT_EQ(error("figurs: {}\n"),
            "handouts/hw6.md:2: unknown key 'figurs'; did you mean figures? (known: measured, compared, "
            "figures, mistakes, recordings)");
  EXPECT_EQ(error("figures:\n  rows: {draws: threads, step: step9, at: {m: 8, n: 8, k: 8}, lanes: [0]}\n"),
            "handouts/hw6.md:3: hw6 has no step 'step9'");
  EXPECT_EQ(error("figures:\n  rows: {draws: threads, step: step0, at: {m: 8, n: 8, k: 8}}\n"),
            "handouts/hw6.md:3: 'lanes' of figure 'rows' should name one to three lanes");
  EXPECT_EQ(
      error("figures:\n  t: {draws: tiles, step: step0, at: {m: 8, n: 8, k: 8}, lanes: [1]}\n"),
      "handouts/hw6.md:3: 'lanes' of figure 't' should name nothing: this kind of figure shows all of them");
  EXPECT_EQ(error("mistakes:\n  edge: {step: step2, fixture: ../../secret}\n"),
            "handouts/hw6.md:3: 'fixture' should be VERDICT/NAME, a folder of the tests' submissions");
  EXPECT_EQ(error("figures:\n  p: {draws: pie}\n").rfind("handouts/hw6.md:3: ", 0), 0u);
}

TEST(HandoutHead, NamesExamplesToRecord) {
  const Handout h = parse(
      "recordings:\n"
      "  racing: {step: step0, example: tour/mirror.cu, without: 'wait();', at: {m: 8, n: 8, k: 8}}\n");
  ASSERT_EQ(h.recordings.size(), 1u);
  EXPECT_EQ(h.recordings[0].example, "tour/mirror.cu");
  EXPECT_EQ(h.recordings[0].without, "wait();");
  EXPECT_EQ(
      error("recordings:\n  r: {step: step0, example: ../solutions/hw6/a.cu, at: {m: 8, n: 8, k: 8}}\n"),
      "handouts/hw6.md:3: 'example' should be a file below the folder of the handouts");
}

TEST(HandoutHead, Exists) {
  try {
    parse_handout("## Goal\n", "handouts/hw6.md", hw6());
    FAIL();
  } catch (const ConfigError &e) {
    EXPECT_STREQ(e.what(), "handouts/hw6.md:1: a handout begins with its head: YAML between two lines '---'");
  }
}

TEST(HandoutHead, OfATranslationSaysOnlyWhatItTranslatesAndWithWhichWords) {
  const Handout h = parse("translates: hw6.md\nlanguage: de\nwords:\n  at most: höchstens\n");
  EXPECT_EQ(h.translates, "hw6.md");
  EXPECT_EQ(h.language, "de");
  EXPECT_EQ(h.words.at("at most"), "höchstens");
  EXPECT_NE(error("translates: hw6.md\nlanguage: de\nwords: {}\nmeasured: measured/a.json\n"), "no error")
      << "the figures are those of the original";
  EXPECT_NE(error("translates: ../hw6.md\nlanguage: de\nwords: {}\n").find("in the same folder"),
            std::string::npos);
  EXPECT_NE(error("language: de\n"), "no error") << "of what is it a translation?";
}

TEST(HandoutHead, OfATranslationTakesFiguresAndMistakesFromTheOriginal) {
  const std::filesystem::path folder = std::filesystem::path(place::assignments) / "../handouts";
  const Handout original = read_handout(folder / "hw6.md", hw6());
  const std::vector<std::filesystem::path> translations = translations_of(folder / "hw6.md");
  ASSERT_FALSE(translations.empty()) << "there is a German one";
  for (const std::filesystem::path &file : translations) {
    EXPECT_EQ(assignment_of_handout(file.stem().string()), "hw6");
    const Handout h = read_handout(file, hw6());
    EXPECT_EQ(h.measured, original.measured);
    EXPECT_EQ(h.figures.size(), original.figures.size());
    EXPECT_EQ(h.mistakes.size(), original.mistakes.size());
    EXPECT_NE(h.body, original.body);
  }
}

}  // namespace
}  // namespace warpgrade::course
