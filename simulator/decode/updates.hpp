// Analyses what a function does with words through which threads communicate: which word an instruction
// accesses, and what it computes from the value that it reads. Internal to the decoder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "decode/flow.hpp"

namespace warpgrade::simt {

/// The word at an address, as far as the text shows: equal ones have the same base and offset.
using WordName = std::tuple<std::int32_t, std::int64_t, std::string>;

class Words {
 public:
  explicit Words(const ptx::Function &);
  WordName at(std::size_t instruction, std::size_t operand) const;
  /// How the address is computed: the same text is the same address, where the values that it names are.
  std::string formula(std::size_t instruction, std::size_t operand) const;

 private:
  std::string formula_of(const ptx::Operand &, int depth) const;

  const ptx::Function &function_;
  // addresses that are others, or variables, in another form
  std::unordered_map<std::int32_t, const ptx::Operand *> made_of_;
  std::vector<std::uint32_t> defined_at_;  // of each register: 1 + its only instruction; several_times
};

/// A strong load and a strong store of one word that add to it: another thread's store may come in between.
/// Pairs are left out if the loaded value decides whether there is a store.
class Updates {
 public:
  Updates(const ptx::Function &, const std::vector<bool> &leads);
  /// Instructions: the load, the store.
  std::vector<std::pair<std::size_t, std::size_t>> find() const;
  /// Whether the result of an atomic is compared for equality with a number other than 0: this shows the last
  /// thread that all have arrived.
  bool tells_the_last(std::size_t atomic) const;
  /// Whether a compare-and-swap or an exchange takes a lock: somewhere the word gets back the constant that
  /// is asked for.
  bool takes_a_lock(std::size_t atomic) const;
  /// Whether it does so, and every thread that gives the lock back does it by an atomic or a strong store.
  bool holds_a_lock(std::size_t atomic) const;
  /// The atomic that has given out the number, from another word, for which a read asks, as in a ticket lock.
  std::optional<std::size_t> ticket_of(std::size_t read) const;
  std::optional<std::int64_t> constant(const ptx::Operand &) const;

 private:
  static constexpr std::size_t none = SIZE_MAX;
  std::size_t load_behind(std::int32_t value, std::size_t store) const;
  bool decides(std::size_t load, std::size_t store) const;
  bool keeps_its_value(std::int32_t reg, std::size_t first, std::size_t last) const;
  std::optional<std::int64_t> compared_with(std::int32_t result) const;
  bool is_given_back(const WordName &, std::int64_t value, std::size_t but) const;
  bool gives_back(const ptx::Instruction &, const Opcode &, std::int64_t taken, std::int64_t free) const;
  /// Registers that hold the result of one of these instructions, as it is.
  std::set<std::int32_t> results_of(const std::vector<std::size_t> &) const;

  const ptx::Function &function_;
  Flow flow_;
  Words words_;
  std::vector<std::vector<std::size_t>> definitions_;  // of each register
};

}  // namespace warpgrade::simt
