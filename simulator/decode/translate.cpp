// Instructions to operations, one function per family.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "decode/decoder.hpp"

namespace warpgrade::simt {

using ptx::Type;

namespace {

Width width_of(Type type) {
  if (type == Type::pred) return Width::predicate;
  return ptx::size_of(type) == 8 ? Width::wide : Width::word;
}

}  // namespace

/// Counts an instruction for its line in the block at hand.
LineWork &Decoder::note_instruction(const Instruction &instruction, InstructionClass one) {
  const auto block = static_cast<std::uint32_t>(program_->blocks.size()) - 1;
  std::vector<LineWork> &all = program_->line_work;
  if (all.empty() || all.back().block != block || all.back().location != instruction.location)
    all.push_back({block, instruction.location, {}, {}});
  LineWork &work = all.back();
  ++program_->blocks.back().instructions;
  ++work.of_warp.warp_instructions;
  ++work.of_warp.by_class[static_cast<std::size_t>(one)];
  ++work.of_lane.thread_instructions;
  return work;
}

void Decoder::note_work(const Instruction &instruction, const Opcode &o) {
  LineWork &work = note_instruction(instruction, class_of(o));
  work.of_warp.tensor_products += tensor_flops(o) != 0;
  work.of_warp.tensor_flops += tensor_flops(o);
  if (const auto counter = flop_counter(o)) ++(work.of_lane.*counter);
  if (tensor_flops(o) != 0)
    program_->products.push_back(
        {work.block, instruction.location, std::string(o.text),
         o.base == "wgmma" && operand_of(instruction, 1).kind != Operand::Kind::vector, tensor_flops(o)});
}

void Decoder::translate(const Instruction &instruction, const Opcode &o) {
  note_work(instruction, o);
  if (const char *why = why_refused(o)) throw Unsupported(why);
  switch (o.row->family) {
    case Family::unknown:
      throw Unsupported("");
    case Family::arithmetic:
      return translate_arithmetic(instruction, o);
    case Family::video:
      return translate_video(instruction, o);
    case Family::move:
      return translate_move(instruction, o);
    case Family::convert:
      return translate_conversion(instruction, o);
    case Family::compare:
      return translate_compare(instruction, o);
    case Family::set:
      return translate_set(instruction, o);
    case Family::sign_choice:
      return translate_slct(instruction, o);
    case Family::address:
      return translate_address(instruction, o);
    case Family::rank:
      return translate_rank(instruction, o);
    case Family::policy:
      return translate_policy(instruction);
    case Family::load:
      return translate_access(instruction, o);
    case Family::store:
      return o.has("async") ? translate_counted(instruction, o) : translate_access(instruction, o);
    case Family::atomic:
      return translate_atomic(instruction, o);
    case Family::reduction:
      return o.has("async") ? translate_counted(instruction, o) : translate_atomic(instruction, o);
    case Family::copy:
      return o.has("mbarrier") ? translate_mbarrier(instruction, o)
             : o.has("bulk")   ? translate_bulk(instruction, o)
                               : translate_async(instruction, o);
    case Family::mbarrier:
      return translate_mbarrier(instruction, o);
    case Family::texture:
      return translate_texture(instruction, o);
    case Family::fence:
      return translate_fence(instruction, o);
    case Family::ignored:
      return;
    case Family::registers:
      return check_registers(instruction);
    case Family::barrier:
      return o.has("warp") ? translate_warp(instruction, o) : translate_barrier(instruction, o);
    case Family::warp:
      return translate_warp(instruction, o);
    case Family::tensor:
      return translate_tensor(instruction, o);
    case Family::jump:
      return translate_jump(instruction);
    case Family::jump_by_table:
      return translate_jump_by_table(instruction);
    case Family::leave:
      return translate_leave(instruction, o);
    case Family::stop:
      program_->blocks.back().location = instruction.location;
      return close_block(End::trap);
    case Family::call:
      return translate_call(instruction, o);
  }
}

/// membar, fence, fence.proxy
void Decoder::translate_fence(const Instruction &instruction, const Opcode &o) {
  if (o.has("proxy") && (o.has("async") || o.has("async::generic"))) {
    Op op;
    op.run = &fence_proxy;
    const bool global = o.has("global");
    const bool shared = o.text.find("shared::") != std::string_view::npos;
    op.immediate = global ? proxy_of_global : shared ? proxy_of_shared : proxy_of_shared | proxy_of_global;
    emit(op, instruction);
  }
  if (!program_->orders_warps && !program_->tracks_order && !program_->relaxed_clusters) return;
  Op op;
  op.run = &fence;
  op.immediate = static_cast<std::uint64_t>(scope_of(o));
  emit(op, instruction);
}

/// setmaxnreg, which changes nothing here
void Decoder::check_registers(const Instruction &instruction) {
  const std::int64_t registers = operand_of(instruction, 0).value;
  if (registers < 24 || registers > 256 || registers % 8 != 0)
    throw Unsupported("the number of registers must be a multiple of 8 from 24 to 256");
}

/// createpolicy: any value will do
void Decoder::translate_policy(const Instruction &instruction) {
  Op op;
  op.d = output(operand_of(instruction, 0), Width::wide);
  op.a = constant(0, true);
  emit_entry(*find_entry("mov.b64"), op, instruction);
}

std::uint32_t Decoder::label(const std::string &name) const {
  const auto found = labels_.find(name);
  if (found == labels_.end()) throw Unsupported("no label " + name);
  return found->second;
}

void Decoder::translate_jump(const Instruction &instruction) {
  Block &block = program_->blocks.back();
  const std::uint32_t to = label(operand_of(instruction, 0).name);
  if (instruction.guard >= 0) {
    block.location = instruction.location;
    block.condition = register_ref(instruction.guard);
    block.negated = instruction.guard_negated;
  }
  patches_.push_back({static_cast<std::uint32_t>(program_->blocks.size()) - 1, to, false});
  close_block(instruction.guard >= 0 ? End::branch : End::jump);
}

void Decoder::translate_jump_by_table(const Instruction &instruction) {
  if (instruction.guard >= 0) throw Unsupported("a guarded brx");
  Block &block = program_->blocks.back();
  const auto &names = current_->branch_target_names;
  const auto found = std::find(names.begin(), names.end(), operand_of(instruction, 1).name);
  if (found == names.end()) throw Unsupported("no branch targets");
  std::vector<std::uint32_t> targets;
  for (const std::string &name : current_->branch_targets[static_cast<std::size_t>(found - names.begin())])
    targets.push_back(label(name));
  block.condition = input(operand_of(instruction, 0), Width::word);
  block.target = static_cast<std::uint32_t>(program_->tables.size());
  program_->tables.emplace_back();
  table_patches_.push_back({block.target, std::move(targets)});
  close_block(End::table);
}

/// ret, exit
void Decoder::translate_leave(const Instruction &instruction, const Opcode &o) {
  Block &block = program_->blocks.back();
  block.location = instruction.location;
  block.return_row = layout_->return_row;
  block.recursive = recursive_.count(current_) != 0;
  if (instruction.guard >= 0) {
    block.guarded = true;
    block.condition = register_ref(instruction.guard);
    block.negated = instruction.guard_negated;
  }
  close_block(o.base == "exit" || current_->entry ? End::exit : End::ret);
}

/// bar{.cta}.{sync,arrive} id{, count}; bar.red.op d, id{, count}, p; barrier is bar without .aligned
void Decoder::translate_barrier(const Instruction &instruction, const Opcode &o) {
  Block &block = program_->blocks.back();
  block.location = instruction.location;
  block.aligned = o.base == "bar" || o.has("aligned");
  std::size_t next = 0;
  if (o.has("cluster")) {
    block.barrier = o.has("wait") ? BarrierKind::cluster_wait : BarrierKind::cluster_arrive;
    block.aligned = o.has("aligned");
    block.relaxed = o.has("relaxed");
    return close_block(End::barrier);
  }
  if (o.has("red")) {
    block.barrier = o.has("popc")  ? BarrierKind::red_popc
                    : o.has("and") ? BarrierKind::red_and
                                   : BarrierKind::red_or;
    block.d = output(operand_of(instruction, next++), o.has("popc") ? Width::word : Width::predicate);
  } else if (o.has("arrive")) {
    block.barrier = BarrierKind::arrive;
  } else if (!o.has("sync")) {
    throw Unsupported("a barrier of this kind");
  }
  block.id = input(operand_of(instruction, next++), Width::word);
  const std::size_t tail = o.has("red") ? 1 : 0;
  if (next + tail < instruction.operands.size()) {
    block.has_count = true;
    block.count = input(instruction.operands[next++], Width::word);
  }
  if (o.has("red")) {
    const Operand &source = operand_of(instruction, next);
    block.source = input(source, Width::predicate);
    block.source_negated = source.negated;
  }
  close_block(End::barrier);
}

void Decoder::translate_arithmetic(const Instruction &instruction, const Opcode &o) {
  const std::string name = canonical_name(o);
  const Entry *entry = name.empty() ? nullptr : find_entry(name);
  if (!entry) throw Unsupported("");
  const Type type = o.type();
  Op op;
  op.d = output(operand_of(instruction, 0), entry->d);
  const auto source = [&](std::size_t index, Width width) -> Ref {
    if (width == Width::none) return 0;
    if (width == Width::predicate) return predicate_input(operand_of(instruction, index), instruction);
    return input(operand_of(instruction, index), width, type);
  };
  op.a = source(1, entry->a);
  op.b = source(2, entry->b);
  op.c = source(3, entry->c);
  op.e = source(4, entry->e);
  if (const auto counter = flop_counter(o); counter && instruction.guard >= 0)
    program_->guarded_flops.push_back({program_->guard_slots, instruction.location, counter});
  emit_entry(*entry, op, instruction);
}

/// setp.CMP{.BOOL}{.ftz}.type p{|q}, a, b{, c}
void Decoder::translate_compare(const Instruction &instruction, const Opcode &o) {
  const Type type = o.type();
  if (type == Type::f16x2 || type == Type::bf16x2 || type == Type::bf16)
    return translate_half_compare(instruction, o);
  std::string comparison, combine;
  for (const std::string_view part : o.parts) {
    if (part == "and" || part == "or" || part == "xor")
      combine = part;
    else if (comparison.empty())
      comparison = part;
  }
  const bool floating = is_float(type);
  if (!floating) {
    static const std::map<std::string, std::string> names = {
        {"lo", "lt"}, {"ls", "le"}, {"hi", "gt"}, {"hs", "ge"}};
    if (const auto found = names.find(comparison); found != names.end()) comparison = found->second;
  }
  const std::string suffix = floating
                                 ? std::string(type_name(type))
                                 : fmt::format("{}{}", is_signed(type) ? 's' : 'u', 8 * ptx::size_of(type));
  const Entry *entry = find_entry("setp." + comparison + "." + suffix);
  if (!entry) throw Unsupported("");
  const Operand &result = operand_of(instruction, 0);
  Op op;
  op.d = output(result, Width::predicate);
  op.a = flushed(input(operand_of(instruction, 1), entry->a, type), 0, o, instruction);
  op.b = flushed(input(operand_of(instruction, 2), entry->b, type), 1, o, instruction);
  if (combine.empty() && result.second < 0) return emit_entry(*entry, op, instruction);
  // The comparison is computed first: its results may be its own inputs.
  const Ref destination = op.d;
  const Ref other = combine.empty() ? 0 : predicate_input(operand_of(instruction, 3), instruction);
  const Ref aside = warp_rows_.add(Width::predicate), inverse = warp_rows_.add(Width::predicate);
  op.d = aside;
  emit_entry(*entry, op, instruction);
  Op step;
  step.a = aside;
  step.d = inverse;
  emit_entry(*find_entry("not.pred"), step, instruction);
  const auto store = [&](Ref from, Ref to) {
    Op last;
    last.d = to;
    last.a = from;
    last.b = other;
    emit_entry(*find_entry(combine.empty() ? "mov.pred" : combine + ".pred"), last, instruction);
  };
  // Nothing is written before all is computed, for `other` may be a destination; nor is the guard before the
  // other destination.
  const bool both = result.second >= 0, guard_first = instruction.guard == result.reg;
  const Ref first = warp_rows_.add(Width::predicate), second = warp_rows_.add(Width::predicate);
  store(aside, first);
  if (both) store(inverse, second);
  const auto write = [&](Ref from, Ref to) {
    Op last;
    last.d = to;
    last.a = from;
    emit_entry(*find_entry("mov.pred"), last, instruction);
  };
  if (both && guard_first) write(second, second_output(result));
  write(first, destination);
  if (both && !guard_first) write(second, second_output(result));
}

void Decoder::translate_conversion(const Instruction &instruction, const Opcode &o) {
  const Operand &to = operand_of(instruction, 0), &from = operand_of(instruction, 1);
  if (to.kind != Operand::Kind::reg) throw Unsupported("the destination is not a register");
  if (o.has("tf32") || o.has("e4m3x2") || o.has("e5m2x2")) {
    const Entry *narrow = find_entry(o.text);
    if (!narrow) throw Unsupported("");
    Op op;
    op.d = output(to, narrow->d);
    op.a = input(from, narrow->a, Type::f32);
    if (narrow->b != Width::none) op.b = input(operand_of(instruction, 2), narrow->b, Type::f32);
    return emit_entry(*narrow, op, instruction);
  }
  Conversion how;
  if (!parse_conversion(o, how)) throw Unsupported("");
  if (register_width(to.reg) == Width::predicate) throw Unsupported("the destination is a predicate");
  Op op;
  op.d = register_ref(to.reg);
  const bool wide_result = register_width(to.reg) == Width::wide;
  const Width in = from.kind == Operand::Kind::reg ? register_width(from.reg) : width_of(how.from);
  if (in == Width::predicate) throw Unsupported("a predicate cannot be converted");
  op.a = input(from, in, how.from);
  const std::string fast = fast_conversion(o, how);
  const Entry *entry = fast.empty() ? nullptr : find_entry(fast);
  if (how.to == Type::f16x2 || how.to == Type::bf16x2) op.b = input(operand_of(instruction, 2), in, how.from);
  if (entry && entry->a == in && (entry->d == Width::wide) == wide_result)
    return emit_entry(*entry, op, instruction);
  op.immediate = how.packed() | std::uint64_t{wide_result} << 32 | std::uint64_t{in == Width::wide} << 33;
  op.run = op.plain = &convert;
  op.masked = masked_form(wide_result ? Width::wide : Width::word);
  emit(op, instruction);
}

/// mov.b32 {d, b}, a;  mov.b32 d, {a, b}
void Decoder::move_halves(Op op, bool unpacks, std::uint32_t used, const Instruction &instruction) {
  if (!unpacks) return emit_entry(*find_entry("pack.2x16"), op, instruction);
  const Ref high = op.b;
  op.b = 0;
  if (used & 1) emit_entry(*find_entry("low.16"), op, instruction);
  op.d = high;
  if (used & 2) emit_entry(*find_entry("high.16"), op, instruction);
}

void Decoder::translate_move(const Instruction &instruction, const Opcode &o) {
  const Operand &to = operand_of(instruction, 0), &from = operand_of(instruction, 1);
  Op op;
  if (to.kind == Operand::Kind::vector || from.kind == Operand::Kind::vector) {
    const bool unpacks = to.kind == Operand::Kind::vector;
    const Operand &parts = unpacks ? to : from, &whole = unpacks ? from : to;
    const std::size_t count = parts.elements.size();
    const std::uint32_t bytes = ptx::size_of(o.type());
    if ((count != 2 && count != 4) || bytes / count == 0 || bytes > 8) throw Unsupported("");
    const Width width = bytes == 8 ? Width::wide : Width::word;
    Ref *const rows[2][4] = {{&op.a, &op.b, &op.c, &op.e}, {&op.d, &op.b, &op.c, &op.e}};
    std::uint64_t used = 0;
    for (std::size_t k = 0; k < count; ++k) {
      if (parts.elements[k].kind == Operand::Kind::none && unpacks) continue;
      used |= 1ull << k;
      *rows[unpacks][k] =
          unpacks ? output(parts.elements[k], Width::word) : input(parts.elements[k], Width::word);
    }
    (unpacks ? op.a : op.d) = unpacks ? input(whole, width) : output(whole, width);
    if (count == 2 && bytes == 4)
      return move_halves(op, unpacks, static_cast<std::uint32_t>(used), instruction);
    op.immediate = bytes / count | count << 8 | used << 16 | std::uint64_t{bytes} << 24;
    op.run = unpacks ? &unpack : &pack;
    return emit(op, instruction);
  }
  if (from.kind == Operand::Kind::special &&
      (from.name.starts_with("%clock") || from.name.starts_with("%globaltimer"))) {
    op.run = &read_clock;
    op.d = output(to, width_of(o.type()));
    op.immediate = width_of(o.type()) == Width::wide;
    return emit(op, instruction);
  }
  if (o.type() == Type::pred) {
    op.d = output(to, Width::predicate);
    op.a = predicate_input(from, instruction);
    return emit_entry(*find_entry("mov.pred"), op, instruction);
  }
  if (o.types.empty() || o.type() == Type::b128) throw Unsupported("");
  const Width width = width_of(o.type());
  op.d = output(to, width);
  op.a = input(from, width, o.type());
  emit_entry(*find_entry(width == Width::wide ? "mov.b64" : "mov.b32"), op, instruction);
}

/// cvta{.to}.space.u64, isspacep.space
void Decoder::translate_address(const Instruction &instruction, const Opcode &o) {
  Op op;
  const bool shared = o.text.find("shared") != std::string_view::npos;
  const bool local = o.has("local"), param = o.text.find("param") != std::string_view::npos;
  if (o.base == "isspacep") {
    op.d = output(operand_of(instruction, 0), Width::predicate);
    op.a = input(operand_of(instruction, 1), Width::wide);
    op.site = o.has("shared::cluster") ? 5 : shared ? 0 : local ? 1 : param ? 2 : o.has("const") ? 4 : 3;
    op.run = op.plain = &is_in_space;
    op.masked = masked_form(Width::predicate);
    return emit(op, instruction);
  }
  if (o.type() != Type::u64) throw Unsupported("");
  op.d = output(operand_of(instruction, 0), Width::wide);
  op.a = input(operand_of(instruction, 1), Width::wide);
  const std::uint64_t window = shared ? shared_window : local ? local_window : param ? param_window : 0;
  if (window == 0) return emit_entry(*find_entry("mov.b64"), op, instruction);
  op.b = constant(window, true);
  emit_entry(*find_entry(o.has("to") ? "sub.b64" : "add.b64"), op, instruction);
}

/// mapa{.shared::cluster}.uN d, a, rank;  getctarank{.shared::cluster}.uN d, a
void Decoder::translate_rank(const Instruction &instruction, const Opcode &o) {
  const Width width = width_of(o.type());
  const bool maps = o.base == "mapa";
  Op op;
  op.d = output(operand_of(instruction, 0), maps ? width : Width::word);
  op.a = input(operand_of(instruction, 1), width);
  if (maps) op.b = input(operand_of(instruction, 2), Width::word);
  emit_entry(*find_entry(std::string(o.base) + (width == Width::wide ? ".b64" : ".b32")), op, instruction);
}

void Decoder::translate_warp(const Instruction &instruction, const Opcode &o) {
  Op op;
  if (o.base == "activemask") {
    op.run = &active_mask;
    op.d = output(operand_of(instruction, 0), Width::word);
    return emit(op, instruction);
  }
  if (!o.has("sync") && !o.has("warp")) throw Unsupported("only the .sync form exists since Volta");
  Block &block = program_->blocks.back();
  block.location = instruction.location;
  const Operand &mask =
      instruction.operands.empty() ? operand_of(instruction, 0) : instruction.operands.back();
  block.id = member_mask(mask);
  op.site = block.id;
  if (o.base == "bar") {
    op.run = &warp_sync;
  } else if (o.base == "shfl") {
    op.run = &shuffle;
    const ShuffleMode mode = o.has("up")     ? ShuffleMode::up
                             : o.has("down") ? ShuffleMode::down
                             : o.has("bfly") ? ShuffleMode::bfly
                                             : ShuffleMode::idx;
    const Operand &result = operand_of(instruction, 0);
    op.d = output(result, Width::word);
    if (result.second >= 0) op.e = second_output(result);
    op.immediate = static_cast<std::uint64_t>(mode) | (result.second >= 0 ? 256 : 0);
    op.a = input(operand_of(instruction, 1), Width::word, o.type());
    op.b = input(operand_of(instruction, 2), Width::word);
    op.c = input(operand_of(instruction, 3), Width::word);
  } else if (o.base == "vote") {
    op.run = &vote;
    const VoteMode mode = o.has("ballot") ? VoteMode::ballot
                          : o.has("all")  ? VoteMode::all
                          : o.has("any")  ? VoteMode::any
                                          : VoteMode::uni;
    op.d = output(operand_of(instruction, 0), mode == VoteMode::ballot ? Width::word : Width::predicate);
    op.a = input(operand_of(instruction, 1), Width::predicate);
    op.immediate = static_cast<std::uint64_t>(mode) | (operand_of(instruction, 1).negated ? 256 : 0);
  } else if (o.base == "elect") {
    op.run = &vote;
    op.immediate = static_cast<std::uint64_t>(VoteMode::elect);
    const Operand &result = operand_of(instruction, 0);
    op.a = op.d = second_output(result);
    if (result.kind == Operand::Kind::reg) op.e = output(result, Width::word), op.immediate |= 512;
  } else if (o.base == "match") {
    op.run = &match;
    const bool wide = ptx::size_of(o.type()) == 8;
    const Operand &result = operand_of(instruction, 0);
    op.d = output(result, Width::word);
    if (result.second >= 0) op.e = second_output(result);
    op.a = input(operand_of(instruction, 1), wide ? Width::wide : Width::word);
    op.immediate = (o.has("all") ? 1 : 0) | (wide ? 2 : 0) | (result.second >= 0 ? 4 : 0);
  } else {
    op.run = &reduce_warp;
    const bool s = is_signed(o.type());
    op.d = output(operand_of(instruction, 0), Width::word);
    op.a = input(operand_of(instruction, 1), Width::word);
    op.immediate = static_cast<std::uint64_t>(o.has("add")   ? ReduceMode::add
                                              : o.has("min") ? (s ? ReduceMode::min_s : ReduceMode::min_u)
                                              : o.has("max") ? (s ? ReduceMode::max_s : ReduceMode::max_u)
                                              : o.has("and") ? ReduceMode::bit_and
                                              : o.has("or")  ? ReduceMode::bit_or
                                                             : ReduceMode::bit_xor);
    if (is_float(o.type())) throw Unsupported("");
  }
  emit(op, instruction);
  close_block(End::sync);
}

}  // namespace warpgrade::simt
