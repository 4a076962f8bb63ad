// A kernel made ready to run: PTX decoded into operations on rows of 32 lanes. Internal to simt.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "counters/counters.hpp"
#include "decode/tensor.hpp"
#include "ptx/module.hpp"

namespace warpgrade::simt {

struct Context;
struct Op;
using Handler = void (*)(const Op &, Context &);

/// The place of an operand. Bit 0 set: in the uniform rows of the launch (constants, parameters, block
/// index); clear: in the warp's own rows. The rest is a byte offset.
using Ref = std::uint32_t;

/// Frequent operations, known to the loop in hot/memory.cpp; see hot.cpp.
enum class Hot : std::uint8_t { none, fma_f32, load_shared, load_global, load_shared_v4, add_b64, add_b32 };

/// One operation. A row is 32 lanes of 4 or 8 bytes; a predicate is a 32-bit mask.
struct Op {
  Handler run = nullptr;      ///< for warps all of whose live lanes are active
  Handler masked = nullptr;   ///< leaves inactive lanes alone
  Handler plain = nullptr;    ///< what a masked form runs into the scratch row
  Handler guarded = nullptr;  ///< the masked form of a guarded operation, where its guard holds
  Ref d = 0, a = 0, b = 0, c = 0, e = 0;
  Ref guard = 0;                 ///< predicate; bit 1: negated
  std::uint32_t site = 0;        ///< index in Program::sites of a memory access, or as the handler defines
  std::uint32_t slot = 0;        ///< of a guarded operation in Context::guard_lost
  std::uint64_t immediate = 0;   ///< address offset, lookup table, ...
  std::uint32_t pattern = 0;     ///< of a memory access with a fast path: index in Context::patterns
  bool accesses_memory = false;  ///< `site` is one of Program::sites: a load, store, atomic, or copy
  bool follows = false;          ///< its lanes' addresses match an earlier access of the basic block
  bool merges = false;           ///< is compiled together with its neighbours: Site::merged is not 1
  Hot hot = Hot::none;           ///< what the loop over operations does without a call through `run`
};

/// The threads that a fence or a strong access reaches.
enum class Scope : std::uint8_t { block, cluster, device, system };

/// How a memory instruction accesses memory; fixed by its text.
struct Site {
  enum class Action : std::uint8_t { load, store, atomic, reduce, copy_async };
  Action action = Action::load;
  ptx::Space space = ptx::Space::global;
  std::uint8_t bytes = 4;  ///< of one element
  std::uint8_t elements = 1;
  std::uint8_t alignment = 0;  ///< of the address, if it exceeds that of the size: a vector of atomics
  bool is_signed = false;      ///< a narrow load extends the sign
  bool wide_address = true;    ///< the address row holds 64-bit values
  bool is_volatile = false;    ///< or relaxed, acquire, release: a strong access
  bool releases = false;       ///< fences by itself
  bool acquires = false;
  bool says_order = false;       ///< .relaxed or stronger is written, as cuda::atomic does
  bool locks = false;            ///< a compare-and-swap that takes a lock, or a read that waits for its turn
  bool holds = false;            ///< whoever succeeds holds a lock until it gives it back by a strong write
  bool gives_tickets = false;    ///< an atomic that gives out the numbers of a ticket lock
  bool spins = false;            ///< reads in a loop that does nothing else
  bool awaits = false;           ///< a compare-and-swap that asks for another constant than 0
  bool counts = false;           ///< an atomic whose result tells the last one that all have come
  bool is_updated = false;       ///< a strong load of a word to which `updates` then adds
  bool updates = false;          ///< a strong store of a word after adding to it: see updates.hpp
  bool mbarrier = false;         ///< of an mbarrier: see mbarrier_order.hpp
  bool waits_next = false;       ///< arrives there, with no other access before a wait
  bool looks_ahead = false;      ///< plain load of a word before an atomic min, max, and, or
  Scope scope = Scope::system;   ///< of an atomic or a strong access
  std::array<Ref, 8> rows{};     ///< destination or source of each element
  std::array<bool, 8> wide{};    ///< that row has 8-byte lanes
  std::array<bool, 8> used{};    ///< false for "_"
  std::uint8_t atomic = 0;       ///< AtomicKind
  std::uint8_t merged = 1;       ///< elements of the compiled access that begins here; 0: part of another one
  std::uint32_t copy_bytes = 0;  ///< cp.async
  bool bulk = false;             ///< cp.async.bulk, st.async, red.async
  bool multicast = false;        ///< of these: to the blocks that the mask in rows[7] names
  bool wide_barrier = false;     ///< of these: the address of the mbarrier has 64 bits
  std::uint64_t barrier_offset = 0,
                from_offset = 0;  ///< what is added to the addresses of the mbarrier and the source
  std::uint8_t matrices = 0;      ///< ldmatrix, stmatrix: each has 8 rows, at the addresses of 8 lanes
  bool transposed = false;        ///< of these
  bool product = false;           ///< wgmma
  bool fast = false;              ///< has a handler in hot/memory.cpp
  std::uint32_t pattern = 0;      ///< see Op
  bool follows = false;
  std::int32_t location = -1;
  std::int32_t text_line = 0;
  std::uint32_t index = 0;  ///< in Program::sites
  std::uint32_t ticket =
      UINT32_MAX;  ///< of a read that waits for its turn: the site that gave out the number
};

/// That a lane asks for at once.
inline std::uint32_t bytes_of(const Site &site) {
  return site.action == Site::Action::copy_async ? site.copy_bytes
                                                 : std::uint32_t{site.bytes} * site.elements;
}

/// The end of a basic block; a barrier or sync is alone at its beginning.
enum class End : std::uint8_t {
  next,
  jump,
  branch,
  table,
  exit,
  ret,
  call,
  barrier,
  sync,
  trap,
  unsupported
};

enum class BarrierKind : std::uint8_t {
  sync,
  arrive,
  red_popc,
  red_and,
  red_or,
  cluster_arrive,
  cluster_wait,
  warpgroup  ///< wgmma.wait_group: until all four warps have issued the awaited products
};

struct Block {
  std::uint32_t first = 0, last = 0;  ///< operations [first, last)
  End end = End::next;
  bool negated = false;  ///< branch where the predicate is false
  bool aligned = true;   ///< barrier: the whole warp must be there
  bool relaxed = false;  ///< cluster_arrive: does not release what the thread has done
  BarrierKind barrier = BarrierKind::sync;
  std::uint32_t target = 0;  ///< block of the branch, or of the callee's entry; index in Program::tables
  std::uint32_t next = 0;    ///< block behind this one
  Ref condition = 0;         ///< predicate of the branch; index of a table; guard of exit or ret
  bool guarded = false;      ///< exit, ret: only where `condition` holds
  Ref id = 0, count = 0;     ///< barrier id and thread count; sync: member mask
  bool has_count = false;
  Ref d = 0, source = 0;  ///< bar.red: result and predicate
  bool source_negated = false;
  bool may_spin = false;    ///< has an atomic or volatile access
  bool looks = false;       ///< has one that reads global memory
  bool acts = false;        ///< has something that counts as progress, but for plain stores
  bool stores = false;      ///< has a plain store to global memory
  bool whole_warp = false;  ///< sync: a tensor-core instruction, which all 32 lanes must execute together
  bool recursive = false;   ///< call, ret: of a function that may call itself
  Ref return_row = 0;       ///< call, ret: 32-bit row with the block to return to
  std::int32_t location = -1;
  std::int32_t first_line = 0, last_line = 0;  ///< of its instructions in the PTX text; 0: none
  std::string why;                             ///< unsupported: the instruction
  std::uint32_t instructions = 0;
};

/// What the instructions of one source line count in a block.
struct LineWork {
  std::uint32_t block = 0;
  std::int32_t location = -1;
  LineCounters of_warp, of_lane;  ///< each time that a warp executes the block; for each of its lanes
};

/// A product on tensor cores in a block.
struct ProductWork {
  std::uint32_t block = 0;
  std::int32_t location = -1;
  std::string instruction;
  bool a_in_shared = false;
  std::uint32_t flops = 0;
};

/// A part of the uniform rows, filled at the launch.
struct UniformRow {
  enum class Kind : std::uint8_t {
    constant,
    parameter,
    address,
    ntid_x,
    ntid_y,
    ntid_z,
    nctaid_x,
    nctaid_y,
    nctaid_z,
    ctaid_x,
    ctaid_y,
    ctaid_z,
    total_shared,
    dynamic_shared,
    warps,
    workspace_low,  ///< of the grid barrier; 0 unless the launch is cooperative
    workspace_high,
    cluster_x,  ///< blocks of a cluster
    cluster_y,
    cluster_z,
    cluster_blocks,
    clusters_x,  ///< clusters of the grid
    clusters_y,
    clusters_z,
    cluster_index_x,  ///< of the cluster in the grid
    cluster_index_y,
    cluster_index_z,
    block_in_cluster_x,
    block_in_cluster_y,
    block_in_cluster_z,
    rank_in_cluster,
    is_explicit_cluster,  ///< a predicate
    zero
  };
  Kind kind = Kind::constant;
  bool wide = false;
  std::uint64_t bits = 0;  ///< of a constant; offset in the argument block of a parameter
  std::uint8_t bytes = 4;  ///< of a parameter
  bool is_signed = false;
  std::string symbol;        ///< of an address: module variable
  std::uint32_t offset = 0;  ///< in the uniform rows
};

/// Rows that are constant for the whole life of a warp.
struct WarpRows {
  Ref tid_x = 0, tid_y = 0, tid_z = 0, lane = 0, warp_id = 0;
  Ref lt = 0, le = 0, gt = 0, ge = 0, eq = 0;
};

struct SharedVariable {
  std::string name;
  std::uint32_t begin = 0, bytes = 0;  ///< offset in shared space, red zones between variables
  bool dynamic = false;
};

struct LocalVariable {
  std::string name;
  std::uint32_t begin = 0, bytes = 0;
};

/// Memory of a call's parameters: `bytes` per lane, lane after lane.
struct CallArea {
  std::string name;
  std::uint32_t offset = 0;  ///< in the warp's parameter memory: 32 * bytes from here
  std::uint32_t bytes = 0;
};

/// A call to a function of the driver: vprintf and friends.
struct BuiltinCall {
  enum class Kind : std::uint8_t {
    vprintf,
    assertfail,
    allocate,
    release,
    prepare_child,  ///< cudaGetParameterBufferV2: room for the arguments of a child kernel
    start_child,    ///< cudaLaunchDeviceV2
    make_handle,    ///< of a stream or event; children run in order anyway
    get_device,
    take_error,     ///< cudaGetLastError
    look_at_error,  ///< cudaPeekAtLastError
    set_condition,  ///< cudaGraphSetConditional
    nothing,        ///< succeeds without doing anything
    unsupported
  };
  Kind kind = Kind::unsupported;
  std::string name;
  std::vector<std::uint32_t> arguments;  ///< CallArea indices
  std::uint32_t result = UINT32_MAX;
};

/// An access to a texture or surface; Op::site is a Site with the rows of its values, Op::a the object.
struct TextureSite {
  enum class Action : std::uint8_t { fetch, gather, load, store };  ///< tex, tld4, suld, sust
  enum class Bounds : std::uint8_t { trap, clamp, zero };           ///< of a surface
  enum class Lod : std::uint8_t { none, given, gradients };
  Action action = Action::fetch;
  Bounds bounds = Bounds::trap;
  Lod lod = Lod::none;
  std::uint8_t dimensions = 1;
  bool layered = false, cube = false;
  bool integer_coordinates = false;
  std::uint8_t channel = 0;                       ///< that tld4 gathers
  std::uint32_t element_bytes = 0, elements = 0;  ///< of a surface access
  std::array<Ref, 4> coordinates{};               ///< 32-bit rows; the layer comes first
  Ref level = 0;
  std::array<Ref, 6> gradients{};
};

/// A product on tensor cores; Op::site is its index in Program::tensors.
struct TensorSite {
  tensor::WarpProduct product;
  std::array<Ref, 8> a{}, b{}, c{}, d{};  ///< 32-bit rows, or 64-bit rows of f64
};

/// A product of a warpgroup; Op::immediate is its index in Program::group_products. Op::a and b are the rows
/// of matrix descriptors, c is the predicate that says whether D is added, and Op::site stands for its reads.
struct GroupProduct {
  tensor::Element a = tensor::Element::f16, b = tensor::Element::f16, d = tensor::Element::f32;
  std::uint32_t n = 8, k = 16;
  bool a_in_registers = false;
  bool transposes_a = false, transposes_b = false, negates_a = false, negates_b = false;
  bool saturates = false;
  std::vector<Ref> a_rows, d_rows;  ///< 32-bit rows
};

/// Memory that stores may reach: the target of a parameter, or a variable.
struct WrittenPointer {
  std::uint32_t offset = 0;  ///< in the argument block
  std::string symbol;        ///< if not empty: a module variable instead
};

struct AreaCopy {
  std::uint32_t from = 0, to = 0;  ///< CallArea indices
};

/// What a call to a recursive function saves, per lane: the rows of all recursive functions.
struct FrameRows {
  std::vector<Ref> words, wides, predicates;
  Ref base = 0;                   ///< wide row: where the arrays of the innermost call begin
  std::uint32_t stack_begin = 0;  ///< in local memory; to its end
  std::uint32_t local_bytes = 0;  ///< of one call; 0: no recursive function has arrays
  std::uint32_t bytes() const {
    return static_cast<std::uint32_t>(4 * words.size() + 8 * wides.size() + predicates.size());
  }
};

/// Rows of registers that a function may read before it has written them, on some path through it, if only one
/// without effect. See undefined.hpp.
struct UnsetRows {
  std::vector<Ref> words, wides, predicates;
  bool empty() const { return words.empty() && wides.empty() && predicates.empty(); }
};

struct Program {
  std::shared_ptr<const ptx::Module> module;
  const ptx::KernelFacts *facts = nullptr;
  std::string demangled;
  std::vector<Op> ops;
  Handler loop = nullptr;  ///< runs an operation and the following ones up to Context::end, all lanes active
  std::vector<std::int32_t> op_locations;  ///< in ptx::Module::locations
  std::vector<LineWork> line_work;
  std::vector<ProductWork> products;
  std::uint32_t guard_slots = 0;
  struct GuardedFlops {
    std::uint32_t slot;
    std::int32_t location;
    std::uint64_t LineCounters::*counter;
  };
  std::vector<GuardedFlops> guarded_flops;
  std::vector<Block> blocks;
  std::vector<Site> sites;
  std::vector<std::vector<std::uint32_t>> patterns;  ///< the sites of each
  std::vector<std::vector<std::uint32_t>> tables;    ///< brx.idx: blocks
  std::vector<UniformRow> uniforms;
  std::uint32_t uniform_bytes = 0;
  std::uint32_t warp_bytes = 0;  ///< rows of one warp
  std::uint32_t scratch = 0;     ///< a row of 256 bytes for masked execution
  std::uint32_t entry = 0;       ///< first block of the kernel
  WarpRows rows;
  std::vector<SharedVariable> shared;   ///< ascending; dynamic memory last
  std::uint32_t shared_static_end = 0;  ///< where dynamic shared memory begins
  std::uint32_t static_shared_bytes = 0;
  std::vector<LocalVariable> locals;
  std::uint32_t local_bytes = 0;  ///< per thread, with red zones
  std::vector<CallArea> areas;
  std::uint32_t area_bytes = 0;  ///< per warp
  std::vector<BuiltinCall> builtins;
  std::vector<AreaCopy> copies;
  std::vector<TextureSite> textures;
  std::vector<TensorSite> tensors;
  std::vector<std::string> misplaced_fragments;  ///< what note_misplaced says, by immediate
  std::vector<GroupProduct> group_products;
  FrameRows frame;
  std::map<std::uint32_t, UnsetRows> unset;  ///< of functions with such registers, by their first block
  std::uint32_t shared_shift = 2;            ///< log2 of the smallest access to shared memory, at most 2
  std::uint32_t global_shift = 2;            ///< the same for global memory
  std::vector<WrittenPointer> written;
  bool writes_anything = false;  ///< also through pointers from memory
  bool tracks_order = false;     ///< fences or strong accesses may order blocks: see order.hpp
  bool has_fences = false;       ///< or accesses that acquire or release
  bool orders_warps = false;     ///< fences beside atomics or volatile accesses that may be to shared memory,
                                 ///< or threads that wait for such an access
  bool strong_in_shared = false;  ///< volatile or relaxed accesses that may be to shared memory
  bool narrow_scopes = false;     ///< strong accesses or atomics whose scope is their block
  bool waits_for_blocks = false;  ///< reads global memory in a loop until another thread has written there
  bool holds_locks = false;       ///< some Site::holds or Site::ticket
  bool looks_by_atomics = false;  ///< in global memory, by atomics that do not replace a word
  bool order_matters = false;     ///< float atomics, exchanges, volatile: blocks run in order
  bool waits_for_grid = false;    ///< asks for the grid barrier (grid.sync())
  bool uses_local = false;
  bool uses_warpgroups = false;   ///< has wgmma
  bool refills_shared = false;    ///< has bulk copies to shared memory
  bool uses_clusters = false;     ///< waits for the other blocks of its cluster, or accesses their memory
  bool relaxed_clusters = false;  ///< some of these barriers do not release: fences count
  bool uses_reserved = false;     ///< the toolkit's own shared memory, below shared_start
  std::int32_t local_location = -1;
};

// The windows of generic addresses.
constexpr std::uint64_t shared_window = 0x0000'0100'0000'0000;
constexpr std::uint64_t local_window = 0x0000'0200'0000'0000;
constexpr std::uint64_t param_window = 0x0000'0300'0000'0000;
constexpr std::uint64_t function_window = 0x0000'0400'0000'0000;
constexpr std::uint64_t window_bytes = 0x1'0000'0000;
constexpr std::uint64_t first_global = 0x0000'7000'0000'0000;

// In the window of shared memory, 24 bits are the offset, and those above say whose memory it is: 0 the
// block's own, r + 1 that of the block of rank r of its cluster.
constexpr std::uint32_t rank_shift = 24;
constexpr std::uint64_t rank_offset_mask = (std::uint64_t{1} << rank_shift) - 1;
constexpr std::uint32_t no_rank = 254;  ///< of a block that does not exist; 255 is an index below 0
constexpr std::uint32_t most_blocks_of_cluster = 16;

constexpr std::uint32_t shared_start = 1024;     ///< offset 0 stays free, as on sm_80 and up
constexpr std::uint32_t shared_red_zone = 4096;  ///< a multiple of 128: bank numbers do not move
constexpr std::uint32_t local_red_zone = 64;

/// The value of a pointer to a device function or kernel; 0 if there is none of that name.
std::uint64_t function_address(const ptx::Module &, std::string_view name);
/// The kernel that such a pointer refers to, by name; null if there is none.
const ptx::KernelFacts *kernel_at(const ptx::Module &, std::uint64_t address);

/// Decodes a kernel and all functions that it calls. Unknown instructions become End::unsupported.
/// throws std::runtime_error with a sentence for what can never run (too large, recursion with local arrays)
std::shared_ptr<const Program> decode(std::shared_ptr<const ptx::Module> module, const std::string &kernel);

}  // namespace warpgrade::simt
