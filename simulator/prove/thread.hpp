// One thread, executed with symbols: every way through the kernel, each loop once for all its iterations.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "prove/decider.hpp"
#include "prove/scene.hpp"

namespace warpgrade::prove {

struct Opcode;

class Thread {
 public:
  Thread(Scene &, Decider &);
  /// throws NotUnderstood, TooLarge
  Behaviour run();

 private:
  struct Leaving {
    int target;
    State state;
  };
  struct Region {
    const std::set<int> *blocks;
    int header;  ///< no_block: the kernel
    std::vector<State> backs;
    std::vector<Leaving> exits;
    bool ends = false;  ///< on some way, the thread ends in it
  };
  struct Loop;

  // thread.cpp: blocks and branches
  void run_region(Region &, int entry, std::vector<State>);
  void run_block(int block, State, std::vector<Leaving> &);
  void branch(const FlowBlock &, State, std::vector<Leaving> &);
  bool excluded(const State &, const Disjunction &);
  bool ends_at_once(int block) const;
  std::vector<State> join(int block, std::vector<State>);
  bool join_pair(int block, State &, const State &, bool always);
  bool proves(const State &, const Atom &);

  // loop.cpp: iterations
  void run_loop(const FlowLoop &, const State &, std::vector<Leaving> &);
  bool follow(const FlowLoop &, const State &, std::vector<Leaving> &);
  void guess(Loop &);
  void guess_steps(Loop &, const std::vector<State> &backs);
  void guess_turns(Loop &);
  void take_turns(Loop &, int reg, const std::vector<Polynomial> &values);
  Polynomial turn_of(Loop &, Integer turns, bool next);
  Level level_of(const Loop &, const Polynomial &, bool in_step) const;
  bool raise_levels(Loop &, const Decision &, const std::function<Polynomial(const Polynomial &)> &) const;
  void guess_conditions(Loop &, const std::vector<State> &backs);
  void assume_conditions(Loop &);
  State at_iteration(Loop &, const Polynomial &iteration);
  bool verify(Loop &, const Region &);
  bool is_exact(Loop &, const Region &);
  std::map<Symbol, Symbol> names_of_last(const Loop &, const Leaving &, Symbol n);
  void leave(Loop &, Region &, std::vector<Leaving> &);

  // step.cpp: instructions
  void step(std::uint32_t index, State &);
  void execute(std::uint32_t index, State &);
  Value arithmetic(const ptx::Instruction &, const State &);
  Value divide(const ptx::Instruction &, State &);
  Value high_product(const ptx::Instruction &, State &);
  std::optional<Polynomial> divided_by_product(const Polynomial &high, int more, State &);
  Value convert(const ptx::Instruction &, State &);
  Value choose(const ptx::Instruction &, State &);
  Value compare(const ptx::Instruction &, State &);
  Value special(const std::string &name, int width);
  Value read(const ptx::Operand &, const State &, bool as_predicate = false) const;
  std::optional<Polynomial> number(const ptx::Operand &, const State &) const;
  /// The integer that a number stands for in an operation on so many bits.
  Polynomial integer(const Polynomial &, int width, bool is_signed, State &);
  Polynomial settled(Polynomial, State &);
  std::set<Symbol> wraps_within(const Polynomial &) const;
  std::optional<Polynomial> rounds_up(const Condition &, const Value &, const Value &) const;
  /// with_a, with_b  facts of the ways that end here, which hold only where the value is theirs
  /// elsewhere       the cases in which no thread comes here, so that these facts need not hold
  Value either(const Condition &, const Value &a, const Value &b, const Conjunction &with_a = {},
               const Conjunction &with_b = {}, const Disjunction &elsewhere = {});
  std::optional<Polynomial> by_two_values(const Condition &, const Polynomial &a, const Polynomial &b) const;
  Polynomial quotient_here(const Polynomial &, const Polynomial &divisor, State &);

  // logic.cpp: bits
  Value logic(const ptx::Instruction &, State &);
  std::optional<Polynomial> of_two_values(const std::string &base, const Polynomial &, Integer mask) const;
  Value shift(const ptx::Instruction &, State &);
  Polynomial rest_of(const Polynomial &, const Polynomial &power) const;
  std::optional<Polynomial> masked(const Polynomial &, Integer mask) const;
  Value either_bit(const Polynomial &, const Polynomial &, int width);

  // access.cpp: memory and barriers
  void access(std::uint32_t index, State &);
  struct Way {
    Conjunction where;
    Polynomial address;
  };
  std::vector<Way> ways_of(const Polynomial &address) const;
  bool reaches_another(const Access &, const Place &) const;
  void note(Access, const Polynomial &address, int ways_before);
  void load_parameter(const ptx::Instruction &, State &);
  void barrier(std::uint32_t index, State &);
  Value said_together(const Opcode &, const State &);
  void note_warp(std::uint32_t index, const State &);
  Value loaded(const std::string &type);

  Scene &scene_;
  Decider &decider_;
  Flow flow_;
  Behaviour done_;
  std::map<Symbol, Overflow> wraps_;  ///< by the symbol that says how often a value left its range
  /// A symbol for the upper half of a product by a number: what was multiplied, which is from 0 on, and the number.
  struct HighProduct {
    Polynomial of;
    Integer by;
  };
  std::map<Symbol, HighProduct> high_products_;
  std::set<Symbol> loaded_;  ///< from memory
  bool guessing_ = false;    ///< nothing is noted, and values are taken to stay in their ranges
  bool has_barriers_ = false;
  std::uint32_t now_ = 0;  ///< instruction
  static constexpr int most_steps = 400'000;
  int steps_ = 0;
};

/// An opcode, taken apart: "ld.global.nc.v4.f32".
struct Opcode {
  explicit Opcode(const std::string &);
  std::string base, type;  ///< "ld", "f32"
  std::vector<std::string> parts;
  bool has(std::string_view part) const;
  int width() const { return width_of(type); }
  bool is_signed() const { return !type.empty() && type.front() == 's'; }
  bool is_integer() const {
    return !type.empty() && !type.starts_with("bf") &&
           (is_signed() || type.front() == 'u' || type.front() == 'b');
  }
  static int width_of(const std::string &type);  ///< bits; 0: none
};

}  // namespace warpgrade::prove
