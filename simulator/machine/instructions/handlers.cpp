#include "decode/handlers.hpp"

#include <cstring>
#include <span>
#include <string_view>
#include <unordered_map>

namespace warpgrade::simt {
namespace {

using Table = std::unordered_map<std::string_view, Entry>;

const EntryList &all_entries() {
  static EntryList list;  // large; its names are literals
  if (list.size != 0) return list;
  switch (best_isa()) {
#ifdef WARPGRADE_X86
    case Isa::avx512:
      avx512::add_integer_handlers(list), avx512::add_bit_handlers(list), avx512::add_float_handlers(list);
      avx512::add_half_handlers(list), avx512::add_compare_handlers(list);
      avx512::add_memory_handlers(list);
      break;
    case Isa::avx2:
      avx2::add_integer_handlers(list), avx2::add_bit_handlers(list), avx2::add_float_handlers(list);
      avx2::add_half_handlers(list), avx2::add_compare_handlers(list);
      avx2::add_memory_handlers(list);
      break;
#endif
    default:
      baseline::add_integer_handlers(list), baseline::add_bit_handlers(list),
          baseline::add_float_handlers(list);
      baseline::add_half_handlers(list), baseline::add_compare_handlers(list);
      baseline::add_memory_handlers(list);
  }
  add_rare_handlers(list);
  add_approximate_handlers(list);
  add_narrow_handlers(list);
  add_bfloat_handlers(list);
  add_rounding_handlers(list);
  add_video_handlers(list);
  return list;
}

Table make_table() {
  const EntryList &list = all_entries();
  Table table;
  for (int i = 0; i < list.size; ++i) table.emplace(list.entries[i].name, list.entries[i]);
  return table;
}

/// Runs op into the scratch row and takes over the active lanes; without branches, so that it becomes vector
/// code.
template <class T>
void blend(const Op &op, Context &context) {
  Op aside = op;
  aside.d = context.scratch;
  op.plain(aside, context);
  T *const to = reinterpret_cast<T *>(context.rows + op.d);
  const T *const from = reinterpret_cast<const T *>(context.rows + context.scratch);
#pragma GCC ivdep
  for (int i = 0; i < 32; ++i) {
    const T active = static_cast<T>(static_cast<std::int64_t>(static_cast<std::int32_t>(context.lanes[i])));
    to[i] = (to[i] & ~active) | (from[i] & active);
  }
}

}  // namespace

Isa best_isa() {
#ifdef WARPGRADE_X86
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return Isa::avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
    return Isa::avx2;
#endif
  return Isa::baseline;
}

std::span<const Entry> all_handlers() {
  const EntryList &list = all_entries();
  return {list.entries, static_cast<std::size_t>(list.size)};
}

const Entry *find_entry(std::string_view name) {
  static const Table table = make_table();
  const auto found = table.find(name);
  return found == table.end() ? nullptr : &found->second;
}

const Entry *entry_of(Handler run) {
  static const auto by_handler = [] {
    std::unordered_map<Handler, const Entry *> made;
    for (const EntryList &list = all_entries(); const Entry &entry : std::span(list.entries, list.size))
      made.emplace(entry.run, &entry);
    return made;
  }();
  const auto found = by_handler.find(run);
  return found == by_handler.end() ? nullptr : found->second;
}

void masked32(const Op &op, Context &context) {
  blend<std::uint32_t>(op, context);
}
void masked64(const Op &op, Context &context) {
  blend<std::uint64_t>(op, context);
}

void masked_predicate(const Op &op, Context &context) {
  std::uint32_t before, after;
  std::memcpy(&before, context.rows + op.d, 4);
  Op aside = op;
  aside.d = context.scratch;
  op.plain(aside, context);
  std::memcpy(&after, context.rows + context.scratch, 4);
  after = (before & ~context.mask) | (after & context.mask);
  std::memcpy(context.rows + op.d, &after, 4);
}

Handler masked_form(Width result) {
  switch (result) {
    case Width::wide:
      return &masked64;
    case Width::predicate:
      return &masked_predicate;
    default:
      return &masked32;
  }
}

}  // namespace warpgrade::simt
