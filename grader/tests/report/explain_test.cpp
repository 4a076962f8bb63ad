#include "report/explain.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/explain/requests.hpp"

namespace warpgrade::report {
namespace {

using explain::testing::global_request;
using explain::testing::Launch;
using explain::testing::shared_request;

/// A kernel of three lines whose second one is not coalesced.
struct Explained {
  std::vector<std::string> source = {"int i = threadIdx.x;", "float v = A[i * 256];\x1b[2J", "C[i] = v;"};
  grading::CounterRecord counters;
  explain::Explanation explanation;
  std::vector<score::CounterScore> checks;

  Explained() {
    Launch launch;
    launch.global(global_request(2, "A", 0, 1024), 8, 32, 4)
        .global(global_request(3, "C", 0, 4, true), 8, 4, 4);
    launch.work(2, 8, 32, 256).unique(256);
    counters.counts = launch.counters;
    counters.samples = launch.samples;
    counters.outputs_per_thread = 1;
    counters.on = {{256, 256, 256}, {1, 0}};
    explanation = launch.explain();
    checks = {{{course::Measure::sectors_per_load, false, 4, 2}, 32, false, "", "k.cu", 2}};
  }
  ExplainView view() const {
    return {"hw6 step1 (Coalesced) at m=n=k=256",
            "k.cu",
            source,
            counters,
            explanation,
            checks,
            "./grade explain step1"};
  }
};

TEST(ExplainReport, ShowsTheSourceWithItsFiguresThenTheWorstLinesWithAdvice) {
  const Explained e;
  // 8 loads of 32 sectors and 8 stores of 4: 288 sectors, 256 of them (89 %) on line 2, which needs 32.
  // 512 flops for 2048 bytes requested.
  EXPECT_EQ(explain_to_terminal(e.view(), {}),
            R"(hw6 step1 (Coalesced) at m=n=k=256
Counted on the simulator: the same figures on every machine, and no times.
0.25 fp32 flops for each byte requested from global memory; 0.0625 if every byte
moved once (2 KiB requested, 8 KiB compulsory).

         sectors   wavefr.  each: per request of a warp / at best
share     global    shared line | k.cu
                              1 | int i = threadIdx.x;
  89%       32/4              2 | float v = A[i * 256];\x1b[2J
  11%        4/4              3 | C[i] = v;

[ ] sectors per global load: 32, at most 4; most of it at line 2 (0/2 points)

1. k.cu:2, 89% of the traffic; 78% of all traffic is wasted here
   load of A, 4 bytes a lane: 8 requests of 32 sectors, at best 4; 4 of the 32
   bytes of a sector used
   Not coalesced: neighbouring lanes load from A 1024 bytes apart, so a request
   touches 32 sectors where 4 would do. Let threadIdx.x run along the rows of
   the result, so that neighbouring lanes load neighbours or all the same
   element; if another order is needed, use corner turning through shared
   memory. Checklist: coalescing (./grade explain --checklist).

The lanes of a line: ./grade explain step1 --line 2
)");
}

/// The kernel with products on tensor cores at line 3, 4096 operations each.
struct WithProducts : Explained {
  WithProducts() {
    simt::Counters &c = counters.counts;
    c.products[{{"k.cu", 3}, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", false}] = {2, 8192};
    c.lines[{"k.cu", 3}].tensor_flops = c.tensor_flops = 8192;
    c.lines[{"k.cu", 3}].tensor_products = c.tensor_products = 2;
    c.bulk_loaded = 4096;
    explanation = explain::explain(c, counters.samples, 1);
  }
};

TEST(ExplainReport, SaysWhatTensorCoresDo) {
  const WithProducts e;
  const std::string text = explain_to_terminal(e.view(), {});
  for (const char *words :
       {"1.42 flops for each byte", "Tensor cores: all of their operations are 2 products by\n",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32.\nTheir operations: 16 for each fp32 flop.",
        "Bulk copies load 4 KiB and store 0 KiB."})
    EXPECT_NE(text.find(words), std::string::npos) << words << " is not in\n" << text;
}

/// A terminal breaks lines anywhere.
std::string in_one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

TEST(ExplainReport, SaysHowManyFragmentsAreLoadedForEachProduct) {
  WithProducts e;
  // A has 16 x 16 halves and B 16 x 8: two products take 1536 bytes in four fragments.
  e.counters.counts.shared_load.bytes = 768;
  EXPECT_EQ(fragments_per_product(e.explanation, e.counters.counts).value_or(0), 1.0);
  const std::string text = in_one_line(explain_to_terminal(e.view(), {}));
  EXPECT_NE(text.find("Fragments: as many bytes are loaded as 1 fragments of factors for each product"),
            std::string::npos)
      << text;
  EXPECT_FALSE(fragments_per_product(Explained().explanation, e.counters.counts).has_value());
}

TEST(ExplainReport, SaysTheLeastTimeAtThePeakOfAGpuByType) {
  const WithProducts e;
  ExplainView view = e.view();
  course::Gpu gpu;
  gpu.name = "NVIDIA X";
  gpu.tensor = {{"f16", 100}};
  course::Gpu other;
  other.name = "NVIDIA Y";
  view.gpus = {gpu, other};
  const std::string text = in_one_line(explain_to_terminal(view, {}));
  // 8192 operations at 10^11 a second
  for (const char *words : {"NVIDIA X: products of f16 take at least 0.0819 us, at its peak of 100 GFLOPS.",
                            "NVIDIA Y: no peak is known for products of f16."})
    EXPECT_NE(text.find(words), std::string::npos) << words << " is not in\n" << text;
}

TEST(ExplainReport, ShowsTheLaneOfEachElementOfALinesProduct) {
  const std::string text = line_to_terminal(WithProducts().view(), 3, {});
  EXPECT_NE(text.find("line 3: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32: the lane that holds each"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("    C and D (16 x 8)\n      row  0   0  0  1  1  2  2  3  3\n"), std::string::npos)
      << text;
  EXPECT_EQ(line_to_terminal(WithProducts().view(), 2, {}).find("the lane that holds"), std::string::npos);
}

TEST(ExplainReport, DrawsEverySectorOfALine) {
  const std::string text = line_to_terminal(Explained().view(), 3, {});
  EXPECT_NE(text.find(R"(      bytes into   lanes at the eight words of each sector
      C        0    0  1  2  3  4  5  6  7
              32    8  9 10 11 12 13 14 15
              64   16 17 18 19 20 21 22 23
              96   24 25 26 27 28 29 30 31
)"),
            std::string::npos)
      << text;
}

TEST(ExplainReport, IsEmptyForOtherLines) {
  EXPECT_EQ(line_to_terminal(Explained().view(), 1, {}), "");
}

explain::Access access(const simt::LaneSample &s) {
  explain::Access a;
  a.key = {s.at, s.space, s.store, s.bytes, s.buffer};
  a.sample = s;
  return a;
}

TEST(LanesText, ShowsAConflictAsOneBankWithManyWords) {
  simt::LaneSample s = shared_request(9, "tile", 128);
  s.cost = 32;
  s.ideal = 1;
  const std::string text = lanes_to_text(access(s));
  EXPECT_NE(text.find("bank  0, 32 words: lanes 0 1 2 3 4 5"), std::string::npos) << text;
  EXPECT_EQ(text.find("bank  1"), std::string::npos) << text;
}

TEST(LanesText, ShowsABroadcastAsOneCell) {
  EXPECT_NE(lanes_to_text(access(shared_request(9, "tile", 0))).find(" 0-31 "), std::string::npos);
}

std::size_t occurrences(const std::string &text, const std::string &word) {
  std::size_t n = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
  return n;
}

TEST(LanesSvg, HasACellForEachWordOfEachSector) {
  const std::string svg = lanes_to_svg(access(global_request(1, "A", 0, 1024)));
  EXPECT_EQ(occurrences(svg, "<rect x="), 32u * 8);
  EXPECT_EQ(occurrences(svg, "<title>no lane</title>"), 32u * 7);
}

TEST(LanesSvg, HasARowForEachWavefront) {
  EXPECT_EQ(occurrences(lanes_to_svg(access(shared_request(1, "tile", 8))), "<rect x="), 2u * 32);
}

TEST(LanesSvg, IsLowEnoughForThreePicturesOnAPage) {
  const auto size = [](const std::string &svg, const std::string &name) {
    const std::size_t at = svg.find(" " + name + "=\"") + name.size() + 3;
    return std::stod(svg.substr(at));
  };
  for (const simt::LaneSample &s : {global_request(1, "A", 0, 1024), shared_request(1, "tile", 128)}) {
    const std::string svg = lanes_to_svg(access(s), true);
    // On 17 cm of A4, as wide as the text, it is at most a third of the 25 cm that a page has.
    EXPECT_LT(size(svg, "height") / size(svg, "width") * 17, 25 / 3.0) << svg.substr(0, 200);
    EXPECT_LT(size(svg, "width"), 900) << "else its words are too small on paper";
  }
}

TEST(LanesSvg, OfManyWavefrontsAPageShowsTheFirstAndCountsTheOthers) {
  const std::string svg = lanes_to_svg(access(shared_request(1, "tile", 128)), true);
  EXPECT_NE(svg.find(">wavefront 8<"), std::string::npos);
  EXPECT_EQ(svg.find(">wavefront 9<"), std::string::npos);
  EXPECT_NE(svg.find("and 24 more wavefronts"), std::string::npos);
  EXPECT_NE(lanes_to_svg(access(shared_request(1, "tile", 128))).find(">wavefront 32<"), std::string::npos);
}

TEST(LanesSvg, EscapesNamesFromTheSubmission) {
  const std::string svg = lanes_to_svg(access(global_request(1, "A<script>&", 0, 4)));
  EXPECT_EQ(svg.find("<script>"), std::string::npos);
  EXPECT_NE(svg.find("A&lt;script&gt;&amp;"), std::string::npos) << svg;
}

TEST(ExplainJson, HoldsLinesWorstFirstWithAdviceAndLanes) {
  const Explained e;
  course::Assignment a;
  a.name = "hw6";
  a.steps.emplace_back().id = "step1";
  a.steps.back().problem = problem::find_problem("sgemm");
  const auto j = nlohmann::json::parse(explain_to_json(e.view(), a, "step1"));
  EXPECT_EQ(j["schema"], "warpgrade.explain/1");
  const auto &c = j["counters"];
  EXPECT_EQ(c["m"], 256);
  EXPECT_EQ(c["requested_bytes"], 2048);
  EXPECT_EQ(c["compulsory_bytes"], 8192);
  EXPECT_EQ(c["checks"][0]["measure"], "sectors_per_load");
  EXPECT_EQ(c["checks"][0]["costliest"]["line"], 2);
  EXPECT_EQ(c["lines"][0]["line"], 2);
  EXPECT_EQ(c["lines"][0]["advice"][0]["pattern"], "coalescing");
  EXPECT_EQ(c["lines"][0]["accesses"][0]["buffer"], "A");
  EXPECT_EQ(c["lines"][0]["accesses"][0]["used_bytes_per_sector"], 4.0);
  EXPECT_EQ(c["lines"][0]["accesses"][0]["lanes"]["offsets"][31], 31 * 1024);
}

}  // namespace
}  // namespace warpgrade::report
