#include "machine/checks/findings.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpgrade::simt {
namespace {

constexpr std::size_t max_handles = 1 << 18;

void lower(std::atomic<std::uint64_t> &least, std::uint64_t value) {
  std::uint64_t known = least.load();
  while (value < known && !least.compare_exchange_weak(known, value)) {
  }
}

}  // namespace

void Findings::begin_block(std::uint64_t block) {
  block_ = block;
  present_.clear();
  races_ = block > saturation_.races.load() ? enough_errors : 0;
  unset_ = block > saturation_.unset.load() ? enough_errors : 0;
  warnings_ = block > saturation_.warnings.load() ? enough_warnings : 0;
}

void Findings::spend(Code code, Severity severity) {
  const auto add = [this](std::uint32_t &count, std::uint32_t enough, std::atomic<std::uint64_t> &last) {
    if (++count == 1) lower(last, block_ + enough_blocks);
    if (count == enough) lower(last, block_);
  };
  if (code == Code::uninitialized_read && severity == Severity::error)
    add(unset_, enough_errors, saturation_.unset);
  if (!is_about_order(code)) return;
  if (severity == Severity::error) add(races_, enough_errors, saturation_.races);
  if (severity == Severity::warning) add(warnings_, enough_warnings, saturation_.warnings);
}

void Findings::record(std::uint32_t kind, std::uint64_t count) {
  const auto [at, fresh] = present_.try_emplace(kind, records_.size());
  if (fresh)
    records_.push_back({block_, kind, count});
  else
    records_[at->second].count += count;
}

bool Findings::count(std::uint64_t handle, Code code, Severity severity, std::uint32_t warps) {
  const auto known = by_handle_.find(handle);
  if (known == by_handle_.end()) return false;
  spend(code, severity);
  if (known->second < first_unlisted) kinds_[known->second].diagnostic.warps |= warps;
  record(known->second, 1);
  return true;
}

void Findings::add(Diagnostic made, std::uint64_t handle) {
  spend(made.code, made.severity);
  Key key{made.code, made.severity, made.here.at, made.other ? made.other->at : SourceLine{}, made.buffer};
  std::size_t &listed = listed_[static_cast<std::size_t>(made.severity)];
  std::uint32_t kind = first_unlisted + static_cast<std::uint32_t>(made.code);
  const std::uint64_t count = made.count;
  if (const auto known = by_key_.find(key); known != by_key_.end()) {
    kind = known->second;
    kinds_[kind].diagnostic.warps |= made.warps;
  } else if (listed < max_findings) {
    ++listed;
    kind = static_cast<std::uint32_t>(kinds_.size());
    by_key_.emplace(key, kind);
    kinds_.push_back({std::move(key), std::move(made)});
  }
  if (handle != 0 && by_handle_.size() < max_handles) by_handle_.emplace(handle, kind);
  record(kind, count);
}

/// Whether a finding is after the block at which the launch stopped its checks.
bool Findings::dropped(const Record &record) const {
  const bool listed = record.kind < first_unlisted;
  const Code code =
      listed ? kinds_[record.kind].diagnostic.code : static_cast<Code>(record.kind - first_unlisted);
  if (code == Code::uninitialized_read) return record.block > saturation_.unset.load();
  if (!is_about_order(code)) return false;
  const bool warning = listed && kinds_[record.kind].diagnostic.severity == Severity::warning;
  return record.block > saturation_.races.load() || (warning && record.block > saturation_.warnings.load());
}

std::vector<Diagnostic> Findings::gather(const std::vector<const Findings *> &workers,
                                         std::uint64_t last_block) {
  std::vector<std::pair<const Findings *, const Record *>> all;
  for (const Findings *worker : workers)
    for (const Record &record : worker->records_)
      if (record.block <= last_block && !worker->dropped(record)) all.emplace_back(worker, &record);
  // Within a block, the records are in the order in which they were found.
  std::stable_sort(all.begin(), all.end(),
                   [](const auto &a, const auto &b) { return a.second->block < b.second->block; });
  using Shown = std::tuple<Code, SourceLine, SourceLine, std::string>;
  std::map<Key, bool> seen;
  std::size_t listed[3] = {};
  std::map<Shown, std::size_t> by_place;
  std::vector<Diagnostic> result;
  std::uint64_t others = 0;
  for (const auto &[worker, record] : all) {
    const Kind *kind = record->kind >= first_unlisted ? nullptr : &worker->kinds_[record->kind];
    if (kind) {
      const auto [at, fresh] = seen.try_emplace(kind->key, true);
      if (fresh) at->second = listed[static_cast<std::size_t>(kind->diagnostic.severity)]++ < max_findings;
      if (!at->second) kind = nullptr;
    }
    if (!kind) {
      others += record->count;
      continue;
    }
    // One place may be a warning here and an error there: the worse is shown.
    const auto &[code, severity, here, other, buffer] = kind->key;
    const auto [at, fresh] = by_place.try_emplace(Shown{code, here, other, buffer}, result.size());
    if (fresh) {
      result.push_back(kind->diagnostic);
      result.back().count = record->count;
      continue;
    }
    Diagnostic &first = result[at->second];
    const std::uint64_t count = first.count + record->count;
    const std::uint32_t warps = first.warps | kind->diagnostic.warps;
    if (severity > first.severity) first = kind->diagnostic;
    first.count = count;
    first.warps = warps;
  }
  if (others > 0) {
    Diagnostic more = result.back();
    more.severity = Severity::info;
    more.message = fmt::format("{} more like these at other lines are not listed", others);
    more.other.reset();
    more.buffer.clear();
    more.count = others;
    result.push_back(std::move(more));
  }
  return result;
}

}  // namespace warpgrade::simt
