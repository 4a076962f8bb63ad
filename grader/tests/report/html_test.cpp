#include "report/html.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "report/text.hpp"
#include "tests/report/alike_sample.hpp"
#include "tests/report/gpu_sample.hpp"
#include "tests/report/sample.hpp"

namespace warpgrade::report {
namespace {

/// The page without what it brings along itself: its style and its scripts.
std::string body_of(const std::string &page) {
  const std::size_t begin = page.find("<body>");
  const std::size_t end = page.find("<script>", begin);
  return page.substr(begin, end - begin);
}

std::string gpu_page() {
  const GpuSample s;
  return to_html(s.report(), {s.sources, s.bench, Roof{"Example GPU", 66900, 4800, true}});
}

nlohmann::json data_of(const std::string &page) {
  const std::string mark = "id=\"data\">";
  const std::size_t begin = page.find(mark) + mark.size();
  return nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

TEST(Html, AllowsItsOwnScriptsByHashAndNothingElse) {
  const std::string page = gpu_page();
  const std::regex policy(
      "Content-Security-Policy\" content=\"default-src &apos;none&apos;; script-src( "
      "&apos;sha256-[A-Za-z0-9+/]{43}=&apos;){3}; "
      "style-src &apos;sha256-[A-Za-z0-9+/]{43}=&apos;; base-uri &apos;none&apos;; form-action "
      "&apos;none&apos;\"");
  EXPECT_TRUE(std::regex_search(page.substr(0, 1200), policy)) << page.substr(0, 600);
  EXPECT_LT(page.find("Content-Security-Policy"), page.find("<title>"))
      << "before anything that comes from outside";
}

TEST(Html, NamesNoPlaceOutside) {
  std::string body = body_of(gpu_page());
  const std::string name_space = "xmlns=\"http://www.w3.org/2000/svg\"";  // a name, not an address
  for (std::size_t at; (at = body.find(name_space)) != std::string::npos;) body.erase(at, name_space.size());
  for (const char *const text :
       {"http:", "https:", "src=", "@import", "url(", "style=\"", "onclick", "onload"})
    EXPECT_EQ(body.find(text), std::string::npos) << text;
}

TEST(Html, ShowsEveryStepWithVerdictPointsPlaceAndReason) {
  const std::string body = body_of(gpu_page());
  for (const char *const text :
       {"63.8<small> of 100 points", "wrong_answer, 0/30", "step4.cu:12", "672 times",
        "is a __syncthreads() missing?", "Not coalesced: neighbouring lanes load from A 1024 bytes apart",
        "C[0, 32] is 0, should be 0.999025",
        "./grade step2 --submission homework --case &quot;m=n=k=33&quot; --seed 42", "step1 at 2304"})
    EXPECT_NE(body.find(text), std::string::npos) << text;
}

TEST(Html, MarkupInASubmissionIsText) {
  GpuSample s;
  const std::string markup =
      "</script><script>alert(1)</script><img src=x onerror=alert(1)>{{points}}{{{style}}}";
  s.record.submission = s.record.steps[0].printed = s.record.steps[0].build.log = markup;
  s.record.steps[4].findings[0].file = s.record.steps[4].findings[0].message = markup;
  s.record.steps[2].cases[2].reason = s.record.steps[2].cases[2].printed = markup;
  s.record.steps[0].counters->samples[0].buffer = markup;
  s.record.device.name = markup;
  s.sources["step0"] = markup + "\n<b>";
  const std::string page = to_html(s.report(), {s.sources, s.bench, Roof{markup, 66900, 4800, true}});
  const std::string body = body_of(page);
  EXPECT_EQ(body.find("<img"), std::string::npos);
  EXPECT_EQ(body.find("alert(1)</script>"), std::string::npos);
  EXPECT_EQ(body.find("<b>"), std::string::npos);
  EXPECT_NE(body.find("{{points}}"), std::string::npos) << "a template in a submission is not filled in";
  std::size_t scripts = 0;
  for (std::size_t at = 0; (at = page.find("<script", at)) != std::string::npos; ++at) ++scripts;
  EXPECT_EQ(scripts, 4u) << "the data, the chart library, what charts share, and this page's own";
}

TEST(Html, ControlAndBidiCharactersAreVisible) {
  GpuSample s;
  s.sources["step0"] = "int a; \x1b[2J // \xe2\x80\xae reversed \xff";
  const std::string body = body_of(to_html(s.report(), {s.sources, {}, {}}));
  EXPECT_NE(body.find("; \\x1b["), std::string::npos);
  EXPECT_NE(body.find("// \\u202e reversed \\xff</span>"), std::string::npos);
}

TEST(Html, HiddenCasesShowOnlyTheirVerdict) {
  Sample s;
  const std::string hidden = "61 of 3721";
  s.record.steps[1].cases[2].comparison->map = {61, 61, 1, 1, {61}};
  s.record.steps[1].cases[2].printed = "m is 61";
  std::string body = body_of(to_html(s.report(), {}));
  for (const char *const text : {"61 of 3721", "m=n=k=61", "m is 61", "61 x 61"})
    EXPECT_EQ(body.find(text), std::string::npos) << text;
  EXPECT_NE(body.find("hidden case 1"), std::string::npos);
  const Report instructors{s.assignment, s.thresholds, s.record, s.score, "./grade {step}", true};
  body = body_of(to_html(instructors, {}));
  EXPECT_NE(body.find("61 of 3721"), std::string::npos);
}

TEST(Html, DataThatScriptsDrawAreTheRecordsFigures) {
  const auto data = data_of(gpu_page());
  ASSERT_EQ(data["ladder"].size(), 3u) << "two timed steps and cuBLAS";
  EXPECT_NEAR(data["ladder"][0]["gflops"].get<double>(), 6900, 1);
  EXPECT_EQ(data["ladder"][0]["full"], 8000);
  EXPECT_EQ(data["roofline"]["points"].size(), 3u);
  EXPECT_NEAR(data["roofline"]["points"][1]["compulsory"].get<double>(), 2048.0 / 6, 1)
      << "n / 6 flops a byte";
  EXPECT_EQ(data["sizes"][0]["points"].size(), 16u);
}

TEST(Html, APageWithoutAnythingMeasuredSaysNothingOfSpeed) {
  const std::string page = to_html(Sample().report(), {});
  EXPECT_TRUE(data_of(page)["ladder"].is_null());
  EXPECT_EQ(body_of(page).find("<canvas"), std::string::npos);
}

/// The text of a row of the table on top.
std::string next_in(const std::string &body, const std::string &step) {
  const std::string mark = "data-label=\"What to do next\">";
  const std::size_t begin = body.find(mark, body.find("<th scope=\"row\"><a href=\"#" + step)) + mark.size();
  return body.substr(begin, body.find("</td>", begin) - begin);
}

TEST(Html, WhatToDoNextIsWholeSentences) {
  GpuSample s;
  const std::string first =
      "reads 4 bytes, 8 bytes past the end of A (4356 bytes. They are those of m=n=k=33), while it copies "
      "the "
      "last tile of the stride to shared memory.";
  const std::string second = " Guard the loads at the edges of A and of B, and put zeros there.";
  s.record.steps[4].findings[0].message = first + second;
  EXPECT_EQ(next_in(body_of(to_html(s.report(), {})), "step4"), "step4.cu:12: " + first + second);
  s.record.steps[4].findings[0].message =
      first + second + " This third one does not fit into the table any more, since it goes on and on: " +
      std::string(200, 'x') + ".";
  EXPECT_EQ(next_in(body_of(to_html(s.report(), {})), "step4"), "step4.cu:12: " + first + second);
  const std::string long_one = "one sentence of " + std::string(500, 'x') + " letters. Another one.";
  s.record.steps[4].findings[0].message = long_one;
  EXPECT_EQ(next_in(body_of(to_html(s.report(), {})), "step4"),
            "step4.cu:12: " + long_one.substr(0, long_one.find(" Another")))
      << "the first one is kept, however long";
}

std::size_t occurrences(const std::string &text, const std::string &word) {
  std::size_t n = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
  return n;
}

TEST(Html, FailuresThatAreAlikeAreOneRow) {
  AlikeSample s;
  s.record.steps[2].cases[4].reason = "wrong in another way";
  const std::string body = body_of(to_html(s.report(), {}));
  const std::size_t begin = body.find("id=\"step2-cases\""), folded = body.find("<details>", begin);
  const std::string failed = body.substr(begin, folded - begin);
  EXPECT_EQ(occurrences(failed, "<tr class=\"bad\">"), 2u) << failed;
  EXPECT_NE(failed.find("m=n=k=2 <span class=\"faint\">and 9 more</span>"), std::string::npos) << failed;
  EXPECT_NE(failed.find("Fails the same way: m=n=k=3, m=n=k=31, m=n=k=32, m=n=k=63"), std::string::npos)
      << failed;
  const std::string all = body.substr(folded, body.find("</details>", folded) - folded);
  EXPECT_EQ(occurrences(all, "<tr "), 12u) << "each case is still there";
}

TEST(Html, HiddenCasesAreNotGroupedWithOpenOnes) {
  AlikeSample s;
  s.record.steps[2].cases[1].visibility = course::Visibility::hidden;
  s.record.steps[2].cases[2].visibility = course::Visibility::hidden;
  const std::string body = body_of(to_html(s.report(), {}));
  EXPECT_NE(body.find("hidden case 1 <span class=\"faint\">and 1 more</span>"), std::string::npos);
  EXPECT_NE(body.find("Fails the same way: hidden case 2"), std::string::npos);
}

TEST(Html, ListsItsPartsAndEveryLinkHasItsPlace) {
  for (const std::string &page :
       {gpu_page(), to_html(AlikeSample().report(), {}), to_html(Sample().report(), {})}) {
    const std::string body = body_of(page);
    const std::size_t begin = body.find("<nav class=\"contents\"");
    ASSERT_NE(begin, std::string::npos);
    const std::string contents = body.substr(begin, body.find("</nav>", begin) - begin);
    const std::regex link("href=\"#([^\"]+)\"");
    std::size_t links = 0;
    for (std::sregex_iterator i(contents.begin(), contents.end(), link), end; i != end; ++i, ++links)
      EXPECT_EQ(occurrences(body, "id=\"" + (*i)[1].str() + "\""), 1u) << (*i)[1];
    EXPECT_GT(links, 5u);
  }
}

TEST(Html, AMapOfAFewElementsHasFieldsLargerThanItsWords) {
  const std::string body = body_of(to_html(AlikeSample().report(), {}));
  const std::regex small(
      "<svg viewBox=\"0 0 (\\d+) (\\d+)\" width=\"\\1\" height=\"\\2\"[^>]*font-size=\"(\\d+)\"[\\s\\S]*?"
      "<rect x=\"\\d+\" y=\"\\d+\" width=\"(\\d+)\" height=\"(\\d+)\" class=\"h4\">");
  std::smatch found;
  const std::size_t begin = body.find("id=\"step2-map\"");
  ASSERT_NE(begin, std::string::npos);
  const std::string maps = body.substr(begin, body.find("</svg>", begin) - begin);
  ASSERT_TRUE(std::regex_search(maps, found, small));
  EXPECT_GE(std::stoi(found[4]), 2 * std::stoi(found[3]));
  EXPECT_GE(std::stoi(found[5]), 2 * std::stoi(found[3]));
}

TEST(Html, ColoursTheSourceAndKeepsItsText) {
  GpuSample s;
  s.sources["step0"] = "#include <a.h>\n__global__ void f() { return 1.5f; }  // \"<b>\"\n";
  const std::string body = body_of(to_html(s.report(), {s.sources, {}, {}}));
  EXPECT_NE(body.find("<td class=\"code\"><span class=\"td\">#include</span> <span "
                      "class=\"ts\">&lt;a.h&gt;</span></td>"),
            std::string::npos);
  EXPECT_NE(body.find("<span class=\"tg\">__global__</span> <span class=\"tk\">void</span> f() { <span "
                      "class=\"tk\">return</span> <span class=\"tn\">1.5f</span>; }  <span class=\"tc\">// "
                      "&quot;&lt;b&gt;&quot;</span></td>"),
            std::string::npos);
}

TEST(Dips, AreSlowerThanBothNeighboursByATenth) {
  EXPECT_EQ(dips({100, 89, 100}), (std::vector<bool>{false, true, false}));
  EXPECT_EQ(dips({100, 91, 100}), (std::vector<bool>{false, false, false}));
  EXPECT_EQ(dips({50, 80, 100}), (std::vector<bool>{false, false, false})) << "growth is not a dip";
  EXPECT_TRUE(dips({}).empty());
}

}  // namespace
}  // namespace warpgrade::report
