// Which scalar accesses to shared memory ptxas makes one vector access of, on sm_90. Rules found by comparing
// PTX with machine code and hardware counters: within a basic block, off one base, offsets side by side, the
// first aligned for the vector, and a base whose low bits are known to be zero.
#include <algorithm>
#include <bit>

#include "simt/decoder.hpp"

namespace warpgrade::simt {
namespace {

constexpr int all_zero = 32, symbol_zeros = 7;  // ptxas aligns shared variables as it likes

/// Low bits of each register that are zero whatever the kernel does.
class KnownZeros {
 public:
  explicit KnownZeros(const ptx::Function &function) : bits_(function.registers.size(), all_zero) {
    for (bool changed = true; changed;) {
      changed = false;
      for (const ptx::Instruction &instruction : function.instructions) changed |= lower(instruction);
    }
  }
  int of(std::int32_t reg) const { return reg < 0 ? symbol_zeros : bits_[static_cast<std::size_t>(reg)]; }

 private:
  int of(const ptx::Operand &operand) const {
    using Kind = ptx::Operand::Kind;
    if (operand.kind == Kind::reg) return of(operand.reg);
    if (operand.kind == Kind::immediate)
      return operand.value == 0
                 ? all_zero
                 : std::min(all_zero, std::countr_zero(static_cast<std::uint64_t>(operand.value)));
    if (operand.kind == Kind::symbol)
      return operand.value == 0
                 ? symbol_zeros
                 : std::min(symbol_zeros, std::countr_zero(static_cast<std::uint64_t>(operand.value)));
    return 0;
  }

  int result(const ptx::Instruction &instruction) const {
    const auto in = [&](std::size_t i) {
      return i < instruction.operands.size() ? of(instruction.operands[i]) : 0;
    };
    const Opcode o(instruction.opcode);
    if (o.has("hi") || o.has("sat")) return 0;
    if (o.base == "mov" || o.base == "cvta" || (o.base == "cvt" && !is_float(o.type()))) return in(1);
    if (o.base == "add" || o.base == "sub" || o.base == "or" || o.base == "xor")
      return std::min(in(1), in(2));
    if (o.base == "and") return std::max(in(1), in(2));
    if (o.base == "mul") return std::min(all_zero, in(1) + in(2));
    if (o.base == "mad") return std::min({all_zero, in(1) + in(2), in(3)});
    if (o.base == "shl" && instruction.operands.size() > 2 &&
        instruction.operands[2].kind == ptx::Operand::Kind::immediate)
      return static_cast<int>(
          std::min<std::int64_t>(all_zero, in(1) + std::max<std::int64_t>(0, instruction.operands[2].value)));
    return 0;
  }

  bool lower(const ptx::Instruction &instruction) {
    if (instruction.operands.empty()) return false;
    const ptx::Operand &to = instruction.operands[0];
    bool changed = false;
    const auto set = [&](std::int32_t reg, int bits) {
      if (reg < 0) return;
      int &known = bits_[static_cast<std::size_t>(reg)];
      if (bits >= known) return;
      known = bits;
      changed = true;
    };
    if (to.kind == ptx::Operand::Kind::reg) set(to.reg, result(instruction)), set(to.second, 0);
    for (const ptx::Operand &element : to.elements) set(element.reg, 0);
    return changed;
  }

  std::vector<int> bits_;
};

struct Member {
  std::int64_t offset;
  std::uint32_t site;
};

}  // namespace

void Decoder::merge_shared(const ptx::Function &function) {
  // base register, variable, how often the register was set before, store, epoch, bytes
  using Key = std::tuple<std::int32_t, std::string, std::uint32_t, bool, std::uint32_t, std::uint32_t>;
  std::map<Key, std::vector<Member>> groups;
  std::map<std::int32_t, std::uint32_t> versions;
  const std::vector<bool> leads = find_leaders(function);
  std::uint32_t load_epoch = 0, store_epoch = 0;
  for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
    const Instruction &instruction = function.instructions[i];
    if (leads[i]) ++load_epoch, ++store_epoch;
    const std::uint32_t index = site_of_instruction_[i];
    if (index != UINT32_MAX) {
      const Site &site = program_->sites[index];
      const bool shared = site.space == ptx::Space::shared, store = site.action != Site::Action::load;
      if (shared || site.space == ptx::Space::generic) ++(store ? load_epoch : store_epoch);
      const bool plain = site.action == Site::Action::load || site.action == Site::Action::store;
      if (shared && plain && site.elements == 1 && site.bytes >= 4 && instruction.guard < 0 &&
          !site.is_volatile) {
        const Operand &where = instruction.operands[store ? 0 : 1];
        groups[{where.reg, where.name, versions[where.reg], store, store ? store_epoch : load_epoch,
                site.bytes}]
            .push_back({where.value, index});
      }
    }
    if (!instruction.operands.empty()) {
      ++versions[instruction.operands[0].reg];
      for (const Operand &element : instruction.operands[0].elements) ++versions[element.reg];
    }
  }
  if (groups.empty()) return;
  const KnownZeros zeros(function);
  for (auto &[key, members] : groups) {
    const std::int64_t bytes = std::get<5>(key);
    const int base = zeros.of(std::get<0>(key));
    std::stable_sort(members.begin(), members.end(),
                     [](const Member &a, const Member &b) { return a.offset < b.offset; });
    for (std::size_t first = 0; first < members.size();) {
      std::size_t taken = 1;
      for (const std::int64_t width : {16, 8}) {
        const auto count = static_cast<std::size_t>(width / bytes);
        if (count < 2 || first + count > members.size()) continue;
        bool fits =
            members[first].offset % width == 0 && base >= std::countr_zero(static_cast<std::uint64_t>(width));
        for (std::size_t k = 1; k < count; ++k)
          fits = fits &&
                 members[first + k].offset == members[first].offset + static_cast<std::int64_t>(k) * bytes;
        if (!fits) continue;
        for (std::size_t k = 0; k < count; ++k)
          program_->sites[members[first + k].site].merged = static_cast<std::uint8_t>(k == 0 ? count : 0);
        taken = count;
        break;
      }
      first += taken;
    }
  }
}

}  // namespace warpgrade::simt
