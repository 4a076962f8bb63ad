// Runs the blocks of a launch, one at a time: warps, barriers, checks. One object per host thread. Internal
// to simt.
#pragma once

#include <array>
#include <atomic>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "decode/context.hpp"
#include "decode/program.hpp"
#include "machine/call_frames.hpp"
#include "machine/checks/cure.hpp"
#include "machine/checks/findings.hpp"
#include "machine/checks/happens_before.hpp"
#include "machine/checks/held.hpp"
#include "machine/checks/proxy_fences.hpp"
#include "machine/checks/undefined.hpp"
#include "machine/checks/watch.hpp"
#include "machine/cluster_port.hpp"
#include "machine/group_products.hpp"
#include "machine/instructions/texture.hpp"
#include "machine/local_memory.hpp"
#include "machine/memory.hpp"
#include "machine/product_registers.hpp"
#include "machine/reuse.hpp"
#include "machine/tally.hpp"
#include "machine/wait_detector.hpp"
#include "machine/warp.hpp"

namespace warpgrade::simt {

struct LaneAccess;
struct Target;
class Recorder;
struct WordWriter;

/// Ends a launch.
struct Fault {
  Status status = Status::fault;
  Diagnostic diagnostic;
};

/// Ends a launch in which a bad access was dropped, after a while.
struct EndsHere {};

constexpr std::uint32_t most_vain_rounds = 1000;  // at mbarriers; some waits have a time limit

/// What a launch has started so far. Its blocks run on one thread.
struct Children {
  std::map<Address, Launch> prepared;  ///< by the address of their arguments
  std::vector<Child> started;
  std::uint64_t handles = 0;  ///< of streams and events
  std::uint32_t error = 0;    ///< the value of cudaGetLastError
};

/// What all workers of a launch share.
struct LaunchState {
  std::shared_ptr<const Program> program;
  Memory *memory = nullptr;
  std::uint8_t device = 0;         ///< its number
  std::uint32_t out_of_reach = 0;  ///< devices, by number, whose memory the launch may not access
  bool reaches(const Allocation &one) const { return (out_of_reach >> one.owner & 1) == 0; }
  Options options;
  Launch launch;
  const std::map<std::string, Address, std::less<>> *variables = nullptr;
  const std::map<std::uint64_t, Texture> *textures = nullptr;  ///< and surfaces, by object
  const std::map<std::string, std::uint32_t, std::less<>> *dynamic_shared =
      nullptr;  ///< that kernels may have
  Children children;
  std::vector<Condition> conditions;
  std::atomic<std::uint64_t> next_block{0};
  std::atomic<std::uint64_t> instructions{0};
  std::uint64_t expected_instructions =
      UINT64_MAX;  ///< by the kernel's last launches; only speed depends on it
  std::atomic<std::uint64_t> first_failure{UINT64_MAX};  ///< blocks behind it need not run
  Saturation saturation;
  std::vector<Allocation *> written;  ///< watched for races from the start
  Snapshot before;                    ///< of them; its memory is used again by later launches
  bool tries_backwards = false;      ///< where it is cheap, run once more with the blocks in descending order
  bool knows_written = true;         ///< these are all, as far as the kernel's text tells
  std::shared_ptr<Shadow> shadow;    ///< of blocks that take turns; null: each worker has its own
  bool alone = true;                 ///< one worker runs all blocks in order
  bool warps_backwards = false;      ///< the warps of a block take turns in descending order
  bool in_turns = false;             ///< blocks take turns although none waits for another
  bool together = false;             ///< a worker for each resident block; they take turns
  bool endless = false;              ///< all blocks waited, and no word changed
  bool explicit_cluster = false;     ///< the launch or the kernel names the size of its clusters
  Address workspace = 0;             ///< of the grid barrier
  std::uint64_t freed = 0;           ///< calls of free() in the kernel; only where blocks run on one thread
  std::atomic<bool> went_on{false};  ///< bad accesses were dropped
  std::atomic<std::uint64_t> most_instructions{UINT64_MAX};  ///< less than the budget once one was
  std::vector<std::uint64_t> order;                          ///< of blocks; empty: ascending
  std::shared_ptr<const Program> plain;  ///< where `program` is a copy that records: what it is a copy of
  Recorder *recorder = nullptr;
  WordWriter *writer = nullptr;
  std::atomic<bool> again{
      false};  ///< blocks race: start again, with one worker, so that reports are the same
  /// The first worker calls it when there is work for the others; empty with one worker, and afterwards.
  std::function<void()> call_others;
  /// The next block to run; none if there is none, or if it need not run.
  std::optional<std::uint64_t> take_block();
  std::uint64_t blocks() const {
    const Dim3 grid = launch.grid;
    return options.only_blocks.empty() ? std::uint64_t{grid.x} * grid.y * grid.z : order.size();
  }
  bool is_interrupted() const {
    return options.interruption && options.interruption->load(std::memory_order_relaxed) != 0;
  }
};

/// A warp that waits at an mbarrier in vain.
struct VainWait {
  bool waits = false;
  const Op *op = nullptr;
  std::uint32_t warp = 0, lane = 0, missing = 0, expected = 0;
  Transactions bytes;
};

struct BlockStatistics {
  std::uint64_t executions = 0, lanes = 0;
  std::uint64_t divergences = 0;  ///< ends of the block at which the lanes of a group diverge
};

class BlockRun {
 public:
  explicit BlockRun(LaunchState &);
  BlockRun(const BlockRun &) = delete;
  BlockRun &operator=(const BlockRun &) = delete;

  /// Takes blocks until none is left. Faults end up in `faults`. If no other worker takes blocks, a block that
  /// waits for others is left suspended, and its number is returned.
  std::optional<std::uint64_t> run_all();
  /// The same for one block that takes turns with others: begin() it, then take_turns() until it is false.
  void begin(std::uint64_t index);
  bool take_turns();
  /// Whether every warp that can run spent its turn in a loop that only waits.
  bool only_waits() const { return only_waits_; }
  /// Says that nobody will ever change the words that this block waits for.
  [[noreturn]] void report_endless_wait(std::uint64_t not_started);
  /// Whether a warp ran in the last turn, and whether all that ran wait at mbarriers in vain.
  bool has_moved() const { return moved_; }
  bool moved_in_vain() const { return moved_in_vain_; }
  const VainWait &vain_wait() const { return vain_; }
  /// throws Fault: every flag that the block waits for is in memory that the host shares
  void look_for_host_wait();
  /// How many warps of the current block are at each line.
  std::map<SourceLine, std::uint32_t> standing() const;
  /// The flag that the current warp reads, its value and its last writer; empty if it reads none.
  std::string awaited_word();
  /// Without unique sectors, which several workers may share: see Tally::unique.
  Counters counters();

  struct FoundFault {
    std::uint64_t block;
    Fault fault;
  };
  std::vector<FoundFault> faults;
  Findings findings;
  std::map<std::uint64_t, std::string> printed;  ///< by block
  std::vector<LaneSample> samples;               ///< by site, if Options::sample_lanes; mask 0: none yet
  std::vector<TracedRequest> trace;              ///< of the block that Options::trace names, if it ran here
  std::vector<std::uint32_t> path;  ///< blocks that warp 0 executed in the last block, if Options::keep_path
  ReuseRecorder reuse;              ///< of the loads of warp 0, if Options::keep_path
  TouchRecorder first_touches;      ///< if Options::keep_touched
  std::vector<BranchCount> branches;  ///< by basic block that ends with a choice, if Options::keep_branches

  // For handlers and checks.
  LaunchState &launch;
  const Program &program;
  Context context;
  SharedMemory shared;
  const std::shared_ptr<Shadow> shared_shadow;
  // Each of these knows one thing about the block that runs; its header is its contract.
  HappensBefore order;
  ClusterPort cluster;
  GroupProducts products;
  ProductRegisters product_registers;
  ProxyFences proxy_fences;
  WaitDetector wait_detector;
  HeldLocks locks;
  LocalMemory local;
  Warp *warp = nullptr;

  SourceLine line_of(std::int32_t location) const;
  SourceLine line_of(const Op &) const;
  Side side(std::uint32_t warp_index, std::uint32_t lane, SourceLine at) const;
  Side here(std::uint32_t lane, const Op &op) const { return side(context.warp, lane, line_of(op)); }
  [[noreturn]] void fail(Diagnostic, Status = Status::fault) const;
  Diagnostic diagnostic(Code, Severity, Side, std::string message) const;
  /// A bad access of one lane: true if it was noted and is to be dropped, false if it ends the launch.
  bool drop(const Fault &);
  /// Adds a diagnostic that does not end the launch; equal ones (code, lines, buffer) are counted.
  void note(Diagnostic, std::uint64_t handle = 0);
  /// Counts a finding that was noted before with this handle.
  bool count_known(std::uint64_t handle, Code, Severity, std::uint32_t warps = 0);
  /// Decides which advice helps against a race.
  Cures &cures();
  std::uint64_t value(Ref ref, std::uint32_t lane, bool wide) const {
    const std::byte *row = context.base[ref & 1] + ref;
    std::uint64_t result = 0;
    std::memcpy(&result, row + lane * (wide ? 8 : 4), wide ? 8 : 4);
    return result;
  }
  /// Of a lane of the current warp: its index in LocalMemory.
  std::size_t thread(std::uint32_t lane) const { return std::size_t{context.warp} * 32 + lane; }
  /// Whether none of these bytes of local memory has a value.
  bool is_unset(std::uint32_t lane, std::uint64_t offset, std::uint32_t bytes);
  /// Marks what a function other than device code has written to local memory.
  void mark_set(std::uint32_t lane, std::uint64_t offset, std::uint32_t bytes);
  /// The operation is about to read an unset value. throws Undefined::Found if values are not followed yet
  void follow_from(const Op &) const;
  /// Whether undefined values are followed to their use, rather than reported where they are read.
  bool follows() const { return undefined_ || (launch.options.check_initialized && !launch.options.trace); }
  /// What the operation has done to words that were never written; see Undefined::take_replaced().
  Replaced &replaced() { return replaced_; }
  void follow_replaced(const Op &) const;  ///< throws Undefined::Found if nothing is followed yet
  Replaced take_replaced() { return std::exchange(replaced_, {}); }
  std::size_t warps() const { return warps_.size(); }
  const std::vector<Warp> &all_warps() const { return warps_; }
  std::byte *area(std::uint32_t index, std::uint32_t lane);
  std::span<const std::byte> arguments() const { return launch.launch.arguments; }
  std::uint32_t cell_shift() const { return program.shared_shift; }
  /// Shadow words of an allocation, nullptr if it is not watched. A first store starts the watch if the text
  /// of the kernel did not show it.
  Watched *watched(const Allocation &, bool store);
  const std::vector<Watched> &all_watched() const { return shared_shadow->watched; }
  /// The first atomic or strong access to an allocation: from now on, plain ones take the slow path.
  void strengthen(Watched &);
  /// Whether another block accessed a word of global memory, and which.
  bool is_other_block(std::uint64_t cell) const {
    return cell < context.block_start && (!launch.together || shared_shadow->block_at(cell) != block_number_);
  }
  Dim3 block_at(std::uint64_t cell) const { return index_of(shared_shadow->block_at(cell)); }
  void print(const std::string &text);
  /// Memory was freed: ranges cached by sites are invalid.
  void forget_ranges();
  /// What has been counted for a memory instruction, beside its traffic (see tally()). It takes a Site and not
  /// an Op, because Op::site is an index of sites only where the operation accesses memory.
  LineCounters &count(const Site &site) { return site_counts_[site.index]; }
  Tally &tally() { return tally_; }
  /// Settles what was counted for a pattern that is about to change.
  void forget_pattern(std::uint32_t pattern);
  std::uint32_t time() const { return time_; }
  std::uint64_t warp_cell_of(std::uint64_t index) const { return warps_[index].warp_cell; }
  /// Whether this launch may write to the allocation; true if that is not known.
  bool may_be_written(const Allocation &) const;
  /// A lane reads a flag in shared memory. If all that runs of the warp waits for another one, that one's turn is next.
  void note_poll(const Site &, bool writes);
  // mbarrier.cpp
  void mbarrier_progress() { vain_.waits = false, arrived_ = true; }
  void complete_phase(std::uint32_t barrier);
  /// Lanes of the warp have observed the end of a phase.
  void acquire_phase(std::uint32_t barrier, std::uint32_t lanes, const Site &);
  void order_block();  ///< orders what was done in the block before all that follows
  void attach_copies(std::uint32_t lane, std::uint32_t barrier);
  void deliver(const PendingCopy &, std::uint32_t warp_index);
  // cluster.cpp, cluster_checks.cpp
  BlockRun *block_of_rank(std::size_t rank);  ///< nullptr: there is none in the cluster
  std::uint64_t block_number() const { return block_number_; }
  std::uint32_t block_time() const { return block_time_; }
  const Shadow &shadow() const { return *shared_shadow; }
  /// Whether a strong access or fence of this scope reaches no other block.
  bool is_narrow(Scope scope) const {
    return scope == Scope::block || (scope == Scope::cluster && cluster.size() <= 1);
  }
  /// Whether an access by any block of the cluster happens before what the warp does now.
  bool knows_of(std::uint64_t cell) const;
  void meet_others();  ///< orders what was done in the cluster before all that follows
  void look_for_sends();
  bool waits_in_cluster() const;
  [[noreturn]] void report_cluster_wait();
  Side side_of(std::uint64_t cell) const;  ///< the thread and line of a shadow word, of any block
  void define_shared(std::uint64_t offset, std::uint32_t bytes);
  void add_remote_copy(const RemoteCopy &copy) { remote_copies_.push_back(copy); }
  void wait_in_vain(const Op &, std::uint32_t missing, std::uint32_t expected, Transactions);
  Transactions &transactions(std::uint32_t barrier) { return transactions_[barrier]; }
  void forget_transactions(std::uint32_t barrier) { transactions_.erase(barrier); }
  std::uint64_t tick() { return clock_ += 16; }
  Dim3 block_index() const { return block_; }
  bool is_traced() const {
    const auto &wanted = launch.options.trace;
    return wanted && wanted->block == block_number_ && trace.size() < wanted->most;
  }
  bool is_recorded() const { return recorder_ != nullptr; }
  bool keeps_path() const { return keeps_path_; }
  bool keeps_touched() const { return launch.options.keep_touched; }
  std::uint64_t barriers_of_block() const { return barriers_ - barriers_before_; }

 private:
  // block_run.cpp
  bool run_block(std::uint64_t index);
  void follow(const Warp &w, std::uint32_t block) {
    if (keeps_path_) [[unlikely]]
      note_step(w, block);
  }
  void note_step(const Warp &, std::uint32_t block);
  bool waits_for_host();
  Side place_now() const;
  [[noreturn]] void report_interruption(std::uint64_t instructions);
  void prepare_block(std::uint64_t index);
  void fill_uniforms();
  void set_block_uniforms();
  void set_uniform(std::uint32_t offset, bool wide, std::uint64_t bits);
  void prepare_warp(std::uint32_t index);
  std::byte *warp_rows(std::uint32_t index) {
    return rows_.data()->bytes + std::size_t{index} * program.warp_bytes;
  }
  void enter(Warp &);
  void charge(std::uint64_t instructions);
  void watch_less();
  void begin_epoch();
  void resume_block();
  void find_ranges_anew();
  Dim3 index_of(std::uint64_t block) const;

  // warp_run.cpp
  void run_warp(Warp &);
  bool run_group(Warp &, std::size_t &index);
  bool may_go_on(const Warp &, const Block &, const Group &);
  bool passes_barrier(Warp &, const Block &, Group &);
  int pick(Warp &);
  std::size_t waited_longest(const Warp &, std::size_t index);
  void run_ops(const Block &, std::uint32_t mask);
  void run_plainly(const Op *op, const Op *end, std::uint32_t mask);
  void look_at_end(const Block &, std::uint32_t mask);
  void forget_registers(std::uint32_t function, std::uint32_t mask);
  bool sync_ready(const Warp &, const Block &, const Group &);
  void report_unnamed(const Block &);
  void leave(Warp &, std::size_t &index, const Block &, std::uint32_t mask);
  void note_divergence(const Block &);
  void note_choice(const Block &, std::uint32_t mask, std::uint32_t taken);
  bool finish_basic_block(Warp &, std::size_t &index, const Block &);
  void push_frames(const Warp &, const Block &, std::uint32_t mask);
  void pop_frame(std::uint32_t lane);
  void do_return(Warp &, std::size_t &index, const Block &, std::uint32_t mask);
  void nothing_runs(Warp &);

  // looks.cpp
  /// Which words a group has read, and stored to, in a basic block that it has just executed.
  void note_looks(const Block &, std::uint32_t mask);

  // cluster.cpp, cluster_checks.cpp
  void arrive_at_cluster(Warp &, const Block &, std::uint32_t mask);
  void end_cluster_phase();
  void meet_in_cluster(bool orders);
  bool cluster_ready(const Warp &, const Block &, std::uint32_t mask);
  bool waits_for_cluster(const Warp &) const;
  void leave_cluster();
  void receive(const RemoteCopy &);

  void deliver_counted(std::uint32_t to, std::uint32_t bytes, const std::byte *data, std::uint32_t barrier,
                       std::uint64_t starter);

  // barrier.cpp
  bool release_barriers();
  bool release_counted_barriers();
  bool open_barriers(bool complete);
  void release(std::uint32_t id, const std::vector<Warp *> &waiting);

  Dim3 block_{0, 0, 0};
  std::uint64_t block_number_ = 0;
  std::uint32_t threads_ = 0;
  std::vector<Warp> warps_;
  std::array<std::vector<Warp *>, 16> waiting_;  ///< at each barrier; of open_barriers() alone
  std::vector<std::uint32_t> order_;
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  std::vector<Line> rows_, uniforms_;
  std::vector<std::byte> areas_;
  std::unique_ptr<Undefined> undefined_;  // null while no value is undefined
  Replaced replaced_;
  std::uint32_t block_time_ = 0;  // when the block began
  CallFrames frames_;
  bool watching_ = false;
  std::uint32_t seen_version_ = 0;
  std::vector<Pattern> patterns_;
  Pattern scattered_{};
  std::vector<SiteState> sites_;
  Tally tally_;
  std::vector<LineCounters> site_counts_;
  std::vector<std::uint64_t> guard_lost_;
  std::vector<BlockStatistics> statistics_;
  const bool keeps_path_;         ///< Options::keep_path
  Recorder *recorder_ = nullptr;  ///< if it records warps of the block that runs
  bool notes_choices_ = false;    ///< there is a recorder, or branches are kept
  std::uint32_t &time_;           // of the shadow
  std::uint64_t pending_charge_ = 0, instructions_ = 0, barriers_ = 0, barriers_before_ = 0;
  std::uint32_t arrivals_[16] = {};
  std::size_t printed_bytes_ = 0;
  std::uint64_t turns_ = 0, warp_turns_ = 0, clock_ = 0;
  bool others_first_ = false;  ///< the group waits at an mbarrier, and others of its warp can run
  std::uint32_t unnamed_ = 0;  ///< by sync_ready(): lanes that their masks omit
  bool some_exited_ = false;
  struct {
    std::uint32_t warp = 0, lane = 0;
    std::int32_t location = 0;
  } first_exit_;  ///< of the block, if some_exited_
  std::uint32_t vain_rounds_ = 0;
  std::uint64_t only_waited_ = 0;  ///< basic blocks, as turns count them, in which each warp only read flags
  std::uint64_t seen_freed_ = 0;
  bool only_waits_ = false;
  std::uint32_t vain_looks_ = 0;  ///< of this turn of the warp, at flags in shared memory
  std::uint32_t turn_given_ = 0,
                turn_left_ = 0;  ///< blocks that the warp may run before the next one has its turn
  VainWait vain_;                ///< the turn that ended at an mbarrier
  bool arrived_ = false;
  std::map<std::uint32_t, Transactions> transactions_;  ///< by offset of the mbarrier
  bool moved_ = false, moved_in_vain_ = false;
  std::unique_ptr<Cures> cures_;           ///< once a race was found
  std::vector<RemoteCopy> remote_copies_;  ///< in flight to this block
};

}  // namespace warpgrade::simt
