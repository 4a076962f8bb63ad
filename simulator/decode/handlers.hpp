// The table of operations: what the decoder must know to build one.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "decode/context.hpp"
#include "decode/rounding.hpp"

namespace warpgrade::simt {

/// Width of a row: none, predicate mask, 4-byte lanes, 8-byte lanes.
enum class Width : std::uint8_t { none, predicate, word, wide };

struct Entry {
  std::string_view name;  ///< canonical opcode: "add.s32"
  Handler run = nullptr;
  Width d = Width::none, a = Width::none, b = Width::none, c = Width::none, e = Width::none;
};

/// A growing list; a plain array so that the hot objects emit no library code.
struct EntryList {
  static constexpr int capacity = 2048;
  Entry entries[capacity];
  int size = 0;
};

enum class Isa { baseline, avx2, avx512 };
Isa best_isa();

// One set per instruction set; see hot/*.cpp.
#define WARPGRADE_DECLARE_HOT(isa)        \
  namespace isa {                         \
  void add_integer_handlers(EntryList &); \
  void add_bit_handlers(EntryList &);     \
  void add_float_handlers(EntryList &);   \
  void add_half_handlers(EntryList &);    \
  void add_compare_handlers(EntryList &); \
  void add_memory_handlers(EntryList &);  \
  }
WARPGRADE_DECLARE_HOT(baseline)
#ifdef WARPGRADE_X86
WARPGRADE_DECLARE_HOT(avx2)
WARPGRADE_DECLARE_HOT(avx512)
#endif
#undef WARPGRADE_DECLARE_HOT

void add_rare_handlers(EntryList &);
void add_approximate_handlers(EntryList &);
void add_narrow_handlers(EntryList &);
void add_bfloat_handlers(EntryList &);
void add_rounding_handlers(EntryList &);
void add_video_handlers(EntryList &);

// Handlers that the decoder sets up by itself.
void convert(const Op &, Context &);  ///< cvt in general; immediate: see Conversion
void unpack(const Op &, Context &);   ///< mov.b64 {d, b, c, e}, a; immediate: elements | bytes of one << 8
void pack(const Op &, Context &);     ///< mov.b64 d, {a, b, c, e}
void shuffle(const Op &, Context &);  ///< immediate: mode | has predicate << 8 | wide b.. ; see warp_ops.cpp
void vote(const Op &, Context &);
void match(const Op &, Context &);
void reduce_warp(const Op &, Context &);
void active_mask(const Op &, Context &);
void warp_sync(const Op &, Context &);
void fence(const Op &, Context &);  ///< immediate: Scope
void read_clock(const Op &, Context &);
void video(const Op &, Context &);         ///< immediate: VideoForm
void is_in_space(const Op &, Context &);   ///< isspacep; site: shared, local, param, global, const
void call_builtin(const Op &, Context &);  ///< site: index in Program::builtins
void copy_area(const Op &, Context &);     ///< site: index in Program::copies
void load_area(const Op &, Context &);     ///< ld.param of a function's parameter; e: area, immediate: offset
void store_area(const Op &, Context &);
void wait_copies(const Op &, Context &);  ///< cp.async.wait_group immediate
void commit_copies(const Op &, Context &);
void mbarrier_access(const Op &, Context &);
void fetch_bulk(const Op &, Context &);    ///< cp.async.bulk to shared memory
void pass_bulk(const Op &, Context &);     ///< cp.async.bulk from shared memory to that of the cluster
void send_bulk(const Op &, Context &);     ///< cp.async.bulk to global memory
void fetch_tensor(const Op &, Context &);  ///< cp.async.bulk.tensor to shared memory
void send_tensor(const Op &, Context &);   ///< cp.async.bulk.tensor to global memory
void store_async(const Op &, Context &);   ///< st.async
void reduce_async(const Op &, Context &);  ///< red.async
void commit_bulk(const Op &, Context &);
void wait_bulk(const Op &, Context &);          ///< immediate: how many groups may remain in flight
void multiply_matrices(const Op &, Context &);  ///< site: index in Program::tensors
void load_matrix(const Op &, Context &);        ///< ldmatrix: matrix i goes to row i of its site
void store_matrix(const Op &, Context &);
// wgmma: see warpgroup.hpp
void multiply_warpgroup(const Op &, Context &);
void fence_warpgroup(const Op &, Context &);
void commit_warpgroup(const Op &, Context &);
void wait_warpgroup(const Op &, Context &);  ///< immediate: how many groups may remain in flight
constexpr std::uint32_t proxy_of_shared = 1, proxy_of_global = 2;
void fence_proxy(const Op &, Context &);       ///< fence.proxy.async
void transpose_matrix(const Op &, Context &);  ///< movmatrix: d = a, 8 x 8 elements of 16 bits
/// Before the parts of a wmma.load or wmma.store. a: address, b: stride in elements; immediate: bits of one
/// | 256 if the address has 64 bits; c: offset of the address
void check_fragment(const Op &, Context &);
/// Before a product or a store whose fragment has elements of another kind. immediate: index in
/// Program::misplaced_fragments
void note_misplaced(const Op &, Context &);
void texture_access(const Op &, Context &);  ///< immediate: index in Program::textures

enum class VoteMode : std::uint8_t { all, any, uni, ballot, elect };
enum class ShuffleMode : std::uint8_t { up, down, bfly, idx };
enum class ReduceMode : std::uint8_t { add, min_u, max_u, min_s, max_s, bit_and, bit_or, bit_xor };
enum class AtomicKind : std::uint8_t {
  add,
  add_f32,
  add_f32_global,  ///< which flushes denormals to zero
  add_f64,
  add_f64_shared,  ///< propagates another NaN
  add_f16,
  add_f16x2,
  add_bf16,
  add_bf16x2,
  min_u,
  max_u,
  min_s,
  max_s,
  inc,
  dec,
  bit_and,
  bit_or,
  bit_xor,
  exch,
  cas
};
enum class MbarrierKind : std::uint8_t {
  init,
  inval,
  arrive,
  arrive_drop,
  arrive_expect,  ///< and waits for bytes
  arrive_drop_expect,
  expect,
  complete,
  copies_arrive,
  test,
  test_parity
};
/// What cvt does, packed into Op::immediate.
struct Conversion {
  ptx::Type to = ptx::Type::none, from = ptx::Type::none;
  Rounding rounding = Rounding::nearest;
  bool to_integral = false;  ///< .rni and friends
  bool saturate = false, flush = false, relu = false;
  std::uint64_t packed() const {
    return static_cast<std::uint64_t>(to) | static_cast<std::uint64_t>(from) << 8 |
           static_cast<std::uint64_t>(rounding) << 16 | std::uint64_t{to_integral} << 24 |
           std::uint64_t{saturate} << 25 | std::uint64_t{flush} << 26 | std::uint64_t{relu} << 27;
  }
};

// Half precision, exact: to float, and from double with one rounding.
float half_to_float(std::uint32_t bits);
std::uint32_t double_to_half(double value, Rounding rounding);
float bfloat_to_float(std::uint32_t bits);
std::uint32_t double_to_bfloat(double value, Rounding rounding);
/// Sums of two numbers of 16 bits, rounded to nearest.
std::uint32_t add_halves(std::uint32_t a, std::uint32_t b);
std::uint32_t add_bfloats(std::uint32_t a, std::uint32_t b);

std::span<const Entry> all_handlers();
/// The entry of a canonical opcode, nullptr if there is none. The table is built on first use, for
/// best_isa().
const Entry *find_entry(std::string_view name);
/// The entry with this handler, nullptr if there is none.
const Entry *entry_of(Handler run);

/// For a handler that ignores masks: the form that respects them.
Handler masked_form(Width result);

}  // namespace warpgrade::simt
