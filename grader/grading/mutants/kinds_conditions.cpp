// Comparisons, guards and choices.
#include <fmt/format.h>

#include "mutants/code.hpp"

namespace warpgrade::mutants {

namespace {

/// Whether `<` or `>` compares: not the brackets of a template's arguments.
bool compares(const Code &c, std::size_t i) {
  if (i == 0 || i + 1 >= c.size() || !c.in_function(i)) return false;
  const std::string_view before = c.word(i - 1), after = c.word(i + 1);
  if (before.ends_with("_cast") || before == "template" || before == "vector" || before == "array" ||
      before == "numeric_limits")
    return false;
  if (c.is(i, ">") && (after == "(" || after == "::" || after == "," || after == ">" || after == ">>>"))
    return false;
  if (c.is(i, "<"))  // name<type>( is a template
    for (std::size_t j = i + 1; j < c.size() && j < i + 8; ++j) {
      if (c.is(j, ">") && (c.is(j + 1, "(") || c.is(j + 1, "::"))) return false;
      if (c.is(j, ";") || c.is(j, ")") || c.is(j, "&&") || c.is(j, "||")) break;
    }
  return true;
}

void exchange_signs(const Code &c, const Add &add, std::string_view from, std::string_view to) {
  for (std::size_t i = 0; i < c.size(); ++i)
    if (c.is(i, from) && ((from != "<" && from != ">") || compares(c, i)))
      add(replace(c, i, std::string(to)));
}

void lets_one_more(const Code &c, const Add &add) {
  exchange_signs(c, add, "<", "<=");
  exchange_signs(c, add, ">=", ">");
}
void lets_one_less(const Code &c, const Add &add) {
  exchange_signs(c, add, "<=", "<");
  exchange_signs(c, add, ">", ">=");
}
void turned(const Code &c, const Add &add) {
  exchange_signs(c, add, "<", ">");
  exchange_signs(c, add, ">=", "<");
}
void equal_turned(const Code &c, const Add &add) {
  exchange_signs(c, add, "==", "!=");
  exchange_signs(c, add, "!=", "==");
}
void joined_otherwise(const Code &c, const Add &add) {
  exchange_signs(c, add, "&&", "||");
  exchange_signs(c, add, "||", "&&");
}

void guard_left_out(const Code &c, const Add &add) {
  for (const Range &r : c.conditions()) {
    const std::size_t then = r.last + 1;
    const bool leaves = c.is(then, "return") || c.is(then, "continue") || c.is(then, "break") ||
                        (c.is(then, "{") && c.is(then + 1, "return"));
    if (!r.empty() && !c.is(r.first - 2, "while")) add(replace(c, r, leaves ? "false" : "true"));
  }
}

void guard_negated(const Code &c, const Add &add) {
  for (const Range &r : c.conditions())
    if (!r.empty() && !c.is(r.first - 2, "while")) add(replace(c, r, fmt::format("!({})", c.text(r))));
}

/// Each side of && and || in turn is left out.
void side_left_out(const Code &c, const Add &add) {
  for (const Range &r : c.conditions())
    for (const std::string_view sign : {"&&", "||"}) {
      const std::vector<Range> sides = c.parts(r, sign);
      if (sides.size() < 2) continue;
      for (std::size_t gone = 0; gone < sides.size(); ++gone) {
        std::string rest;
        for (std::size_t s = 0; s < sides.size(); ++s)
          if (s != gone && !sides[s].empty())
            rest += fmt::format("{}{}", rest.empty() ? "" : fmt::format(" {} ", sign), c.text(sides[s]));
        if (!rest.empty()) add(replace(c, r, rest));
      }
    }
}

/// The start of the condition of a `?`: after the nearest sign that binds less.
std::size_t choice_start(const Code &c, std::size_t question) {
  std::size_t i = question;
  for (int depth = 0; i > 0; --i) {
    const std::string_view w = c.word(i - 1);
    if (w == ")" || w == "]") ++depth;
    if (w == "(" || w == "[") {
      if (depth == 0) break;
      --depth;
    }
    if (depth == 0 && (w == "=" || w == "," || w == ";" || w == "return" || w == "{" || w == "}" ||
                       w == "+=" || w == ":" || w == "?"))
      break;
  }
  return i;
}

void choice_always(const Code &c, const Add &add) {
  for (std::size_t i = 1; i < c.size(); ++i)
    if (c.is(i, "?") && choice_start(c, i) < i) add(replace(c, {choice_start(c, i), i}, "true"));
}
void choice_never(const Code &c, const Add &add) {
  for (std::size_t i = 1; i < c.size(); ++i)
    if (c.is(i, "?") && choice_start(c, i) < i) add(replace(c, {choice_start(c, i), i}, "false"));
}

}  // namespace

const std::vector<Kind> condition_kinds = {
    {"comparison: lets one more through", lets_one_more},
    {"comparison: lets one less through", lets_one_less},
    {"comparison: turned round", turned},
    {"comparison: equal and unequal", equal_turned},
    {"guard: and, or", joined_otherwise},
    {"guard: left out", guard_left_out},
    {"guard: negated", guard_negated},
    {"guard: one side left out", side_left_out},
    {"guard: always", choice_always},
    {"guard: never", choice_never},
};

}  // namespace warpgrade::mutants
