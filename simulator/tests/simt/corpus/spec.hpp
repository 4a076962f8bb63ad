// Instructions of the corpus and the text of kernels made of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inputs.hpp"

namespace warpgrade::corpus {

/// One instruction: "add.s32" with "r=rr" is `add.s32 %xr, %ra, %rb;`.
/// Letters are the classes of inputs.hpp; i, j: one half, one bfloat, in 16-bit registers; 1: a predicate;
/// b: 8 bits in a 16-bit register; {text}: an operand as it is.
struct Spec {
  std::string opcode, signature;
  bool exact = true;  ///< false: an approximation
};

/// Instructions of one kernel of the corpus.
struct Family {
  std::string name;
  std::vector<Spec> specs;
};
std::vector<Family> exact_families();
std::vector<Family> approximate_families();

struct KernelText {
  std::string name, ptx;
};
/// The text of a kernel's body; each result that is stored follows the instruction that made it.
class Body {
 public:
  void line(const std::string &text) { text_ += text + "\n"; }
  /// Stores a register of a class as the next row: one value a thread.
  void store(char letter, const std::string &reg);
  void add(const Spec &spec);  ///< on operands %ra, %rb, ... and stores the result
  /// Predicates become bits of one word.
  void collect(const std::string &predicate);
  void flush_predicates();
  const std::string &text() const { return text_; }
  const std::string &letters() const { return letters_; }  ///< classes of operands that were used
  std::uint32_t bytes() const { return bytes_; }

 private:
  void note(char letter);
  std::string text_, letters_;
  std::uint32_t bytes_ = 0;
  int bits_ = 0;
};

/// Each instruction of a family once, each result stored.
KernelText family_kernel(const Family &family, std::uint32_t input);
/// Memory spaces, vectors, atomics and warp operations, written by hand.
std::vector<KernelText> kernels_by_hand();
/// Random instructions with branches, loops, guards, shared and local memory; a fold of what each segment
/// wrote is stored.
KernelText random_kernel(std::uint64_t seed);

/// The operands of a signature: classes and literal texts, the result first.
struct Operands {
  char result;
  std::vector<std::string> sources;  ///< "r", or "{0x1b}"
};
Operands parse_signature(const std::string &signature);

/// The register declaration of a class and what memory instructions call its width.
const char *register_type(char letter);
std::uint32_t bytes_of(char letter);

/// The header, the entry, its parameters and the addresses %in, %o2, %o4, %o8 of this thread.
std::string kernel_begin(const Header &header, const std::string &declarations);
std::string load_operands(const std::string &letters);  ///< %ra, %rb, %rc, ... of each class

}  // namespace warpgrade::corpus
