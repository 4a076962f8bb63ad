// The instructions that one warp executes, ready to be run beside those of others. Internal to predict.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "counters/path.hpp"
#include "predict/machine.hpp"
#include "ptx/module.hpp"
#include "ptx/sass.hpp"

namespace warpgrade::predict {

enum class Kind : std::uint8_t {
  free,     ///< nothing is left of it
  compute,  ///< arithmetic whose cost the counters give: of the path through the PTX, and on tensor cores
  other,
  shared_load,
  shared_store,
  local,
  global_load,
  global_store,
  copy,    ///< cp.async
  commit,  ///< ends a group of copies
  wait,    ///< for groups of copies
  barrier,
  shuffle,
  shared_atomic,
  global_atomic,
};
inline constexpr std::size_t kinds = 15;

/// Units that work for some cycles on each instruction of a warp; each scheduler has its own.
enum class Pipe : std::uint8_t {
  none,
  fma,        ///< single precision: either half of the FMA pipe
  fma_heavy,  ///< products of integers: the half of the FMA pipe that has them
  alu,
  fp64,
  special,  ///< square roots, exponentials, conversions
};
inline constexpr std::size_t pipes = 6;

/// The code that a warp runs through, and its way through it.
struct Program {
  struct Step {
    Kind kind = Kind::other;
    Pipe pipe = Pipe::none;
    std::uint8_t from = 0, to = 0;      ///< how many in `results`
    std::uint8_t operands_read = none;  ///< the result that stands for "the operands have been read"
    float stall = 1;                    ///< cycles until the warp's next instruction
    float issue = 1;                    ///< cycles of the scheduler
    float latency = 0;                  ///< until the result is there; but for loads of global memory
    float wide = 1;                     ///< accesses of 4 bytes in each lane that it stands for
    std::int32_t groups = 0;            ///< of copies that may be on their way
    std::uint32_t results = 0;          ///< where they start, those waited for before those given
    std::int32_t line = 0;              ///< of the PTX text that it was made of; 0: unknown
    std::uint32_t load = 0;             ///< of a load from global memory: in Needs::loads
    static constexpr std::uint8_t none = 255;
  };
  struct Stretch {
    std::uint32_t first = 0, last = 0;  ///< in `steps`
  };
  std::vector<Step> steps;
  std::vector<std::int32_t> results;  ///< registers, or counters of the machine code
  std::vector<Stretch> stretches;     ///< code without a jump
  std::vector<std::uint32_t> path;    ///< indices in `stretches`, none of which is empty
  std::size_t result_count = 0;
  bool machine_code = false;          ///< made from the instructions of the GPU
  std::array<double, kinds> count{};  ///< executed by one warp, by kind
  std::array<double, pipes> busy{};   ///< cycles of one scheduler for one warp
  double instructions = 0;            ///< of one warp, all kinds but `free`

  bool empty() const { return path.empty(); }
  /// Appends code without a jump.
  std::uint32_t add(std::vector<Step> code, const std::vector<std::vector<std::int32_t>> &from,
                    const std::vector<std::vector<std::int32_t>> &to);
  /// Sets what follows from the path.
  void sum_up(const Architecture &);
  /// How often a warp executes each step.
  std::vector<double> executed() const;
};

/// Cycles for which an instruction of a warp keeps this unit of its scheduler.
double cycles_of(Pipe, const Architecture &);

/// From the instructions of the GPU, which name the lines of the PTX that they were made of. Empty if they
/// do not, or if their branches cannot be followed along the path.
Program machine_program(const ptx::MachineCode &, const ptx::Module &, const simt::Path &,
                        const Architecture &);

/// An estimate for where there is no machine code: the PTX in the order that ptxas is likely to choose.
Program ptx_program(const ptx::Module &, const simt::Path &, const Architecture &);

/// What the instructions of one block need, all its warps together, as counted; see LaunchPrediction. The
/// program has the order in which one warp needs it.
struct Needs {
  double issue = 0, arithmetic = 0;            ///< cycles of the multiprocessor, for a program from the PTX
  double tensor = 0;                           ///< cycles of the tensor cores
  double shared_loads = 0, shared_stores = 0;  ///< cycles of the load and store unit
  double global_stores = 0;                    ///< the same
  double stored = 0;                           ///< bytes from the first-level cache to L2
  double shared_atomics = 0, global_atomics = 0;  ///< cycles of the load and store unit
  double block_interval = 0;  ///< least cycles from the start of a block to that of the next one
  /// Requests of a warp that load from global memory, those of one line of the PTX alike.
  struct Load {
    double cycles = 0;   ///< of the load and store unit
    double bytes = 0;    ///< between the first-level cache and L2
    double l1_hits = 0;  ///< share of those whose data are in the first-level cache before they start
    double shared = 0;   ///< of the others, the share that another warp of the block requests as well
    double cold = 0;     ///< of the others, the share that waits for DRAM
  };
  std::vector<Load> loads;  ///< never empty; the first one is for what no line is known of
  double dram_loaded = 0;  ///< of the bytes that wait for DRAM, the share that it reads: others load the same
  double dram_stored = 0;  ///< of the stored bytes, the share that DRAM writes
  double dram_bytes = 0;   ///< of DRAM per cycle, for each multiprocessor; 0: without limit
  double dram_queue = 0;   ///< cycles of writes that L2 can put off
  double dram_wait =
      0;  ///< cycles that a load waits for DRAM besides, because others are served at the same time
  double local_misses = 0;  ///< share of the local accesses that go on to L2
};

/// Cycles until the last of `blocks` blocks of `warps` warps has ended on one multiprocessor, where
/// `resident` start together and each of the others when one has ended; 0 if the program is empty. Beyond
/// `most` instructions, the middle of the path is taken to go on as before it.
double round_cycles(const Program &, const Architecture &, const Needs &, int resident, int blocks, int warps,
                    double most = 4e5);

/// Registers per thread where the compiler does not say: as many as the PTX of the kernel has, from 16 to 64.
int registers_of_ptx(const ptx::Module &, const std::string &kernel);

}  // namespace warpgrade::predict
