#include "links/schedule.hpp"

#include <algorithm>
#include <set>

namespace warpgrade::links {
namespace {

constexpr double bytes_per_us = 1e3;  // of 1 GB/s

/// Sorted, without overlaps.
std::vector<Span> joined(std::vector<Span> all) {
  std::sort(all.begin(), all.end(), [](const Span &a, const Span &b) { return a.begin < b.begin; });
  std::vector<Span> made;
  for (const Span &one : all)
    if (!made.empty() && one.begin <= made.back().end)
      made.back().end = std::max(made.back().end, one.end);
    else
      made.push_back(one);
  return made;
}

double length(const std::vector<Span> &all) {
  double sum = 0;
  for (const Span &one : all) sum += one.length();
  return sum;
}

double common_length(const std::vector<Span> &a, const std::vector<Span> &b) {
  double sum = 0;
  for (auto x = a.begin(), y = b.begin(); x != a.end() && y != b.end();) {
    sum += std::max(0.0, std::min(x->end, y->end) - std::max(x->begin, y->begin));
    x->end < y->end ? ++x : ++y;
  }
  return sum;
}

bool between_devices(const Transfer &t) {
  return t.from != host && t.to != host;
}

class Planner {
 public:
  Planner(const Topology &topology, const std::vector<Operation> &operations)
      : topology_(topology), operations_(operations), free_(topology.links.size(), 0) {
    made_.of_link.resize(topology.links.size());
  }

  /// What is ready first begins first, and in the order of the program what is ready at once.
  Schedule plan() {
    const std::size_t count = operations_.size();
    std::vector<std::vector<std::size_t>> followers(count);
    std::vector<std::size_t> awaited(count, 0);
    std::vector<double> begins(count, 0);
    for (std::size_t i = 0; i < count; ++i)
      for (const std::size_t before : operations_[i].after)
        if (before < i) followers[before].push_back(i), ++awaited[i];
    std::set<std::pair<double, std::size_t>> ready;
    for (std::size_t i = 0; i < count; ++i)
      if (awaited[i] == 0) ready.emplace(0, i);
    made_.operations.resize(count);
    while (!ready.empty()) {
      const auto [begin, index] = *ready.begin();
      ready.erase(ready.begin());
      const double end = place(index, begin);
      for (const std::size_t next : followers[index]) {
        begins[next] = std::max(begins[next], end);
        if (--awaited[next] == 0) ready.emplace(begins[next], next);
      }
    }
    finish();
    return std::move(made_);
  }

 private:
  /// Gives the time at which all of the operation has ended.
  double place(std::size_t index, double begin) {
    const Operation &one = operations_[index];
    double end = begin + own_time(one);
    if (one.kernel) {
      // The device is taken only while it computes: others may be launched meanwhile.
      double &free = device_free_[one.device];
      const double work = own_time(one) - topology_.launch_us;
      end = std::max(begin + topology_.launch_us, free) + work;
      free = end;
      const Span computes{end - own_time(one), end};  // not while it only waits for its device
      computing_.push_back(computes);
      if (std::none_of(one.transfers.begin(), one.transfers.end(), between_devices))
        beside_.push_back(computes);
    }
    Span &span = made_.operations[index] = {begin, end};
    // Its transfers in one direction are one stream of data.
    std::map<std::pair<int, int>, Transfer> together;
    for (const Transfer &t : one.transfers) {
      Transfer &sum = together.try_emplace({t.from, t.to}, Transfer{t.from, t.to, 0, 0, t.at}).first->second;
      sum.bytes += t.bytes;
      sum.messages += t.messages;
    }
    for (const auto &[pair, t] : together) end = std::max(end, pass(index, t, begin));
    if (!one.kernel) span.end = end;
    made_.total_us = std::max(made_.total_us, end);
    return end;
  }

  /// What the device itself takes, without waiting for other devices.
  double own_time(const Operation &one) const {
    const double memory = static_cast<double>(one.device_bytes) / (topology_.memory_gb_per_s * bytes_per_us);
    if (!one.kernel) return memory;
    const double instructions =
        static_cast<double>(one.warp_instructions) / (topology_.warp_instructions_per_ns * 1e3);
    return topology_.launch_us + std::max(memory, instructions);
  }

  double pass(std::size_t index, const Transfer &t, double begin) {
    const std::vector<std::size_t> route = topology_.route(t.from, t.to);
    double latency = 0, width = 0;
    for (const std::size_t link : route) {
      begin = std::max(begin, free_[link]);
      latency += topology_.links[link].latency_us;
      width = width == 0 ? topology_.links[link].gb_per_s : std::min(width, topology_.links[link].gb_per_s);
    }
    const double moving = width == 0 ? 0 : static_cast<double>(t.bytes) / (width * bytes_per_us);
    const Span span{begin, begin + latency + moving};
    const Load load{t.bytes, t.messages, moving};
    for (const std::size_t link : route) {
      free_[link] = begin + moving;
      made_.of_link[link] += load;
      if (between_devices(t)) between_[link] += t.bytes;
    }
    made_.of_pair[{t.from, t.to}] += load;
    made_.passages.push_back({index, t, span});
    return span.end;
  }

  void finish() {
    std::vector<Span> moving;
    for (const Passage &one : made_.passages)
      if (between_devices(one.transfer)) moving.push_back(one.span);
    moving = joined(std::move(moving));
    made_.communication_us = length(moving);
    made_.overlapped_us = common_length(moving, joined(std::move(computing_)));
    made_.beside = joined(std::move(beside_));
    made_.beside_us = common_length(moving, made_.beside);
    find_busy();
    for (const auto &[link, bytes] : between_)
      if (bytes > made_.busiest_bytes) made_.busiest_bytes = bytes, made_.busiest = static_cast<int>(link);
  }

  void find_busy() {
    std::vector<std::vector<Span>> busy(static_cast<std::size_t>(topology_.devices));
    const auto add = [&](int device, const Span &span) {
      if (device >= 0 && device < topology_.devices) busy[static_cast<std::size_t>(device)].push_back(span);
    };
    for (std::size_t i = 0; i < operations_.size();
         ++i)  // a copy is there while it waits for a link, but does nothing
      if (operations_[i].kernel || operations_[i].transfers.empty())
        add(operations_[i].device, made_.operations[i]);
    for (const Passage &one : made_.passages)
      add(one.transfer.from, one.span), add(one.transfer.to, one.span);
    for (std::vector<Span> &spans : busy) made_.busy_us.push_back(length(joined(std::move(spans))));
  }

  const Topology &topology_;
  const std::vector<Operation> &operations_;
  Schedule made_;
  std::vector<double> free_;                      // by link: when it has carried all so far
  std::map<int, double> device_free_;             // when its kernels have computed
  std::map<std::size_t, std::uint64_t> between_;  // by link: bytes between devices
  std::vector<Span> computing_, beside_;
};

}  // namespace

Load &Load::operator+=(const Load &other) {
  bytes += other.bytes;
  messages += other.messages;
  busy_us += other.busy_us;
  return *this;
}

double Schedule::alone_us(const Span &span) const {
  return span.length() - common_length({span}, beside);
}

Schedule plan(const Topology &topology, const std::vector<Operation> &operations) {
  return Planner(topology, operations).plan();
}

}  // namespace warpgrade::links
