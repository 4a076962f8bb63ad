// Calls: of functions by name or through pointers, and of functions that the driver provides.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "decode/decoder.hpp"

namespace warpgrade::simt {

namespace {

constexpr std::uint32_t most_frame_bytes = 16 << 10, stack_bytes = 16 << 10;

using Kind = BuiltinCall::Kind;
constexpr std::pair<std::string_view, Kind> builtin_functions[] = {
    {"vprintf", Kind::vprintf},
    {"__assertfail", Kind::assertfail},
    {"malloc", Kind::allocate},
    {"free", Kind::release},
};
/// Of the runtime in device code (dynamic parallelism, conditions of graphs), by what follows "__cudaCDP2" or "cuda".
constexpr std::pair<std::string_view, Kind> runtime_functions[] = {
    {"GetParameterBufferV2", Kind::prepare_child},
    {"LaunchDeviceV2", Kind::start_child},
    {"LaunchDeviceV2_ptsz", Kind::start_child},
    {"StreamCreateWithFlags", Kind::make_handle},
    {"EventCreateWithFlags", Kind::make_handle},
    {"GetDevice", Kind::get_device},
    {"GraphSetConditional", Kind::set_condition},
    {"StreamDestroy", Kind::nothing},
    {"StreamWaitEvent", Kind::nothing},
    {"StreamWaitEvent_ptsz", Kind::nothing},
    {"EventRecord", Kind::nothing},
    {"EventRecord_ptsz", Kind::nothing},
    {"EventRecordWithFlags", Kind::nothing},
    {"EventRecordWithFlags_ptsz", Kind::nothing},
    {"EventDestroy", Kind::nothing},
    {"GetLastError", Kind::take_error},
    {"PeekAtLastError", Kind::look_at_error},
};

Kind kind_of(std::string_view function) {
  for (const auto &[name, kind] : builtin_functions)
    if (name == function) return kind;
  for (const std::string_view prefix : {"__cudaCDP2", "cuda", "__cuda_syscall_cnpv2"})
    for (const auto &[name, kind] : runtime_functions)
      if (function.starts_with(prefix) && function.substr(prefix.size()) == name) return kind;
  return Kind::unsupported;
}

/// Whether the text that libcudadevrt has for a function calls the driver, of which there is no text. Copies
/// and fills start kernels of that library.
bool needs_driver(std::string_view function) {
  return function.starts_with("__cudaCDP2") && !function.starts_with("__cudaCDP2M") &&
         !function.starts_with("__cudaCDP2Free") && !function.starts_with("__cudaCDP2GetErrorString") &&
         !function.starts_with("__cudaCDP2GetErrorName");
}

}  // namespace

std::uint64_t function_address(const ptx::Module &module, std::string_view name) {
  for (std::size_t i = 0; i < module.functions.size(); ++i)
    if (module.functions[i].defined && module.functions[i].name == name)
      return function_window + 16 * (i + 1);
  return 0;
}

const ptx::KernelFacts *kernel_at(const ptx::Module &module, std::uint64_t address) {
  const std::uint64_t index = (address - function_window) / 16 - 1;
  if (address % 16 != 0 || index >= module.functions.size() || !module.functions[index].entry) return nullptr;
  return ptx::find_kernel(module, module.functions[index].name);
}

/// call{.uni} (results), name, (arguments);   call (results), pointer, (arguments), prototype;
Decoder::CallOperands Decoder::call_operands(const Instruction &instruction) {
  CallOperands made;
  for (const Operand &operand : instruction.operands) {
    const bool named = !made.name.empty() || made.pointer >= 0;
    if (operand.kind == Operand::Kind::list)
      (named ? made.arguments : made.results) = &operand;
    else if (operand.kind == Operand::Kind::symbol && !named)
      made.name = operand.name;
    else if (operand.kind == Operand::Kind::reg && !named)
      made.pointer = operand.reg;
  }
  return made;
}

std::uint32_t Decoder::call_area(const Operand &operand) const {
  const auto found = layout_->areas.find(operand.name);
  if (found == layout_->areas.end()) throw Unsupported("an argument is not a parameter");
  return found->second;
}

/// Functions whose address some instruction or table takes.
void Decoder::find_pointed_functions() {
  const auto add = [this](const std::string &name) {
    const ptx::Function *function = name.empty() ? nullptr : ptx::find_function(*module_, name);
    if (function && function->defined && !function->entry &&
        std::find(pointed_.begin(), pointed_.end(), function) == pointed_.end())
      pointed_.push_back(function);
  };
  for (const ptx::Variable &variable : module_->variables)
    for (const auto &relocation : variable.relocations) add(relocation.symbol);
  for (const ptx::Function &function : module_->functions)
    for (const Instruction &instruction : function.instructions) {
      if (!instruction.opcode.starts_with("mov") && !instruction.opcode.starts_with("st") &&
          !instruction.opcode.starts_with("selp"))
        continue;
      for (const Operand &operand : instruction.operands)
        if (operand.kind == Operand::Kind::symbol) add(operand.name);
    }
}

bool Decoder::fits(const ptx::Function &callee, const CallOperands &call) const {
  const auto same = [&](const Operand *given, const std::vector<ptx::Parameter> &wanted) {
    const std::size_t count = given ? given->elements.size() : 0;
    if (count != wanted.size()) return false;
    for (std::size_t i = 0; i < count; ++i)
      if (program_->areas[call_area(given->elements[i])].bytes < wanted[i].size) return false;
    return true;
  };
  return same(call.arguments, callee.parameters) && same(call.results, callee.results);
}

void Decoder::call_function(const ptx::Function &callee, const CallOperands &call,
                            const Instruction &instruction) {
  const Layout &theirs = layouts_.at(&callee);
  const auto copy = [&](std::uint32_t from, std::uint32_t to) {
    Op op;
    op.run = &copy_area;
    op.site = static_cast<std::uint32_t>(program_->copies.size());
    program_->copies.push_back({from, to});
    emit(op, instruction);
  };
  const std::size_t given = call.arguments ? call.arguments->elements.size() : 0;
  if (given != callee.parameters.size()) throw Unsupported("the number of arguments is wrong");
  for (std::size_t i = 0; i < given; ++i)
    copy(call_area(call.arguments->elements[i]), theirs.areas.at(callee.parameters[i].name));
  Block &block = program_->blocks.back();
  block.return_row = theirs.return_row;
  block.recursive = recursive_.count(&callee) != 0;
  block.location = instruction.location;
  call_patches_.push_back({static_cast<std::uint32_t>(program_->blocks.size()) - 1, &callee});
  close_block(End::call);
  open_block(instruction.location);
  if (call.results)
    for (std::size_t i = 0; i < call.results->elements.size() && i < callee.results.size(); ++i)
      copy(theirs.areas.at(callee.results[i].name), call_area(call.results->elements[i]));
}

/// One comparison and call for each function that it may be.
void Decoder::call_pointer(const CallOperands &call, const Instruction &instruction) {
  if (register_width(call.pointer) != Width::wide) throw Unsupported("a pointer to a function has 64 bits");
  std::vector<std::uint32_t> leave;
  for (const ptx::Function *callee : pointed_) {
    if (!layouts_.count(callee) || !fits(*callee, call)) continue;
    Op op;
    op.d = warp_rows_.add(Width::predicate);
    op.a = register_ref(call.pointer);
    op.b = constant(function_address(*module_, callee->name), true);
    emit_entry(*find_entry("setp.eq.u64"), op, instruction);
    const auto test = static_cast<std::uint32_t>(program_->blocks.size()) - 1;
    program_->blocks[test].condition = op.d;
    program_->blocks[test].negated = true;
    close_block(End::branch);
    open_block(instruction.location);
    call_function(*callee, call, instruction);
    leave.push_back(static_cast<std::uint32_t>(program_->blocks.size()) - 1);
    close_block(End::jump);
    program_->blocks[test].target = static_cast<std::uint32_t>(program_->blocks.size());
    open_block(instruction.location);
  }
  Block &wild = program_->blocks.back();
  wild.why = "a call through a pointer that points to no function of this signature";
  wild.location = instruction.location;
  close_block(End::unsupported);
  for (const std::uint32_t block : leave)
    program_->blocks[block].target = static_cast<std::uint32_t>(program_->blocks.size());
  open_block(instruction.location);
}

void Decoder::translate_call(const Instruction &instruction, const Opcode &) {
  const CallOperands call = call_operands(instruction);
  if (call.pointer >= 0) return call_pointer(call, instruction);
  const Kind kind = kind_of(call.name);
  const ptx::Function *callee = ptx::find_function(*module_, call.name);
  if (callee && callee->defined && !needs_driver(call.name)) return call_function(*callee, call, instruction);
  BuiltinCall made;
  made.name = call.name;
  made.kind = kind;
  // Addresses are assigned in the order in which threads request them, and kernels start in this order.
  if (made.kind != Kind::vprintf && made.kind != Kind::assertfail && made.kind != Kind::unsupported)
    program_->order_matters = true;
  if (call.arguments && made.kind != Kind::unsupported)
    for (const Operand &argument : call.arguments->elements) made.arguments.push_back(call_area(argument));
  if (call.results && !call.results->elements.empty()) made.result = call_area(call.results->elements[0]);
  Op op;
  op.run = &call_builtin;
  op.site = static_cast<std::uint32_t>(program_->builtins.size());
  program_->builtins.push_back(std::move(made));
  emit(op, instruction);
}

/// Arrays of recursive functions: each call has its own, at the end of local memory.
void Decoder::lay_out_stack(std::uint32_t begin) {
  std::uint32_t at = 0;
  for (const ptx::Function *function : functions_) {
    if (!recursive_.count(function)) continue;
    for (const ptx::Variable &variable : function->variables) {
      if (variable.space != ptx::Space::local) continue;
      const std::uint32_t align = std::max<std::uint32_t>(variable.align, 16);
      at = (at + align - 1) / align * align;
      if (variable.bytes > most_frame_bytes || at > most_frame_bytes)
        throw Unsupported("recursive functions with large arrays");
      stack_[function->name + "\n" + variable.name] = at;
      program_->locals.push_back({variable.name, begin + at, static_cast<std::uint32_t>(variable.bytes)});
      at += static_cast<std::uint32_t>(variable.bytes) + local_red_zone;
    }
  }
  program_->local_bytes = program_->locals.empty() ? 0 : begin;
  if (at == 0) return;
  FrameRows &frame = program_->frame;
  frame.stack_begin = begin;
  frame.local_bytes = (at + 63) / 64 * 64;
  frame.base = warp_rows_.add(Width::wide);
  frame.wides.push_back(frame.base);
  program_->local_bytes = begin + std::max(stack_bytes, 16 * frame.local_bytes);
}

/// A row with the address of an array of the call that is running.
Ref Decoder::stack_address(std::uint32_t offset, Width width) {
  const auto step = [this](const char *name, Ref a, Ref b, Width result) {
    Op op;
    op.run = op.plain = op.masked = find_entry(name)->run;
    op.a = a;
    op.b = b;
    op.d = warp_rows_.add(result);
    program_->ops.push_back(op);
    program_->op_locations.push_back(-1);
    return op.d;
  };
  const Ref address = step("add.b64", program_->frame.base, constant(offset, true), Width::wide);
  return width == Width::wide ? address : step("cvt.b32.b64", address, 0, Width::word);
}

/// Registers of recursive functions live in one place; a call saves them, its return brings them back.
void Decoder::lay_out_frame() {
  for (const ptx::Function *function : functions_) {
    if (!recursive_.count(function)) continue;
    const Layout &layout = layouts_.at(function);
    program_->frame.words.push_back(layout.return_row);
    for (std::size_t i = 0; i < layout.registers.size(); ++i) {
      const ptx::Type type = function->registers[i].type;
      (type == ptx::Type::pred   ? program_->frame.predicates
       : ptx::size_of(type) == 8 ? program_->frame.wides
                                 : program_->frame.words)
          .push_back(layout.registers[i]);
    }
  }
}

}  // namespace warpgrade::simt
