#include "nccl/moves.hpp"

#include <algorithm>
#include <bit>

namespace warpgrade::nccl {
namespace {

int modulo(int value, int ranks) {
  return (value % ranks + ranks) % ranks;
}

class Planner {
 public:
  Planner(int ranks, std::uint64_t count) : ranks_(ranks), pieces_(pieces_of(count, ranks)) {}

  /// Each piece goes around once and grows by the value of each rank; rank r ends with piece r.
  void reduce_around(int first_step) {
    for (int s = 1; s < ranks_; ++s)
      for (int r = 0; r < ranks_; ++r)
        add({first_step + s - 1, r, next(r), piece(r - s), true, s == 1, s == ranks_ - 1});
  }

  /// Each rank begins with its piece and passes on what it received last.
  void gather_around(int first_step, bool input) {
    for (int s = 1; s < ranks_; ++s)
      for (int r = 0; r < ranks_; ++r)
        add({first_step + s - 1, r, next(r), piece(r - s + 1), false, input && s == 1, true});
  }

  /// The pieces follow each other along the ring, from `first` to the rank before it.
  void pass_along(int first, bool reduces) {
    for (int p = 0; p < ranks_; ++p)
      for (int hop = 0; hop + 1 < ranks_; ++hop) {
        const int from = modulo(first + hop, ranks_);
        add({p + hop + 1, from, next(from), piece(p), reduces, hop == 0, !reduces || hop == ranks_ - 2});
      }
  }

  void copy_own(int rank, Span span) { add({1, rank, rank, span, false, true, true}); }

  /// Two trees with half of the elements each, so that a rank that only passes on in one is a leaf of the other.
  void reduce_and_spread_over_trees(std::uint64_t count) {
    const std::vector<Span> halves = pieces_of(count, 2);
    for (int second = 0; second < 2; ++second) {
      std::vector<int> parents;
      for (int r = 0; r < ranks_; ++r) parents.push_back(parent(r, second == 1));
      over_tree(parents, halves[static_cast<std::size_t>(second)]);
    }
  }

  Plan take() {
    std::stable_sort(moves_.begin(), moves_.end(),
                     [](const Move &a, const Move &b) { return a.step < b.step; });
    return {steps_, std::move(moves_)};
  }

 private:
  int next(int rank) const { return (rank + 1) % ranks_; }
  Span piece(int index) const { return pieces_[static_cast<std::size_t>(modulo(index, ranks_))]; }

  void add(const Move &one) {
    steps_ = std::max(steps_, one.step);
    if (one.span.length() != 0) moves_.push_back(one);
  }

  /// In a tree over 0, 1, ... in that order, the odd numbers are leaves, and 0 is the root. The second tree has other leaves:
  /// it is the first with the ranks in reverse, or with an odd number of them moved on by one. -1: the root.
  int parent(int rank, bool second) const {
    const auto swapped = [&](int r, int by) {
      return !second ? r : ranks_ % 2 == 0 ? ranks_ - 1 - r : modulo(r + by, ranks_);
    };
    const int at = swapped(rank, -1);
    if (at == 0) return -1;
    const int lowest = 1 << std::countr_zero(static_cast<unsigned>(at));
    const int without = at ^ lowest, above = without | (lowest << 1);
    return swapped(above < ranks_ ? above : without, 1);
  }

  void over_tree(const std::vector<int> &parents, Span span) {
    const auto above = [&](int r) { return parents[static_cast<std::size_t>(r)]; };
    std::vector<int> ready(parents.size(), 0);  // the step after which a rank has the values of all below it
    std::vector<int> children(parents.size(), 0);
    for (int r = 0; r < ranks_; ++r)
      for (int steps = 1, at = r; above(at) >= 0; ++steps, at = above(at)) {
        int &known = ready[static_cast<std::size_t>(above(at))];
        known = std::max(known, steps);
        if (at == r) ++children[static_cast<std::size_t>(above(at))];
      }
    int root = 0, deepest = 0;
    for (int r = 0; r < ranks_; ++r)
      if (above(r) < 0) root = r;
    const int turn = ready[static_cast<std::size_t>(root)];
    for (int r = 0; r < ranks_; ++r) {
      if (r == root) continue;
      const bool leaf = children[static_cast<std::size_t>(r)] == 0;
      add({ready[static_cast<std::size_t>(r)] + 1, r, above(r), span, true, leaf,
           above(r) == root && ready[static_cast<std::size_t>(r)] + 1 == turn});
      int depth = 0;
      for (int at = r; at != root; at = above(at)) ++depth;
      deepest = std::max(deepest, depth);
      add({turn + depth, above(r), r, span, false, false, true});
    }
  }

  int ranks_, steps_ = 0;
  std::vector<Span> pieces_;
  std::vector<Move> moves_;
};

}  // namespace

std::vector<Span> pieces_of(std::uint64_t count, int number) {
  const auto parts = static_cast<std::uint64_t>(number);
  std::vector<Span> all;
  std::uint64_t begin = 0;
  for (std::uint64_t i = 0; i < parts; ++i) {
    const std::uint64_t length = count / parts + (i < count % parts ? 1 : 0);
    all.push_back({begin, begin + length});
    begin += length;
  }
  return all;
}

std::uint64_t whole_count(Kind kind, int ranks, std::uint64_t count) {
  const bool parts = kind == Kind::reduce_scatter || kind == Kind::all_gather;
  return parts ? count * static_cast<std::uint64_t>(ranks) : count;
}

Plan plan(Kind kind, Algorithm algorithm, int ranks, std::uint64_t count, int root) {
  if (count == 0) return {};
  const std::uint64_t whole = whole_count(kind, ranks, count);
  Planner made(ranks, whole);
  if (ranks == 1) {
    made.copy_own(0, {0, whole});
    return made.take();
  }
  switch (kind) {
    case Kind::all_reduce:
      if (algorithm == Algorithm::tree) {
        made.reduce_and_spread_over_trees(count);
      } else {
        made.reduce_around(1);
        made.gather_around(ranks, false);
      }
      break;
    case Kind::reduce:
      made.pass_along((root + 1) % ranks, true);
      break;
    case Kind::broadcast:
      made.copy_own(root, {0, whole});
      made.pass_along(root, false);
      break;
    case Kind::reduce_scatter:
      made.reduce_around(1);
      break;
    case Kind::all_gather:
      for (int r = 0; r < ranks; ++r) {
        const auto at = static_cast<std::uint64_t>(r) * count;
        made.copy_own(r, {at, at + count});
      }
      made.gather_around(1, true);
      break;
  }
  return made.take();
}

}  // namespace warpgrade::nccl
