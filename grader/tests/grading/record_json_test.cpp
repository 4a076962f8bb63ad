// Records round-trip through JSON.
#include "grading/record_json.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "grading/record_fields.hpp"

namespace warpgrade::tests {
namespace {

/// Gives every field a value of its own that is not its default. Types are few, so that a new field is filled
/// in without a word here.
class Filler {
 public:
  template <class T>
  void operator()(const char *, T &value, const T &) const {
    fill(value);
  }

  template <class T>
  void fill(T &value) const {
    ++next_;
    if constexpr (std::same_as<T, bool>)
      value = !value;
    else if constexpr (std::is_enum_v<T>)
      value = static_cast<T>(value == static_cast<T>(1) ? 0 : 1);
    else if constexpr (std::is_arithmetic_v<T>)
      value = static_cast<T>(next_ + (std::is_floating_point_v<T> ? 0.1 : 0));
    else if constexpr (std::same_as<T, std::string>)
      value = "text " + std::to_string(next_);
    else if constexpr (HasFields<T>)
      each_field(value, T{}, *this);
    else
      fill_many(value);
  }

 private:
  template <class T>
  void fill_many(std::optional<T> &value) const {
    fill(value.emplace());
  }
  template <class T>
  void fill_many(std::vector<T> &values) const {
    for (int i = 0; i < 2; ++i) fill(values.emplace_back());
  }
  template <class T, std::size_t n>
  void fill_many(std::array<T, n> &values) const {
    for (T &value : values) fill(value);
  }
  template <class K, class V>
  void fill_many(std::map<K, V> &entries) const {
    for (int i = 0; i < 2; ++i) {
      K key{};
      fill(key);
      fill(entries[key]);
    }
  }
  mutable std::uint64_t next_ = 0;
};

/// Paths of fields that hold their default.
template <class T>
void find_defaults(const T &record, const std::string &path, std::vector<std::string> &found) {
  each_field(record, T{}, [&]<class V>(const char *name, const V &value, const V &fresh) {
    if (json::identical(value, fresh)) found.push_back(path + "." + name);
    if constexpr (HasFields<V>) find_defaults(value, path + "." + name, found);
  });
}

grading::SubmissionRecord filled() {
  grading::SubmissionRecord record;
  Filler().fill(record);
  return record;
}

TEST(RecordJson, EveryFieldRoundTrips) {
  const grading::SubmissionRecord record = filled();
  std::vector<std::string> defaults;
  find_defaults(record, "submission", defaults);
  find_defaults(record.steps[0], "step", defaults);
  find_defaults(record.steps[0].cases[0], "case", defaults);
  ASSERT_EQ(defaults, std::vector<std::string>());
  const grading::SubmissionRecord read = grading::submission_record_of(grading::to_json(record));
  EXPECT_TRUE(read == record);  // the structures' own comparison, which knows nothing of lists of fields
  EXPECT_TRUE(json::identical(read, record));
  EXPECT_TRUE(grading::step_record_of(grading::to_json(record.steps[1])) == record.steps[1]);
}

TEST(RecordJson, StructuresWithABaseNameAllTheirFields) {
  // The compiler sees to it that lists are complete, but where a structure extends another.
  struct CounterRecordAsListed : judge::Counted {
    problem::Case on;
    std::vector<simt::LaneSample> samples;
    bool shared_forbidden;
    std::optional<std::uint64_t> shared_room;
    std::vector<grading::SharedArray> shared_arrays;
  };
  struct CountersAsListed : simt::LineCounters {
    std::map<simt::SourceLine, simt::LineCounters> lines;
    std::map<simt::AccessKey, simt::AccessCounters> accesses;
    std::map<simt::ProductKey, simt::ProductCounters> products;
    simt::UniqueSectors unique_sectors;
    std::uint64_t barriers;
  };
  EXPECT_EQ(sizeof(CounterRecordAsListed), sizeof(grading::CounterRecord));
  EXPECT_EQ(sizeof(CountersAsListed), sizeof(simt::Counters));
}

TEST(RecordJson, AnEmptyRecordIsAnEmptyObjectAndRoundTrips) {
  EXPECT_EQ(grading::to_json(grading::StepRecord{}), "{}");
  EXPECT_TRUE(grading::step_record_of("{}") == grading::StepRecord{});
}

TEST(RecordJson, NonFiniteNumbersAndTheSignOfZeroRoundTrip) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  grading::StepRecord record;
  record.cases.emplace_back().comparison.emplace().first = {{"C[0, 0]", nan, inf}, {"C[0, 1]", -inf, -0.0}};
  record.cases[0].comparison->max_error = -0.0;
  const auto read = grading::step_record_of(grading::to_json(record));
  EXPECT_TRUE(json::identical(read, record)) << grading::to_json(record);
  EXPECT_TRUE(std::isnan(read.cases[0].comparison->first[0].got));
  EXPECT_TRUE(std::signbit(read.cases[0].comparison->first[1].want));
  EXPECT_TRUE(std::signbit(read.cases[0].comparison->max_error));
}

TEST(RecordJson, EveryNumberRoundTripsToTheBit) {
  grading::StepRecord record;
  record.performance.emplace().seconds = {0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, 6.9e-4 + 1e-19};
  judge::CaseVerdict &c = record.cases.emplace_back();
  c.seed = std::numeric_limits<std::uint64_t>::max();
  c.values.integers = {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
  EXPECT_TRUE(json::identical(grading::step_record_of(grading::to_json(record)), record));
}

TEST(RecordJson, InvalidTextRoundTripsAndTheJsonStaysValid) {
  grading::StepRecord record;
  for (int byte = 0; byte < 256; ++byte) record.printed += static_cast<char>(byte);
  record.build.log = std::string("a\0b", 3);
  record.reason = "größer \xed\xa0\x80";  // half of a surrogate pair
  const std::string text = grading::to_json(record);
  EXPECT_TRUE(json::Json::accept(text));
  EXPECT_TRUE(grading::step_record_of(text) == record);
}

TEST(RecordJson, EveryVerdictHasANameThatRoundTrips) {
  for (int v = 0; v <= static_cast<int>(judge::Verdict::missing); ++v) {
    grading::StepRecord record;
    record.verdict = static_cast<judge::Verdict>(v);
    EXPECT_TRUE(grading::step_record_of(grading::to_json(record)) == record) << v;
  }
}

TEST(RecordJson, AnObsoleteFieldIsIgnored) {
  EXPECT_EQ(grading::step_record_of(R"({"id": "step1", "mood": [1, {"a": 2}]})").id, "step1");
}

TEST(RecordJson, OtherJsonIsRefusedWithTheReason) {
  for (const char *text :
       {"", "[1]", "null", R"({"id": 7})", R"({"verdict": "brilliant"})", R"({"cases": 1})",
        R"({"cases": [7]})", R"({"build": []})", R"({"id": {"bytes": "0g"}})"})
    EXPECT_THROW(grading::step_record_of(text), std::runtime_error) << text;
}

TEST(RecordJson, RecordsFromBeforeThereWereSeveralLibrariesAreRead) {
  const auto old = nlohmann::json::parse(
      R"({"seconds": [1.5], "cublas_seconds": [0.5], "throttled": [{"cublas_seconds": 0.25}]})");
  const auto r = json::read<grading::PerformanceRecord>(old);
  EXPECT_EQ(r.library_seconds, std::vector<double>{0.5});
  EXPECT_EQ(r.throttled.front().library_seconds, 0.25);
  EXPECT_EQ(json::read<grading::PerformanceRecord>(nlohmann::json::parse(R"({"why_no_cublas": "none"})"))
                .why_no_library,
            "none");
}

TEST(RecordJson, CountersFromBeforeTheirClassesWereCalledFp32AndFp64AreRead) {
  const auto counters = [](const char *by_class) {
    return json::read<simt::Counters>(
        nlohmann::json::parse(std::string(R"({"by_class": )") + by_class + "}"));
  };
  EXPECT_EQ(counters(R"({"single": 7, "twice": 5, "half": 3})"),
            counters(R"({"fp32": 7, "fp64": 5, "half": 3})"));
  EXPECT_EQ(counters(R"({"fp64": 5})").by_class[1], 5);
}

}  // namespace
}  // namespace warpgrade::tests
