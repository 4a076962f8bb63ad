// Which neighbours in shared memory ptxas reads or writes in one access, on sm_90. Rules found by comparing
// PTX with machine code and hardware counters (tests/simt/golden/README.md). Within a basic block, off one
// base whose low bits are known to be zero, accesses to units of one size are merged
//   - where 2 or 4 units, at most 16 bytes together, lie side by side and begin at a multiple of their
//     common size;
//   - also where a load asks for 3 units of 4: the other one is read and thrown away.
// A unit is an element of 2, 4 or 8 bytes, or a whole vector of smaller ones than 4; single bytes stay alone.
#include <algorithm>
#include <bit>

#include "decode/decoder.hpp"

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
  std::uint32_t units;
};

/// 0: of what is never merged.
std::uint32_t unit_bytes(const Site &site) {
  const std::uint32_t all = std::uint32_t{site.bytes} * site.elements;
  if (site.bytes == 1 && all < 4) return 0;
  return site.bytes < 4 ? all : site.bytes;
}

/// Members from `first` on that are in the `width` bytes around it become one access, if they fill it.
class Merger {
 public:
  Merger(std::vector<Site> &sites, std::vector<Member> &members, std::int64_t bytes, bool store,
         int base_zeros)
      : sites_(sites), members_(members), bytes_(bytes), store_(store), base_zeros_(base_zeros) {
    std::stable_sort(members.begin(), members.end(),
                     [](const Member &a, const Member &b) { return a.offset < b.offset; });
    const std::int64_t widest = std::min<std::int64_t>(16, 4 * bytes);
    for (std::size_t first = 0; first < members.size();) {
      std::size_t taken = 1;
      for (std::int64_t width = widest; width > bytes && taken == 1; width /= 2) taken = merge(first, width);
      first += taken;
    }
  }

 private:
  /// How many members were merged; 1: none.
  std::size_t merge(std::size_t first, std::int64_t width) {
    if (base_zeros_ < std::countr_zero(static_cast<std::uint64_t>(width))) return 1;
    const std::int64_t begin = members_[first].offset & -width;
    std::int64_t filled = 0, next = begin;
    std::size_t end = first;
    bool alike = true;
    for (; end < members_.size() && members_[end].offset < begin + width; ++end) {
      const Member &one = members_[end];
      const std::int64_t asked = one.units * bytes_;
      if (one.offset < next || one.offset + asked > begin + width) return 1;  // twice, or beyond the end
      alike = alike && one.units == members_[first].units;
      next = one.offset + asked;
      filled += asked;
    }
    if (end - first < 2 || (store_ && !alike)) return 1;
    const bool three_of_four = !store_ && width == 4 * bytes_ && filled == 3 * bytes_ &&
                               (members_[first].units == 1 || next == begin + width);
    if (filled != width && !three_of_four) return 1;
    for (std::size_t i = first; i < end; ++i) sites_[members_[i].site].merged = 0;
    sites_[members_[first].site].merged = static_cast<std::uint8_t>(width / (bytes_ * members_[first].units));
    return end - first;
  }

  std::vector<Site> &sites_;
  std::vector<Member> &members_;
  std::int64_t bytes_;
  bool store_;
  int base_zeros_;
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
      const std::uint32_t bytes = unit_bytes(site);
      if (shared && plain && bytes > 0 && instruction.guard < 0 && !site.is_volatile) {
        const Operand &where = instruction.operands[store ? 0 : 1];
        groups[{where.reg, where.name, versions[where.reg], store, store ? store_epoch : load_epoch, bytes}]
            .push_back({where.value, index, std::uint32_t{site.bytes} * site.elements / bytes});
      }
    }
    if (!instruction.operands.empty()) {
      // A store's first operand is its address, which it does not set.
      if (instruction.operands[0].kind == ptx::Operand::Kind::reg) ++versions[instruction.operands[0].reg];
      for (const Operand &element : instruction.operands[0].elements) ++versions[element.reg];
    }
  }
  if (groups.empty()) return;
  const KnownZeros zeros(function);
  for (auto &[key, members] : groups)
    Merger(program_->sites, members, std::get<5>(key), std::get<3>(key), zeros.of(std::get<0>(key)));
}

}  // namespace warpgrade::simt
