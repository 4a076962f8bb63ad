#include <fmt/format.h>

#include <set>

#include "base/text.hpp"
#include "harden/results.hpp"

namespace warpgrade::harden {

namespace {

std::string survivor(const StepResult &s, const Examined &e) {
  std::string text = fmt::format("\n{}:{}: {}\n{}", s.file, e.mutant.line, e.mutant.kind,
                                 for_terminal(mutants::diff_of(s.source, e.mutant, s.file), true));
  if (e.fate.outcome == Outcome::survived)
    text += fmt::format("This case kills it; it goes into the case set of {} in hidden.yaml:\n    - {}\n",
                        s.id, e.fate.kill);
  else
    text += fmt::format(
        "Other device code or another launch, but the same results at {} sizes up to {}: probably "
        "equivalent.\n",
        e.fate.tried, e.fate.by);
  return text;
}

}  // namespace

std::string to_text(const StepResult &s) {
  const Figures f = figures_of(s.examined);
  std::set<std::string_view> kinds;
  for (const Examined &e : s.examined)
    if (e.fate.outcome != Outcome::not_compiled) kinds.insert(e.mutant.kind);
  std::string text = fmt::format("{}: {} mutants of {} kinds", s.id, f.mutants, kinds.size());
  if (f.not_compiled > 0) text += fmt::format("; {} more do not compile", f.not_compiled);
  if (s.left > 0) text += fmt::format("; {} are left for the next run", s.left);
  text += '\n';
  const auto row = [&](std::string_view what, std::size_t n, std::string_view note) {
    text += fmt::format("  {:<26}{:>4}{}{}\n", what, n, note.empty() ? "" : "   ", note);
  };
  row("killed by a public case", f.by_public, "");
  row("killed by a hidden case", f.by_hidden, "");
  row("killed by grading", f.by_points, "a rule, the counted size or the points for counters");
  row("only warned of", f.warned, "an advisory case fails, which costs no points; counted as killed");
  row("survived", f.survived, "");
  row("equivalent", f.same_code, "the compiler makes the same code of it");
  row("equivalent with a reason", f.reasoned, "equivalent.yaml says why no case can tell it");
  row("probably equivalent", f.no_difference, "a search found no difference");
  text += fmt::format("  {:.1f} % of those that are not equivalent are killed\n", 100 * f.share());
  for (const ConstantOutput &c : s.constants)
    if (c.accepted > 0)
      text += fmt::format("  {} of {} cases accept an output of {}{}\n", c.accepted, c.cases, c.what,
                          c.accepted == c.cases ? ": no case tells it from the right one" : "");
  for (const std::string &one : s.contradictions) text += fmt::format("  {}\n", one);
  for (const Outcome o : {Outcome::survived, Outcome::no_difference})
    for (const Examined &e : s.examined)
      if (e.fate.outcome == o) text += survivor(s, e);
  return text;
}

}  // namespace warpgrade::harden
