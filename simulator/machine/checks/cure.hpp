// Advice against a race. Decided here, once, by what its two accesses do (race_text.hpp); the words are in
// a table of cure.cpp. docs/memory-model.md lists them. Internal to simt.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "decode/program.hpp"
#include "machine/checks/race_text.hpp"

namespace warpgrade::simt {

class Memory;
struct Launch;

/// The threads of two unordered accesses: one thread, lanes of a warp, and so on; the later, the worse.
enum class Order : std::uint8_t { fine, lanes, warps, blocks };

/// The two accesses of a race, the later one first, by their sites.
struct RacingPair {
  const Site &now, &before;
  Order order = Order::warps;
  bool shared = false;  ///< of shared memory
};

class Cures {
 public:
  Cures(const Program &program, const Launch &launch, Memory &memory)
      : program_(program), launch_(launch), memory_(memory) {}

  Cure of(const RacingPair &);
  /// A half sentence for the result of of(). made: the finding, with both sides; element: index of the
  /// word
  std::string words(Cure, const RacingPair &, const Diagnostic &made, std::uint64_t element);
  /// "; the source has a barrier in line 11 between the two, ...": where the compiler has put the two accesses into another
  /// order than the source's; empty if it has not, or that is not certain.
  std::string order_words(const RacingPair &, const Diagnostic &made);

 private:
  /// Both accesses in the text of one function.
  struct Both {
    RaceText *text = nullptr;  ///< null: not known
    std::size_t now = 0, before = 0;
  };
  Both find(const RacingPair &);
  Cure decide(const RacingPair &);
  Cure decide_plain(const RacingPair &, const Both &);
  Cure decide_locks(const Both &) const;
  std::vector<std::size_t> locks_in(const RaceText &) const;
  bool may_be_one(const std::string &, const std::string &) const;
  std::string place(std::int32_t location, const Diagnostic &) const;
  std::string barrier_words(const RacingPair &, const Diagnostic &);
  std::string lock_words(const RacingPair &, const Diagnostic &);
  std::string one_lock_words(const RacingPair &, const Diagnostic &);
  std::string change_words(const RacingPair &);

  const Program &program_;
  const Launch &launch_;
  Memory &memory_;
  std::unordered_map<const ptx::Function *, std::unique_ptr<RaceText>> texts_;
  std::unordered_map<std::uint64_t, Cure> known_;
};

/// "8 warps compute the same elements": the common cause of many findings of one kind. warps: those on
/// either side; of_block: warps of the block
std::string same_element_words(std::uint32_t warps, std::uint32_t of_block);

/// Lanes of a warp that race at many places of a kernel, as in code from before Volta, become one finding with
/// the number of places.
void tell_syncwarps_once(std::vector<Diagnostic> &);

}  // namespace warpgrade::simt
