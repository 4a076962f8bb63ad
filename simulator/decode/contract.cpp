// PTX leaves `mul.f32` and `add.f32` without a rounding modifier open to contraction. NVVM joins most of them
// to fma itself, but none whose product is subtracted or subtracted from; ptxas joins those. The rules here
// are what ptxas of CUDA 13 does with small examples: a product is joined to its sums if all that use it are
// sums of the same basic block; of the two products of one sum the first is joined, unless only the second
// one has no other use.
#include "decode/contract.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "decode/flow.hpp"

namespace warpgrade::simt {
namespace {

using ptx::Instruction;
using ptx::Operand;

constexpr std::array<std::string_view, 3> product_opcodes = {"mul.f32", "mul.ftz.f32", "mul.f64"};
constexpr std::array<std::string_view, 6> sum_opcodes = {"add.f32", "add.ftz.f32", "add.f64",
                                                         "sub.f32", "sub.ftz.f32", "sub.f64"};

bool is_product(const Instruction &one) {
  return one.guard < 0 && one.operands.size() == 3 && one.operands[0].reg >= 0 &&
         std::find(product_opcodes.begin(), product_opcodes.end(), one.opcode) != product_opcodes.end();
}

bool is_sum(const Instruction &one) {
  return one.operands.size() == 3 &&
         std::find(sum_opcodes.begin(), sum_opcodes.end(), one.opcode) != sum_opcodes.end();
}

/// Of one function.
class Contraction {
 public:
  explicit Contraction(ptx::Function &function) : function_(function) {}
  bool run();

 private:
  struct Product {
    std::size_t at = 0;
    std::vector<std::size_t> sums;
    bool joined = true;
  };
  void find_products();
  void drop_used_elsewhere();
  void drop_with_new_factors();
  void choose();
  Product *product_of(const Operand &operand) {
    if (operand.kind != Operand::Kind::reg) return nullptr;
    const std::int32_t index = by_register_[static_cast<std::size_t>(operand.reg)];
    Product *found = index < 0 ? nullptr : &products_[static_cast<std::size_t>(index)];
    return found && found->joined ? found : nullptr;
  }
  void join(std::size_t sum, const Product &, std::size_t which);

  ptx::Function &function_;
  std::vector<std::size_t> block_of_;
  std::vector<Product> products_;
  std::vector<std::int32_t> by_register_;  ///< index of the product that a register holds, -1
};

void Contraction::find_products() {
  const std::vector<Instruction> &code = function_.instructions;
  std::vector<bool> leads(code.size() + 1, false);
  for (const ptx::Label &label : function_.labels) leads[label.instruction] = true;
  std::vector<std::uint32_t> written(function_.registers.size(), 0);
  block_of_.resize(code.size());
  std::size_t block = 0;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (leads[i]) ++block;
    block_of_[i] = block;
    const Opcode o(code[i].opcode);
    for_results(code[i], o, [&](std::int32_t reg) { ++written[static_cast<std::size_t>(reg)]; });
    if ((leaves(o) && !o.is(Family::stop)) || o.is(Family::call)) leads[i + 1] = true;
  }
  by_register_.assign(function_.registers.size(), -1);
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (!is_product(code[i]) || written[static_cast<std::size_t>(code[i].operands[0].reg)] > 1) continue;
    by_register_[static_cast<std::size_t>(code[i].operands[0].reg)] =
        static_cast<std::int32_t>(products_.size());
    products_.push_back({i, {}, true});
  }
}

void Contraction::drop_used_elsewhere() {
  const std::vector<Instruction> &code = function_.instructions;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const bool sum = is_sum(code[i]);
    for_sources(code[i], Opcode(code[i].opcode), [&](std::int32_t reg) {
      const std::int32_t index = by_register_[static_cast<std::size_t>(reg)];
      if (index < 0) return;
      Product &product = products_[static_cast<std::size_t>(index)];
      // The rest of the name, such as .ftz.f32, is that of the product.
      const bool fits =
          sum && product.at < i && block_of_[product.at] == block_of_[i] &&
          std::string_view(code[i].opcode).substr(3) == std::string_view(code[product.at].opcode).substr(3) &&
          (product.sums.empty() || product.sums.back() != i);
      product.joined = product.joined && fits;
      product.sums.push_back(i);
    });
  }
}

/// A product that is formed later must find its factors as they were.
void Contraction::drop_with_new_factors() {
  const std::vector<Instruction> &code = function_.instructions;
  for (Product &product : products_) {
    if (!product.joined || product.sums.empty()) continue;
    const std::vector<Operand> &operands = code[product.at].operands;
    for (std::size_t i = product.at + 1; i < product.sums.back(); ++i)
      for_results(code[i], Opcode(code[i].opcode), [&](std::int32_t reg) {
        product.joined = product.joined && reg != operands[1].reg && reg != operands[2].reg;
      });
  }
}

void Contraction::choose() {
  const std::vector<Instruction> &code = function_.instructions;
  for (const Instruction &sum : code) {
    if (!is_sum(sum)) continue;
    Product *const first = product_of(sum.operands[1]), *const second = product_of(sum.operands[2]);
    if (!first || !second) continue;
    const bool takes_second = first->sums.size() > 1 && second->sums.size() == 1;
    (takes_second ? first : second)->joined = false;
  }
}

void Contraction::join(std::size_t at, const Product &product, std::size_t which) {
  Instruction &sum = function_.instructions[at];
  const Instruction &mul = function_.instructions[product.at];
  const char *const base = sum.opcode.starts_with("add") ? "fma" : which == 1 ? "fms" : "fnma";
  const Operand other = sum.operands[3 - which];
  sum.opcode = std::string(base) + ".rn" + sum.opcode.substr(3);
  sum.operands = {sum.operands[0], mul.operands[1], mul.operands[2], other};
}

bool Contraction::run() {
  find_products();
  if (products_.empty()) return false;
  drop_used_elsewhere();
  drop_with_new_factors();
  choose();
  std::vector<bool> dropped(function_.instructions.size(), false);
  bool any = false;
  for (Product &product : products_) {
    if (!product.joined || product.sums.empty()) continue;
    for (const std::size_t at : product.sums) {
      const std::int32_t reg = function_.instructions[product.at].operands[0].reg;
      const Operand &first = function_.instructions[at].operands[1];
      join(at, product, first.kind == Operand::Kind::reg && first.reg == reg ? 1 : 2);
    }
    dropped[product.at] = any = true;
  }
  if (!any) return false;
  std::vector<std::uint32_t> place(dropped.size() + 1, 0);
  for (std::size_t i = 0; i < dropped.size(); ++i) place[i + 1] = place[i] + (dropped[i] ? 0 : 1);
  for (ptx::Label &label : function_.labels) label.instruction = place[label.instruction];
  std::vector<Instruction> kept;
  kept.reserve(place.back());
  for (std::size_t i = 0; i < dropped.size(); ++i)
    if (!dropped[i]) kept.push_back(std::move(function_.instructions[i]));
  function_.instructions = std::move(kept);
  return true;
}

/// Whether a function has a product and a sum at all.
bool may_contract(const ptx::Function &function) {
  const std::vector<Instruction> &code = function.instructions;
  return std::any_of(code.begin(), code.end(), is_product) && std::any_of(code.begin(), code.end(), is_sum);
}

}  // namespace

std::shared_ptr<const ptx::Module> contracted(std::shared_ptr<const ptx::Module> module) {
  if (!module || std::none_of(module->functions.begin(), module->functions.end(), may_contract))
    return module;
  auto made = std::make_shared<ptx::Module>(*module);
  bool any = false;
  for (ptx::Function &function : made->functions)
    if (may_contract(function)) any = Contraction(function).run() || any;
  return any ? made : module;
}

}  // namespace warpgrade::simt
