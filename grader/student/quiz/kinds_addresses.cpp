// Which thread touches which element.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <tuple>

#include "quiz/kinds.hpp"

namespace warpgrade::quiz {

namespace {

using simt::TracedRequest;

std::string place_of(const simt::Dim3 &d) {
  return fmt::format("({}, {}, {})", d.x, d.y, d.z);
}

simt::Dim3 place_in(std::uint64_t number, const plan::Dim3 &all) {
  return {static_cast<std::uint32_t>(number % all.x), static_cast<std::uint32_t>(number / all.x % all.y),
          static_cast<std::uint32_t>(number / all.x / all.y)};
}

std::string times(std::size_t turn) {
  constexpr std::array<std::string_view, 8> words = {"first", "second", "third",   "fourth",
                                                     "fifth", "sixth",  "seventh", "eighth"};
  return std::string(words.at(turn));
}

/// The requests of a warp for a buffer in a line, in order.
struct Series {
  simt::SourceLine at;
  std::uint32_t warp = 0;
  std::string buffer;
  std::vector<const TracedRequest *> requests;
};

/// Those of the student's lines. Only where every lane moves on evenly: then a compiler that changed the order of
/// requests did not change which is which. Two requests are always even, so they may be two loads in any order.
std::vector<Series> series_of(Subject &s, const std::vector<TracedRequest> &trace, bool store) {
  std::map<std::tuple<simt::SourceLine, std::uint32_t, std::string>, Series> all;
  for (const TracedRequest &r : trace) {
    if (r.space != ptx::Space::global || r.store != store || !s.is_plain(r.at) ||
        r.bytes != s.element_bytes(r.buffer))
      continue;
    Series &one = all[{r.at, r.warp, r.buffer}];
    one.at = r.at, one.warp = r.warp, one.buffer = r.buffer;
    one.requests.push_back(&r);
  }
  std::vector<Series> even;
  for (auto &entry : all) {
    Series &one = entry.second;
    bool good = one.requests.size() != 2;
    for (std::size_t i = 2; i < one.requests.size() && good; ++i)
      for (int lane = 0; lane < lanes; ++lane) {
        const std::uint32_t both =
            one.requests[i]->mask & one.requests[i - 1]->mask & one.requests[i - 2]->mask;
        const auto at = [&](std::size_t turn) {
          return one.requests[turn]->offsets[static_cast<std::size_t>(lane)];
        };
        if ((both >> lane & 1) != 0 && at(i) - at(i - 1) != at(i - 1) - at(i - 2)) good = false;
      }
    if (good) even.push_back(std::move(one));
  }
  return even;
}

std::vector<int> active_lanes(const simt::LaneSample &r) {
  std::vector<int> all;
  for (int lane = 0; lane < lanes; ++lane)
    if ((r.mask >> lane & 1) != 0) all.push_back(lane);
  return all;
}

/// A block of the only launch; the last ones have edges.
struct BlockAt {
  problem::Case size;
  const plan::Launch *launch = nullptr;
  std::uint64_t number = 0;
};
std::optional<BlockAt> a_block(Subject &s, Dice &dice, const problem::Case &size) {
  const plan::Launch *launch = s.only_launch(size);
  if (!launch) return std::nullopt;
  Dice same(s.seed(), "block");  // one for all questions: each costs a run
  (void)dice;
  return BlockAt{size, launch, same.below(launch->grid.count())};
}

/// The element at the exchanged row and column.
std::string transposed(Subject &s, const problem::Case &c, const std::string &buffer, std::int64_t offset) {
  const std::vector<plan::Buffer> buffers = s.problem().buffers(c);
  const std::vector<problem::Extent> extents = s.problem().extents(c);
  const std::int64_t bytes = s.element_bytes(buffer);
  for (std::size_t b = 0; b < buffers.size() && b < extents.size(); ++b)
    if (buffers[b].name == buffer && bytes > 0 && extents[b].rows > 1) {
      const std::int64_t element = offset / bytes, pitch = extents[b].pitch;
      return s.element(c, buffer, (element % pitch * pitch + element / pitch) * bytes);
    }
  return "";
}

std::optional<Question> which_element(Subject &s, Dice &dice, bool store) {
  const problem::Case &size = s.any_size(dice);
  const auto block = a_block(s, dice, size);
  if (!block) return std::nullopt;
  const std::vector<TracedRequest> &trace = s.trace(size, block->number);
  const std::vector<Series> all = series_of(s, trace, store);
  if (all.empty()) return std::nullopt;
  const Series &one = dice.one_of(all);
  const std::size_t turn = dice.below(std::min<std::size_t>(one.requests.size(), 8));
  const TracedRequest &r = *one.requests[turn];
  const std::vector<int> active = active_lanes(r);
  const int lane = dice.one_of(active);
  const auto name = [&](const TracedRequest &of, int l) {
    return (of.mask >> l & 1) != 0 ? s.element(size, of.buffer, of.offsets[static_cast<std::size_t>(l)])
                                   : std::string();
  };
  const std::string right = name(r, lane);
  if (right.empty()) return std::nullopt;
  const std::int64_t offset = r.offsets[static_cast<std::size_t>(lane)], bytes = s.element_bytes(r.buffer);
  std::vector<Wrong> wrong = {{transposed(s, size, r.buffer, offset), "row and column are exchanged"}};
  if (turn + 1 < one.requests.size())
    wrong.push_back({name(*one.requests[turn + 1], lane), "one turn later"});
  wrong.push_back({name(r, (lane + 1) % lanes), "the next lane"});
  if (turn > 0) wrong.push_back({name(*one.requests[turn - 1], lane), "one turn earlier"});
  for (const Series &other : all)
    if (other.warp != one.warp && other.at == one.at && other.buffer == one.buffer &&
        turn < other.requests.size())
      wrong.push_back({name(*other.requests[turn], lane), "another warp"});
  wrong.push_back({name(r, (lane + lanes - 1) % lanes), "the lane before it"});
  wrong.push_back({s.element(size, r.buffer, offset + bytes), "the element beside it"});
  wrong.push_back({s.element(size, r.buffer, offset - bytes), "the element before it"});
  Question q = s.about(r.at.line);
  q.text = fmt::format(
      "At {}: which element of {} does lane {} of warp {} of block {} {} in line {}{}?", s.at(size), r.buffer,
      lane, r.warp, place_of(r.block), store ? "store to" : "load", r.at.line,
      one.requests.size() > 1 ? fmt::format(", the {} time that this warp does", times(turn)) : "");
  q.why = fmt::format("Its offset in {} is {} bytes, which is {}.", r.buffer, offset, right);
  return with_choices(std::move(q), right, wrong, dice);
}

std::optional<Question> element_read(Subject &s, Dice &dice) {
  return which_element(s, dice, false);
}
std::optional<Question> element_written(Subject &s, Dice &dice) {
  return which_element(s, dice, true);
}

/// An element that one thread of a block stores, once.
struct Stored {
  const TracedRequest *request = nullptr;
  int lane = 0;
};
std::optional<Stored> a_stored_element(Subject &s, Dice &dice, const std::vector<TracedRequest> &trace) {
  std::map<std::pair<std::string, std::int64_t>, int> writers;
  std::vector<Stored> all;
  for (const TracedRequest &r : trace)
    if (r.space == ptx::Space::global && r.store && s.is_plain(r.at) && r.bytes == s.element_bytes(r.buffer))
      for (const int lane : active_lanes(r)) {
        ++writers[{r.buffer, r.offsets[static_cast<std::size_t>(lane)]}];
        all.push_back({&r, lane});
      }
  std::erase_if(all, [&](const Stored &one) {
    return writers[{one.request->buffer, one.request->offsets[static_cast<std::size_t>(one.lane)]}] != 1;
  });
  if (all.empty()) return std::nullopt;
  return dice.one_of(all);
}

std::optional<Question> thread_of_element(Subject &s, Dice &dice) {
  const problem::Case &size = s.any_size(dice);
  const auto block = a_block(s, dice, size);
  if (!block) return std::nullopt;
  const auto stored = a_stored_element(s, dice, s.trace(size, block->number));
  if (!stored) return std::nullopt;
  const TracedRequest &r = *stored->request;
  const std::int64_t offset = r.offsets[static_cast<std::size_t>(stored->lane)];
  const std::string element = s.element(size, r.buffer, offset);
  if (element.empty()) return std::nullopt;
  const plan::Dim3 &dims = block->launch->block;
  const std::uint64_t threads = dims.count();
  const std::uint64_t thread = std::uint64_t{r.warp} * lanes + static_cast<std::uint64_t>(stored->lane);
  const simt::Dim3 right = place_in(thread, dims);
  const auto name = [&](const simt::Dim3 &t) {
    return t.x < dims.x && t.y < dims.y && t.z < dims.z ? place_of(t) : std::string();
  };
  std::vector<Wrong> wrong;
  if (right.x != right.y) wrong.push_back({name({right.y, right.x, right.z}), "x and y are exchanged"});
  wrong.push_back({name({right.x + 1, right.y, right.z}), "the next thread along x"});
  wrong.push_back({name({right.x, right.y + 1, right.z}), "the next thread along y"});
  if (right.x > 0) wrong.push_back({name({right.x - 1, right.y, right.z}), "the thread before it along x"});
  if (right.y > 0) wrong.push_back({name({right.x, right.y - 1, right.z}), "the thread before it along y"});
  wrong.push_back({name(place_in(threads - 1 - thread, dims)), "counted from the end"});
  wrong.push_back({name(place_in((thread + lanes) % threads, dims)), "the next warp"});
  Question q = s.about(r.at.line);
  q.text = fmt::format("At {}: which thread (threadIdx.x, .y, .z) of block {} stores {} in line {}?",
                       s.at(size), place_of(r.block), element, r.at.line);
  q.why = fmt::format("It is lane {} of warp {}; the block has {} x {} x {} threads.", stored->lane, r.warp,
                      dims.x, dims.y, dims.z);
  return with_choices(std::move(q), place_of(right), wrong, dice);
}

/// Whether all threads together store as many bytes to a buffer as it has: a kernel that is right stores all of it, so
/// each element once.
bool stores_each_element_once(Subject &s, const problem::Case &size, const std::string &buffer) {
  std::uint64_t stored = 0, atomics = 0;
  for (const auto &[key, counts] : s.counters(size).accesses)
    if (key.space == ptx::Space::global && key.store && (key.buffer == buffer || key.buffer.empty()))
      stored += counts.global.bytes;
  for (const auto &[at, counts] : s.counters(size).lines) atomics += counts.global_atomics;
  for (const plan::Buffer &b : s.problem().buffers(size))
    if (b.name == buffer) return atomics == 0 && stored == b.bytes;
  return false;
}

std::optional<Question> block_of_element(Subject &s, Dice &dice) {
  const problem::Case &size = s.any_size(dice);
  const auto block = a_block(s, dice, size);
  if (!block || block->launch->grid.count() < 4) return std::nullopt;
  const auto stored = a_stored_element(s, dice, s.trace(size, block->number));
  if (!stored) return std::nullopt;
  const TracedRequest &r = *stored->request;
  const std::string element = s.element(size, r.buffer, r.offsets[static_cast<std::size_t>(stored->lane)]);
  if (element.empty() || !stores_each_element_once(s, size, r.buffer)) return std::nullopt;
  const plan::Dim3 &grid = block->launch->grid;
  const auto name = [&](std::uint64_t number) {
    return number < grid.count() ? place_of(place_in(number, grid)) : std::string();
  };
  const simt::Dim3 right = r.block;
  std::vector<Wrong> wrong;
  if (right.x != right.y && right.y < grid.x && right.x < grid.y)
    wrong.push_back({place_of({right.y, right.x, right.z}), "x and y are exchanged"});
  wrong.push_back({name(block->number + 1), "the next block"});
  wrong.push_back({name(block->number + grid.x), "the block below it"});
  if (block->number > 0) wrong.push_back({name(block->number - 1), "the block before it"});
  wrong.push_back({name(grid.count() - 1 - block->number), "counted from the end"});
  wrong.push_back({name(0), "the first block"});
  wrong.push_back({name(grid.count() - 1), "the last block"});
  Question q = s.about(r.at.line);
  q.text = fmt::format("At {}: which block (blockIdx.x, .y, .z) of the {} x {} x {} blocks stores {}?",
                       s.at(size), grid.x, grid.y, grid.z, element);
  q.why = fmt::format("Line {} stores it in block {}.", r.at.line, place_of(right));
  return with_choices(std::move(q), place_of(right), wrong, dice);
}

std::optional<Question> lanes_at_the_edge(Subject &s, Dice &dice) {
  const problem::Case &size = s.odd() ? *s.odd() : s.even();
  const plan::Launch *launch = s.only_launch(size);
  if (!launch) return std::nullopt;
  const std::vector<TracedRequest> &trace = s.trace(size, launch->grid.count() - 1);
  std::vector<const TracedRequest *> all;
  std::map<std::pair<simt::SourceLine, std::uint32_t>, int>
      requests;  // one of a line and warp, so that it is plain which
  for (const TracedRequest &r : trace)
    if (r.space == ptx::Space::global && r.store && s.is_plain(r.at))
      ++requests[{r.at, r.warp}], all.push_back(&r);
  std::erase_if(all, [&](const TracedRequest *r) { return requests[{r->at, r->warp}] != 1; });
  const bool partial = std::any_of(all.begin(), all.end(), [](const auto *r) { return r->mask != ~0u; });
  if (partial) std::erase_if(all, [](const auto *r) { return r->mask == ~0u; });
  if (all.empty()) return std::nullopt;
  const TracedRequest &r = *dice.one_of(all);
  const int right = std::popcount(r.mask);
  const std::vector<Wrong> wrong = {{std::to_string(lanes), "the edge is forgotten"},
                                    {std::to_string(lanes - right), "the lanes that do not"},
                                    {std::to_string(right + 1), "one too many"},
                                    {std::to_string(right - 1), "one too few"},
                                    {"16", "half a warp"}};
  Question q = s.about(r.at.line);
  q.text = fmt::format("At {}: how many lanes of warp {} of the last block, {}, store something in line {}?",
                       s.at(size), r.warp, place_of(r.block), r.at.line);
  q.why = fmt::format("The others are outside the result. The lanes that store are those of mask 0x{:08x}.",
                      r.mask);
  return with_choices(std::move(q), std::to_string(right), wrong, dice);
}

}  // namespace

const std::vector<Kind> address_kinds = {
    {"element_read", "addresses", 2, false, element_read},
    {"element_written", "addresses", 1, false, element_written},
    {"thread_of_element", "threads and elements", 2, false, thread_of_element},
    {"block_of_element", "threads and elements", 2, false, block_of_element},
    {"lanes_at_the_edge", "edges", 2, false, lanes_at_the_edge},
};

}  // namespace warpgrade::quiz
