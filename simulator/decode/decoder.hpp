// PTX to Program. Internal: program.hpp declares decode().
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "decode/fragment_origins.hpp"
#include "decode/row_layout.hpp"

namespace warpgrade::simt {

class Decoder {
 public:
  Decoder(std::shared_ptr<const ptx::Module> module, const std::string &kernel);
  std::shared_ptr<const Program> decode();

 private:
  using Instruction = ptx::Instruction;
  using Operand = ptx::Operand;

  // decoder.cpp: functions, blocks, rows; row_layout.hpp assigns rows and shared memory
  void order_functions(const ptx::Function &function, std::vector<const ptx::Function *> &open);
  void lay_out_locals();
  void lay_out_rows();
  std::uint32_t add_area(const std::string &name, std::uint32_t bytes);
  void decode_function(const ptx::Function &function);
  std::vector<bool> find_leaders(const ptx::Function &function) const;
  void patch_targets();
  Block &open_block(std::int32_t location);
  void close_block(End end);
  void decode_instruction(const Instruction &instruction);
  void note_text(std::size_t block, const Instruction &instruction);
  void emit_unsupported(const Instruction &instruction, const std::string &why);
  void emit(Op op, const Instruction &instruction);
  void emit_entry(const Entry &entry, Op op, const Instruction &instruction);
  void finish();
  void list_unset();
  void find_written();                           // written.cpp
  void find_order();                             // find_order.cpp
  void find_spins();                             // find_order.cpp
  void find_looks();                             // looks.cpp
  void find_meetings();                          // translate_mbarrier.cpp
  void find_looks_ahead(const ptx::Function &);  // find_order.cpp
  void find_updates(const ptx::Function &);      // find_order.cpp
  void merge_shared(const ptx::Function &);      // compiled.cpp
  void share_patterns(const ptx::Function &);    // patterns.cpp
  void mark_hot();                               // hot.cpp

  // operands.cpp
  /// throws Unsupported if there is none
  static const Operand &operand_of(const Instruction &, std::size_t index);
  Ref constant(std::uint64_t bits, bool wide) { return uniform_rows_.constant(bits, wide); }
  Ref register_ref(std::int32_t reg) const;
  Width register_width(std::int32_t reg) const;
  Ref input(const Operand &operand, Width width, ptx::Type type = ptx::Type::none);
  Ref output(const Operand &operand, Width width) const;
  Ref second_output(const Operand &operand) const;
  Ref special(const Operand &operand, Width width);
  Ref symbol(const Operand &operand, Width width);
  Ref predicate_input(const Operand &operand, const Instruction &instruction);
  Ref member_mask(const Operand &operand);
  Ref address(const Operand &operand, ptx::Space space, bool &wide, std::uint64_t &offset);

  // translate.cpp: one function per family
  LineWork &note_instruction(const Instruction &, InstructionClass);
  void note_work(const Instruction &, const Opcode &);
  void translate(const Instruction &instruction, const Opcode &opcode);
  void translate_fence(const Instruction &, const Opcode &);
  static void check_registers(const Instruction &);
  void translate_policy(const Instruction &);
  std::uint32_t label(const std::string &name) const;
  void translate_jump(const Instruction &);
  void translate_jump_by_table(const Instruction &);
  void translate_leave(const Instruction &, const Opcode &);
  void translate_barrier(const Instruction &, const Opcode &);
  void translate_arithmetic(const Instruction &, const Opcode &);
  void translate_compare(const Instruction &, const Opcode &);
  void translate_set(const Instruction &, const Opcode &);  // translate_set.cpp
  void translate_half_compare(const Instruction &, const Opcode &);
  void translate_slct(const Instruction &, const Opcode &);
  Ref compare_part(const Instruction &, const Opcode &, int part);
  Ref flushed(Ref operand, std::size_t side, const Opcode &, const Instruction &);
  Ref combined_part(const Instruction &, const Opcode &, int part);
  void translate_conversion(const Instruction &, const Opcode &);
  void translate_move(const Instruction &, const Opcode &);
  void move_halves(Op op, bool unpacks, std::uint32_t used, const Instruction &);
  void translate_address(const Instruction &, const Opcode &);
  void translate_video(const Instruction &, const Opcode &);
  void translate_rank(const Instruction &, const Opcode &);
  void translate_warp(const Instruction &, const Opcode &);
  void translate_call(const Instruction &, const Opcode &);
  // calls_decoder.cpp
  struct CallOperands {
    const Operand *results = nullptr, *arguments = nullptr;
    std::string name;
    std::int32_t pointer = -1;  ///< register of a call through a pointer
  };
  static CallOperands call_operands(const Instruction &);
  std::uint32_t call_area(const Operand &) const;
  void find_pointed_functions();
  bool fits(const ptx::Function &callee, const CallOperands &) const;
  void call_function(const ptx::Function &callee, const CallOperands &, const Instruction &);
  void call_pointer(const CallOperands &, const Instruction &);
  void lay_out_frame();
  void lay_out_stack(std::uint32_t begin);
  Ref stack_address(std::uint32_t offset, Width width);
  // translate_memory.cpp
  void translate_access(const Instruction &, const Opcode &);
  void translate_parameter_access(const Instruction &, const Opcode &, Site site);
  void translate_atomic(const Instruction &, const Opcode &, std::uint32_t alignment = 0);
  void translate_vector_atomic(const Instruction &, const Opcode &);
  void translate_counted(const Instruction &, const Opcode &);
  void translate_async(const Instruction &, const Opcode &);
  void translate_bulk(const Instruction &, const Opcode &);  // translate_bulk.cpp
  void translate_bulk_tensor(const Instruction &, const Opcode &, Site);
  void set_receivers(Site &, const Operand &mask);
  void emit_access(Site site, Op op, const Instruction &);
  void translate_texture(const Instruction &, const Opcode &);  // translate_texture.cpp
  // translate_tensor.cpp: products on tensor cores; translate_fragment.cpp: loads and stores of fragments
  void translate_tensor(const Instruction &, const Opcode &);
  void translate_product(const Instruction &, const Opcode &);
  void translate_matrix_access(const Instruction &, const Opcode &);
  void translate_fragment(const Instruction &, const Opcode &);
  void translate_warpgroup(const Instruction &, const Opcode &);  // translate_warpgroup.cpp
  void translate_group_product(const Instruction &, const Opcode &);
  void translate_mbarrier(const Instruction &, const Opcode &);  // translate_mbarrier.cpp
  Site make_site(const Instruction &, const Opcode &) const;
  void set_elements(Site &site, const Operand &values);
  std::uint32_t add_site(Site site);
  std::uint32_t keep_site(Site site);  ///< one whose accesses do not depend on the order of threads
  bool result_is_used(std::int32_t reg) const;

  std::shared_ptr<const ptx::Module> module_;
  std::shared_ptr<Program> program_;
  const ptx::Function *kernel_ = nullptr;
  const ptx::Function *current_ = nullptr;
  std::vector<const ptx::Function *> functions_;  // callees first
  std::vector<const ptx::Function *> pointed_;    // whose address is taken
  std::set<const ptx::Function *> recursive_;
  struct Layout {
    std::vector<Ref> registers;
    std::vector<std::size_t> unset;  // registers that may be read before they are written
    Ref return_row = 0;
    std::uint32_t first_block = 0;
    std::map<std::string, std::uint32_t> areas;  // call parameters, and the function's own
  };
  std::map<const ptx::Function *, Layout> layouts_;
  Layout *layout_ = nullptr;
  Offsets shared_, locals_;
  Offsets stack_;  // in the frame of a recursive call
  WarpRowSpace warp_rows_;
  UniformRowSpace uniform_rows_;
  Ref scratch_rows_[2] = {0, 0};
  std::vector<Ref> fragment_words_;  // of wmma.load and wmma.store, once there are any
  Ref fragment_wide_ = 0;

  // of the function being decoded
  std::optional<FragmentOrigins> fragment_origins_;
  bool block_open_ = false;
  bool guard_is_branched_ = false;
  std::vector<std::uint32_t> block_of_instruction_;
  std::vector<std::uint32_t> site_of_instruction_;
  struct Patch {
    std::uint32_t block, instruction;
    bool next;
  };
  std::vector<Patch> patches_;
  std::unordered_map<std::string, std::uint32_t> labels_;
  std::vector<std::pair<std::uint32_t, std::vector<std::uint32_t>>> table_patches_;
  std::vector<std::pair<std::uint32_t, const ptx::Function *>> call_patches_;
  std::uint32_t instruction_index_ = 0;
};

}  // namespace warpgrade::simt
