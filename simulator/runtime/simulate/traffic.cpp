#include "runtime/simulate/traffic.hpp"

#include <algorithm>
#include <tuple>

#include "runtime/simulate/runtime.hpp"

namespace warpgrade::cuda {
namespace {

constexpr std::size_t most_operations = 200'000;
constexpr std::uint64_t sector_bytes = 32;

/// The place whose memory a block is; managed memory moves as the system likes, and is left out.
std::optional<int> place_of(const Block *block) {
  if (block == nullptr) return links::host;
  if (block->kind == Kind::managed) return std::nullopt;
  return block->host_sees_it() ? links::host : block->device;
}

/// Bytes and messages, by direction and line.
class Sums {
 public:
  explicit Sums(int device) : device_(device) {}
  void add(int place, bool to_it, std::uint64_t bytes, std::uint64_t messages, const simt::SourceLine &at) {
    if (place == device_ || bytes == 0) return;
    links::Transfer &sum = sums_[{place, to_it, at}];
    sum.from = to_it ? device_ : place;
    sum.to = to_it ? place : device_;
    sum.at = at;
    sum.bytes += bytes;
    sum.messages += messages;
  }
  std::vector<links::Transfer> take() {
    std::vector<links::Transfer> all;
    for (auto &[key, sum] : sums_) all.push_back(std::move(sum));
    return all;
  }

 private:
  int device_;
  std::map<std::tuple<int, bool, simt::SourceLine>, links::Transfer> sums_;
};

/// Atomics are counted by line; whose memory a line's words are, its footprint tells.
void add_atomics(Runtime &r, const simt::LaunchResult &result, Sums &sums) {
  std::map<simt::SourceLine, std::map<int, std::uint64_t>> words;  // by line and place
  for (const simt::AddressRange &range :
       result.footprint[static_cast<std::size_t>(simt::Access::strong_write)]) {
    if (range.source == 0 || range.source > result.sources.size()) continue;
    const std::optional<int> place = place_of(r.blocks.at(range.begin));
    if (place) words[result.sources[range.source - 1].at][*place] += range.end - range.begin;
  }
  for (const auto &[at, places] : words) {
    const auto line = result.counters.lines.find(at);
    if (line == result.counters.lines.end()) continue;
    std::uint64_t all = 0;
    for (const auto &[place, bytes] : places) all += bytes;
    for (const auto &[place, bytes] : places) {
      const std::uint64_t share = line->second.global_atomics * bytes / all;
      sums.add(place, true, share * sector_bytes, share, at);
    }
  }
}

}  // namespace

bool Traffic::is_on(const Runtime &r) const {
  return r.options.traffic && count_ < most_operations;
}

void Traffic::kernel(Runtime &r, const std::string &name, const simt::LaunchResult &result) {
  if (!is_on(r)) return;
  links::Operation one;
  one.device = r.current;
  one.kernel = true;
  one.what = name;
  one.warp_instructions = result.warp_instructions;
  one.device_bytes = result.counters.compulsory_bytes();
  Sums sums(r.current);
  for (const auto &[key, access] : result.counters.accesses) {
    if (key.space != ptx::Space::global) continue;
    const Block *const block = r.blocks.named(key.buffer);
    const std::optional<int> place = block == nullptr ? std::nullopt : place_of(block);
    if (place)
      sums.add(*place, key.store, access.global.sectors * sector_bytes, access.global.requests, key.at);
  }
  add_atomics(r, result, sums);
  one.transfers = sums.take();
  for (const links::Transfer &t : one.transfers) one.device_bytes -= std::min(one.device_bytes, t.bytes);
  add(r, std::move(one));
}

void Traffic::copy(Runtime &r, const char *call, const Side &to, const Side &from, const Box &box) {
  if (!is_on(r)) return;
  links::Operation one;
  one.device = r.order.device(r);
  one.what = call;
  const std::uint64_t bytes = box.width * box.height * box.depth;
  const std::optional<int> target = place_of(to.block), source = place_of(from.block);
  if (from.used && target && source && *target != *source)
    one.transfers.push_back({*source, *target, bytes, box.height * box.depth, {}});
  else
    one.device_bytes = from.used ? 2 * bytes : bytes;
  add(r, std::move(one));
}

void Traffic::step(Runtime &r, std::string what, std::vector<links::Transfer> transfers,
                   std::uint64_t in_own_memory) {
  if (!is_on(r)) return;
  links::Operation one;
  one.device = r.order.device(r);
  one.what = std::move(what);
  one.transfers = std::move(transfers);
  one.device_bytes = in_own_memory;
  add(r, std::move(one));
}

void Traffic::add(Runtime &r, links::Operation one) {
  const StreamOrder::Numbered now = r.order.number_operation(r);
  one.stream = StreamOrder::words_of(now.stream);
  one.after = operations_before(now.known);
  auto &mine = of_stream_[now.stream];
  if (!mine.empty()) one.after.push_back(mine.back().second);
  std::sort(one.after.begin(), one.after.end());
  one.after.erase(std::unique(one.after.begin(), one.after.end()), one.after.end());
  mine.emplace_back(now.number, count_++);
  r.journal.note_operation(one);
}

std::vector<std::size_t> Traffic::operations_before(const StreamClock &known) const {
  std::vector<std::size_t> all;
  for (const auto &[stream, number] : known) {
    const auto found = of_stream_.find(stream);
    if (found == of_stream_.end()) continue;
    const auto after =
        std::upper_bound(found->second.begin(), found->second.end(), std::pair(number, SIZE_MAX));
    if (after != found->second.begin()) all.push_back(std::prev(after)->second);
  }
  return all;
}

}  // namespace warpgrade::cuda
