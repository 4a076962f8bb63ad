// Races in shared memory and reads of shared memory that nobody wrote: the careful form of hot/memory.cpp's
// checks.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "machine/checks/warpgroup_checks.hpp"
#include "machine/lanes.hpp"
#include "machine/resolve.hpp"
#include "ptx/module.hpp"

namespace warpgrade::simt {
namespace {

struct Cell {
  std::uint64_t bits;
  std::uint32_t thread() const { return bits & cell_thread; }
  std::uint32_t site() const { return bits >> 12 & cell_sites; }
};

std::uint32_t thread_of(const LaneAccess &access) {
  return access.run.context.warp * 32 + access.lane;
}

/// What can be wrong with an access to shared memory.
enum class SharedMistake : std::uint8_t {
  unset,
  unset_in_library,
  copy_under_way,
  copy_not_awaited,
  copy_unsynced,
  lost_update,
  unprotected_store,      ///< two strong stores, at least one of them under a lock
  read_without_release,   ///< strong, after a strong store: the writer has no fence
  store_without_release,  ///< the same of a store
  read_without_acquire,   ///< the reader has no fence
  store_without_acquire,  ///< the same of a store
  same_value_of_lanes,    ///< races
  same_value_of_warps,
  lanes,
  warps,
  warps_around_mbarriers,
  warps_without_release,  ///< a flag or lock would order them, had the writer fenced
  warps_without_acquire,  ///< or the reader
  warps_without_sync,     ///< an mbarrier would order them, had the lanes of a warp been synced
};

/// What the reports say of a mistake.
struct MistakeText {
  SharedMistake mistake;
  Code code;
  Severity severity;
  Order order;         ///< of a race whose advice cure.hpp decides, unless it is given here
  const char *advice;  ///< null: depends on the access
  bool forgivable;     ///< see Options::forgive_looks_ahead
};

constexpr const char *no_fence =
    "the thread does not acquire what the other warp released: it has no __threadfence_block() between "
    "reading the flag or taking the lock and this access";

constexpr MistakeText shared_mistakes[] = {
    {SharedMistake::unset, Code::uninitialized_read, Severity::error, Order::fine,
     "no thread of the block has written it", false},
    {SharedMistake::unset_in_library, Code::uninitialized_read, Severity::info, Order::fine,
     "no thread of the block has written it; this is in the library's own code", false},
    {SharedMistake::copy_under_way, Code::race, Severity::error, Order::fine,
     "wait for it first: for its group, or at an mbarrier that expects all of its bytes; if the copy is the "
     "next one into a place that is still in use, a barrier is missing before it",
     false},
    {SharedMistake::copy_not_awaited, Code::race, Severity::error, Order::fine,
     "the copy happens to have finished, but the thread has not waited at the mbarrier that counts it",
     false},
    {SharedMistake::copy_unsynced, Code::race, Severity::warning, Order::fine, no_syncwarp, false},
    {SharedMistake::lost_update, Code::race, Severity::error, Order::fine, update_advice, false},
    {SharedMistake::unprotected_store, Code::lock, Severity::warning, Order::fine, nullptr, false},
    {SharedMistake::read_without_release, Code::race, Severity::error, Order::fine, nullptr, false},
    {SharedMistake::store_without_release, Code::lock, Severity::warning, Order::fine, nullptr, false},
    {SharedMistake::read_without_acquire, Code::race, Severity::warning, Order::fine, no_fence, false},
    {SharedMistake::store_without_acquire, Code::lock, Severity::warning, Order::fine, no_fence, false},
    {SharedMistake::same_value_of_lanes, Code::race, Severity::info, Order::lanes,
     "two lanes write the same value without a __syncwarp() between", false},
    {SharedMistake::same_value_of_warps, Code::race, Severity::info, Order::warps,
     "two warps write the same value without a barrier between", false},
    {SharedMistake::lanes, Code::race, Severity::warning, Order::lanes, "", false},
    {SharedMistake::warps, Code::race, Severity::error, Order::warps, "", true},
    {SharedMistake::warps_around_mbarriers, Code::race, Severity::error, Order::warps,
     "the mbarriers (cuda::barrier) do not order them: an arrival releases what its thread did before, "
     "and only threads that wait for that phase acquire it",
     true},
    {SharedMistake::warps_without_release, Code::race, Severity::error, Order::warps, nullptr, true},
    {SharedMistake::warps_without_acquire, Code::race, Severity::warning, Order::warps, no_fence, false},
    {SharedMistake::warps_without_sync, Code::race, Severity::warning, Order::warps, no_syncwarp, false},
};

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < std::size(shared_mistakes); ++i)
    if (shared_mistakes[i].mistake != static_cast<SharedMistake>(i)) return false;
  return std::size(shared_mistakes) == static_cast<std::size_t>(SharedMistake::warps_without_sync) + 1;
}
static_assert(is_in_order());

const MistakeText &text_of(SharedMistake mistake) {
  return shared_mistakes[static_cast<std::size_t>(mistake)];
}

/// A mistake, as it is reported.
struct SharedFinding {
  SharedMistake mistake;
  const char *kind;         ///< "read after write"
  std::string advice = {};  ///< where the shared_mistakes has none
  bool others = false;      ///< threads that have no name here have written

  bool is_copy() const {  ///< the other access is a copy, which no thread makes
    return mistake >= SharedMistake::copy_under_way && mistake <= SharedMistake::copy_unsynced;
  }
};

bool is_forgiven(const LaneAccess &access, const Site &other) {
  const Site &own = access.site;
  return access.run.launch.options.forgive_looks_ahead &&
         ((own.looks_ahead && forms_a_bound(other)) || (other.looks_ahead && forms_a_bound(own)));
}

void report(const LaneAccess &access, std::uint64_t offset, Cell other, const SharedFinding &finding) {
  BlockRun &run = access.run;
  const MistakeText &words = text_of(finding.mistake);
  const Site &site = run.program.sites[std::min<std::size_t>(other.site(), run.program.sites.size() - 1)];
  const Severity severity =
      words.forgivable && is_forgiven(access, site) ? Severity::warning : words.severity;
  const SharedVariable *variable = run.shared.variable_at(offset);
  const auto index = variable ? static_cast<std::uint64_t>(variable - run.shared.variables().data()) + 1 : 0;
  const std::uint64_t handle = std::uint64_t{1} << 63 |
                               std::uint64_t{is_about_order(words.code) ? 1u : 0u} << 62 |
                               std::uint64_t{severity == Severity::error ? 1u : 0u} << 61 |
                               (index & 0xFF) << 40 | std::uint64_t{access.op.site} << 20 | other.site();
  const std::uint32_t warps =
      words.order == Order::fine ? 0 : 1u << run.context.warp | 1u << (other.thread() >> 5);
  if (run.count_known(handle, words.code, severity, warps)) return;
  Diagnostic made = run.diagnostic(words.code, severity, run.here(access.lane, access.op), {});
  // A shadow word keeps only one thread; if that is this one, or of another kind, there were others before.
  const bool several = is_about_order(words.code) && !finding.is_copy() &&
                       (other.thread() == thread_of(access) || finding.others);
  if (is_about_order(words.code))
    made.other = finding.is_copy() && has_arrived(other.bits)
                     ? run.side_of(run.order.mbarriers.starter_of(other.bits))
                     : run.side(other.thread() >> 5, other.thread() & 31, run.line_of(site.location));
  if (variable) made.buffer = variable->name;
  const std::uint64_t element = variable ? (offset - variable->begin) / access.site.bytes : 0;
  std::string advice = words.advice ? std::string(words.advice) : finding.advice;
  if (words.order != Order::fine && advice.empty()) {
    const RacingPair pair{access.site, site, words.order, true};
    made.warps = warps;
    made.cure = run.cures().of(pair);
    advice = run.cures().words(made.cure, pair, made, element);
  }
  made.message = fmt::format(
      "{} on shared memory{}: {}", finding.kind,
      variable ? fmt::format(" {}, element {}", variable->name, element) : std::string(),
      several ? fmt::format("several threads have {} it; {}", finding.others ? "written to" : "read", advice)
              : advice);
  if (words.order != Order::fine && !several)
    made.message += run.cures().order_words({access.site, site, words.order, true}, made);
  run.note(std::move(made), handle);
}

bool is_strong(const BlockRun &run, std::uint64_t cell) {
  const std::uint32_t site = Cell{cell}.site();
  return site < run.program.sites.size() && run.program.sites[site].is_volatile;
}

/// The reader's cell after a read by `mine`, given the one before. Plain readers keep their names. earlier:
/// the cell of a reader of another name, of another warp if there is one.
std::uint64_t cell_after_read(const BlockRun &run, std::uint64_t old, std::uint64_t &earlier,
                              std::uint64_t mine, std::uint64_t epoch, std::uint64_t warp_sync) {
  const bool other = ((old ^ mine) & cell_thread) != 0, other_warp = ((old ^ mine) & cell_warp) != 0;
  if (other_warp && !(old & reader_many_warps) && old >= epoch &&
      run.order.comes_before(old, static_cast<std::uint32_t>(mine & cell_warp) >> 5, mine & 31))
    return mine;
  if (old < epoch || (old < warp_sync && !other_warp && !(old & reader_many_warps))) return mine;
  std::uint64_t flags = (old & (reader_many_lanes | reader_many_warps | reader_mixed)) |
                        (other_warp ? reader_many_warps : 0) | (other ? reader_many_lanes : 0);
  bool keeps_old = false;
  if (run.program.strong_in_shared) {
    const bool was_strong = is_strong(run, old), strong = is_strong(run, mine);
    keeps_old = strong && !was_strong;
    if (strong != was_strong) flags |= reader_mixed;
  }
  const std::uint64_t named = keeps_old ? old : mine, unnamed = keeps_old ? mine : old;
  const bool keeps_earlier = !other_warp && earlier >= epoch && ((earlier ^ mine) & cell_warp) != 0;
  if (other && !keeps_earlier) earlier = unnamed;
  return named | flags;
}

struct Moment {
  const BlockRun &run;
  std::uint64_t epoch, warp_sync, mine;
  bool lanes;  ///< whether lanes of one warp are distinguished
  std::uint32_t lane() const { return mine & 31; }
};

/// What orders a shadow word's access before this one: 0 nothing is wrong, 1 lanes of one warp, 2 different warps.
int hazard(std::uint64_t cell, const Moment &now) {
  if (cell < now.epoch || ((cell ^ now.mine) & cell_thread) == 0) return 0;
  if ((cell ^ now.mine) & cell_warp) return 2;
  const bool known = cell < now.warp_sync || !now.lanes || now.run.order.knows_lane(now.lane(), cell) ||
                     now.run.order.comes_before(cell, now.lane());
  return known ? 0 : 1;
}

int reader_hazard(std::uint64_t cell, const Moment &now) {
  if (cell < now.epoch) return 0;
  if (cell & reader_many_warps) return 2;
  if ((cell & reader_many_lanes) && ((cell ^ now.mine) & cell_warp) == 0 && !now.run.order.has_synced_lanes())
    return cell < now.warp_sync || !now.lanes ? 0 : 1;
  return hazard(cell, now);
}

/// The same for a strong write, against which strong readers do not race.
int plain_reader_hazard(const BlockRun &run, std::uint64_t cell, const Moment &now) {
  if (is_strong(run, cell)) return 0;
  return cell & reader_mixed ? hazard(cell, now) : reader_hazard(cell, now);
}

/// What is wrong with a write after reads, as hazard() says, and the shadow word of one of them.
struct EarlierRead {
  int level;
  std::uint64_t cell;
};
EarlierRead read_before(const BlockRun &run, std::uint64_t reader, std::uint64_t earlier, const Moment &now,
                        bool strong) {
  const bool own_warp = ((reader ^ now.mine) & cell_warp) == 0;
  const bool known = own_warp ? (reader & reader_many_warps) != 0 && run.order.knows_other_warps()
                              : run.order.comes_before(reader, now.lane());
  const int level = known ? 0 : strong ? plain_reader_hazard(run, reader, now) : reader_hazard(reader, now);
  if (level != 0 && level == hazard(reader, now)) return {level, reader};
  // The reader's shadow word names this thread, or one that is known to have come before, but there were others.
  const int other = strong && is_strong(run, earlier) ? 0 : hazard(earlier, now);
  if (other != 0 && other >= level && !(other == 2 && run.order.comes_before(earlier, now.lane())))
    return {other, earlier};
  return {level, reader};
}

/// Whether one of two strong accesses of different warps that nothing orders loses an update.
bool is_lost(const LaneAccess &access, std::uint64_t writer, std::uint64_t reader, const Moment &now) {
  const BlockRun &run = access.run;
  return writer >= now.epoch && ((writer ^ now.mine) & cell_warp) != 0 &&
         loses_update(access.site, run.program.sites[Cell{writer}.site()]) &&
         !run.order.may_know_of(writer, reader);
}

/// Whether all lanes of the access have one address, as those of a flag do.
bool is_one_word(const LaneAccess &access) {
  Context &context = access.run.context;
  std::uint64_t addresses[32];
  addresses_of(access.op, access.site, context, addresses);
  for (std::uint32_t rest = context.mask; rest; rest &= rest - 1)
    if (addresses[first_lane(rest)] != access.address) return false;
  return true;
}

/// A part of what is read may be padding of a struct, and what loads and swaps find may be left unused:
/// undefined.hpp follows what comes of it.
bool nobody_wrote(const LaneAccess &access, std::uint64_t offset) {
  const Site &site = access.site;
  const bool load = site.action == Site::Action::load && site.matrices == 0 && !site.bulk && !site.product &&
                    !site.mbarrier;
  if ((load || replaces(site)) && access.run.follows()) return false;
  const Context &context = access.run.context;
  for (std::uint64_t byte = offset; byte < offset + access.bytes; byte += 1u << access.run.cell_shift())
    if (context.writers[byte >> access.run.cell_shift()] >= context.block_cell) return false;
  return true;
}

/// CUB's merges read the element after the last one, and drop the result.
bool is_library_code(const LaneAccess &access) {
  const Program &program = access.run.program;
  return ptx::is_toolkit_code(
      *program.module, program.op_locations[static_cast<std::size_t>(&access.op - program.ops.data())]);
}

/// Whether strong accesses of warps without a name in the cell may have come before, and nothing orders them.
bool several_wrote(const BlockRun &run, std::uint64_t writer, const Moment &now) {
  return (writer & (writer_atomic | writer_pending)) == writer_atomic && (writer & writer_many_warps) != 0 &&
         writer >= now.epoch && !run.order.knows_other_warps();
}

/// Whether a copy wrote the word last. Reports an access before its end, or by a thread that has not waited.
bool check_copy(const LaneAccess &access, std::uint64_t writer, bool read, std::uint64_t at) {
  const BlockRun &run = access.run;
  if ((writer & writer_pending) == 0 || writer < run.context.epoch_cell ||
      run.context.epoch_cell == UINT64_MAX)
    return false;
  const bool arrived = !is_in_flight(writer);
  if (arrived && run.order.knows_copy(writer, access.lane)) return true;
  const SharedMistake mistake = !arrived ? SharedMistake::copy_under_way
                                : run.order.knows_copy(writer, HappensBefore::any_lane)
                                    ? SharedMistake::copy_unsynced
                                    : SharedMistake::copy_not_awaited;
  report(access, at, Cell{writer},
         {mistake, read ? "read before the end of an asynchronous copy"
                        : "write before the end of an asynchronous copy"});
  return true;
}

/// Whether a copy meets a read of wgmma, for which check_released() has better words.
bool is_found_by_products(const LaneAccess &access, std::uint64_t reader) {
  const std::uint32_t site = Cell{reader}.site();
  return access.site.bulk && site < access.run.program.sites.size() &&
         access.run.program.sites[site].product && follows_product_reads(access.run);
}

/// What the writer of a word lacks that released it by a flag or a lock.
std::string missing_fence(const BlockRun &run, std::uint64_t writer) {
  const SourceLine line = run.line_of(run.order.releasing_site(writer).location);
  return fmt::format("the other warp signals it{}, but a __threadfence_block() is missing before that",
                     line.line == 0 ? "" : fmt::format(" at {}:{}", line.file, line.line));
}

/// A race of lanes of one warp (level 1) or of different warps (2). by_name: the cell is that of the other thread.
SharedMistake race_with(const BlockRun &run, int level, std::uint64_t cell, bool by_name) {
  if (level == 1) return SharedMistake::lanes;
  if (by_name && run.order.is_unfenced(cell)) return SharedMistake::warps_without_acquire;
  if (by_name && run.order.comes_before(cell, HappensBefore::any_lane))
    return SharedMistake::warps_without_sync;
  return run.order.mbarriers.empty() ? SharedMistake::warps : SharedMistake::warps_around_mbarriers;
}

/// A strong access after a strong store: with a lock or flag that lacks a fence it may come before it. Of two
/// stores PTX says that they do not race.
void look_for_fences(const LaneAccess &access, std::uint64_t at, std::uint64_t writer, std::uint64_t reader) {
  if (access.run.context.epoch_cell == UINT64_MAX) return;
  const std::uint64_t other = writer >> 12 & cell_sites;
  if (!access.store && access.site.acquires && other < access.run.program.sites.size() &&
      access.run.program.sites[other].releases)
    return;                                        // the two order the word by themselves
  if (!access.store && access.site.spins) return;  // it is read until it has changed
  const char *const kind = access.store ? "write after write" : "read after write";
  const Knowledge found = access.run.order.lacks_fence(writer, reader);
  if (found == Knowledge::signaled)
    report(access, at, Cell{writer},
           {access.store ? SharedMistake::store_without_release : SharedMistake::read_without_release, kind,
            missing_fence(access.run, writer)});
  else if (found == Knowledge::unfenced)
    report(access, at, Cell{writer},
           {access.store ? SharedMistake::store_without_acquire : SharedMistake::read_without_acquire, kind});
}

/// Two strong stores that nothing orders, at least one of them under a lock.
void look_for_locks(const LaneAccess &access, std::uint64_t at, std::uint64_t writer, std::uint64_t reader,
                    bool same_value) {
  BlockRun &run = access.run;
  if (!run.program.holds_locks || run.context.epoch_cell == UINT64_MAX) return;
  const bool strong = (writer & writer_atomic) != 0 && (writer & writer_pending) == 0;
  const bool unordered = strong && !same_value && writer >= run.context.epoch_cell &&
                         ((writer ^ run.context.now_cell) & cell_warp) != 0 &&
                         run.program.sites[Cell{writer}.site()].action == Site::Action::store &&
                         !loses_update(access.site, run.program.sites[Cell{writer}.site()]) &&
                         !run.order.comes_before(writer, HappensBefore::any_lane) &&
                         !run.order.is_unfenced(writer) && !run.order.is_signaled(writer);
  const Place word = place_in_shared(run.block_number(), at);
  if (std::string words = unprotected_store(access, word, {writer, reader, unordered}); !words.empty())
    report(access, at, Cell{writer},
           {SharedMistake::unprotected_store, "write after write", std::move(words)});
}

/// The shadow words of one word (or byte) that an access is about to change, and what is asked of them.
struct SharedWord {
  const LaneAccess &access;
  const Moment &now;
  std::uint64_t access_at, at;  ///< offsets of the access and of the word
  std::uint64_t writer, reader, earlier_reader;
  bool reads, strong, atomic, same_value;
};

/// A plain access after a write, or one of another kind than the write.
void check_against_writer(const SharedWord &word) {
  const LaneAccess &access = word.access;
  BlockRun &run = access.run;
  const int named = hazard(word.writer, word.now);
  const bool by_name = named == 2 || !several_wrote(run, word.writer, word.now);
  const int level = by_name ? named : 2;
  if (level == 0 || (level == 2 && by_name && run.order.comes_before(word.writer, access.lane))) return;
  SharedFinding found{SharedMistake::lanes, access.store ? "write after write" : "read after write"};
  found.others = !by_name;
  found.mistake = word.same_value
                      ? level == 2 ? SharedMistake::same_value_of_warps : SharedMistake::same_value_of_lanes
                      : race_with(run, level, word.writer, by_name);
  const bool may_lack_release =
      found.mistake == SharedMistake::warps || found.mistake == SharedMistake::warps_around_mbarriers;
  if (may_lack_release && by_name && run.order.is_signaled(word.writer)) {
    found.mistake = SharedMistake::warps_without_release;
    found.advice = missing_fence(run, word.writer);
  }
  report(access, word.at, Cell{word.writer}, found);
}

/// What came before, but for reads.
void check_after_writes(const SharedWord &word) {
  const LaneAccess &access = word.access;
  BlockRun &run = access.run;
  const bool both_strong = word.strong && (word.writer & writer_atomic) != 0;
  if (word.reads && word.writer < run.context.block_cell && nobody_wrote(access, word.access_at)) {
    report(access, word.at, Cell{word.now.mine},
           {is_library_code(access) ? SharedMistake::unset_in_library : SharedMistake::unset,
            "uninitialized read"});
    return;
  }
  if (check_copy(access, word.writer, word.reads, word.at)) return;
  if (!both_strong) return check_against_writer(word);
  if (is_lost(access, word.writer, word.reader, word.now)) {
    if (access.store)
      report(access, word.at, Cell{word.writer}, {SharedMistake::lost_update, lost_update});
    else
      begin_update(access, word.writer);
    return;
  }
  const bool stored = run.program.sites[Cell{word.writer}.site()].action == Site::Action::store;
  if (stored && !word.atomic && !word.same_value) look_for_fences(access, word.at, word.writer, word.reader);
}

/// A write after reads.
void check_after_reads(const SharedWord &word) {
  BlockRun &run = word.access.run;
  const EarlierRead before = read_before(run, word.reader, word.earlier_reader, word.now, word.strong);
  if (before.level == 0 || is_found_by_products(word.access, before.cell)) return;
  report(word.access, word.at, Cell{before.cell},
         {race_with(run, before.level, before.cell, true), "write after read"});
}

/// The writer's cell after a write. pending: a copy that has not arrived
std::uint64_t cell_after_write(const SharedWord &word, bool pending) {
  const Moment &now = word.now;
  const std::uint64_t writer = word.writer;
  const bool recent = writer >= now.epoch;
  // A plain store of the thread still races with the atomics of others.
  const bool plain_before = word.atomic && recent && !(writer & (writer_atomic | writer_pending)) &&
                            ((writer ^ now.mine) & cell_thread) == 0;
  if (plain_before && !pending) return writer;
  const bool several = word.strong && (writer & writer_atomic) != 0 && recent &&
                       !word.access.run.order.comes_before(writer, word.access.lane) &&
                       ((writer & writer_many_warps) != 0 || ((writer ^ now.mine) & cell_warp) != 0);
  const std::uint64_t cell = now.mine | (word.strong ? writer_atomic : 0) | (several ? writer_many_warps : 0);
  // As if written now, until it has arrived.
  return pending ? cell | writer_pending | 0xFFFF'FFFF'0000'0000 : cell;
}

}  // namespace

void note_scattered_read(Context &context, SharedRange &range, std::uint64_t me, std::uint64_t low) {
  const Pattern &pattern = *context.scattered;
  if (range.reads == range.room) context.run->shared.make_room(range);
  if (range.words_used + pattern.words + 1 > range.words_room)
    context.run->shared.make_room_for_words(range, pattern.words + 1);
  PatternWord *const words = range.words + range.words_used;
  words[0].word = pattern.words;  // followed by these
  std::copy_n(pattern.word, pattern.words, words + 1);
  range.log[range.reads++] = {me, static_cast<std::uint32_t>(low), scattered_read | range.words_used};
  range.words_used += pattern.words + 1;
  range.read_begin = std::min(range.read_begin, low);
  range.read_end = std::max(range.read_end, low + pattern.span);
}

void flush_reads(Context &context, SharedRange &range) {
  const std::uint32_t reads = range.reads;
  range.reads = range.words_used = 0;
  range.read_begin = UINT64_MAX;
  range.read_end = 0;
  const std::uint64_t epoch = context.epoch_cell;
  if (epoch == UINT64_MAX) return;  // readers are no longer checked
  const std::uint32_t shift = context.shared_shift;
  const Program &program = context.run->program;
  for (std::uint32_t i = 0; i < reads; ++i) {
    const PendingRead &read = range.log[i];
    const bool scattered = (read.pattern & scattered_read) != 0;
    const Pattern *const pattern = scattered ? nullptr : &context.patterns[read.pattern];
    const PatternWord *const words =
        scattered ? range.words + (read.pattern & ~scattered_read) + 1 : pattern->word;
    const std::uint32_t count = scattered ? words[-1].word : pattern->words;
    const Site &site =
        program.sites[scattered ? read.me >> 12 & 0xFFFFF : program.patterns[read.pattern].front()];
    const std::uint64_t warp_sync = context.run->warp_cell_of(read.me >> 5 & 31);
    const std::uint32_t cells = std::max(1u, std::min(bytes_of(site), 4u) >> shift);
    const std::uint64_t low = read.low >> shift;
    for (std::uint32_t k = 0; k < count; ++k)
      for (std::uint32_t c = 0; c < cells; ++c) {
        const std::uint64_t cell = low + words[k].word * cells + c;
        std::uint64_t &reader = context.readers[cell], &earlier = context.earlier_readers[cell];
        reader = cell_after_read(*context.run, reader, earlier, read.me + words[k].lane, epoch, warp_sync);
        if (!words[k].many) continue;
        reader |= reader_many_lanes;
        if (earlier < epoch || ((earlier ^ read.me) & cell_warp) == 0) earlier = read.me + words[k].other;
      }
  }
}

void check_shared(const LaneAccess &access, std::uint64_t offset, bool atomic, bool pending,
                  bool same_value) {
  Context &context = access.run.context;
  if (!context.writers) return;
  if (offset < shared_start) return access.run.order_block();  // how cooperative groups wait for each other
  access.run.shared.enter_reads();
  if (access.store) access.run.shared.mark_written(offset, access.bytes);
  const Program &program = access.run.program;
  if (access.site.updates)
    access.run.order.time.advance();  // to distinguish reads before it from those after it
  const bool strong_word = program.orders_warps && (atomic || access.site.is_volatile) &&
                           !access.site.mbarrier && !access.site.bulk;
  if (strong_word) access.run.note_poll(access.site, access.store);
  if (strong_word) access.run.order.access_shared(offset, access.site, !access.store || atomic, access.store);
  Moment now{access.run, context.epoch_cell, context.warp_cell,
             context.now_cell | std::uint64_t{access.op.site} << 12 | access.lane,
             (context.write_hazards & reader_many_lanes) != 0};
  // A volatile store is one of a flag where all lanes write to one word, or where a fence comes before it.
  const bool strong =
      atomic || access.site.says_order ||
      (access.site.is_volatile && (!access.store || access.run.order.has_fenced() || is_one_word(access)));
  const std::uint32_t shift = access.run.cell_shift();
  const bool read = !access.store || atomic;
  const std::uint64_t first = offset >> shift, last = (offset + access.bytes - 1) >> shift;
  if (access.site.is_updated) begin_update(access, 0);
  if (const std::uint64_t before = access.site.updates ? end_update(access) : 0)
    report(access, offset, Cell{before}, {SharedMistake::lost_update, lost_update});
  for (std::uint64_t i = first; i <= last; ++i) {
    std::uint64_t &writer = context.writers[i], &reader = context.readers[i];
    const std::uint64_t at = i << shift;
    if (writer == remote_mark) check_own(access, at, i, atomic);
    const Uncovered open(access.run.shared, context, i);
    if (access.store && strong && !atomic) look_for_locks(access, at, writer, reader, same_value);
    const SharedWord word{access, now,    offset, at,        writer, reader, context.earlier_readers[i],
                          read,   strong, atomic, same_value};
    check_after_writes(word);
    now.epoch = context.epoch_cell;  // a report may have been the last one
    if (access.store) {
      check_after_reads(word);
      writer = cell_after_write(word, pending);
    } else {
      reader =
          cell_after_read(access.run, reader, context.earlier_readers[i], now.mine, now.epoch, now.warp_sync);
    }
  }
}

}  // namespace warpgrade::simt
