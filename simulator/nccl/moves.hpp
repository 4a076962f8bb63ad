// What moves between ranks in a collective, as plain data: steps, each a few ranges of elements that go from one rank to
// the next. Counting bytes, doing arithmetic and ordering streams all follow this list.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpgrade::nccl {

enum class Kind { all_reduce, reduce, broadcast, reduce_scatter, all_gather };
enum class Algorithm { ring, tree };

/// A range of elements; empty where begin == end.
struct Span {
  std::uint64_t begin = 0, end = 0;
  std::uint64_t length() const { return end - begin; }
  bool operator==(const Span &) const = default;
};

/// A rank passes its value of some elements on. All moves of a step may happen at the same time.
struct Move {
  int step = 1;          ///< from 1
  int from = 0, to = 0;  ///< ranks; equal: the rank copies from its send buffer to its receive buffer
  Span span;             ///< of the whole: of all ranks' elements in an all-gather and a reduce-scatter
  bool reduces = false;  ///< the receiver combines it with its own value; else it replaces that
  bool own = false;      ///< what is passed on is the sender's input, of which nothing has been received
  bool final = false;    ///< the receiver then has the result, and puts it into its receive buffer
  bool operator==(const Move &) const = default;
};

struct Plan {
  int steps = 0;
  std::vector<Move> moves;  ///< by step
};

/// Parts of 0..count, of which the first ones are longer by one where the number does not divide the count.
std::vector<Span> pieces_of(std::uint64_t count, int number);

/// `count`: elements of a rank's part, as the calls of NCCL count them. A tree is for an all-reduce only; other kinds go
/// around the ring. No steps for no elements.
Plan plan(Kind, Algorithm, int ranks, std::uint64_t count, int root = 0);

/// Elements of the whole.
std::uint64_t whole_count(Kind, int ranks, std::uint64_t count);

}  // namespace warpgrade::nccl
