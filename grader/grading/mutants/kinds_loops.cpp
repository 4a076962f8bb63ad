// Bounds, starts and strides of loops; tails.
#include <fmt/format.h>

#include "mutants/code.hpp"

namespace warpgrade::mutants {

namespace {

/// What a loop's test compares with.
Range bound_of(const Code &c, const Loop &loop) {
  for (std::size_t i = loop.test.first; i < loop.test.last; ++i)
    for (const std::string_view sign : {"<", "<=", ">", ">=", "!="})
      if (c.is(i, sign)) return {i + 1, loop.test.last};
  return {};
}

void change_bounds(const Code &c, const Add &add, std::string_view by) {
  for (const Loop &loop : c.loops())
    if (const Range bound = bound_of(c, loop); !bound.empty())
      add(replace(c, bound, fmt::format("{} {}", c.text(bound), by)));
}
void one_turn_more(const Code &c, const Add &add) {
  change_bounds(c, add, "+ 1");
}
void one_turn_less(const Code &c, const Add &add) {
  change_bounds(c, add, "- 1");
}

void starts_later(const Code &c, const Add &add) {
  for (const Loop &loop : c.loops())
    for (std::size_t i = loop.start.first; i < loop.start.last; ++i)
      if (c.is(i, "=") && i + 1 < loop.start.last)
        add(replace(c, {i + 1, loop.start.last}, fmt::format("{} + 1", c.text({i + 1, loop.start.last}))));
}

/// `++k` as k += 2, `k += E` as k += 2 * (E).
void double_stride(const Code &c, const Add &add) {
  for (const Loop &loop : c.loops()) {
    const Range s = loop.step;
    if (s.size() == 2 && (c.is(s.first, "++") || c.is(s.first + 1, "++")))
      add(replace(c, s, fmt::format("{} += 2", c.word(c.is(s.first, "++") ? s.first + 1 : s.first))));
    if (s.size() > 2 && (c.is(s.first + 1, "+=") || c.is(s.first + 1, "-=")))
      add(replace(c, {s.first + 2, s.last}, fmt::format("2 * ({})", c.text({s.first + 2, s.last}))));
    if (s.size() > 2 && (c.is(s.first + 1, "/=") || c.is(s.first + 1, ">>=") || c.is(s.first + 1, "*=") ||
                         c.is(s.first + 1, "<<=")))
      add(replace(c, {s.first + 2, s.last}, fmt::format("{} + 2", c.text({s.first + 2, s.last}))));
  }
}

/// The right side of += and -= in a statement of its own.
Range right_side(const Code &c, std::size_t i) {
  std::size_t end = i + 1;
  while (end < c.size() && !c.is(end, ";") && !c.is(end, ")"))
    end = c.close_of(end) < c.size() ? c.close_of(end) + 1 : end + 1;
  return {i + 1, end};
}

void step_longer(const Code &c, const Add &add) {
  for (std::size_t i = 1; i < c.size(); ++i)
    if ((c.is(i, "+=") || c.is(i, "-=")) && c.in_function(i) && !right_side(c, i).empty())
      add(replace(c, right_side(c, i), fmt::format("{} + 1", c.text(right_side(c, i)))));
}

/// (n + T - 1) / T and ceil_div(n, T) as n / T.
void rounded_down(const Code &c, const Add &add) {
  for (const std::string_view name : {"ceil_div", "div_up", "cdiv", "divup", "ceilDiv"})
    for (const Call &call : c.calls(name))
      if (call.arguments.size() == 2 && c.in_function(call.name))
        add(replace(c, {call.name, call.close + 1},
                    fmt::format("(({}) / ({}))", c.text(call.arguments[0]), c.text(call.arguments[1]))));
  for (std::size_t i = 0; i + 5 < c.size(); ++i)  // + T - 1) / T
    if (c.is(i, "+") && c.is(i + 2, "-") && c.is(i + 3, "1") && c.is(i + 4, ")") && c.is(i + 5, "/"))
      add(replace(c, Range{i, i + 4}, ""));
}

void other_end(const Code &c, const Add &add) {
  for (const auto &[from, to] : {std::pair{"min", "max"}, std::pair{"max", "min"},
                                 std::pair{"fminf", "fmaxf"}, std::pair{"fmaxf", "fminf"}})
    for (const Call &call : c.calls(from))
      if (call.arguments.size() == 2 && c.in_function(call.name)) add(replace(c, call.name, to));
}

/// One of the two arguments of min, alone: the edge is not held.
void edge_not_held(const Code &c, const Add &add) {
  for (const std::string_view name : {"min", "max"})
    for (const Call &call : c.calls(name))
      if (call.arguments.size() == 2 && c.in_function(call.name))
        for (const Range &one : call.arguments)
          if (!one.empty()) add(replace(c, {call.name, call.close + 1}, fmt::format("({})", c.text(one))));
}

/// `: 0.0f` of a choice as 1.0f.
void tail_of_ones(const Code &c, const Add &add) {
  for (std::size_t i = 1; i + 1 < c.size(); ++i)
    if (c.is(i, ":") && (c.is(i + 1, "0.0f") || c.is(i + 1, "0.f") || c.is(i + 1, "0") || c.is(i + 1, "0.0")))
      add(replace(c, i + 1, "1"));
}

}  // namespace

const std::vector<Kind> loop_kinds = {
    {"bound: one turn more", one_turn_more},       {"bound: one turn less", one_turn_less},
    {"bound: starts one later", starts_later},     {"stride: doubled", double_stride},
    {"stride: one longer", step_longer},           {"tail: rounded down", rounded_down},
    {"tail: the other of min and max", other_end}, {"tail: edge not held", edge_not_held},
    {"tail: filled with ones", tail_of_ones},
};

}  // namespace warpgrade::mutants
