// The warps of the blocks on one multiprocessor, side by side, instruction by instruction.
#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>

#include "predict/program.hpp"

namespace warpgrade::predict {

namespace {

/// From the end of a block to the start of the next one in its place, and more for each of its warps. On an H200, blocks
/// of 1024 threads that do nothing take 384 cycles.
constexpr double block_start = 300, block_start_per_warp = 10;
constexpr double jump_cycles = 6;  ///< more after a jump in machine code than its own stall; fitted
/// Of work that the load and store unit, and the way to L2, take before warps wait to issue.
constexpr double queue_cycles = 40, l2_queue_cycles = 1500;
/// By which loads from an idle DRAM differ: warps of an H200 that wait for 8 loads wait 300 cycles longer than those that wait
/// for one, in a distribution that falls off exponentially.
constexpr double chance_cycles = 120;
constexpr double operands_cycles = 10;  ///< until an access to memory has read its registers, once it starts
/// They fit what __syncthreads() of 256 and of 1024 threads takes.
constexpr double barrier_cycles = 13, barrier_per_warp = 2;

bool accesses_memory(Kind k) {
  switch (k) {
    case Kind::shared_load:
    case Kind::shared_store:
    case Kind::shuffle:
    case Kind::local:
    case Kind::global_load:
    case Kind::global_store:
    case Kind::copy:
    case Kind::shared_atomic:
    case Kind::global_atomic:
      return true;
    default:
      return false;
  }
}

struct Warp {
  double now = 0;          ///< when it can issue again
  std::size_t at = 0;      ///< in the path
  std::uint32_t step = 0;  ///< in Program::steps
  int block = 0;
  double misses = 0;           ///< of local accesses: parts of one
  double copied = 0;           ///< when the copies since the last commit are there
  std::vector<double> groups;  ///< when copies are there
  bool waits = false;          ///< at a barrier
};

struct Block {
  int waiting = 0, alive = 0;
  double release = 0;
};

/// The last load of an instruction by any warp of a block: in which turn, and when its data are there.
struct Flight {
  std::size_t turn = ~std::size_t{0};
  double there = 0;
  double chance = 0;  ///< of all warps in this turn
};

/// Of the requests of a warp, those that hit, and that others share: parts of one.
struct Turn {
  double hits = 0, shared = 0;
};

/// A scheduler and the units that it feeds: when they are free. The FMA pipe has one or two halves.
struct Scheduler {
  double issue = 0;
  std::array<double, pipes> free{};
};

/// Which part of the path is run: all of it, or a head and a tail.
struct Part {
  std::size_t head = 0, tail = 0,
              half = 0;  ///< ends of the head and of the first half of it, start of the tail
  double head_steps = 0, half_steps = 0, skipped = 0;
};

Part part_of(const Program &p, double each) {
  Part part{p.path.size(), p.path.size()};
  if (p.instructions <= 1.25 * each) return part;
  const auto length = [&](std::size_t i) {
    return static_cast<double>(p.stretches[p.path[i]].last - p.stretches[p.path[i]].first);
  };
  part.head = 0;
  while (part.head < p.path.size() && part.head_steps < 0.75 * each) part.head_steps += length(part.head++);
  double end = 0;
  while (part.tail > part.head && end < 0.25 * each) end += length(--part.tail);
  for (std::size_t i = part.head; i < part.tail; ++i) part.skipped += length(i);
  if (part.skipped > 0)
    while (part.half < part.head && part.half_steps < part.head_steps / 2)
      part.half_steps += length(part.half++);
  return part;
}

class Multiprocessor {
 public:
  Multiprocessor(const Program &p, const Architecture &a, const Needs &needs, int resident, int blocks,
                 int warps, double most)
      : p_(p),
        a_(a),
        needs_(needs),
        warps_(warps),
        blocks_(blocks),
        started_(resident),
        part_(part_of(p, most / (blocks * warps))),
        warp_(static_cast<std::size_t>(resident * warps)),
        block_(static_cast<std::size_t>(resident)),
        there_(warp_.size() * p.result_count),
        turns_(warp_.size() * needs.loads.size()),
        cold_(needs.loads.size()),
        schedulers_(static_cast<std::size_t>(std::max(1.0, a.issue))) {
    set_costs();
    flights_.resize(block_.size() * p.steps.size());
    for (std::size_t k = 0; k < pipes; ++k) pipe_cycles_[k] = cycles_of(static_cast<Pipe>(k), a);
    for (int b = 0; b < resident; ++b) begin(b, last_start_ = b * needs_.block_interval);
  }

  double run() {
    while (!events_.empty()) {
      const Event next = events_.top();
      events_.pop();
      run_warp(next.warp, next.time, next.waits);
    }
    if (part_.skipped > 0 && part_.head_steps > part_.half_steps)
      end_ += part_.skipped * (at_head_ - at_half_) / (blocks_ * warps_) /
              (part_.head_steps - part_.half_steps) *
              std::ceil(static_cast<double>(blocks_) / static_cast<double>(block_.size()));
    return end_;
  }

 private:
  /// A warp can issue at this time. Of those that wait for the load and store unit, the one that has waited longest
  /// goes first: since `waits`. Of others, always the same ones do, so that they get ahead.
  struct Event {
    double time = 0, waits = 0;
    int warp = 0;
    bool operator>(const Event &other) const {
      return std::tie(time, waits, warp) > std::tie(other.time, other.waits, other.warp);
    }
  };

  double per(double all, Kind kind) const {
    const double count = p_.count[static_cast<std::size_t>(kind)];
    return count > 0 ? all / (warps_ * count) : 0;
  }

  void set_costs() {
    const auto set = [&](Kind k, double cycles, double bytes) {
      unit_[static_cast<std::size_t>(k)] = cycles;
      bytes_[static_cast<std::size_t>(k)] = bytes / a_.l2_bytes;
    };
    set(Kind::global_store, per(needs_.global_stores, Kind::global_store),
        per(needs_.stored, Kind::global_store));
    set(Kind::shared_load, per(needs_.shared_loads, Kind::shared_load), 0);
    set(Kind::shared_atomic, per(needs_.shared_atomics, Kind::shared_atomic), 0);
    set(Kind::global_atomic, per(needs_.global_atomics, Kind::global_atomic), 0);
    set(Kind::shared_store, per(needs_.shared_stores, Kind::shared_store), 0);
    set(Kind::shuffle, 1 / a_.wavefronts, 0);
    set(Kind::local, 1 / a_.wavefronts, 0);
    if (p_.machine_code) {
      tensor_ = per(needs_.tensor * a_.issue, Kind::compute);
    } else {
      slot_ = needs_.issue * a_.issue / (warps_ * p_.instructions);
      compute_ = std::max(slot_, per(needs_.arithmetic * a_.issue, Kind::compute));
    }
  }

  void begin(int b, double now) {
    block_[static_cast<std::size_t>(b)].alive = warps_;
    for (int w = b * warps_; w < (b + 1) * warps_; ++w) {
      Warp &x = warp_[static_cast<std::size_t>(w)];
      x = Warp{};
      x.block = b;
      x.now = now;
      x.step = p_.stretches[p_.path[0]].first;
      std::fill_n(results_of(w), p_.result_count, 0.0);
      std::fill_n(
          turns_.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(w) * needs_.loads.size()),
          needs_.loads.size(), Turn{});
      events_.push({now, 0, w});
    }
  }

  double *results_of(int w) { return there_.data() + static_cast<std::size_t>(w) * p_.result_count; }

  /// When the warp's next instruction can issue, whatever the others do.
  double when(int w) {
    const Warp &x = warp_[static_cast<std::size_t>(w)];
    const Program::Step &s = p_.steps[x.step];
    double t = x.now;
    const double *there = results_of(w);
    for (std::uint32_t i = 0; i < s.from; ++i) t = std::max(t, there[p_.results[s.results + i]]);
    if (s.kind == Kind::wait && x.groups.size() > static_cast<std::size_t>(s.groups))
      t = std::max(t, x.groups[x.groups.size() - 1 - static_cast<std::size_t>(s.groups)]);
    return t;
  }

  /// Onto the next instruction; false at the end of the path.
  bool advance(Warp &x) {
    const std::uint32_t end = p_.stretches[p_.path[x.at]].last;
    if (++x.step < end) return true;
    ++x.at;
    if (part_.skipped > 0 && x.at == part_.half) at_half_ += x.now;
    if (part_.skipped > 0 && x.at == part_.head) at_head_ += x.now, x.at = part_.tail;
    if (x.at >= p_.path.size()) return false;
    x.step = p_.stretches[p_.path[x.at]].first;
    if (p_.machine_code && x.step != end) x.now += jump_cycles;
    return true;
  }

  void ended(int b, double now) {
    end_ = std::max(end_, now);
    if (--block_[static_cast<std::size_t>(b)].alive > 0 || started_ >= blocks_) return;
    ++started_;
    last_start_ =
        std::max(now + block_start + block_start_per_warp * warps_, last_start_ + needs_.block_interval);
    begin(b, last_start_);
  }

  void release(int number) {
    Block &b = block_[static_cast<std::size_t>(number)];
    if (b.waiting < b.alive || b.waiting == 0) return;
    const double now = std::exchange(b.release, 0);
    b.waiting = 0;
    for (int w = number * warps_; w < (number + 1) * warps_; ++w) {
      Warp &x = warp_[static_cast<std::size_t>(w)];
      if (!std::exchange(x.waits, false)) continue;
      x.now = now;
      if (advance(x))
        events_.push({when(w), 0, w});
      else
        ended(number, now);
    }
  }

  /// When the data of a load are there that leaves the load and store unit at this time.
  double loaded(int w, std::uint32_t number, double t) {
    const Warp &x = warp_[static_cast<std::size_t>(w)];
    const Needs::Load &load = needs_.loads[number];
    Turn &turn = turns_[static_cast<std::size_t>(w) * needs_.loads.size() + number];
    turn.hits += load.l1_hits;
    if (turn.hits >= 1) {
      turn.hits -= 1;
      return std::max(unit_free_, t) + a_.l1_latency;
    }
    turn.shared += load.shared;
    Flight &flight = flights_[static_cast<std::size_t>(x.block) * p_.steps.size() + x.step];
    if (turn.shared >= 1) {
      turn.shared -= 1;
      if (flight.turn == x.at) return std::max(flight.there, std::max(unit_free_, t) + a_.l1_latency);
    }
    // Warps of a block load neighbours, which are in the same pages of DRAM.
    const double chance = flight.turn == x.at ? flight.chance : drawn();
    const double there = fetched(number, t, chance);
    flight = {x.at, there, chance};
    return there;
  }

  /// When it comes from L2 or DRAM.
  double fetched(std::uint32_t number, double t, double chance) {
    double &cold = cold_[number];
    cold += needs_.loads[number].cold;
    const double there = std::max({l2_free_, unit_free_, t});
    if (cold < 1) return there + a_.l2_latency;
    cold -= 1;
    return read(there, needs_.loads[number].bytes * needs_.dram_loaded) + dram_latency(chance);
  }

  /// By chance, some loads take longer than others. The mean is that of a chain of loads, and what they wait besides
  /// while DRAM serves others.
  double dram_latency(double chance) const {
    const double usual = std::min(chance_cycles, a_.dram_latency / 4);
    return a_.dram_latency - usual + (usual + needs_.dram_wait) * chance;
  }
  /// Falls off exponentially, 1 on average.
  double drawn() {
    random_ = random_ * 6364136223846793005 + 1442695040888963407;
    return -std::log((static_cast<double>(random_ >> 40) + 0.5) / (1 << 24));
  }

  /// When DRAM has read these bytes. Reads come before writes, as long as L2 has room for what is written.
  double read(double t, double bytes) {
    if (needs_.dram_bytes <= 0) return t;
    write(t, bytes);
    reads_free_ = std::max({reads_free_, t, dram_free_ - needs_.dram_queue}) + bytes / needs_.dram_bytes;
    return reads_free_;
  }
  void write(double t, double bytes) {
    if (needs_.dram_bytes > 0) dram_free_ = std::max(dram_free_, t) + bytes / needs_.dram_bytes;
  }

  double local(Warp &x, double wide) {
    x.misses += needs_.local_misses;
    if (x.misses < 1) return unit_free_ + a_.l1_latency;
    x.misses -= 1;
    l2_free_ = std::max(l2_free_, unit_free_) + 128 * wide / a_.l2_bytes;
    return l2_free_ + a_.l2_latency;
  }

  /// When a unit and the queue to memory have room for the step.
  double room(const Program::Step &s, const Scheduler &scheduler, double t) const {
    if (s.pipe == Pipe::fma && a_.fp32 >= a_.issue)
      t = std::max(t, std::min(scheduler.free[static_cast<std::size_t>(Pipe::fma)],
                               scheduler.free[static_cast<std::size_t>(Pipe::fma_heavy)]));
    else if (s.pipe == Pipe::fma)
      t = std::max(t, scheduler.free[static_cast<std::size_t>(Pipe::fma_heavy)]);
    else if (s.pipe != Pipe::none)
      t = std::max(t, scheduler.free[static_cast<std::size_t>(s.pipe)]);
    if (unit_of(s) > 0) t = std::max(t, unit_free_ - queue_cycles);
    if (bytes_of(s) > 0) t = std::max(t, l2_free_ - l2_queue_cycles);
    return t;
  }

  static bool loads(const Program::Step &s) { return s.kind == Kind::global_load || s.kind == Kind::copy; }
  /// Cycles of the load and store unit, and of the way to L2.
  double unit_of(const Program::Step &s) const {
    return loads(s) ? needs_.loads[s.load].cycles : unit_[static_cast<std::size_t>(s.kind)];
  }
  double bytes_of(const Program::Step &s) const {
    return loads(s) ? needs_.loads[s.load].bytes / a_.l2_bytes : bytes_[static_cast<std::size_t>(s.kind)];
  }

  void occupy(const Program::Step &s, Scheduler &scheduler, double t) {
    if (s.pipe == Pipe::none) return;
    std::size_t pipe = static_cast<std::size_t>(s.pipe);
    const auto heavy = static_cast<std::size_t>(Pipe::fma_heavy);
    if (s.pipe == Pipe::fma && (a_.fp32 < a_.issue || scheduler.free[heavy] < scheduler.free[pipe]))
      pipe = heavy;
    scheduler.free[pipe] = std::max(t, scheduler.free[pipe]) + pipe_cycles_[static_cast<std::size_t>(s.pipe)];
  }

  /// Until the warp has to let others go first.
  void run_warp(int w, double t, double waits) {
    Warp &x = warp_[static_cast<std::size_t>(w)];
    Scheduler &scheduler = schedulers_[static_cast<std::size_t>(w) % schedulers_.size()];
    double *there = results_of(w);
    while (true) {
      const Program::Step &s = p_.steps[x.step];
      if (s.kind != Kind::free) {
        t = std::max(t, scheduler.issue);
        const double later = room(s, scheduler, t);
        if (later > t) {
          if (waits == 0 && accesses_memory(s.kind)) waits = t;
          events_.push({later, waits, w});
          return;
        }
      }
      const double done = issue(s, w, scheduler, t, there);
      for (std::uint32_t i = 0; i < s.to; ++i) {
        double &result = there[p_.results[s.results + s.from + i]];
        result = std::max(result, done);
      }
      if (s.kind == Kind::barrier) {
        Block &b = block_[static_cast<std::size_t>(x.block)];
        barrier_free_ = std::max(barrier_free_, t) + barrier_per_warp;
        b.release = std::max(b.release, barrier_free_ + barrier_cycles);
        ++b.waiting;
        x.waits = true;
        release(x.block);
        return;
      }
      if (!advance(x)) {
        const int number = x.block;
        ended(number, x.now);
        release(number);
        return;
      }
      t = when(w);
      waits = 0;
      if (!events_.empty() && t > events_.top().time) {
        events_.push({t, waits, w});
        return;
      }
    }
  }

  /// Issues a step at this time. Returns when its result is there.
  double issue(const Program::Step &s, int w, Scheduler &scheduler, double t, double *there) {
    if (s.kind == Kind::free) return t + s.latency;
    Warp &x = warp_[static_cast<std::size_t>(w)];
    double taken = slot_ > 0 ? slot_ : s.issue;
    if (s.kind == Kind::compute) taken = std::max({taken, compute_, tensor_});
    scheduler.issue = t + taken;
    x.now = t + std::max<double>(s.stall, taken);
    occupy(s, scheduler, t);
    double done = t + s.latency;
    if (accesses_memory(s.kind)) {
      const double start = std::max(t, unit_free_);
      const double wide = s.kind == Kind::local ? s.wide : 1;
      unit_free_ = start + unit_of(s) * wide;
      done = unit_free_ + s.latency;
      if (s.operands_read != Program::Step::none)
        there[s.operands_read] = std::max(there[s.operands_read], start + operands_cycles);
      const double bytes = bytes_of(s);
      if (bytes > 0) l2_free_ = std::max(l2_free_, unit_free_) + bytes;
      if (loads(s)) done = loaded(w, s.load, t);
      if (s.kind == Kind::global_atomic) done = std::max(l2_free_, unit_free_) + a_.l2_latency;
      if (s.kind == Kind::global_store) {
        done = std::max(l2_free_, unit_free_) + a_.l2_latency;
        write(done, bytes * a_.l2_bytes * needs_.dram_stored);
      }
      if (s.kind == Kind::local) done = local(x, wide);
      if (s.kind == Kind::copy) x.copied = std::max(x.copied, done);
    } else if (s.operands_read != Program::Step::none) {
      there[s.operands_read] = std::max(there[s.operands_read], t + operands_cycles);
    }
    if (s.kind == Kind::commit) x.groups.push_back(x.copied);
    return done;
  }

  const Program &p_;
  const Architecture &a_;
  const Needs &needs_;
  int warps_, blocks_, started_;
  Part part_;
  std::vector<Warp> warp_;  ///< those that have ended make way for the next ones
  std::vector<Block> block_;
  std::vector<double> there_;  ///< when results are there, by warp
  std::vector<Turn> turns_;    ///< by warp and number of the load
  std::vector<double> cold_;   ///< of what is fetched, by number of the load: parts of one
  std::vector<Scheduler> schedulers_;
  std::vector<Flight> flights_;                 ///< by block and step
  std::array<double, kinds> unit_{}, bytes_{};  ///< cycles of the load and store unit, and of the way to L2
  std::array<double, pipes> pipe_cycles_{};
  double slot_ = 0, compute_ = 0, tensor_ = 0;
  double unit_free_ = 0, l2_free_ = 0, dram_free_ = 0, reads_free_ = 0, barrier_free_ = 0, end_ = 0,
         at_half_ = 0, at_head_ = 0, last_start_ = 0;
  std::uint64_t random_ = 1;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
};

}  // namespace

double round_cycles(const Program &p, const Architecture &a, const Needs &needs, int resident, int blocks,
                    int warps, double most) {
  if (p.empty() || p.instructions == 0) return 0;
  return Multiprocessor(p, a, needs, std::min(resident, blocks), blocks, warps, most).run();
}

}  // namespace warpgrade::predict
