// Small mistakes in a source file, each as a slip of the keyboard or of the mind makes it: a comparison that lets one
// more through, a barrier left out, another index. Takes a text; returns changed texts. Works on tokens, so a mutant
// need not compile: whoever uses one finds out.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpgrade::mutants {

struct Mutant {
  std::string_view kind;   ///< "barrier: left out"; the group is the part before the colon
  int line = 0;            ///< of the first changed character, from 1
  bool on_device = false;  ///< inside a __global__ or __device__ function
  std::string from, to;    ///< the changed words
  std::string text;        ///< the whole file
};

/// Every mutant of a source, kind by kind, each in the order of the file. No two have the same text, and none has the
/// text of the source.
std::vector<Mutant> mutants_of(const std::string &source);
/// The mutants of these kinds.
std::vector<Mutant> mutants_of(const std::string &source, std::span<const std::string_view> kinds);

/// The names of all kinds.
std::vector<std::string_view> kinds();

/// The lines that a mutant changes, each without the blanks around it, joined by blanks.
struct ChangedLines {
  std::string before, after;
};
ChangedLines changed_lines(const std::string &source, const Mutant &);

/// What a mutant changes, as `diff -u` shows it, without context.
std::string diff_of(const std::string &source, const Mutant &, const std::string &file);

}  // namespace warpgrade::mutants
