// Analyses the two accesses of a race in the text of their function: how the index is computed, whether the
// thread updates a word in three steps, what is between the two. Built once a race was found. Internal to simt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "decode/updates.hpp"

namespace warpgrade::simt {

/// What a thread does to a word between a plain load and a plain store of it.
enum class Change : std::uint8_t { none, add, bound, bits, other };

class RaceText {
 public:
  explicit RaceText(const ptx::Function &);

  /// The instruction at a line of the PTX text that accesses memory; nothing if it is not in this function.
  std::optional<std::size_t> at(std::int32_t text_line) const;
  std::int32_t location_of(std::size_t i) const { return function_.instructions[i].location; }
  /// The update that a load or store is one half of.
  Change change_of(std::size_t access) const;
  /// Whether a plain store stores what was computed from a load.
  bool is_stored_by(std::size_t load, std::size_t store) const;
  /// What the address of an access is computed from.
  bool index_by_threads(std::size_t access) const;
  bool index_by_data(std::size_t access) const;
  bool index_by_loop(std::size_t access) const;  ///< and the access is in a loop
  /// Whether both compute their addresses in the same way.
  bool same_formula(std::size_t a, std::size_t b) const;

  /// What separates the accesses before it from those after it.
  enum class Stop : std::uint8_t { nothing, barrier, syncwarp };
  /// Whether a thread may go from one instruction to another without a stop.
  bool reaches(std::size_t from, std::size_t to, Stop) const;

  /// Barriers of the block that stand in one straight line of code with an instruction, which branches neither into nor out of.
  std::vector<std::size_t> barriers_beside(std::size_t i) const;
  bool in_straight_line(std::size_t first, std::size_t last) const;
  /// All loads, or all stores, of memory.
  std::vector<std::size_t> like(std::size_t access) const;

  /// Where a lock around an access is taken and given back. locks: compare-and-swaps that take one
  std::optional<std::pair<std::size_t, std::size_t>> lock_around(std::size_t access,
                                                                 const std::vector<std::size_t> &locks) const;
  /// Whether an access has its fences: after the lock is taken, and before it is given back.
  bool is_fenced(std::size_t access, const std::pair<std::size_t, std::size_t> &lock) const;
  /// Whether no way leads to an access but by taking the lock.
  bool is_under(std::size_t access, const std::pair<std::size_t, std::size_t> &lock) const;
  /// Whether there is a fence between two instructions, whatever the way.
  bool has_fence_between(std::size_t from, std::size_t to) const;

  /// Whether every thread that stores to the word stores one value, and threads that load it only test whether
  /// it has been stored. alias: whether two roots, of the names that the text has for them, may be one memory
  using Alias = std::function<bool(const std::string &, const std::string &)>;
  bool stores_one_value(std::size_t store, std::size_t load, const Alias &) const;

 private:
  std::size_t address_operand(std::size_t access) const;
  std::uint8_t index_flags(std::size_t access) const;
  void find_flags();
  void find_roots();
  void find_changes();
  std::optional<std::pair<std::size_t, Change>> load_behind(std::size_t store) const;
  const std::string *root_of(std::size_t access) const;
  bool is_uniform(const ptx::Operand &value) const;
  bool is_only_compared(std::size_t load) const;
  bool reaches_without(std::size_t from, std::size_t to, std::size_t but) const;
  template <class Visit>
  void for_next(std::size_t i, const Visit &visit) const;

  const ptx::Function &function_;
  Words words_;
  std::vector<Opcode> opcodes_;
  std::unordered_map<std::string, std::size_t> labels_;
  std::unordered_map<std::int32_t, std::size_t> by_line_;
  std::vector<std::vector<std::size_t>> definitions_;  // of each register
  std::vector<std::uint8_t> flags_;                    // of each register
  std::vector<std::string> roots_;                     // of each register; empty: none, "?": several
  std::unordered_map<std::size_t, Change> changes_;    // by load and by store
};

}  // namespace warpgrade::simt
