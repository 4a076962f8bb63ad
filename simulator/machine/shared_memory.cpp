#include "machine/shared_memory.hpp"

#include <algorithm>
#include <cstring>

#include "machine/checks/seen.hpp"

namespace warpgrade::simt {
namespace {

constexpr std::size_t most_pending_reads = 1 << 15, most_pending_words = 1 << 18;

std::size_t index_in(const std::vector<SharedRange> &ranges, const SharedRange &range) {
  return static_cast<std::size_t>(&range - ranges.data());
}

}  // namespace

SharedMemory::SharedMemory(const Program &program, std::uint32_t dynamic_bytes, bool checked,
                           Context &context)
    : context_(context), uses_reserved_(program.uses_reserved), variables_(program.shared) {
  std::uint32_t end = program.shared_static_end;
  if (dynamic_bytes > 0) {
    std::string name = "dynamic shared memory";
    for (const SharedVariable &variable : program.shared)
      if (variable.dynamic) name = variable.name;
    std::erase_if(variables_, [](const SharedVariable &variable) { return variable.dynamic; });
    variables_.push_back({name, program.shared_static_end, dynamic_bytes, true});
    end += dynamic_bytes;
  }
  bytes_ = end + shared_red_zone;
  lines_.resize((bytes_ + 63) / 64);
  if (checked) {
    const std::size_t cells = (lines_.size() * 64 >> program.shared_shift) + 1;
    writers_.resize(cells);
    readers_.resize(cells);
    earlier_.resize(cells);
  }
  logs_.resize(variables_.size());
  words_.resize(variables_.size());
  for (const SharedVariable &one : variables_)
    ranges_.push_back({one.begin, one.begin + one.bytes, 0, 0, 0, 0, 0, false, 0, 0, nullptr, nullptr, 0, 0});
  context_.shared = lines_.data()->bytes;
  context_.writers = checked ? writers_.data() : nullptr;
  context_.readers = checked ? readers_.data() : nullptr;
  context_.earlier_readers = checked ? earlier_.data() : nullptr;
  context_.shared_shift = program.shared_shift;
}

const SharedVariable *SharedMemory::variable_at(std::uint64_t offset) const {
  for (const SharedVariable &one : variables_)
    if (offset >= one.begin && offset < std::uint64_t{one.begin} + one.bytes) return &one;
  return nullptr;
}

bool SharedMemory::is_initialized() const {
  return std::all_of(ranges_.begin(), ranges_.end(), [](const SharedRange &one) { return one.initialized; });
}

RemoteCells &SharedMemory::remote(std::uint64_t cell) {
  if (remote_.empty()) remote_.resize(writers_.size());
  return remote_[cell];
}

void SharedMemory::cover(std::uint64_t cell) {
  std::uint64_t &writer = writers_[cell];
  if (writer == remote_mark) return;
  remote(cell).hidden = writer;
  writer = remote_mark;
  covered_.push_back(static_cast<std::uint32_t>(cell));
  mark_written(cell << context_.shared_shift, 1u << context_.shared_shift);
}

std::uint64_t SharedMemory::settled_writer(std::uint64_t cell) const {
  if (writers_[cell] != remote_mark) return writers_[cell];
  // What another block has written counts as written by no instruction that has a line.
  constexpr std::uint64_t no_site = std::uint64_t{0xFFFFF} << 12, time = 0xFFFF'FFFF'0000'0000;
  const RemoteCells &one = remote_[cell];
  const bool newer = one.writer > one.hidden && !is_in_flight(one.hidden);
  return newer ? (one.writer & time) | no_site : one.hidden;
}

void SharedMemory::keep_covered() {
  for (const std::uint32_t cell : covered_)
    mark_written(std::uint64_t{cell} << context_.shared_shift, 1u << context_.shared_shift);
}

void SharedMemory::begin_block(bool initialized) {
  for (const std::uint32_t cell : covered_) writers_[cell] = 0, remote_[cell] = {};
  covered_.clear();
  if (uses_reserved_) std::memset(context_.shared, 0, shared_start);
  for (SharedRange &range : ranges_) {
    std::memset(context_.shared + range.begin, unset_byte, range.end - range.begin);
    range.stored = 0;
    range.initialized = initialized;
  }
  begin_epoch();
}

void SharedMemory::begin_epoch() {
  for (SharedRange &range : ranges_) {
    range.written_begin = range.read_begin = UINT64_MAX;
    range.written_end = range.read_end = 0;
    range.reads = range.words_used = 0;
  }
}

void SharedMemory::forget_times() {
  for (const std::uint32_t cell : covered_) remote_[cell] = {};
  covered_.clear();
  std::fill(writers_.begin(), writers_.end(), 0);
  std::fill(readers_.begin(), readers_.end(), 0);
  std::fill(earlier_.begin(), earlier_.end(), 0);
}

void SharedMemory::abandon(const PendingCopy &copy) {
  if (writers_.empty()) return;
  const std::uint32_t shift = context_.shared_shift;
  for (std::uint64_t i = copy.to >> shift; i <= (copy.to + copy.bytes - 1) >> shift; ++i) writers_[i] = 0;
}

SharedRange *SharedMemory::range_of(const SharedVariable &variable) {
  return &ranges_[static_cast<std::size_t>(&variable - variables_.data())];
}

void SharedMemory::mark_written(std::uint64_t offset, std::uint32_t bytes) {
  for (SharedRange &range : ranges_) {
    if (offset < range.begin || offset >= range.end) continue;
    range.written_begin = std::min(range.written_begin, offset);
    range.written_end = std::max(range.written_end, offset + bytes);
    range.stored += (bytes + 3) / 4;
  }
}

void SharedMemory::enter_reads() {
  for (SharedRange &range : ranges_)
    if (range.reads != 0) flush_reads(context_, range);
}

void SharedMemory::make_room(SharedRange &range) {
  std::vector<PendingRead> &log = logs_[index_in(ranges_, range)];
  if (log.size() >= most_pending_reads) return flush_reads(context_, range);
  log.resize(std::max<std::size_t>(256, 2 * log.size()));
  range.log = log.data();
  range.room = static_cast<std::uint32_t>(log.size());
}

void SharedMemory::make_room_for_words(SharedRange &range, std::uint32_t more) {
  std::vector<PatternWord> &words = words_[index_in(ranges_, range)];
  if (words.size() >= most_pending_words) return flush_reads(context_, range);
  words.resize(std::max<std::size_t>({1024, 2 * words.size(), range.words_used + more}));
  range.words = words.data();
  range.words_room = static_cast<std::uint32_t>(words.size());
}

void look_for_holes(Context &context, SharedRange &range) {
  const std::uint32_t shift = context.shared_shift;
  range.stored = 0;  // check again only after as many stores
  bool all = true;
  for (std::uint64_t i = range.begin >> shift; i < range.end >> shift; ++i)
    all = all && context.writers[i] >= context.block_cell;
  range.initialized = all;
}

}  // namespace warpgrade::simt
