// What passes between the program's process and `simt run`.
#include "runtime/journal/journal.hpp"

#include "runtime/journal/report.hpp"
#include "tests/cudart/simt_run.hpp"

namespace warpgrade::tests {
namespace {

using namespace cuda;

Finding race() {
  Finding f;
  f.code = "race";
  f.message = "write after read";
  f.kernel = "tile(float*, int)";
  f.here = simt::Side{{1, 2, 3}, {4, 5, 6}, {"tile.cu", 12}};
  f.other = simt::Side{{7, 0, 0}, {4, 5, 6}, {"tile.cu", 9}};
  f.buffer = "As";
  f.hint = "As is shared memory";
  f.count = 96;
  f.launches = 3;
  return f;
}

KernelTotals totals() {
  KernelTotals t;
  t.kernel = "tile(float*, int)";
  t.launches = 3;
  t.threads = 96;
  t.counters.global_load = {4, 16, 512, 512, 16};
  t.counters.shared_store.wavefronts = 9;
  t.counters.local_load = {2, 256};
  t.counters.fp32_fma = 7;
  t.counters.by_class[2] = 5;
  t.counters.barriers = 2;
  t.counters.unique_sectors = {3, 2, 5};
  t.counters.lines[{"tile.cu", 12}].atomic_requests = 8;
  return t;
}

Journal written(const std::string &text) {
  const Folder folder;
  std::ofstream(folder / "journal.1") << text;
  return read_journal(folder / "journal.1");
}

TEST(Journal, RoundTrips) {
  Finding again = race();
  again.count = 192;
  again.launches = 6;
  Journal end;
  end.launches = 3;
  end.timed = end.finished = true;
  const Journal read = written(line_of_start(42) + line_of(0, race()) + line_of_repetition(0, again) +
                               line_of(totals()) + line_of_end(end));
  EXPECT_EQ(read.process, 42);
  ASSERT_EQ(read.findings.size(), 1u);
  EXPECT_EQ(to_text(read.findings[0]), to_text(again));
  EXPECT_EQ(read.findings[0].buffer, "As");
  ASSERT_EQ(read.kernels.size(), 1u);
  EXPECT_EQ(read.kernels[0].counters, totals().counters);
  EXPECT_EQ(read.kernels[0].threads, 96u);
  EXPECT_TRUE(read.timed && read.finished && read.complete);
  EXPECT_EQ(read.launches, 3u);
}

TEST(Journal, KeepsRecordsBeforeATruncatedLine) {
  const std::string whole = line_of_start(42) + line_of(0, race());
  const std::string more = line_of(totals());
  for (std::size_t cut = 0; cut < more.size() - 1; ++cut) {  // a line that lacks only its end is whole
    const Journal read = written(whole + more.substr(0, cut));
    EXPECT_EQ(read.findings.size(), 1u);
    EXPECT_TRUE(read.kernels.empty());
    EXPECT_FALSE(read.complete);
  }
}

TEST(Journal, IsEmptyForInvalidInput) {
  for (const char *text :
       {"", "\n", "{}", "[1,2]", "{\"is\":7}", "{\"is\":\"finding\",\"index\":0}", "\xff\xfe"})
    EXPECT_TRUE(written(text).findings.empty()) << text;
}

TEST(Finding, SaysItsPlaceItsOtherSideAndHowOften) {
  EXPECT_EQ(to_text(race()),
            "tile.cu:12: error: write after read, thread (1,2,3) of block (4,5,6) of tile(float*, int); the "
            "other is thread (7,0,0) of block (4,5,6) at tile.cu:9 (96 times, in 3 launches)\n"
            "  As is shared memory");
}

TEST(Options, SurviveTheEnvironment) {
  cuda::Options o;
  o.folder = "/a \"folder\"";
  o.seed = ~0ull;
  o.threads = 7;
  o.check_races = false;
  o.instruction_budget = 12;
  EXPECT_EQ(options_from(to_json(o)), o);
  EXPECT_EQ(options_from(""), cuda::Options{});
  EXPECT_EQ(options_from("{\"threads\": \"many\"}"), cuda::Options{});
}

TEST(Report, CallsOnlyErrorsErrors) {
  Journal journal;
  EXPECT_FALSE(has_findings({journal}, simt::Severity::error));
  journal.findings = {race()};
  journal.findings[0].severity = simt::Severity::warning;
  EXPECT_FALSE(has_findings({journal}, simt::Severity::error));
  journal.findings[0].severity = simt::Severity::error;
  EXPECT_TRUE(has_findings({journal}, simt::Severity::error));
}

TEST(Report, PutsErrorsFirstAndSaysThatAProgramWasCutOff) {
  Journal journal;
  Finding remark = race(), error = race();
  remark.severity = simt::Severity::info;
  journal.findings = {remark, error};
  const std::string text = report({journal}, false);
  EXPECT_TRUE(text.starts_with("simt: 1 error, 1 remark\n" + to_text(error) + "\n" + to_text(remark) + "\n"));
  EXPECT_CONTAINS(text, "the program did not end by itself");
}

}  // namespace
}  // namespace warpgrade::tests
