#include <gtest/gtest.h>

#include <functional>

#include "problem/matrix_problem.hpp"

namespace warpgrade::problem {
namespace {

std::string located(std::int64_t rows, std::int64_t cols,
                    const std::function<bool(std::int64_t, std::int64_t)> &bad) {
  std::vector<bool> wrong(rows * cols);
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < cols; ++c) wrong[r * cols + c] = bad(r, c);
  return locate(wrong, rows, cols);
}

TEST(Locate, SaysNothingWhenNothingIsWrong) {
  EXPECT_EQ(located(4, 4, [](auto, auto) { return false; }), "");
}
TEST(Locate, NamesASingleElement) {
  EXPECT_EQ(located(9, 9, [](auto r, auto c) { return r == 3 && c == 5; }), "only C[3, 5]");
}
TEST(Locate, NamesTheLastColumn) {
  EXPECT_EQ(located(129, 129, [](auto, auto c) { return c == 128; }), "column 128, the last");
}
TEST(Locate, NamesARangeOfRows) {
  EXPECT_EQ(located(100, 50, [](auto r, auto) { return r >= 96; }), "rows 96 to 99");
}
TEST(Locate, SeesWhatOverhangsTheTile) {
  EXPECT_EQ(located(65, 65, [](auto r, auto c) { return r >= 64 || c >= 64; }),
            "only in rows from 64 or columns from 64, beyond the last full 64x64 tile");
  EXPECT_EQ(located(40, 40, [](auto r, auto c) { return r >= 32 && c % 2 == 0; }),
            "only in rows from 32, beyond the last full 32x32 tile");
}
TEST(Locate, ListsColumnsThatAreNotNeighbours) {
  EXPECT_EQ(
      located(64, 64, [](auto r, auto c) { return r > 4 && (c < 2 || c == 31 || c == 32) && (r + c) % 5; }),
      "rows 5 to 63, columns 0, 1, 31 and 32");
}
TEST(Locate, SeesRegularRows) {
  EXPECT_EQ(located(64, 64, [](auto r, auto) { return r % 8 == 7; }), "every 8th row, starting with row 7");
}
TEST(Locate, SuspectsATranspositionWhenOnlyTheDiagonalIsRight) {
  EXPECT_EQ(located(20, 20, [](auto r, auto c) { return r != c; }),
            "everything except the diagonal; is something transposed?");
}

TEST(WrongMap, IsEmptyWhenNothingIsWrong) {
  EXPECT_EQ(map_of(std::vector<bool>(12), 3, 4), WrongMap());
}
TEST(WrongMap, CountsEveryWrongElementOnceInThePartThatCoversIt) {
  for (const std::int64_t rows : {1, 2, 15, 16, 17, 31, 33, 100, 257})
    for (const std::int64_t cols : {1, 5, 16, 17, 129}) {
      SCOPED_TRACE(testing::Message() << rows << " x " << cols);
      const WrongMap all = map_of(std::vector<bool>(rows * cols, true), rows, cols);
      ASSERT_EQ(all.rows, std::min<std::int64_t>(rows, 16));
      ASSERT_EQ(all.cols, std::min<std::int64_t>(cols, 16));
      std::int64_t elements = 0;
      for (std::int64_t r = 0; r < all.rows; ++r)
        for (std::int64_t c = 0; c < all.cols; ++c) {
          EXPECT_EQ(all.wrong[r * all.cols + c], all.elements(r, c)) << r << ", " << c;
          elements += all.elements(r, c);
        }
      EXPECT_EQ(elements, rows * cols);
    }
}
TEST(WrongMap, ShowsALastColumnOnlyInTheLastParts) {
  std::vector<bool> wrong(64 * 129);
  for (std::int64_t r = 0; r < 64; ++r) wrong[r * 129 + 128] = true;
  const WrongMap map = map_of(wrong, 64, 129);
  for (std::int64_t r = 0; r < 16; ++r)
    for (std::int64_t c = 0; c < 16; ++c) EXPECT_EQ(map.wrong[r * 16 + c], c == 15 ? 4 : 0);
}

}  // namespace
}  // namespace warpgrade::problem
