#include "report/handout.hpp"

#include <gmock/gmock.h>

#include "explain/walk.hpp"
#include "report/svg.hpp"
#include "sample.hpp"

namespace warpgrade::report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

const std::string sections =
    "### `step1.cu`\n1. `TODO(1)`: the kernel\n2. `TODO(2)`: the launch\n"
    "### `step2.cu`\n1. `TODO(1)`: all\n### {{step.step3.title}}: `step3.cu`\nNothing.\n";

class Handouts : public ::testing::Test {
 protected:
  Handouts() {
    facts_.starters = {{"step1", "// TODO(1): a kernel\n// TODO(2): a launch\n"},
                       {"step2", "constexpr int BM = 128, BN = 64;  // TODO(1)\n"},
                       {"step3", ""}};
  }
  /// The text begins on line 4 of the file.
  course::Handout handout(const std::string &text) const {
    course::Handout h;
    h.file = "handouts/hw6.md";
    h.body = text + sections;
    h.body_line = 4;
    return h;
  }
  std::vector<std::string> mistakes(const std::string &text) const {
    return mistakes_in(handout(text), facts_);
  }
  std::string error(const course::Handout &h) const {
    try {
      expand_handout(h, facts_);
    } catch (const HandoutError &e) {
      return e.what();
    }
    return "no error";
  }
  std::string expanded(const std::string &text) const { return expand_handout(handout(text), facts_); }

  Sample sample_;
  HandoutFacts facts_{sample_.assignment, {}, {}, {}, {}, {}, {}, {}, {}};
};

TEST_F(Handouts, AreTranslatedPhraseByPhraseAndNoneMayBeMissingOrLeftOver) {
  course::Handout h = handout("{{step.step1.title}}\n");
  EXPECT_THAT(expand_handout(h, facts_), HasSubstr("lang: en\n"));
  h.language = "de";
  h.translates = "hw6.md";
  h.words = {{sample_.assignment.title, "Ein Titel"}, {"at last", "endlich"}};
  const std::string missing = error(h);
  EXPECT_THAT(missing, HasSubstr("handouts/hw6.md:1: 'words' does not translate 'Contents'"));
  EXPECT_THAT(missing, HasSubstr("'words' translates 'at last', which nothing here says"));
  h.words.erase("at last");
  for (std::size_t at = 0; (at = missing.find("does not translate '", at)) != std::string::npos; ++at) {
    const std::size_t begin = at + 20;
    const std::string english = missing.substr(begin, missing.find("'\n", begin) - begin);
    h.words[english] = "(" + english + ")";
  }
  const std::string text = error(h) == "no error" ? expand_handout(h, facts_) : error(h);
  EXPECT_THAT(text, HasSubstr("lang: de\ntitle: \"Ein Titel\"\n"));
  EXPECT_THAT(text, HasSubstr("course: \"(Assignment) "));
  EXPECT_THAT(text, HasSubstr("(" + sample_.assignment.find_step("step1")->title + ")"));
}

TEST_F(Handouts, RejectTypedNumbers) {
  EXPECT_THAT(
      mistakes("Fine.\nA warp has 32 threads.\n"),
      ElementsAre("handouts/hw6.md:5: the number 32 is typed; say where it comes from with a placeholder "
                  "(docs/handouts.md lists them)"));
  EXPECT_THAT(mistakes("Tiles of 8x8, or 1.5 times `--size 64`.\n").size(), 4u) << "8x8, 1, 5 and 64";
  EXPECT_THAT(mistakes("```\n./grade --size 2048\n```\n").size(), 1u) << "in code neither";
}

TEST_F(Handouts, MaySayNumbersThatAreNamesOrHaveASource) {
  EXPECT_THAT(
      mistakes("1. The `step3` of hw6 on an H200, in 2D, with `float4`. `TODO(1)` is below.\n").size(), 1u)
      << "only that TODO(1) stands under no heading";
  EXPECT_THAT(mistakes("{{hardware.lanes}} threads, {{{gpu.x2.step1.pass}}}\n"), IsEmpty());
  EXPECT_THAT(mistakes("```\nfor (int k = 0; k < n; ++k) sum += 1;\n```\nand `a[0]`.\n"), IsEmpty());
  EXPECT_THAT(mistakes("The result is 0.\n").size(), 1u) << "0 is free in code alone";
}

TEST_F(Handouts, CoverExactlyTheTodosOfTheStarter) {
  EXPECT_THAT(mistakes(""), IsEmpty());
  facts_.starters["step2"] = "// TODO(1)\n// TODO(2)\n";
  EXPECT_THAT(mistakes(""), ElementsAre("handouts/hw6.md:7: TODO(2) of step2.cu is not mentioned here"));
  facts_.starters["step2"] = "";
  EXPECT_THAT(mistakes(""), ElementsAre("handouts/hw6.md:8: step2.cu of the starter has no TODO(1)"));
  facts_.starters["step2"] = "// TODO(1)\n";
  EXPECT_THAT(mistakes("`TODO(1)` of what?\n"),
              ElementsAre("handouts/hw6.md:4: TODO(1) is under no heading that names a file of the starter"));
}

TEST_F(Handouts, HaveAHeadingForTheFileOfEveryStep) {
  course::Handout h = handout("");
  h.body = h.body.substr(0, h.body.find("### {{"));
  EXPECT_THAT(mistakes_in(h, facts_),
              ElementsAre("handouts/hw6.md:4: no heading names step3.cu; its requirements belong under one"));
}

TEST_F(Handouts, AreRefusedWithAPlaceholderThatNothingFills) {
  EXPECT_EQ(error(handout("Fine.\n{{step.step7.title}}\n")),
            "handouts/hw6.md:5: unknown placeholder 'step.step7.title' (docs/handouts.md lists all)");
  EXPECT_THAT(error(handout("{{#steps}}\n")), HasSubstr("handouts/hw6.md:4: "));
}

TEST_F(Handouts, ShowEveryPictureAndMistakeOfTheirHead) {
  course::Handout h = handout("");
  h.figures.resize(1);
  h.figures[0].name = "rows", h.figures[0].line = 2;
  h.mistakes.resize(1);
  h.mistakes[0].name = "edge", h.mistakes[0].line = 3;
  EXPECT_EQ(error(h),
            "handouts/hw6.md:2: figure 'rows' is not shown: {{{figure.rows}}}\n"
            "handouts/hw6.md:3: mistake 'edge' is not mentioned");
}

/// A recording of one event.
TourShown one_event() {
  simt::Recording r;
  r.kernel = "k";
  r.lines.push_back({"k.cu", 1});
  r.paths.emplace_back();
  r.warps.push_back({{0, 0, 0}, 0, 32, true, 0});
  r.events.emplace_back();
  r.events[0].mask = 1;
  return {"k.cu", "int <b>;\n", explain::play(std::move(r), {}, {}, "")};
}

TEST_F(Handouts, BringTheScriptOfTheirRecordingsAndAllowNoOther) {
  course::Handout h = handout("{{{recording.rows}}}\n");
  h.recordings.resize(1);
  h.recordings[0].name = "rows";
  facts_.recordings.emplace("rows", one_event());
  const std::string text = expand_handout(h, facts_);
  EXPECT_THAT(text, HasSubstr("data-player=\"rows\""));
  EXPECT_THAT(text, HasSubstr("&lt;b&gt;;"));
  EXPECT_THAT(text, HasSubstr("\nscript: \"; script-src 'sha256-"));
  EXPECT_THAT(text, HasSubstr("\"marked\":0")) << "without a finding, it begins at the start";
  EXPECT_THAT(expanded(""), Not(HasSubstr("script")));
  h.recordings[0].name = "other";
  EXPECT_THAT(error(h), HasSubstr("recording 'other' is not shown: {{{recording.other}}}"));
}

TEST_F(Handouts, TakeFiguresFromTheCourseTheStarterAndTheSimulator) {
  judge::Counted counted;
  counted.counts.global_load = {10, 65, 320, 320, 10};
  facts_.counted["step1"] = counted;
  const std::string text = expanded(
      "{{step.step1.points}} points, tiles of {{starter.step2.BM}} × {{starter.step2.BN}}, "
      "{{counted.step1.load_sectors_over_ideal}} times the sectors\n");
  EXPECT_THAT(text, HasSubstr("\n20 points, tiles of 128 × 64, 6.5 times the sectors\n"));
  EXPECT_THAT(text, HasSubstr("title: \"Optimizing a matrix product step by step\"\n"));
}

TEST_F(Handouts, TakeSpeedsFromWhatWasMeasured) {
  facts_.measured = read_measured(
      R"({"schema": "warpgrade.bench/1", "assignment": "hw6", "device": {"kind": "gpu", "name": "NVIDIA H200"}, "points": [
           {"step": "step1", "m": 64, "n": 64, "k": 64, "gflops": 500, "milliseconds": {"median": 2.0}, "cublas_gflops": 2000},
           {"step": "step2", "m": 64, "n": 64, "k": 64, "gflops": 6800, "milliseconds": {"median": 0.1}}]})",
      sample_.assignment);
  EXPECT_THAT(expanded("{{measured.size}}: {{measured.step2.gflops}} is {{measured.step2.over.step1}} times "
                       "{{measured.step1.gflops}}, which is {{measured.step1.of_cublas}}\n"),
              HasSubstr("64: 6800 is 14 times 500, which is 25 %"));
  EXPECT_EQ(error(handout("{{measured.step3.gflops}}\n")).rfind("handouts/hw6.md:4: unknown placeholder", 0),
            0u);
}

TEST_F(Handouts, HaveARowForEverySizeThatOthersReport) {
  facts_.compared = read_measured(
      R"({"schema": "warpgrade.bench/1", "assignment": "hw6", "device": {"kind": "gpu", "name": "Tesla T4"}, "points": [
           {"step": "step1", "m": 64, "n": 64, "k": 64, "gflops": 500, "milliseconds": {"median": 2.0}},
           {"step": "step2", "m": 64, "n": 64, "k": 64, "gflops": 6800, "milliseconds": {"median": 0.1}},
           {"step": "step2", "m": 128, "n": 128, "k": 128, "gflops": 7000, "milliseconds": {"median": 0.1}}]})",
      sample_.assignment);
  EXPECT_THAT(
      expanded("{{#compared.rows}}\n{{size}}: {{step1.gflops}} {{step2.gflops}} {{step2.over.step1}}\n"
               "{{/compared.rows}}\n"),
      HasSubstr("64: 500 6800 14\n128: – 7000 –\n"));
}

TEST_F(Handouts, CoverTheTodosOfHeadersAndTakeTheirConstants) {
  facts_.headers["options.h"] = "constexpr int BX = 8;\n// TODO(1): choose\n";
  EXPECT_THAT(
      mistakes(""),
      ElementsAre("handouts/hw6.md:4: no heading names options.h; its requirements belong under one"));
  EXPECT_THAT(mistakes("## `options.h`\n`TODO(1)`: choose\n"), IsEmpty());
  EXPECT_THAT(mistakes("## `options.h`\n`TODO(2)`: choose\n"), SizeIs(2));
  EXPECT_THAT(expanded("## `options.h`\n`TODO(1)`: not {{starter.options.BX}}\n"), HasSubstr("not 8"));
}

TEST_F(Handouts, DoNotRevealTheSizesOfHiddenCases) {
  auto &cases = sample_.assignment.steps[0].cases;
  cases = {{"", {{31, 31, 31}, {1, 0}}, course::Visibility::open, false},
           {"", {{61, 61, 61}, {1, 0}}, course::Visibility::hidden, false},
           {"", {{511, 511, 511}, {1, 0}}, course::Visibility::open, true}};
  EXPECT_THAT(expanded("[{{step.step1.sizes}}] [{{step.step1.gpu_sizes}}]\n"), HasSubstr("[31] [511]"));
}

TEST_F(Handouts, EscapeWordsOfTheGrader) {
  facts_.mistakes = {{"edge", "step1", "step1.cu", "race", "", "A[0] *or* <b>B</b> | `C`", 7, {}}};
  EXPECT_THAT(expanded("{{mistake.edge.says}}\n"), HasSubstr(R"(A\[0\] \*or\* \<b\>B\</b\> \| \`C\`)"));
}

TEST(MeasuredFile, IsWhatABenchOnAGpuWrote) {
  const Sample sample;
  const auto error = [&](const std::string &text) -> std::string {
    try {
      read_measured(text, sample.assignment);
    } catch (const std::runtime_error &e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_THAT(error(R"({"schema": "warpgrade.score/1"})"), HasSubstr("not warpgrade.bench/1"));
  EXPECT_EQ(
      error(
          R"({"schema": "warpgrade.bench/1", "assignment": "hw6", "device": {"kind": "sim"}, "points": []})"),
      "it was not measured on a GPU");
  EXPECT_THAT(error("{"), HasSubstr("parse error"));
}

TEST(Picture, RejectsWordsOverWordsOrOutsideIt) {
  Svg svg("roof", 200, 50);
  svg.text(10, 20, "first words");
  EXPECT_TRUE(svg.has_room(10, 40, "others", {}));
  EXPECT_FALSE(svg.has_room(40, 22, "others", {}));
  EXPECT_FALSE(svg.has_room(190, 40, "others", {})) << "they leave it at the right";
  EXPECT_THAT(svg.finish("A title", "What it shows"),
              HasSubstr("aria-labelledby=\"figure-roof-title figure-roof-text\""));
  EXPECT_THROW(svg.text(10, 40, "small", {.size = 7.5}), std::logic_error);
  svg.text(40, 22, "others");
  EXPECT_THROW(svg.finish("A title", "What it shows"), std::logic_error);
}

/// A warp of one block that loads element (lane, 0) of A and stores (0, lane) of C, both of 8 columns.
TracedCall down_and_along(const course::Figure &figure) {
  TracedCall call{figure, "Naive", "m=n=k=8", {{"A", {8, 8, 8}}, {"C", {8, 8, 8}}}, {}};
  simt::TracedRequest load, store;
  load.buffer = "A", store.buffer = "C";
  store.store = true;
  load.bytes = store.bytes = 4;
  load.mask = store.mask = 0xFF;
  load.ideal = 1;
  load.offsets.fill(-1), store.offsets.fill(-1);
  for (std::size_t lane = 0; lane < 8; ++lane) {
    load.offsets[lane] = static_cast<std::int64_t>(lane) * 32;
    store.offsets[lane] = static_cast<std::int64_t>(lane) * 4;
  }
  call.trace = {load, store};
  return call;
}

TEST(Picture, OfThreadsShowsWhereTheirFirstLoadsLie) {
  course::Figure figure;
  figure.name = "naive", figure.step = "step0", figure.lanes = {0, 1, 2};
  const Drawing d = draw(down_and_along(figure));
  EXPECT_EQ(d.facts.at("sectors_of_A"), "3");
  EXPECT_EQ(d.facts.count("sectors_of_C"), 0u) << "C is not loaded";
  EXPECT_THAT(d.svg, HasSubstr("A[2][0]: lane 2"));
  EXPECT_THAT(d.svg, HasSubstr("Lane 1 stores 1 element of C, from row 0, column 1"));
}

TEST(Picture, OfSectorsCountsWhatTravels) {
  course::Figure figure;
  figure.kind = course::Figure::Kind::sectors, figure.step = "step0", figure.buffer = "A";
  const Drawing d = draw(down_and_along(figure));
  EXPECT_EQ(d.facts.at("sectors"), "8");
  EXPECT_EQ(d.facts.at("bytes"), "256");
  EXPECT_EQ(d.facts.at("asked"), "32");
  figure.buffer = "B";
  EXPECT_THROW(draw(down_and_along(figure)), std::runtime_error);
}

/// A warp that loads four matrices whose rows are `apart` bytes apart.
TracedCall of_matrices(const course::Figure &figure, std::int64_t apart) {
  TracedCall call{figure, "Swizzle", "m=n=k=8", {}, {}};
  simt::TracedRequest r;
  r.space = ptx::Space::shared;
  r.mask = 0xffffffff;
  r.bytes = 16;
  r.cost = 16, r.ideal = 4;
  for (std::size_t lane = 0; lane < 32; ++lane)
    r.offsets[lane] = 256 + static_cast<std::int64_t>(lane) * apart;
  call.trace = {r};
  return call;
}

TEST(Banks, ShowTheRowOfEachLaneOverTheBanksThatHoldIt) {
  course::Figure figure;
  figure.name = "f";
  figure.kind = course::Figure::Kind::banks;
  figure.step = "step3";
  const Drawing d = draw(of_matrices(figure, 64));
  EXPECT_EQ(d.facts.at("wavefronts"), "16");
  EXPECT_EQ(d.facts.at("ideal"), "4");
  EXPECT_THAT(d.svg, HasSubstr("byte 256"));
  EXPECT_THAT(d.svg, HasSubstr("lane 31, wavefront 16"));
  figure.warp = 1;
  EXPECT_THROW(draw(of_matrices(figure, 64)), std::runtime_error);
}

/// A warp whose lanes access four bytes each, `apart` bytes apart.
TracedCall of_words(const course::Figure &figure, std::int64_t apart, std::uint32_t wavefronts) {
  TracedCall call{figure, "Tile", "rows=32 columns=32", {}, {}};
  simt::TracedRequest r;
  r.space = ptx::Space::shared;
  r.mask = 0xffffffff;
  r.bytes = 4;
  r.cost = wavefronts, r.ideal = 1;
  for (std::size_t lane = 0; lane < 32; ++lane) r.offsets[lane] = static_cast<std::int64_t>(lane) * apart;
  call.trace = {r};
  return call;
}

TEST(Banks, ShowAColumnOfWordsInOneBankAndWithPaddingInAllOfThem) {
  course::Figure figure;
  figure.name = "f";
  figure.kind = course::Figure::Kind::banks;
  figure.step = "tile";
  figure.bytes = 4;
  // Rows of 32 floats are 128 bytes apart: each word of a column is in a line of its own, in bank 0.
  const Drawing column = draw(of_words(figure, 128, 32));
  EXPECT_EQ(column.facts.at("wavefronts"), "32");
  EXPECT_EQ(column.facts.at("ideal"), "1");
  EXPECT_THAT(column.svg, HasSubstr("tile: one load of a warp, 4 bytes a lane"));
  EXPECT_THAT(column.svg, HasSubstr("byte 3968"));  // 31 * 128
  EXPECT_THAT(column.svg, HasSubstr("lane 31, wavefront 32, in conflict"));
  // With 33 floats a row, lane 31 reads bank 31 and no lane waits.
  const Drawing padded = draw(of_words(figure, 132, 1));
  EXPECT_THAT(padded.svg, HasSubstr("lane 31, wavefront 1"));
  EXPECT_THAT(padded.svg, Not(HasSubstr("in conflict")));
}

TEST(Banks, SayWhichAccessIsMissing) {
  course::Figure figure;
  figure.kind = course::Figure::Kind::banks;
  figure.bytes = 4;
  figure.store = true;
  try {
    draw(of_words(figure, 4, 1));
    FAIL() << "a load is not a store";
  } catch (const std::runtime_error &e) {
    EXPECT_STREQ(e.what(), "warp 0 of block 0 stores no 4 bytes a lane in shared memory");
  }
}

TEST(Fragments, ShowWhichLaneHoldsAnElementAsThePtxManualSays) {
  course::Figure figure;
  figure.name = "f";
  figure.kind = course::Figure::Kind::fragment;
  figure.lanes = {5};
  const Drawing d = draw_fragment(figure);
  EXPECT_EQ(d.facts.at("m") + "x" + d.facts.at("n") + "x" + d.facts.at("k"), "16x8x16");
  for (const char *place :
       {"A, row 1, column 2: lane 5", "A, row 9, column 11: lane 5", "B, row 2, column 1: lane 5",
        "B, row 11, column 1: lane 5", "C and D, row 9, column 3: lane 5, element 3",
        "C and D, row 0, column 0: lane 0"})
    EXPECT_THAT(d.svg, HasSubstr(place));
}

/// How often words occur.
std::size_t count_of(const std::string &text, const std::string &words) {
  std::size_t n = 0;
  for (std::size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) ++n;
  return n;
}

TEST(Fragments, ShowEveryElementOnceWithItsLane) {
  for (const auto &[name, a, b, c] :
       {std::tuple{"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 256u, 128u, 128u},
        {"mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", 512u, 256u, 128u},
        {"wmma.mma.sync.aligned.row.col.m8n32k16.f32.f32", 128u, 512u, 256u},
        {"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", 32u, 32u, 64u},
        {"wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.s4.s32", 256u, 256u, 64u},
        {"mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc", 1024u, 512u, 128u},  // to k = 63
        {"wgmma.mma_async.sync.aligned.m64n8k256.s32.b1.b1.and.popc", 1024u, 0u, 128u},
        {"wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16", 256u, 0u, 256u},
        {"wgmma.mma_async.sync.aligned.m64n256k16.f16.f16.f16", 256u, 0u, 512u}}) {
    const auto fragments = simt::tensor::fragments_of(name);
    ASSERT_TRUE(fragments) << name;
    const std::string svg = draw_fragments("f", name, *fragments, 5);
    EXPECT_EQ(count_of(svg, "<title>A, row"), a) << name;
    EXPECT_EQ(count_of(svg, "<title>B, row"), b) << name;
    EXPECT_EQ(count_of(svg, "<title>C and D, row"), c) << name;
    for (int lane = 0; lane < 32; ++lane)
      EXPECT_THAT(svg, HasSubstr(": lane " + std::to_string(lane) + ", element 0 ")) << name;
    EXPECT_THAT(
        svg,
        HasSubstr(std::string("<title id=\"figure-f-title\">Which lane holds which element of ") + name));
    EXPECT_THAT(svg, HasSubstr("<desc id="));
  }
}

TEST(Devices, ShowWhatEachHoldsAlsoNothing) {
  course::Figure figure;
  figure.name = "f";
  figure.kind = course::Figure::Kind::devices;
  figure.step = "split_k";
  figure.at = {{4, 64, 32, 3}, {}};
  const Drawing d = draw_devices(figure, "A product", *problem::find_problem("split_k"));
  EXPECT_EQ(d.facts.at("devices"), "4");
  for (const char *said : {"A[0]: nothing", "<title>A[1]: 64 × 1</title>", "<title>B[3]: 1 × 32</title>",
                           "<title>C[2]: 16 × 32</title>", "split_k (A product) at", "device 3"})
    EXPECT_THAT(d.svg, HasSubstr(said));
  figure.at = {{1, 64, 32, 3}, {}};
  EXPECT_THROW(draw_devices(figure, "A product", *problem::find_problem("split_k")), std::runtime_error);
}

TEST(Ring, EndsWithAllSumsOnAllDevices) {
  course::Figure figure;
  figure.name = "f";
  figure.kind = course::Figure::Kind::ring;
  for (const std::size_t devices : {2, 3, 4}) {
    figure.devices = devices;
    const Drawing d = draw_ring(figure);
    EXPECT_EQ(d.facts.at("rounds"), std::to_string(2 * (devices - 1)));
    const std::string last = d.svg.substr(d.svg.find("after round " + std::to_string(2 * devices - 3)));
    EXPECT_EQ(count_of(last, ": the whole sum</title>"), devices * devices) << devices;
    EXPECT_EQ(count_of(d.svg.substr(0, d.svg.find("after round 0")), "the whole sum"), 0u) << devices;
  }
}

TEST(Banks, ShowEveryLaneOfARequestAndItsConflicts) {
  simt::LaneSample s;
  s.space = ptx::Space::shared;
  s.mask = 0xffffffff;
  s.bytes = 4;
  for (const std::int64_t stride : {4, 8, 128}) {
    for (std::size_t lane = 0; lane < 32; ++lane)
      s.offsets[lane] = 1024 + static_cast<std::int64_t>(lane) * stride;
    s.cost = static_cast<std::uint32_t>(stride / 4), s.ideal = 1;
    const std::string svg = draw_request_over_banks("f", "line 3: load", s);
    for (int lane = 0; lane < 32; ++lane)
      EXPECT_THAT(svg, HasSubstr("<title>lane " + std::to_string(lane) + ", wavefront "));
    EXPECT_EQ(count_of(svg, "in conflict"), stride == 4 ? 0u : 32u);
    EXPECT_EQ(count_of(svg, "class=\"frame\""), stride == 4 ? 0u : 32u);
  }
  s.offsets.fill(1024);  // all lanes want one word
  s.bytes = 16, s.cost = s.ideal = 4;
  EXPECT_THAT(draw_request_over_banks("f", std::string(200, 'x'), s), HasSubstr("lanes 24-31, wavefront 4"));
}

TEST(Banks, ShowTheTileOfACopyWithItsSwizzle) {
  simt::LaneSample s;
  s.space = ptx::Space::shared;
  s.across = 8;
  for (std::int64_t i = 0; i < 256; ++i) s.written.push_back(1024 + i / 8 * 128 + (i % 8 ^ i / 8 % 8) * 16);
  const std::string svg = draw_tile_over_banks("f", "line 3: bulk copy", s);
  EXPECT_EQ(count_of(svg, "<title>row "), 128u);  // of the first 16 rows
  EXPECT_THAT(svg, HasSubstr("These are its first 16 rows."));
}

}  // namespace
}  // namespace warpgrade::report
