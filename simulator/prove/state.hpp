// What is known of one thread between two instructions, and the accesses that it makes.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "prove/flow.hpp"
#include "prove/symbols.hpp"

namespace warpgrade::prove {

/// When a predicate holds, and when not. Not `known`: it depends on data.
struct Condition {
  Disjunction yes{{}}, no{{}};
  bool known = false;
  bool operator==(const Condition &) const = default;
};
/// Not known if one of them is not: the cases of the other still hold where both must.
/// how  "and", "or", "xor"; of another one, nothing is known
Condition combine(const std::string &how, const Condition &a, const Condition &b);

Disjunction both(const Disjunction &, const Disjunction &);
Disjunction any(Disjunction, const Disjunction &);

/// What a register holds. A number stands for all integers that are equal to it modulo 2 to the register's width.
struct Value {
  enum class Kind { unknown, number, predicate };
  Kind kind = Kind::unknown;
  Polynomial number;
  std::shared_ptr<const Condition> condition;
  bool operator==(const Value &other) const;
};
Value a_number(Polynomial);
Value a_predicate(Condition);

/// What a way through the kernel went by.
struct Decision {
  Disjunction cases;      ///< that hold on this way
  Disjunction otherwise;  ///< that hold on the other
  std::uint32_t at = 0;   ///< instruction
  bool taken = false;
  bool known = true;  ///< does not depend on data
  bool fact = false;  ///< no choice: what held anyway, or was assumed
  Level level = Level::launch;
  bool other_ends = false;  ///< on the other way, the thread ends at once
  bool operator==(const Decision &) const = default;
};

/// Whether it stands for all iterations of a loop before this one: no choice of a thread alone.
inline bool goes_on(const Decision &one) {
  return one.known && !one.fact && one.cases == one.otherwise;
}

struct State {
  std::vector<Value> registers;
  std::vector<Decision> path;
  Polynomial interval;             ///< barriers passed
  std::vector<Symbol> iterations;  ///< of the loops around
  Formula formula() const;
};

struct Access {
  enum class Kind { load, store, atomic };
  Kind kind = Kind::load;
  int object = -1;    ///< index in Memory::objects; -1: not known, for the reason `why`
  Polynomial offset;  ///< bytes
  std::uint32_t bytes = 0;
  std::uint32_t update_bytes = 0;  ///< of an atomic: of one element of it
  bool of_block = false;           ///< of an atomic: its scope is no more than a block, or a cluster
  State at;                        ///< without registers
  std::uint32_t instruction = 0;
  std::string why;
};

/// A barrier or a trap, with the way to it.
struct Meeting {
  State at;
  std::uint32_t instruction = 0;
  bool of_all = true;  ///< of a warp: of all its lanes
};

/// A 32-bit or 64-bit value that may leave its range; afterwards it was assumed not to.
struct Overflow {
  State at;
  Polynomial value;
  Range range;
  std::uint32_t instruction = 0;
};

/// A buffer of the launch, or a variable of the kernel.
struct MemoryObject {
  enum class Kind { buffer, shared, local, constant };
  std::string name;
  Kind kind = Kind::buffer;
  Symbol base = 0;
  Polynomial bytes;
  bool sized = true;
  bool output = false;
  std::vector<Polynomial> shape;
  Integer element_bytes = 1;
  Integer aligned_to = 256;         ///< bytes; a buffer, as cudaMalloc gives it
  bool dynamic = false;             ///< shared memory whose size the launch gives
  std::set<std::string> also = {};  ///< further names for it
};

/// All that a thread does.
struct Behaviour {
  /// Iterations that are reached exactly where what is known of them holds.
  std::set<Symbol> exact;
  std::vector<Access> accesses;
  std::vector<Meeting> meetings, traps;
  std::vector<Meeting> warp_meetings;  ///< what lanes of a warp do together, such as __syncwarp or a shuffle
  std::vector<Overflow> overflows;
  /// What a barrier gives to all threads of a block that pass it together, such as __syncthreads_count.
  std::set<Symbol> together;
};

}  // namespace warpgrade::prove
