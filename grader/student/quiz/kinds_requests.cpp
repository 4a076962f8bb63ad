// Sectors, banks and wavefronts of requests.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "explain/lanes.hpp"
#include "grading/shared_arrays.hpp"
#include "quiz/kinds.hpp"

namespace warpgrade::quiz {

namespace {

std::string number(std::uint64_t n) {
  return grouped(n);
}

/// Whether every request of the line to that buffer costs what the sampled one does: then it is plain which is meant.
bool all_cost_the_same(const simt::Counters &counters, const simt::LaneSample &r) {
  std::uint64_t requests = 0, cost = 0;
  for (const auto &[key, counts] : counters.accesses)
    if (key.at == r.at && key.space == r.space && key.store == r.store &&
        (r.space == ptx::Space::shared || key.buffer == r.buffer)) {
      requests += r.space == ptx::Space::global ? counts.global.requests : counts.shared.requests;
      cost += r.space == ptx::Space::global ? counts.global.sectors : counts.shared.wavefronts;
    }
  return requests > 0 && cost == requests * r.cost;
}

/// One of the student's requests that the simulator sampled.
const simt::LaneSample *a_sample(Subject &s, Dice &dice, const problem::Case &size, ptx::Space space) {
  std::vector<const simt::LaneSample *> all;
  for (const simt::LaneSample &one : s.samples(size))
    if (one.space == space && s.is_plain(one.at) && one.written.empty() && one.mask != 0 &&
        all_cost_the_same(s.counters(size), one))
      all.push_back(&one);
  return all.empty() ? nullptr : dice.one_of(all);
}

std::string who(const simt::LaneSample &r) {
  return fmt::format("warp {} of block ({}, {}, {})", r.warp, r.block.x, r.block.y, r.block.z);
}

std::optional<Question> sectors_of_request(Subject &s, Dice &dice) {
  const problem::Case &size = s.even();
  const simt::LaneSample *r = a_sample(s, dice, size, ptx::Space::global);
  if (!r || r->buffer.empty()) return std::nullopt;
  const auto active = static_cast<std::uint64_t>(std::popcount(r->mask));
  std::vector<Wrong> wrong;
  for (const simt::LaneSample &other : s.samples(size))
    if (other.space == ptx::Space::global && s.is_plain(other.at) && other.buffer != r->buffer &&
        other.cost != r->cost) {
      wrong.push_back(
          {number(other.cost), fmt::format("that is {} in line {}", other.buffer, other.at.line)});
      break;
    }
  wrong.push_back({number(r->ideal), "the lanes are taken for neighbours"});
  wrong.push_back({number(active), "a sector for each lane"});
  wrong.push_back({"1", "all lanes are taken to read one element"});
  wrong.push_back(
      {number(std::max<std::uint64_t>(1, active * r->bytes / 128)), "lines of 128 bytes are counted"});
  wrong.push_back({number(r->cost + 1), "one too many: the request is taken to begin inside a sector"});
  wrong.push_back({"8", "elements of a sector are counted"});
  Question q = s.about(r->at.line);
  q.text = fmt::format(
      "At {}: {} {} {} in line {} with {} lanes. How many sectors of 32 bytes does that request touch?",
      s.at(size), who(*r), r->store ? "stores to" : "loads from", r->buffer, r->at.line, active);
  const std::vector<explain::SectorRow> rows = explain::sectors_of(*r);
  if (!rows.empty())
    q.why = fmt::format("Its lanes access {} bytes each, between byte {} and byte {} of {}: {} sectors.",
                        r->bytes, rows.front().offset,
                        rows.back().offset + static_cast<std::int64_t>(sector) - 1, r->buffer, r->cost);
  return with_choices(std::move(q), number(r->cost), wrong, dice);
}

/// A line of the student's with global loads or stores.
struct LineAt {
  int line = 0;
  bool store = false;
  const simt::GlobalTraffic *traffic = nullptr;
};
std::optional<LineAt> a_line(Subject &s, Dice &dice, const problem::Case &size) {
  std::vector<LineAt> all;
  for (const auto &[at, counts] : s.counters(size).lines) {
    if (!s.is_plain(at)) continue;
    if (counts.global_load.requests > 0) all.push_back({at.line, false, &counts.global_load});
    if (counts.global_store.requests > 0) all.push_back({at.line, true, &counts.global_store});
  }
  if (all.empty()) return std::nullopt;
  return dice.one_of(all);
}

std::optional<Question> sectors_of_line(Subject &s, Dice &dice) {
  const problem::Case &size = s.any_size(dice);
  const auto line = a_line(s, dice, size);
  if (!line) return std::nullopt;
  const simt::GlobalTraffic &t = *line->traffic;
  const std::vector<Wrong> wrong = {{number(t.ideal_sectors), "every request is taken to be coalesced"},
                                    {number(t.requests), "requests are counted"},
                                    {number(t.requests * lanes), "a sector for each lane"},
                                    {number(t.bytes / sector), "the bytes of all threads over 32"},
                                    {number(t.requests * 4), "four for each request"},
                                    {number(2 * t.sectors), "twice as many"}};
  Question q = s.about(line->line);
  q.text = fmt::format(
      "At {}: how many sectors do all {} of line {} together touch, each request counted for itself?",
      s.at(size), line->store ? "stores" : "loads", line->line);
  q.why = fmt::format("{} requests touch {:.2f} sectors each on average.", number(t.requests),
                      simt::per(t.sectors, t.requests));
  return with_choices(std::move(q), number(t.sectors), wrong, dice);
}

std::optional<Question> requests_of_line(Subject &s, Dice &dice) {
  const problem::Case &size = s.any_size(dice);
  const auto line = a_line(s, dice, size);
  if (!line) return std::nullopt;
  const simt::GlobalTraffic &t = *line->traffic;
  const std::vector<Wrong> wrong = {{number(t.bytes / word), "threads are counted, not warps"},
                                    {number(t.sectors), "sectors are counted"},
                                    {number(t.requests * lanes), "32 for each warp"},
                                    {number(2 * t.requests), "twice as many"},
                                    {number(t.requests / 2), "half as many"},
                                    {number(t.requests / lanes), "warps of warps are counted"}};
  Question q = s.about(line->line);
  q.text =
      fmt::format("At {}: how many requests to global memory (a warp's {} at once) does line {} make in all?",
                  s.at(size), line->store ? "stores" : "loads", line->line);
  q.why = fmt::format("Its threads access {} bytes, in {} requests of warps.", number(t.bytes),
                      number(t.requests));
  return with_choices(std::move(q), number(t.requests), wrong, dice);
}

/// The requests that a sampled warp makes in the sampled line, in order.
std::vector<const simt::TracedRequest *> all_like(Subject &s, const problem::Case &size,
                                                  const simt::LaneSample &r) {
  const plan::Launch *launch = s.only_launch(size);
  std::vector<const simt::TracedRequest *> all;
  if (!launch) return all;
  const plan::Dim3 &grid = launch->grid;
  const std::uint64_t number =
      r.block.x + std::uint64_t{grid.x} * (r.block.y + std::uint64_t{grid.y} * r.block.z);
  for (const simt::TracedRequest &one : s.trace(size, number))
    if (one.at == r.at && one.warp == r.warp && one.space == r.space && one.store == r.store)
      all.push_back(&one);
  return all;
}

std::optional<Question> bank_of_lane(Subject &s, Dice &dice) {
  const problem::Case &size = s.even();
  const simt::LaneSample *r = a_sample(s, dice, size, ptx::Space::shared);
  if (!r || r->bytes != word) return std::nullopt;
  std::vector<int> active;
  for (int lane = 0; lane < lanes; ++lane)
    if ((r->mask >> lane & 1) != 0) active.push_back(lane);
  const int lane = dice.one_of(active);
  const std::int64_t offset = r->offsets[static_cast<std::size_t>(lane)];
  const auto bank = [](std::int64_t at) { return std::to_string(((at / word) % lanes + lanes) % lanes); };
  const std::vector<Wrong> wrong = {{std::to_string(lane), "the lane's own number"},
                                    {"0", "the first bank"},
                                    {bank(offset + word), "the bank after it"},
                                    {std::to_string(offset % lanes), "bytes are taken for words"},
                                    {bank(offset - word), "the bank before it"},
                                    {std::to_string(lanes - 1 - lane), "counted from the end"},
                                    {std::to_string(lane / 2), "banks of 8 bytes"}};
  Question q = s.about(r->at.line);
  q.text = fmt::format("At {}: which bank of shared memory does lane {} of {} access in line {} ({})?",
                       s.at(size), lane, who(*r), r->at.line, r->store ? "a store" : "a load");
  const auto requests = all_like(s, size, *r);  // one that reaches another bank would be right too
  const bool same_bank = std::all_of(requests.begin(), requests.end(), [&](const auto *one) {
    const std::int64_t there = one->offsets[static_cast<std::size_t>(lane)];
    return one->bytes == word && there >= 0 && bank(there) == bank(offset);
  });
  if (requests.empty() || !same_bank) return std::nullopt;
  q.why = fmt::format("It accesses byte {0}, and {0} / 4 mod 32 is {1}.", offset, bank(offset));
  return with_choices(std::move(q), bank(offset), wrong, dice);
}

/// Requests of the student's to one array, which the source declares with rows of a known length, and which starts at
/// bank 0.
struct InRows {
  const simt::LaneSample *request = nullptr;
  std::string array;
  std::int64_t row_bytes = 0;
};
std::optional<InRows> request_in_rows(Subject &s, Dice &dice) {
  const std::vector<grading::SharedArray> arrays = grading::shared_arrays_in(s.source());
  std::uint64_t bytes = 0;
  for (const grading::SharedArray &a : arrays) {
    if (a.bytes % 128 != 0) return std::nullopt;
    bytes += a.bytes;
  }
  if (arrays.empty() || bytes != s.build().static_shared_bytes) return std::nullopt;
  std::vector<InRows> all;
  for (const simt::LaneSample &r : s.samples(s.even()))
    if (r.space == ptx::Space::shared && s.is_plain(r.at) && r.bytes == word && r.written.empty() &&
        r.mask != 0)
      for (const grading::SharedArray &a : arrays)
        if (r.buffer == a.name || r.buffer.find(a.name) != std::string::npos) {
          all.push_back({&r, a.name, a.row_bytes});
          break;
        }
  if (all.empty()) return std::nullopt;
  return dice.one_of(all);
}

std::size_t wavefronts_of(const simt::LaneSample &r) {
  std::size_t all = 0;
  for (const explain::BankPhase &phase : explain::banks_of(r)) all += phase.wavefronts();
  return all;
}

std::optional<Question> wavefronts(Subject &s, Dice &dice) {
  const simt::LaneSample *r = a_sample(s, dice, s.even(), ptx::Space::shared);
  if (!r) return std::nullopt;
  const std::vector<Wrong> wrong = {{"32", "each lane by itself"},
                                    {"2", "two lanes for each bank"},
                                    {"1", "no conflict"},
                                    {"4", "elements are taken for 16 bytes"},
                                    {"16", "rows of half the length"},
                                    {"8", "rows of a quarter of the length"}};
  Question q = s.about(r->at.line);
  q.text =
      fmt::format("At {}: {} {} shared memory in line {}. In how many wavefronts is that request served?",
                  s.at(s.even()), who(*r), r->store ? "stores to" : "loads from", r->at.line);
  q.why =
      fmt::format("Lanes that access the same word are served together; the least possible is {}.", r->ideal);
  return with_choices(std::move(q), std::to_string(r->cost), wrong, dice);
}

std::optional<Question> padded_row(Subject &s, Dice &dice) {
  const auto found = request_in_rows(s, dice);
  if (!found) return std::nullopt;
  const auto with_longer_rows = [&](simt::LaneSample longer) {
    for (std::int64_t &offset : longer.offsets)
      if (offset >= 0) offset += offset / found->row_bytes * word;
    return wavefronts_of(longer);
  };
  const std::size_t before = wavefronts_of(*found->request), after = with_longer_rows(*found->request);
  for (const simt::TracedRequest *one : all_like(s, s.even(), *found->request))
    if (one->buffer == found->request->buffer &&
        (wavefronts_of(*one) != before || with_longer_rows(*one) != after))
      return std::nullopt;  // it would be open which request is meant
  const std::vector<Wrong> wrong = {
      {before == after ? "33" : std::to_string(before), "as without the longer row"},
      {"32", "each lane by itself"},
      {"1", "no conflict"},
      {"2", "the padding is taken for a second row"},
      {"16", "half of the lanes"},
      {"33", "the length of the row is counted"}};
  Question q = s.about(found->request->at.line);
  q.text = fmt::format(
      "Suppose the rows of {} in shared memory were one element longer ({} instead of {}). In how many "
      "wavefronts "
      "would the request with which {} {} it in line {} be served?",
      found->array, found->row_bytes / word + 1, found->row_bytes / word, who(*found->request),
      found->request->store ? "stores to" : "loads from", q.line);
  q.why = fmt::format("With rows of {} elements it takes {}; each row then starts one bank further on.",
                      found->row_bytes / word, before);
  return with_choices(std::move(q), std::to_string(after), wrong, dice);
}

}  // namespace

const std::vector<Kind> request_kinds = {
    {"sectors_of_request", "coalescing", 2, false, sectors_of_request},
    {"sectors_of_line", "coalescing", 3, false, sectors_of_line},
    {"requests_of_line", "requests", 2, false, requests_of_line},
    {"bank_of_lane", "bank conflicts", 2, false, bank_of_lane},
    {"wavefronts", "bank conflicts", 2, false, wavefronts},
    {"padded_row", "bank conflicts", 3, false, padded_row},
};

}  // namespace warpgrade::quiz
