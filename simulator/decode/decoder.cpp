#include "decode/decoder.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpgrade::simt {
namespace {

constexpr std::uint64_t max_local_bytes = 512u << 10;
constexpr std::uint32_t max_area_bytes = 4u << 20;  // of a warp

std::uint32_t round_up(std::uint64_t value, std::uint64_t align) {
  return static_cast<std::uint32_t>((value + align - 1) / align * align);
}

/// Whether it ends a block of instructions; a guard becomes a branch around it.
bool parts_blocks(const Opcode &o) {
  return o.is(Family::call, Family::stop) || is_barrier(o) || is_sync(o);
}

bool ends_block(const Opcode &o) {
  return leaves(o) || parts_blocks(o);
}

}  // namespace

Decoder::Decoder(std::shared_ptr<const ptx::Module> module, const std::string &kernel)
    : module_(std::move(module)), program_(std::make_shared<Program>()), uniform_rows_(program_->uniforms) {
  kernel_ = ptx::find_function(*module_, kernel);
  if (!kernel_ || !kernel_->defined || !kernel_->entry) throw std::runtime_error("no kernel named " + kernel);
  program_->module = module_;
  program_->facts = ptx::find_kernel(*module_, kernel);
  program_->demangled = ptx::demangle(kernel);
}

/// Callees first: with the lowest block running first, lanes inside a call catch up with lanes after it.
void Decoder::order_functions(const ptx::Function &function, std::vector<const ptx::Function *> &open) {
  if (std::find(functions_.begin(), functions_.end(), &function) != functions_.end()) return;
  if (const auto first = std::find(open.begin(), open.end(), &function); first != open.end()) {
    recursive_.insert(first, open.end());
    return;
  }
  if (open.size() > 100) throw Unsupported("device functions call each other too deeply");
  open.push_back(&function);
  for (const Instruction &instruction : function.instructions) {
    if (!instruction.opcode.starts_with("call")) continue;
    for (const Operand &operand : instruction.operands) {
      if (operand.kind != Operand::Kind::symbol) continue;
      const ptx::Function *callee = ptx::find_function(*module_, operand.name);
      if (callee && callee->defined) order_functions(*callee, open);
    }
    if (call_operands(instruction).pointer >= 0)
      for (const ptx::Function *callee : pointed_) order_functions(*callee, open);
  }
  open.pop_back();
  functions_.push_back(&function);
}

void Decoder::lay_out_locals() {
  std::uint64_t at = local_red_zone;
  for (const ptx::Function *function : functions_)
    for (const ptx::Variable &variable : function->variables) {
      if (variable.space != ptx::Space::local) continue;
      if (recursive_.count(function)) continue;
      at = round_up(at, std::max<std::uint32_t>(variable.align, 8));
      locals_[function->name + "\n" + variable.name] = static_cast<std::uint32_t>(at);
      program_->locals.push_back(
          {variable.name, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(variable.bytes)});
      at += variable.bytes + local_red_zone;
      if (at > max_local_bytes) throw Unsupported("more than 512 KiB of local memory per thread");
    }
  lay_out_stack(round_up(at, 16));
}

std::uint32_t Decoder::add_area(const std::string &name, std::uint32_t bytes) {
  const std::uint32_t padded = round_up(std::max(bytes, 8u), 8);
  program_->areas.push_back({name, program_->area_bytes, padded});
  program_->area_bytes += 32 * padded;
  if (program_->area_bytes > max_area_bytes) throw Unsupported("the parameters of calls are too large");
  return static_cast<std::uint32_t>(program_->areas.size()) - 1;
}

void Decoder::lay_out_rows() {
  WarpRows &rows = program_->rows;
  for (Ref *ref : {&rows.tid_x, &rows.tid_y, &rows.tid_z, &rows.lane, &rows.warp_id, &rows.lt, &rows.le,
                   &rows.gt, &rows.ge, &rows.eq})
    *ref = warp_rows_.add(Width::word);
  program_->scratch = warp_rows_.add(Width::wide);
  scratch_rows_[0] = warp_rows_.add(Width::wide);
  scratch_rows_[1] = warp_rows_.add(Width::wide);
  for (const ptx::Function *function : functions_) {
    Layout &layout = layouts_[function];
    layout.return_row = warp_rows_.add(Width::word);
    // Products of warpgroups use registers while other instructions run: none may share a row with others.
    const bool flies = std::any_of(function->instructions.begin(), function->instructions.end(),
                                   [](const Instruction &one) { return one.opcode.starts_with("wgmma"); });
    RegisterRows made =
        lay_out_registers(*function, find_leaders(*function), !flies && !recursive_.count(function),
                          program_->scratch, warp_rows_);
    layout.registers = std::move(made.rows);
    layout.unset = std::move(made.unset);
    for (const ptx::Variable &variable : function->variables)
      if (variable.space == ptx::Space::param)
        layout.areas[variable.name] = add_area(
            variable.name, static_cast<std::uint32_t>(std::min<std::uint64_t>(variable.bytes, 1u << 20)));
    if (function->entry) continue;
    for (const auto *list : {&function->parameters, &function->results})
      for (const ptx::Parameter &parameter : *list)
        layout.areas[parameter.name] = add_area(parameter.name, parameter.size);
  }
}

std::shared_ptr<const Program> Decoder::decode() {
  std::vector<const ptx::Function *> open;
  find_pointed_functions();
  order_functions(*kernel_, open);
  SharedLayout shared = lay_out_shared(*module_, functions_);
  shared_ = std::move(shared.offsets);
  program_->shared = std::move(shared.variables);
  program_->shared_static_end = shared.end;
  program_->static_shared_bytes = shared.bytes;
  lay_out_locals();
  lay_out_rows();
  lay_out_frame();
  find_order();
  for (const ptx::Function *function : functions_) decode_function(*function);
  finish();
  find_written();
  find_spins();
  find_looks();
  find_meetings();
  return program_;
}

std::vector<bool> Decoder::find_leaders(const ptx::Function &function) const {
  std::vector<bool> leads(function.instructions.size() + 1, false);
  leads[0] = true;
  for (const ptx::Label &label : function.labels) leads[label.instruction] = true;
  for (std::size_t i = 0; i < function.instructions.size(); ++i) {
    const Opcode opcode(function.instructions[i].opcode);
    if (!ends_block(opcode)) continue;
    leads[i + 1] = true;
    if (is_barrier(opcode) || is_sync(opcode)) leads[i] = true;
  }
  return leads;
}

Block &Decoder::open_block(std::int32_t location) {
  program_->blocks.emplace_back();
  Block &block = program_->blocks.back();
  block.first = block.last = static_cast<std::uint32_t>(program_->ops.size());
  block.location = location;
  block_open_ = true;
  return block;
}

void Decoder::close_block(End end) {
  Block &block = program_->blocks.back();
  block.last = static_cast<std::uint32_t>(program_->ops.size());
  block.end = end;
  block.next = static_cast<std::uint32_t>(program_->blocks.size());
  block_open_ = false;
}

void Decoder::decode_function(const ptx::Function &function) {
  current_ = &function;
  layout_ = &layouts_[&function];
  layout_->first_block = static_cast<std::uint32_t>(program_->blocks.size());
  fragment_origins_.emplace(function);
  labels_.clear();
  for (const ptx::Label &label : function.labels) labels_[label.name] = label.instruction;
  patches_.clear();
  table_patches_.clear();
  block_of_instruction_.assign(function.instructions.size() + 1, 0);
  site_of_instruction_.assign(function.instructions.size() + 1, UINT32_MAX);
  const std::vector<bool> leads = find_leaders(function);
  block_open_ = false;
  for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
    instruction_index_ = i;
    const Instruction &instruction = function.instructions[i];
    if (leads[i] && block_open_) close_block(End::next);
    block_of_instruction_[i] = static_cast<std::uint32_t>(program_->blocks.size()) - (block_open_ ? 1 : 0);
    decode_instruction(instruction);
  }
  // Running off the end is a return.
  if (block_open_) close_block(End::next);
  block_of_instruction_[function.instructions.size()] = static_cast<std::uint32_t>(program_->blocks.size());
  open_block(-1).return_row = layout_->return_row;
  program_->blocks.back().recursive = recursive_.count(&function) != 0;
  close_block(function.entry ? End::exit : End::ret);
  if (function.entry) program_->entry = layout_->first_block;
  patch_targets();
  merge_shared(function);
  share_patterns(function);
  find_looks_ahead(function);
  find_updates(function);
}

void Decoder::patch_targets() {
  for (const Patch &patch : patches_) {
    Block &block = program_->blocks[patch.block];
    (patch.next ? block.next : block.target) = block_of_instruction_[patch.instruction];
  }
  for (auto &[table, instructions] : table_patches_)
    for (const std::uint32_t instruction : instructions)
      program_->tables[table].push_back(block_of_instruction_[instruction]);
}

void Decoder::decode_instruction(const Instruction &instruction) {
  const Opcode opcode(instruction.opcode);
  guard_is_branched_ = false;
  // A guarded barrier, sync or call: jump around it where the guard does not hold.
  const std::size_t ops_before = program_->ops.size();
  if (!block_open_) open_block(instruction.location);
  const std::size_t blocks_before = program_->blocks.size();
  note_text(blocks_before - 1, instruction);
  try {
    if (parts_blocks(opcode) && instruction.guard >= 0) {
      Block &block = program_->blocks.back();
      block.condition = register_ref(instruction.guard);
      block.negated = !instruction.guard_negated;
      note_instruction(instruction, InstructionClass::control);
      patches_.push_back(
          {static_cast<std::uint32_t>(program_->blocks.size()) - 1, instruction_index_ + 1, false});
      close_block(End::branch);
      guard_is_branched_ = true;
      open_block(instruction.location);
    }
    translate(instruction, opcode);
  } catch (const Unsupported &problem) {
    program_->ops.resize(std::min(ops_before, program_->ops.size()));
    program_->op_locations.resize(program_->ops.size());
    emit_unsupported(instruction, problem.what());
  }
  for (std::size_t block = blocks_before; block < program_->blocks.size(); ++block)
    note_text(block, instruction);
}

void Decoder::note_text(std::size_t block, const Instruction &instruction) {
  Block &one = program_->blocks[block];
  if (one.first_line == 0) one.first_line = instruction.text_line;
  one.last_line = instruction.text_line;
}

/// Only an error when it is reached; a guard is respected.
void Decoder::emit_unsupported(const Instruction &instruction, const std::string &why) {
  if (!block_open_) open_block(instruction.location);
  if (instruction.guard >= 0 && !guard_is_branched_) {
    Block &block = program_->blocks.back();
    block.condition = register_ref(instruction.guard);
    block.negated = !instruction.guard_negated;
    patches_.push_back(
        {static_cast<std::uint32_t>(program_->blocks.size()) - 1, instruction_index_ + 1, false});
    close_block(End::branch);
    open_block(instruction.location);
  }
  Block &block = program_->blocks.back();
  block.why = fmt::format("unsupported PTX instruction {} (PTX line {}){}", instruction.opcode,
                          instruction.text_line, why.empty() ? "" : ": " + why);
  block.location = instruction.location;
  close_block(End::unsupported);
  // What follows may be the target of the guard's branch.
  block_of_instruction_[instruction_index_ + 1] = static_cast<std::uint32_t>(program_->blocks.size());
}

void Decoder::emit(Op op, const Instruction &instruction) {
  if (!block_open_) open_block(instruction.location);
  if (!op.masked) op.masked = op.run;
  if (!op.plain) op.plain = op.run;
  if (instruction.guard >= 0 && !guard_is_branched_) {
    op.guarded = op.masked;
    op.guard = register_ref(instruction.guard) | (instruction.guard_negated ? 2 : 0);
    op.slot = program_->guard_slots++;
    op.run = op.masked = &run_guarded;
  }
  program_->ops.push_back(op);
  program_->op_locations.push_back(instruction.location);
}

void Decoder::emit_entry(const Entry &entry, Op op, const Instruction &instruction) {
  op.run = op.plain = entry.run;
  op.masked = masked_form(entry.d);
  emit(op, instruction);
}

void Decoder::list_unset() {
  for (const ptx::Function *function : functions_) {
    const Layout &layout = layouts_.at(function);
    UnsetRows rows;
    for (const std::size_t reg : layout.unset) {
      const Ref ref = layout.registers.at(reg);
      if (ref == program_->scratch) continue;
      const ptx::Type type = function->registers[reg].type;
      (type == ptx::Type::pred   ? rows.predicates
       : ptx::size_of(type) == 8 ? rows.wides
                                 : rows.words)
          .push_back(ref);
    }
    if (!rows.empty()) program_->unset.emplace(layout.first_block, std::move(rows));
  }
}

void Decoder::finish() {
  Program &program = *program_;
  list_unset();
  for (const auto &[block, callee] : call_patches_)
    program.blocks[block].target = layouts_[callee].first_block;
  program.warp_bytes = round_up(warp_rows_.bytes(), 64);
  program.uniform_bytes = 0;
  for (const UniformRow &row : program.uniforms)
    program.uniform_bytes = std::max(program.uniform_bytes, row.offset + (row.wide ? 256 : 128));
  for (Op &op : program.ops)
    if (op.accesses_memory) {
      op.pattern = program.sites[op.site].pattern;
      op.follows = program.sites[op.site].follows;
      op.merges = program.sites[op.site].merged != 1;
    }
  for (const Site &site : program.sites) {
    const std::uint32_t shift = site.bytes == 1 ? 0 : site.bytes == 2 ? 1 : 2;
    if (site.space == ptx::Space::shared || site.space == ptx::Space::generic)
      program.shared_shift = std::min(program.shared_shift, shift);
    if (site.space == ptx::Space::global || site.space == ptx::Space::generic)
      program.global_shift = std::min(program.global_shift, shift);
    // Areas that are only stored to are the arguments of printf.
    if (site.space == ptx::Space::local && site.action == Site::Action::load && !program.uses_local) {
      program.uses_local = true;
      program.local_location = site.location;
    }
  }
  mark_hot();
  if (program.sites.size() >= 1u << 19) throw Unsupported("too many memory instructions");
}

std::shared_ptr<const Program> decode(std::shared_ptr<const ptx::Module> module, const std::string &kernel) {
  return Decoder(std::move(module), kernel).decode();
}

}  // namespace warpgrade::simt
