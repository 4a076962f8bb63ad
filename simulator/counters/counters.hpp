// Counters of a launch, for the PTX as the compiler wrote it; checked against hardware counters.
//
// A new counter is a field here, its name in the list of fields below it, and the line that counts it: where
// an instruction accesses memory, `++run.count(site).name`; where all executions of an instruction add the same,
// Decoder::note_work(); what else a basic block does, BlockStatistics. Sums, JSON and score.json follow the lists; their order is that of score.json.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string_view>

#include "base/fields.hpp"
#include "counters/diagnostic.hpp"

namespace warpgrade::simt {

/// Global accesses of warps. A sector is 32 bytes; a request is one warp instruction with at least one active
/// lane.
struct GlobalTraffic {
  std::uint64_t requests = 0, sectors = 0;
  std::uint64_t bytes = 0;          ///< accessed by threads
  std::uint64_t used_bytes = 0;     ///< distinct ones of each request: at most 32 times the sectors
  std::uint64_t ideal_sectors = 0;  ///< the fewest sectors that hold each request's distinct bytes
  GlobalTraffic &operator+=(const GlobalTraffic &);
  bool operator==(const GlobalTraffic &) const = default;
};
WARPGRADE_FIELDS(GlobalTraffic, requests, sectors, bytes, used_bytes, ideal_sectors)

/// Shared accesses of warps. 32 banks of 4 bytes; conflicts are wavefronts beyond the unavoidable ones.
struct SharedTraffic {
  std::uint64_t requests = 0, wavefronts = 0, conflicts = 0;
  std::uint64_t bytes = 0;
  /// The same accesses as compiled for sm_90: ptxas merges neighbours into vector accesses. The figures above
  /// are as written and hold for any GPU.
  std::uint64_t compiled_requests = 0, compiled_wavefronts = 0, compiled_conflicts = 0;
  SharedTraffic &operator+=(const SharedTraffic &);
  bool operator==(const SharedTraffic &) const = default;
};
WARPGRADE_FIELDS(SharedTraffic, requests, wavefronts, conflicts, bytes, compiled_requests,
                 compiled_wavefronts, compiled_conflicts)

/// Accesses of warps to local memory: arrays and spilled registers of threads.
struct LocalTraffic {
  std::uint64_t requests = 0, bytes = 0;
  LocalTraffic &operator+=(const LocalTraffic &);
  bool operator==(const LocalTraffic &) const = default;
};
WARPGRADE_FIELDS(LocalTraffic, requests, bytes)

enum class InstructionClass : std::uint8_t {
  single,       ///< f32 arithmetic
  twice,        ///< f64 arithmetic
  half,         ///< 16-bit floating point, also in pairs
  integer,      ///< integer arithmetic, logic, addresses, comparisons
  conversion,   ///< cvt, mov, selp, packing
  memory,       ///< loads, stores, atomics, asynchronous copies
  control,      ///< branches, calls, returns
  cooperation,  ///< barriers, shuffles, votes, fences
  tensor,       ///< products on tensor cores, movmatrix
};
constexpr std::size_t instruction_classes = 9;
std::string_view name_of(InstructionClass);

/// a / b; 0 if b is 0.
inline double per(std::uint64_t a, std::uint64_t b) {
  return b == 0 ? 0.0 : static_cast<double>(a) / static_cast<double>(b);
}

/// Counters of a launch or of one source line.
struct LineCounters {
  GlobalTraffic global_load, global_store;
  SharedTraffic shared_load, shared_store;
  std::uint64_t fp32_fma = 0, fp32_add = 0, fp32_mul = 0;  ///< thread instructions
  std::uint64_t fp64_fma = 0, fp64_add = 0, fp64_mul = 0;
  std::uint64_t tensor_products = 0;               ///< warp instructions: mma, wmma.mma
  std::uint64_t tensor_flops = 0;                  ///< operations of these: 2 m n k for each, of integers too
  std::uint64_t bulk_loaded = 0, bulk_stored = 0;  ///< bytes of global memory that bulk copies moved
  std::uint64_t warp_instructions = 0;
  std::array<std::uint64_t, instruction_classes> by_class{};  ///< warp instructions, by InstructionClass
  std::uint64_t thread_instructions = 0;
  std::uint64_t local_accesses = 0;  ///< warp instructions that access local memory: loads and stores
  LocalTraffic local_load, local_store;
  std::uint64_t atomic_requests = 0;     ///< global and shared atomics and reductions, in none of the above
  std::uint64_t global_atomics = 0;      ///< operations of threads in global memory
  std::uint64_t divergent_branches = 0;  ///< branches at which the lanes of a warp diverge
  /// Active lanes per warp instruction over 32; 1 for a kernel that executed nothing.
  double lane_efficiency() const {
    return warp_instructions == 0
               ? 1.0
               : static_cast<double>(thread_instructions) / (32.0 * static_cast<double>(warp_instructions));
  }
  std::uint64_t global_requests() const { return global_load.requests + global_store.requests; }
  std::uint64_t sectors() const { return global_load.sectors + global_store.sectors; }
  std::uint64_t ideal_sectors() const { return global_load.ideal_sectors + global_store.ideal_sectors; }
  std::uint64_t shared_requests() const { return shared_load.requests + shared_store.requests; }
  std::uint64_t wavefronts() const { return shared_load.wavefronts + shared_store.wavefronts; }
  std::uint64_t conflicts() const { return shared_load.conflicts + shared_store.conflicts; }
  std::uint64_t fp32_flops() const { return 2 * fp32_fma + fp32_add + fp32_mul; }
  LineCounters &operator+=(const LineCounters &);
  bool operator==(const LineCounters &) const = default;
};
WARPGRADE_FIELDS(LineCounters, global_load, global_store, shared_load, shared_store, fp32_fma, fp32_add,
                 fp32_mul, fp64_fma, fp64_add, fp64_mul, tensor_products, tensor_flops, bulk_loaded,
                 bulk_stored, warp_instructions, by_class, thread_instructions, local_accesses, local_load,
                 local_store, atomic_requests, global_atomics, divergent_branches)

/// Accesses of one line to one buffer, including all copies of the line that the compiler made by unrolling.
/// Loads (asynchronous copies from global memory too) and stores, without atomics: as the traffic counts.
struct AccessKey {
  SourceLine at;
  ptx::Space space = ptx::Space::global;  ///< global or shared
  bool store = false;
  std::uint32_t bytes = 0;  ///< accessed by each lane at once
  std::string buffer;       ///< allocation or shared variable; empty for requests to several
  auto operator<=>(const AccessKey &) const = default;
};
struct AccessCounters {
  GlobalTraffic global;  ///< of a global access
  SharedTraffic shared;  ///< of a shared one
  AccessCounters &operator+=(const AccessCounters &);
  bool operator==(const AccessCounters &) const = default;
};
WARPGRADE_FIELDS(AccessCounters, global, shared)

/// A product on tensor cores in a line.
struct ProductKey {
  SourceLine at;
  std::string instruction;   ///< "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
  bool a_in_shared = false;  ///< of wgmma: A comes from shared memory
  auto operator<=>(const ProductKey &) const = default;
};

struct ProductCounters {
  std::uint64_t executions = 0, flops = 0;  ///< tensor_products and tensor_flops of these
  ProductCounters &operator+=(const ProductCounters &);
  bool operator==(const ProductCounters &) const = default;
};
WARPGRADE_FIELDS(ProductCounters, executions, flops)

/// Distinct sectors of global memory that a launch accessed: each must be transferred at least once. Summed
/// over launches.
struct UniqueSectors {
  std::uint64_t loaded = 0, stored = 0;  ///< by loads and asynchronous copies; by stores
  std::uint64_t touched = 0;             ///< by any of these, or by atomics, which count in neither
  UniqueSectors &operator+=(const UniqueSectors &);
  bool operator==(const UniqueSectors &) const = default;
};
WARPGRADE_FIELDS(UniqueSectors, loaded, stored, touched)

struct Counters : LineCounters {
  std::map<SourceLine, LineCounters> lines;
  std::map<AccessKey, AccessCounters> accesses;
  std::map<ProductKey, ProductCounters> products;
  UniqueSectors unique_sectors;
  std::uint64_t barriers = 0;  ///< how often a block passed a barrier
  /// Bytes of global memory that threads and bulk copies accessed, without atomics.
  std::uint64_t requested_bytes() const {
    return global_load.bytes + global_store.bytes + bulk_loaded + bulk_stored;
  }
  /// Bytes that any implementation of these accesses must transfer: loaded and stored sectors, once
  /// each.
  std::uint64_t compulsory_bytes() const { return 32 * (unique_sectors.loaded + unique_sectors.stored); }
  Counters &operator+=(const Counters &);
  bool operator==(const Counters &) const = default;
};
WARPGRADE_FIELDS_BEYOND(Counters, LineCounters, lines, accesses, products, unique_sectors, barriers)

}  // namespace warpgrade::simt
