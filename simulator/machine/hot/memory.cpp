// The fast path of loads and stores in global and shared memory: the lane pattern is the cached one, all
// lanes stay in one range, and no other thread accessed the words since the last barrier. Anything less simple
// takes the careful form beside it, and from there access_slowly, before anything has changed.
// Last, the loop over the operations of a basic block.
#include "machine/hot/shadow.hpp"

namespace warpgrade::simt::WARPGRADE_ISA {
namespace {

/// Rows of the elements: d, b, c, e in that order (a is the address).
template <class T, int count>
struct Rows {
  Ref ref[4];
  explicit Rows(const Op &op) : ref{op.d, op.b, op.c, op.e} {}
};

/// The addresses of an access. low: the lowest one, ~0 if the access must take the slow path.
struct Place {
  Pattern &pattern;
  u64 low;
};

template <class Address, unsigned bytes>
inline Place find_place(SiteState &state, const Op &op, Context &context) {
  Pattern &pattern = context.patterns[op.pattern];
  const Address *address = row<Address>(context, op.a);
  const Address first = address[__builtin_ctz(context.mask)];
  // Without a mask, the first access of the basic block has no cached pattern.
  if ((!op.follows || pattern.mask == 0) &&
      __builtin_expect(!same_pattern(pattern, context, address, first), 0)) {
    if (goes_scattered(op, context)) {
      u64 low = ~u64{0};
      if (!scatter<Address, bytes>(state, op, context, low)) low = ~u64{0};
      return {*context.scattered, low};
    }
    learn_from(op, context, address);
  }
  const u64 low = static_cast<Address>(first + static_cast<Address>(op.immediate) +
                                       static_cast<Address>(pattern.min_delta));
  const u64 high = low + pattern.span;
  if (__builtin_expect(((low | pattern.low_bits) & (bytes - 1)) != 0, 0)) return {pattern, ~u64{0}};
  if (__builtin_expect(low < state.begin || high > state.end || high < low, 0))
    if (!find_range(state, site_of(op, context), context, low, high)) return {pattern, ~u64{0}};
  state.shift = op.immediate + pattern.min_delta - state.begin;
  const bool aligned =
      (state.begin & (sizeof(Address) == 8 ? 31 : bytes - 1)) == 0;  // not all memory of the host is
  state.reach = aligned ? state.end - state.begin - pattern.span + 1 : 0;
  return {pattern, low};
}

template <class T, int count>
[[gnu::noinline]] void load_global_carefully(const Op &op, Context &context) {
  SiteState &state = context.sites[op.site];
  constexpr u32 bytes = sizeof(T) * count;
  const auto [pattern, low] = find_place<u64, bytes>(state, op, context);
  if (__builtin_expect(low == ~u64{0}, 0)) return access_slowly(op, context);
  const u64 at = low - state.begin;
  if (state.careful) {
    if (state.written && !is_written<bytes>(state, pattern, at)) return access_slowly(op, context);
    if (state.watch_readers && !watch_load(state, pattern, op, context, at, my_cell(op, context), bytes))
      return access_slowly(op, context);
  }
  if (&pattern == context.scattered)
    count_scattered_global(state, context, low, bytes);
  else
    count_global(state, pattern, context, low);
  load_values<T, count>(pattern, context, state.host + at, Rows<T, count>(op).ref);
}
template <class T, int count>
[[gnu::noinline]] void store_global_carefully(const Op &op, Context &context) {
  SiteState &state = context.sites[op.site];
  constexpr u32 bytes = sizeof(T) * count;
  const auto [pattern, low] = find_place<u64, bytes>(state, op, context);
  if (__builtin_expect(low == ~u64{0}, 0)) return access_slowly(op, context);
  const u64 at = low - state.begin;
  if (state.careful) {
    if (state.watch_writers && !watch_store(state, pattern, op, context, at, my_cell(op, context), bytes))
      return access_slowly(op, context);
    if (state.written) mark_as_written<bytes>(state, pattern, at);
  }
  if (&pattern == context.scattered)
    count_scattered_global(state, context, low, bytes);
  else
    count_global(state, pattern, context, low);
  store_values<T, count>(pattern, context, state.host + at, Rows<T, count>(op).ref);
}
template <class T, int count, class Address>
[[gnu::noinline]] void load_shared_carefully(const Op &op, Context &context) {
  SiteState &state = context.sites[op.site];
  constexpr u32 bytes = sizeof(T) * count;
  const auto [pattern, low] = find_place<Address, bytes>(state, op, context);
  if (__builtin_expect(low == ~u64{0}, 0)) return access_slowly(op, context);
  const bool scattered = &pattern == context.scattered;
  if (context.writers) {
    if (scattered) find_words(pattern, context, bytes);
    if (__builtin_expect(!check_load(*state.range, pattern, op, context, low, my_cell(op, context), bytes),
                         0))
      return access_slowly(op, context);
  }
  if (scattered)
    count_scattered_shared(state, op, context, low, bytes);
  else
    count_shared(state);
  load_values<T, count>(pattern, context, context.shared + low, Rows<T, count>(op).ref);
}
template <class T, int count, class Address>
void store_shared(const Op &op, Context &context) {
  SiteState &state = context.sites[op.site];
  constexpr u32 bytes = sizeof(T) * count;
  const auto [pattern, low] = find_place<Address, bytes>(state, op, context);
  if (__builtin_expect(low == ~u64{0}, 0)) return access_slowly(op, context);
  const bool scattered = &pattern == context.scattered;
  if (context.writers) {
    SharedRange &range = *state.range;
    if (scattered) find_words(pattern, context, bytes);
    if (range.reads != 0 && low < range.read_end && low + pattern.span > range.read_begin)
      flush_reads(context, range);
    const u64 me = my_cell(op, context);
    const bool fine = bytes < 4 || context.shared_shift != 2
                          ? check_fine_store(pattern, context, low, me, bytes)
                          : check_store<(bytes < 4 ? 1 : bytes / 4)>(pattern, context, low, me);
    if (__builtin_expect(!fine, 0) && !check_known_store(pattern, context, low, me, bytes))
      return access_slowly(op, context);
    mark_store(range, pattern, low);
  }
  if (scattered)
    count_scattered_shared(state, op, context, low, bytes);
  else
    count_shared(state);
  store_values<T, count>(pattern, context, context.shared + low, Rows<T, count>(op).ref);
}

// The same if nothing needs a closer look: without calls, so that no register is saved. Everything that needs a
// closer look is found before anything is changed.

/// Lowest address of the access, counted from state.begin; false: it must be checked.
template <class Address, unsigned bytes>
[[gnu::always_inline]] inline bool find_at_once(const SiteState &state, const Pattern &pattern, const Op &op,
                                                const Context &context, u64 &at) {
  const Address *address = row<Address>(context, op.a);
  const Address first = address[__builtin_ctz(context.mask)];
  if (!op.follows && !same_pattern(pattern, context, address, first)) return false;
  at = static_cast<Address>(first + static_cast<Address>(state.shift));
  return at < state.reach && (at & (bytes - 1)) == 0;
}

template <class T, int count>
void load_global(const Op &op, Context &context) {
  SiteState &state = context.sites[op.site];
  const Pattern &pattern = context.patterns[op.pattern];
  u64 at;
  if (__builtin_expect(!find_at_once<u64, sizeof(T) * count>(state, pattern, op, context, at), 0))
    return load_global_carefully<T, count>(op, context);
  if (__builtin_expect(state.careful || !is_seen_at(state, pattern, at), 0))
    return load_global_carefully<T, count>(op, context);
  state.uses[at & 31] += 1;
  load_values<T, count>(pattern, context, state.host + at, Rows<T, count>(op).ref);
}
template <class T, int count>
void store_global(const Op &op, Context &context) {
  SiteState &state = context.sites[op.site];
  const Pattern &pattern = context.patterns[op.pattern];
  u64 at;
  if (__builtin_expect(!find_at_once<u64, sizeof(T) * count>(state, pattern, op, context, at), 0))
    return store_global_carefully<T, count>(op, context);
  if (__builtin_expect(state.careful || !is_seen_at(state, pattern, at), 0))
    return store_global_carefully<T, count>(op, context);
  state.uses[at & 31] += 1;
  store_values<T, count>(pattern, context, state.host + at, Rows<T, count>(op).ref);
}
template <class T, int count, class Address>
void load_shared(const Op &op, Context &context) {
  SiteState &state = context.sites[op.site];
  const Pattern &pattern = context.patterns[op.pattern];
  u64 at;
  if (__builtin_expect(!find_at_once<Address, sizeof(T) * count>(state, pattern, op, context, at), 0))
    return load_shared_carefully<T, count, Address>(op, context);
  const u64 low = state.begin + at;
  if (context.writers) {
    SharedRange &range = *state.range;
    const u64 high = low + pattern.span;
    if (__builtin_expect(!range.initialized || range.reads == range.room ||
                             (low < range.written_end && high > range.written_begin),
                         0))
      return load_shared_carefully<T, count, Address>(op, context);
    if (context.epoch_cell != ~u64{0}) note_read(range, op, low, high, my_cell(op, context));
  }
  count_shared(state);
  load_values<T, count>(pattern, context, context.shared + low, Rows<T, count>(op).ref);
}

/// fma.f32 with the hardware's NaN, as in float.cpp.
[[gnu::always_inline]] inline void fma_lanes(const Op &op, Context &context) {
  const float *a = row<float>(context, op.a), *b = row<float>(context, op.b), *c = row<float>(context, op.c);
  float *d = row_out<float>(context, op.d);
#pragma GCC ivdep
  for (int i = 0; i < 32; ++i) {
    const float value = __builtin_fmaf(a[i], b[i], c[i]);
    d[i] = value == value ? value : __builtin_bit_cast(float, 0x7FFFFFFF);
  }
}
template <class T>
[[gnu::always_inline]] inline void add_lanes(const Op &op, Context &context) {
  const T *a = row<T>(context, op.a), *b = row<T>(context, op.b);
  T *d = row_out<T>(context, op.d);
#pragma GCC ivdep
  for (int i = 0; i < 32; ++i) d[i] = a[i] + b[i];
}

/// The operations of a basic block, all live lanes active. A call through a pointer that changes each time
/// costs more than the arithmetic of 32 lanes, so the frequent operations are found by comparisons, which are
/// predicted better.
void run_ops(const Op &first, Context &context) {
  const Op *const end = context.end;
  for (const Op *op = &first; op != end; ++op) {
    if (op->hot == Hot::none)
      op->run(*op, context);
    else if (op->hot == Hot::fma_f32)
      fma_lanes(*op, context);
    else if (op->hot == Hot::load_shared)
      load_shared<u32, 1, u32>(*op, context);
    else if (op->hot == Hot::load_global)
      load_global<u32, 1>(*op, context);
    else if (op->hot == Hot::add_b64)
      add_lanes<u64>(*op, context);
    else if (op->hot == Hot::add_b32)
      add_lanes<u32>(*op, context);
    else
      load_shared<u32, 4, u32>(*op, context);
  }
}

}  // namespace

void add_memory_handlers(EntryList &l) {
  const auto add = [&l](const char *name, Handler run) { add_entry(l, {name, run}); };
  add("loop", &run_ops);
  add("load.global.4x1", &load_global<u32, 1>);
  add("load.global.4x2", &load_global<u32, 2>);
  add("load.global.4x4", &load_global<u32, 4>);
  add("load.global.8x1", &load_global<u64, 1>);
  add("load.global.8x2", &load_global<u64, 2>);
  add("load.global.2x1", &load_global<u16, 1>);
  add("load.global.s2x1", &load_global<s16, 1>);
  add("load.global.2x2", &load_global<u16, 2>);
  add("load.global.2x4", &load_global<u16, 4>);
  add("load.global.1x1", &load_global<u8, 1>);
  add("load.global.s1x1", &load_global<s8, 1>);
  add("load.global.1x4", &load_global<u8, 4>);
  add("load.shared.4x1", &load_shared<u32, 1, u32>);
  add("load.shared.4x1.wide", &load_shared<u32, 1, u64>);
  add("load.shared.4x2", &load_shared<u32, 2, u32>);
  add("load.shared.4x2.wide", &load_shared<u32, 2, u64>);
  add("load.shared.4x4", &load_shared<u32, 4, u32>);
  add("load.shared.4x4.wide", &load_shared<u32, 4, u64>);
  add("load.shared.8x1", &load_shared<u64, 1, u32>);
  add("load.shared.8x1.wide", &load_shared<u64, 1, u64>);
  add("load.shared.8x2", &load_shared<u64, 2, u32>);
  add("load.shared.8x2.wide", &load_shared<u64, 2, u64>);
  add("load.shared.2x1", &load_shared<u16, 1, u32>);
  add("load.shared.2x1.wide", &load_shared<u16, 1, u64>);
  add("load.shared.s2x1", &load_shared<s16, 1, u32>);
  add("load.shared.s2x1.wide", &load_shared<s16, 1, u64>);
  add("load.shared.2x2", &load_shared<u16, 2, u32>);
  add("load.shared.2x2.wide", &load_shared<u16, 2, u64>);
  add("load.shared.2x4", &load_shared<u16, 4, u32>);
  add("load.shared.2x4.wide", &load_shared<u16, 4, u64>);
  add("load.shared.1x1", &load_shared<u8, 1, u32>);
  add("load.shared.1x1.wide", &load_shared<u8, 1, u64>);
  add("load.shared.s1x1", &load_shared<s8, 1, u32>);
  add("load.shared.s1x1.wide", &load_shared<s8, 1, u64>);
  add("load.shared.1x4", &load_shared<u8, 4, u32>);
  add("load.shared.1x4.wide", &load_shared<u8, 4, u64>);
  add("store.global.4x1", &store_global<u32, 1>);
  add("store.global.4x2", &store_global<u32, 2>);
  add("store.global.4x4", &store_global<u32, 4>);
  add("store.global.8x1", &store_global<u64, 1>);
  add("store.global.8x2", &store_global<u64, 2>);
  add("store.global.2x1", &store_global<u16, 1>);
  add("store.global.2x2", &store_global<u16, 2>);
  add("store.global.2x4", &store_global<u16, 4>);
  add("store.global.1x1", &store_global<u8, 1>);
  add("store.global.1x4", &store_global<u8, 4>);
  add("store.shared.4x1", &store_shared<u32, 1, u32>);
  add("store.shared.4x1.wide", &store_shared<u32, 1, u64>);
  add("store.shared.4x2", &store_shared<u32, 2, u32>);
  add("store.shared.4x2.wide", &store_shared<u32, 2, u64>);
  add("store.shared.4x4", &store_shared<u32, 4, u32>);
  add("store.shared.4x4.wide", &store_shared<u32, 4, u64>);
  add("store.shared.8x1", &store_shared<u64, 1, u32>);
  add("store.shared.8x1.wide", &store_shared<u64, 1, u64>);
  add("store.shared.8x2", &store_shared<u64, 2, u32>);
  add("store.shared.8x2.wide", &store_shared<u64, 2, u64>);
  add("store.shared.2x1", &store_shared<u16, 1, u32>);
  add("store.shared.2x1.wide", &store_shared<u16, 1, u64>);
  add("store.shared.2x2", &store_shared<u16, 2, u32>);
  add("store.shared.2x2.wide", &store_shared<u16, 2, u64>);
  add("store.shared.2x4", &store_shared<u16, 4, u32>);
  add("store.shared.2x4.wide", &store_shared<u16, 4, u64>);
  add("store.shared.1x1", &store_shared<u8, 1, u32>);
  add("store.shared.1x1.wide", &store_shared<u8, 1, u64>);
  add("store.shared.1x4", &store_shared<u8, 4, u32>);
  add("store.shared.1x4.wide", &store_shared<u8, 4, u64>);
}

}  // namespace warpgrade::simt::WARPGRADE_ISA
