#include "counters/counters.hpp"

#include "machine/workers.hpp"

namespace warpgrade::simt {

std::string_view name_of(InstructionClass one) {
  static constexpr std::string_view names[instruction_classes] = {
      "fp32", "fp64", "half", "integer", "conversion", "memory", "control", "cooperation", "tensor"};
  return names[static_cast<std::size_t>(one)];
}

namespace {

/// to += scale * from: field by field, for each key of a map, for each element of an array.
template <class T>
void add(T &to, const T &from, std::uint64_t scale = 1) {
  if constexpr (std::integral<T>) {
    to += scale * from;
  } else if constexpr (HasFields<T>) {
    each_field(to, from, [scale](const char *, auto &one, const auto &other) { add(one, other, scale); });
  } else if constexpr (requires { typename T::mapped_type; }) {
    for (const auto &[key, value] : from) add(to[key], value, scale);
  } else {
    for (std::size_t i = 0; i < from.size(); ++i) add(to[i], from[i], scale);
  }
}

}  // namespace

GlobalTraffic &GlobalTraffic::operator+=(const GlobalTraffic &o) {
  add(*this, o);
  return *this;
}
SharedTraffic &SharedTraffic::operator+=(const SharedTraffic &o) {
  add(*this, o);
  return *this;
}
LocalTraffic &LocalTraffic::operator+=(const LocalTraffic &o) {
  add(*this, o);
  return *this;
}
LineCounters &LineCounters::operator+=(const LineCounters &o) {
  add(*this, o);
  return *this;
}
AccessCounters &AccessCounters::operator+=(const AccessCounters &o) {
  add(*this, o);
  return *this;
}
ProductCounters &ProductCounters::operator+=(const ProductCounters &o) {
  add(*this, o);
  return *this;
}
UniqueSectors &UniqueSectors::operator+=(const UniqueSectors &o) {
  add(*this, o);
  return *this;
}
Counters &Counters::operator+=(const Counters &o) {
  add(*this, o);
  return *this;
}

namespace {

LineCounters of_access(const Site &site, const AccessCounters &access) {
  LineCounters c;
  const bool store = site.action == Site::Action::store;
  (store ? c.global_store : c.global_load) = access.global;
  (store ? c.shared_store : c.shared_load) = access.shared;
  return c;
}

std::string name_of(const Tally::Key &key) {
  if (!key.buffer) return {};
  return key.space == ptx::Space::shared ? static_cast<const SharedVariable *>(key.buffer)->name
                                         : static_cast<const Allocation *>(key.buffer)->name;
}

}  // namespace

Counters BlockRun::counters() {
  Counters total;
  total.barriers = barriers_;
  const auto count = [&](std::int32_t location, const LineCounters &c) {
    if (c == LineCounters{}) return;
    total.lines[line_of(location)] += c;
    static_cast<LineCounters &>(total) += c;
  };
  for (SiteState &state : sites_) tally_.settle(state);
  for (const auto &[key, access] : tally_.accesses()) {
    const Site &site = program.sites[key.site];
    count(site.location, of_access(site, access));
    total.accesses[{line_of(site.location), key.space, site.action == Site::Action::store, bytes_of(site),
                    name_of(key)}] += access;
  }
  for (std::size_t i = 0; i < program.sites.size(); ++i) count(program.sites[i].location, site_counts_[i]);
  for (std::size_t i = 0; i < program.blocks.size(); ++i) {
    if (statistics_[i].divergences == 0) continue;
    LineCounters c;
    c.divergent_branches = statistics_[i].divergences;
    count(program.blocks[i].location, c);
  }
  for (const LineWork &work : program.line_work) {
    const BlockStatistics &statistics = statistics_[work.block];
    if (statistics.executions == 0) continue;
    LineCounters c;
    add(c, work.of_warp, statistics.executions);
    add(c, work.of_lane, statistics.lanes);
    count(work.location, c);
  }
  for (const Program::GuardedFlops &one : program.guarded_flops) {
    if (guard_lost_[one.slot] == 0) continue;
    total.*one.counter -= guard_lost_[one.slot];
    total.lines[line_of(one.location)].*one.counter -= guard_lost_[one.slot];
  }
  for (const ProductWork &work : program.products)
    if (const std::uint64_t executions = statistics_[work.block].executions; executions != 0)
      total.products[{line_of(work.location), work.instruction, work.a_in_shared}] +=
          {executions, executions * work.flops};
  return total;
}

Counters count_all(const Workers &workers) {
  Counters total;
  std::vector<const Tally *> tallies;
  for (const auto &worker : workers) {
    total += worker->counters();
    tallies.push_back(&worker->tally());
  }
  total.unique_sectors = Tally::unique(tallies);
  return total;
}

std::vector<BranchCount> gather_branches(const Workers &workers) {
  std::map<std::int32_t, BranchCount> by_line;  // a function called from several places is decoded once
  for (const auto &worker : workers)
    for (const BranchCount &one : worker->branches)
      if (one.ptx_line != 0)
        by_line.try_emplace(one.ptx_line, BranchCount{one.ptx_line, 0, 0}).first->second += one;
  std::vector<BranchCount> all;
  all.reserve(by_line.size());
  for (const auto &[line, count] : by_line) all.push_back(count);
  return all;
}

}  // namespace warpgrade::simt
