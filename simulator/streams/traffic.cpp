#include "streams/traffic.hpp"

#include <algorithm>
#include <tuple>

#include "streams/kept.hpp"

namespace warpgrade::streams {
namespace {

constexpr std::uint64_t sector_bytes = 32;

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

/// How many bytes of a variable the kernel accessed on each device, by loads or stores of one line, or of any.
std::map<int, std::uint64_t> words_of(const simt::LaunchResult &result, const std::vector<Placed> &variable,
                                      bool stores, const simt::SourceLine *line) {
  std::map<int, std::uint64_t> words;
  for (const simt::Access access : all_accesses) {
    if (writes(access) != stores) continue;
    for (const simt::AddressRange &range : result.footprint[static_cast<std::size_t>(access)]) {
      if (line != nullptr && (range.source == 0 || range.source > result.sources.size() ||
                              result.sources[range.source - 1].at != *line))
        continue;
      for (const Placed &one : variable)
        if (const std::uint64_t begin = std::max(range.begin, one.begin), end = std::min(range.end, one.end);
            begin < end)
          words[one.device] += end - begin;
    }
  }
  return words;
}

void add_variable(const std::vector<Placed> &variable, const simt::AccessKey &key,
                  const simt::AccessCounters &access, const simt::LaunchResult &result, Sums &sums) {
  std::map<int, std::uint64_t> words = words_of(result, variable, key.store, &key.at);
  if (words.empty()) words = words_of(result, variable, key.store, nullptr);  // a later line has its words
  std::uint64_t all = 0;
  for (const auto &[device, bytes] : words) all += bytes;
  for (const auto &[device, bytes] : words)
    sums.add(device, key.store, access.global.sectors * bytes / all * sector_bytes,
             access.global.requests * bytes / all, key.at);
}

/// Atomics are counted by line; whose memory a line's words are, its footprint tells.
void add_atomics(const Places &places, const simt::LaunchResult &result, Sums &sums) {
  std::map<simt::SourceLine, std::map<int, std::uint64_t>> words;  // by line and place
  for (const simt::AddressRange &range :
       result.footprint[static_cast<std::size_t>(simt::Access::strong_write)]) {
    if (range.source == 0 || range.source > result.sources.size()) continue;
    const std::optional<int> place = places.of_address(range.begin);
    if (place) words[result.sources[range.source - 1].at][*place] += range.end - range.begin;
  }
  for (const auto &[at, by_place] : words) {
    const auto line = result.counters.lines.find(at);
    if (line == result.counters.lines.end()) continue;
    std::uint64_t all = 0;
    for (const auto &[place, bytes] : by_place) all += bytes;
    for (const auto &[place, bytes] : by_place) {
      const std::uint64_t share = line->second.global_atomics * bytes / all;
      sums.add(place, true, share * sector_bytes, share, at);
    }
  }
}

}  // namespace

links::Operation kernel(std::string name, int device, const simt::LaunchResult &result,
                        const Places &places) {
  links::Operation one;
  one.device = device;
  one.kernel = true;
  one.what = std::move(name);
  one.warp_instructions = result.warp_instructions;
  one.device_bytes = result.counters.compulsory_bytes();
  Sums sums(device);
  for (const auto &[key, access] : result.counters.accesses) {
    if (key.space != ptx::Space::global) continue;
    if (const auto variable = places.of_variable ? places.of_variable(key.buffer) : std::vector<Placed>{};
        !variable.empty())
      add_variable(variable, key, access, result, sums);
    else if (const std::optional<int> place = places.of_buffer(key.buffer))
      sums.add(*place, key.store, access.global.sectors * sector_bytes, access.global.requests, key.at);
  }
  add_atomics(places, result, sums);
  one.transfers = sums.take();
  for (const links::Transfer &t : one.transfers) one.device_bytes -= std::min(one.device_bytes, t.bytes);
  return one;
}

links::Operation copy(std::string call, int device, const Copied &c) {
  links::Operation one;
  one.device = device;
  one.what = std::move(call);
  const std::uint64_t bytes = c.width * c.rows;
  if (!c.fill && c.to && c.from && *c.to != *c.from)
    one.transfers.push_back({*c.from, *c.to, bytes, c.rows, {}});
  else
    one.device_bytes = c.fill ? bytes : 2 * bytes;
  return one;
}

void History::add(links::Operation &one, std::uint64_t stream, std::uint64_t number, const Clock &known) {
  one.after.clear();
  for (const auto &[other, ended] : known) {
    const auto found = of_stream_.find(other);
    if (found == of_stream_.end()) continue;
    const auto later =
        std::upper_bound(found->second.begin(), found->second.end(), std::pair(ended, SIZE_MAX));
    if (later != found->second.begin()) one.after.push_back(std::prev(later)->second);
  }
  auto &mine = of_stream_[stream];
  if (!mine.empty()) one.after.push_back(mine.back().second);
  std::sort(one.after.begin(), one.after.end());
  one.after.erase(std::unique(one.after.begin(), one.after.end()), one.after.end());
  mine.emplace_back(number, count_++);
}

}  // namespace warpgrade::streams
