// Which elements go where, and the sums that come of it, for all ways, numbers of ranks and sizes.
#include "nccl/moves.hpp"

#include <gtest/gtest.h>

#include <set>

#include "nccl/arithmetic.hpp"

namespace warpgrade::nccl {
namespace {

constexpr std::uint64_t counts[] = {0, 1, 2, 3, 4, 5, 7, 12, 31, 32, 33, 1000};

using Values = std::vector<std::vector<std::int64_t>>;  // of each rank

/// Does what the plan says, one move after another; what is not final stays where only the plan sees it.
Values moved(const Plan &plan, Values values, Values results) {
  for (const Move &one : plan.moves)
    for (std::uint64_t i = one.span.begin; i < one.span.end; ++i) {
      std::int64_t &to = values[one.to][i];
      to = one.reduces ? to + values[one.from][i] : values[one.from][i];
      if (one.final) results[one.to][i] = to;
    }
  return results;
}

/// Rank r has 100 r + i as element i; -1 is what a receive buffer has before.
Values inputs(int ranks, std::uint64_t count) {
  Values all(static_cast<std::size_t>(ranks));
  for (int r = 0; r < ranks; ++r)
    for (std::uint64_t i = 0; i < count; ++i) all[r].push_back(100 * r + static_cast<std::int64_t>(i));
  return all;
}
Values nothing(int ranks, std::uint64_t count) {
  return Values(static_cast<std::size_t>(ranks), std::vector<std::int64_t>(count, -1));
}
/// 100 (0 + 1 + ... + ranks - 1) + ranks i
std::int64_t sum_at(int ranks, std::uint64_t i) {
  return 50 * ranks * (ranks - 1) + ranks * static_cast<std::int64_t>(i);
}

TEST(MovesOfAnAllReduce, LeaveTheSumOnEveryRank) {
  for (const Algorithm algorithm : {Algorithm::ring, Algorithm::tree})
    for (int ranks = 1; ranks <= 9; ++ranks)
      for (const std::uint64_t count : counts) {
        const Values results = moved(plan(Kind::all_reduce, algorithm, ranks, count), inputs(ranks, count),
                                     nothing(ranks, count));
        for (int r = 0; r < ranks; ++r)
          for (std::uint64_t i = 0; i < count; ++i)
            ASSERT_EQ(results[r][i], sum_at(ranks, i))
                << ranks << " ranks, " << count << " elements, rank " << r;
      }
}

TEST(MovesOfAReduce, LeaveTheSumOnTheRootAlone) {
  for (int ranks = 1; ranks <= 5; ++ranks)
    for (int root = 0; root < ranks; ++root)
      for (const std::uint64_t count : counts) {
        const Values results = moved(plan(Kind::reduce, Algorithm::ring, ranks, count, root),
                                     inputs(ranks, count), nothing(ranks, count));
        for (int r = 0; r < ranks; ++r)
          for (std::uint64_t i = 0; i < count; ++i)
            ASSERT_EQ(results[r][i], r == root ? sum_at(ranks, i) : -1) << ranks << " ranks, root " << root;
      }
}

TEST(MovesOfABroadcast, LeaveTheElementsOfTheRootOnEveryRank) {
  for (int ranks = 1; ranks <= 5; ++ranks)
    for (int root = 0; root < ranks; ++root)
      for (const std::uint64_t count : counts) {
        const Values results = moved(plan(Kind::broadcast, Algorithm::ring, ranks, count, root),
                                     inputs(ranks, count), nothing(ranks, count));
        for (int r = 0; r < ranks; ++r)
          for (std::uint64_t i = 0; i < count; ++i)
            ASSERT_EQ(results[r][i], 100 * root + static_cast<std::int64_t>(i))
                << ranks << " ranks, root " << root;
      }
}

TEST(MovesOfAReduceScatter, LeaveTheSumOfItsPartOnEachRank) {
  for (int ranks = 1; ranks <= 5; ++ranks)
    for (const std::uint64_t count : counts) {
      const std::uint64_t whole = count * static_cast<std::uint64_t>(ranks);
      const Values results = moved(plan(Kind::reduce_scatter, Algorithm::ring, ranks, count),
                                   inputs(ranks, whole), nothing(ranks, whole));
      for (int r = 0; r < ranks; ++r)
        for (std::uint64_t i = 0; i < whole; ++i)
          ASSERT_EQ(results[r][i], i / count == static_cast<std::uint64_t>(r) ? sum_at(ranks, i) : -1);
    }
}

TEST(MovesOfAnAllGather, LeaveThePartsOfAllRanksOnEachRank) {
  for (int ranks = 1; ranks <= 5; ++ranks)
    for (const std::uint64_t count : counts) {
      const std::uint64_t whole = count * static_cast<std::uint64_t>(ranks);
      const Values results = moved(plan(Kind::all_gather, Algorithm::ring, ranks, count),
                                   inputs(ranks, whole), nothing(ranks, whole));
      for (int r = 0; r < ranks; ++r)
        for (std::uint64_t i = 0; i < whole; ++i)
          ASSERT_EQ(results[r][i], 100 * static_cast<std::int64_t>(i / count) + static_cast<std::int64_t>(i));
    }
}

/// Elements that pass from each rank to the next one.
std::vector<std::uint64_t> passed(const Plan &plan, int ranks) {
  std::vector<std::uint64_t> all(static_cast<std::size_t>(ranks), 0);
  for (const Move &one : plan.moves) {
    if (one.from == one.to) continue;
    EXPECT_EQ(one.to, (one.from + 1) % ranks);
    all[one.from] += one.span.length();
  }
  return all;
}

TEST(AllReduceAroundARing, PassesEachElementTwiceOverAllLinksButOne) {
  for (int ranks = 2; ranks <= 9; ++ranks)
    for (const std::uint64_t count : counts) {
      const Plan ring = plan(Kind::all_reduce, Algorithm::ring, ranks, count);
      EXPECT_EQ(ring.steps, count == 0 ? 0 : 2 * (ranks - 1));
      const std::vector<Span> pieces = pieces_of(count, ranks);
      const std::vector<std::uint64_t> links = passed(ring, ranks);
      for (int r = 0; r < ranks; ++r) {
        // A rank never passes its own piece on while it grows, nor that of the next rank when it is whole.
        EXPECT_EQ(links[r], 2 * count - pieces[r].length() - pieces[(r + 1) % ranks].length());
        if (count % static_cast<std::uint64_t>(ranks) == 0) {
          EXPECT_EQ(links[r] * static_cast<std::uint64_t>(ranks),
                    2 * static_cast<std::uint64_t>(ranks - 1) * count);
        }
      }
    }
}

TEST(OtherWaysAroundARing, PassEachElementOnceOverAllLinksButOne) {
  for (int ranks = 2; ranks <= 5; ++ranks) {
    const auto n = static_cast<std::uint64_t>(ranks);
    for (const Kind kind : {Kind::reduce_scatter, Kind::all_gather})
      for (const std::uint64_t on_link : passed(plan(kind, Algorithm::ring, ranks, 10), ranks))
        EXPECT_EQ(on_link, 10 * (n - 1));
    // From the root to the rank before it, and from the rank after it to the root.
    const auto spread = passed(plan(Kind::broadcast, Algorithm::ring, ranks, 10, 1), ranks);
    const auto gathered = passed(plan(Kind::reduce, Algorithm::ring, ranks, 10, 1), ranks);
    for (int r = 0; r < ranks; ++r) {
      EXPECT_EQ(spread[r], r == 0 ? 0u : 10u);
      EXPECT_EQ(gathered[r], r == 1 ? 0u : 10u);
    }
  }
}

TEST(AllReduceOverTrees, PassesHalfOfTheElementsUpAndDownEachEdgeOfTwoTrees) {
  for (int ranks = 2; ranks <= 9; ++ranks) {
    const Plan tree = plan(Kind::all_reduce, Algorithm::tree, ranks, 1000);
    std::uint64_t all = 0;
    std::vector<std::set<int>> inner(2);
    for (const Move &one : tree.moves) {
      all += one.span.length();
      EXPECT_EQ(one.span.length(), 500u);
      if (one.reduces) inner[one.span.begin == 0 ? 0 : 1].insert(one.to);
    }
    EXPECT_EQ(all, static_cast<std::uint64_t>(2 * (ranks - 1)) * 1000);
    if (ranks % 2 != 0) continue;
    for (const int one : inner[0]) EXPECT_EQ(inner[1].count(one), 0u) << "rank " << one << " of " << ranks;
  }
}

TEST(MovesOfOneStep, NeedNothingThatTheSameStepBrings) {
  for (const Kind kind :
       {Kind::all_reduce, Kind::reduce, Kind::broadcast, Kind::reduce_scatter, Kind::all_gather})
    for (const Algorithm algorithm : {Algorithm::ring, Algorithm::tree})
      for (int ranks = 1; ranks <= 9; ++ranks)
        for (const std::uint64_t count : {1, 5, 1000}) {
          const Plan all = plan(kind, algorithm, ranks, count, ranks / 2);
          for (const Move &one : all.moves)
            for (const Move &other : all.moves) {
              if (one.step != other.step || one.from == one.to || other.from != one.to) continue;
              EXPECT_TRUE(other.span.end <= one.span.begin || one.span.end <= other.span.begin || other.own)
                  << "step " << one.step << " of " << ranks << " ranks";
            }
        }
}

TEST(MovesThatPassAnInputOn, AreMarkedSo) {
  for (const Kind kind :
       {Kind::all_reduce, Kind::reduce, Kind::broadcast, Kind::reduce_scatter, Kind::all_gather})
    for (const Algorithm algorithm : {Algorithm::ring, Algorithm::tree})
      for (int ranks = 1; ranks <= 9; ++ranks) {
        std::set<std::pair<int, std::uint64_t>> received;  // rank and element
        for (const Move &one : plan(kind, algorithm, ranks, 12, ranks - 1).moves) {
          EXPECT_EQ(one.own, received.count({one.from, one.span.begin}) == 0);
          if (one.from == one.to) continue;
          for (std::uint64_t i = one.span.begin; i < one.span.end; ++i) received.insert({one.to, i});
        }
      }
}

TEST(Pieces, DifferByOneElementAtMost) {
  EXPECT_EQ(pieces_of(7, 3), (std::vector<Span>{{0, 3}, {3, 5}, {5, 7}}));
  EXPECT_EQ(pieces_of(1, 3), (std::vector<Span>{{0, 1}, {1, 1}, {1, 1}}));
  EXPECT_EQ(pieces_of(0, 2), (std::vector<Span>{{0, 0}, {0, 0}}));
}

}  // namespace
}  // namespace warpgrade::nccl
