#include "explain/playback.hpp"

#include <gtest/gtest.h>

#include <bit>

namespace warpgrade::explain {
namespace {

using Event = simt::RecordedEvent;

std::uint64_t bits(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

/// Lanes 0 and 1 load A[5][17] and A[5][18] of a matrix with 20 columns, 24 words from row to row.
Playback two_loads() {
  simt::Recording r;
  r.objects.push_back({ptx::Space::global, "A", 24 * 4 * 10});
  r.lines.push_back({"k.cu", 7});
  r.paths.emplace_back();
  r.warps.push_back({{0, 0, 0}, 0, 3, true, 0});
  Event e;
  e.kind = Event::Kind::load;
  e.mask = 3;
  e.objects = {0};
  e.offsets = {(5 * 24 + 17) * 4, (5 * 24 + 18) * 4};
  e.values = {bits(1.5f), bits(-2)};
  r.events.push_back(e);
  KnownShapes known;
  known.global["A"] = {10, 20, 24, false, 4, true};
  return play(std::move(r), known, {}, "");
}

TEST(Playback, NamesElementsByRowAndColumn) {
  const Playback p = two_loads();
  EXPECT_EQ(in_words(p, p.recording.events[0]), "reads A[5][17] to A[5][18]: 1.5 to -2");
  EXPECT_EQ(in_words(p, p.recording.events[0], 1), "reads A[5][18]: -2");
  EXPECT_EQ(in_words(p, p.recording.events[0], 4), "inactive");
}

TEST(Playback, NamesElementsOfColumnMajorMatricesAndOfArrays) {
  EXPECT_EQ(element_name("B", {20, 10, 24, true, 4, true}, (3 * 24 + 2) * 4), "B[2][3]");
  EXPECT_EQ(element_name("x", {1, 10, 10, false, 4, true}, 12), "x[3]");
  EXPECT_EQ(element_name("x", {10, 10, 10, false, 4, true}, -4), "x[-1]");
}

TEST(Playback, FindsAnElementAsPeopleWriteIt) {
  const Playback p = two_loads();
  EXPECT_TRUE(reaches(p, p.recording.events[0], "A[5][18]"));
  EXPECT_TRUE(reaches(p, p.recording.events[0], "A[5, 18]"));
  EXPECT_FALSE(reaches(p, p.recording.events[0], "A[5][19]"));
}

TEST(Playback, TakesRowsOfSharedArraysFromTheirDeclaration) {
  simt::Recording r = two_loads().recording;
  r.objects[0] = {ptx::Space::shared, "As", 8 * 33 * 4};
  r.events[0].offsets = {(3 * 33 + 4) * 4, (3 * 33 + 5) * 4};
  KnownShapes known;
  known.shared.push_back({"As", 33 * 4, 8 * 33 * 4});
  const Playback p = play(std::move(r), known, {}, "");
  EXPECT_EQ(in_words(p, p.recording.events[0], 0), "reads As[3][4]: 1.5");
}

TEST(Playback, WritesValuesAsTheirTypes) {
  using Type = Event::Type;
  EXPECT_EQ(value_in_words(bits(0.25f), Type::real, 4, false), "0.25");
  EXPECT_EQ(value_in_words(bits(0.25f), Type::bits, 4, false), "0.25");
  EXPECT_EQ(value_in_words(7, Type::bits, 4, false), "7");
  EXPECT_EQ(value_in_words(0xFFFF'FFFF, Type::whole, 4, false), "-1");
  EXPECT_EQ(value_in_words(0xFFFF'FFFF, Type::natural, 4, false), "4294967295");
  EXPECT_EQ(value_in_words(0x7FC0'0123, Type::real, 4, false), "NaN");
  EXPECT_EQ(value_in_words(0x3C00, Type::real, 2, false), "1");
  EXPECT_EQ(value_in_words(std::bit_cast<std::uint64_t>(0.1), Type::real, 8, false), "0.1");
}

TEST(Playback, TellsNegativeIntegersAndInfinitiesFromNaNs) {
  using Type = Event::Type;
  EXPECT_EQ(value_in_words(0xFFFF'FFC3, Type::bits, 4, false), "-61");
  EXPECT_EQ(value_in_words(0x7FC0'BEEF, Type::bits, 4, false), "NaN");
  EXPECT_EQ(value_in_words(0x7F80'0000, Type::bits, 4, false), "inf");
  EXPECT_EQ(value_in_words(0xFF80'0000, Type::bits, 4, false), "-inf");
}

TEST(Playback, ShowsIntegersWithASignWhereTheirArrayHasNegativeOnes) {
  // Two loads of unsigned words, as compilers load an int: the first brings 5 and -30, the second 7 twice.
  simt::Recording r = two_loads().recording;
  r.events[0].type = Event::Type::natural;
  r.events[0].values = {5, 0xFFFF'FFE2};
  r.events.push_back(r.events[0]);
  r.events[1].values = {7, 7};
  EXPECT_EQ(in_words(play(r, {}, {}, ""), r.events[0], 1), "reads A[138]: 4294967266")
      << "of the event as it was";
  const Playback p = play(r, {}, {}, "");
  EXPECT_EQ(in_words(p, p.recording.events[0], 1), "reads A[138]: -30");
  r.events[1].values = {7, 0x9000'0000};  // 2415919104: no int would go with -30
  const Playback unsigned_ones = play(r, {}, {}, "");
  EXPECT_EQ(in_words(unsigned_ones, unsigned_ones.recording.events[0], 1), "reads A[138]: 4294967266");
}

TEST(Playback, ShowsWordsOfAFloatArrayAsFloatsWhateverTheInstruction) {
  // A copy of bits, and elsewhere a load of floats from the same array.
  simt::Recording r = two_loads().recording;
  r.events.push_back(r.events[0]);
  r.events[0].type = Event::Type::natural;
  r.events[1].type = Event::Type::real;
  const Playback p = play(r, {}, {}, "");
  EXPECT_EQ(in_words(p, p.recording.events[0], 0), "reads A[137]: 1.5");
}

TEST(Playback, SaysWhichElementsAreOutsideOfTheirArray) {
  simt::Recording r = two_loads().recording;
  r.objects[0].bytes = (5 * 24 + 18) * 4;
  const Playback p = play(r, {}, {}, "");
  EXPECT_EQ(in_words(p, p.recording.events[0]), "reads A[137] to A[138] (outside): 1.5 to -2");
}

TEST(Playback, MarksTheLastStoreToTheWrongElement) {
  simt::Recording r = two_loads().recording;
  Event store = r.events[0];
  store.kind = Event::Kind::store;
  r.events.push_back(store);
  r.events.push_back(store);
  r.events.push_back(r.events[0]);
  const simt::RecordedWord word{"A", (5 * 24 + 18) * 4, 4};
  EXPECT_EQ(play(r, {}, word, "").marked, 2u);
  EXPECT_EQ(play(r, {}, simt::RecordedWord{"A", 0, 4}, "").marked, 4u) << "nothing wrote it";
}

TEST(Playback, MarksTheNearestStoreWhereNobodyWritesTheElement) {
  simt::Recording r = two_loads().recording;
  Event store = r.events[0];
  store.kind = Event::Kind::store;
  r.events = {store, store, store};
  for (std::int64_t &offset : r.events[1].offsets) offset -= 480;  // A[0][17] and A[0][18]
  const simt::RecordedWord word{"A", 0, 4};
  EXPECT_EQ(play(r, {}, word, "").marked, 3u) << "the recorder did not say that it is the nearest";
  r.nearest = true;
  EXPECT_EQ(play(r, {}, word, "").marked, 1u);
}

TEST(Playback, NamesLanes) {
  EXPECT_EQ(lanes_in_words(0xFFFF'FFFF), "0-31");
  EXPECT_EQ(lanes_in_words(0x8000'0203), "0-1,9,31");
}

}  // namespace
}  // namespace warpgrade::explain
