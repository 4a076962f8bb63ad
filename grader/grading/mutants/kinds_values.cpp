// Initial values, factors, terms, constants and types.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "mutants/code.hpp"

namespace warpgrade::mutants {

namespace {

bool is_zero(const Code &c, std::size_t i) {
  return c.is(i, "0") || c.is(i, "0.0f") || c.is(i, "0.f") || c.is(i, "0.0");
}

bool in_loop_head(const Code &c, std::size_t i) {
  return std::any_of(c.loops().begin(), c.loops().end(),
                     [&](const Loop &l) { return l.start.first <= i && i <= l.step.last; });
}

void starts_at_one(const Code &c, const Add &add) {
  for (std::size_t i = 1; i + 1 < c.size(); ++i)
    if (c.is(i, "=") && is_zero(c, i + 1) && (c.is(i + 2, ";") || c.is(i + 2, ",")) && !in_loop_head(c, i) &&
        c.in_function(i))
      add(replace(c, i + 1, "1"));
}

void never_set(const Code &c, const Add &add) {
  for (std::size_t i = 2; i + 2 < c.size(); ++i) {
    if (!c.is(i, "=") || !is_zero(c, i + 1) || in_loop_head(c, i) || !c.on_device(i)) continue;
    if (c.declares(i) && !c.is(c.statement_start(i), "const") && (c.is(i + 2, ";") || c.is(i + 2, ",")))
      add(replace(c, Range{i, i + 2}, ""));
  }
  for (std::size_t i = 1; i + 3 < c.size(); ++i)  // float sums[4][4] = {};
    if (c.on_device(i) && c.is(i, "=") && c.is(i + 1, "{") && c.is(i - 1, "]") && c.declares(i))
      add(replace(c, Range{i, c.close_of(i + 1) + 1}, ""));
}

void factor_forgotten(const Code &c, const Add &add) {
  const std::vector<std::string> reals = c.real_parameters();
  for (std::size_t i = 1; i + 1 < c.size(); ++i) {
    if (!c.on_device(i) || std::find(reals.begin(), reals.end(), c.word(i)) == reals.end()) continue;
    if (c.is(i + 1, "*")) add(replace(c, Range{i, i + 2}, ""));
    if (c.is(i - 1, "*") && !c.is_name(i + 1)) add(replace(c, Range{i - 1, i + 1}, ""));
  }
}

void factor_twice(const Code &c, const Add &add) {
  const std::vector<std::string> reals = c.real_parameters();
  for (std::size_t i = 1; i + 1 < c.size(); ++i)
    if (c.on_device(i) && c.is(i + 1, "*") && std::find(reals.begin(), reals.end(), c.word(i)) != reals.end())
      add(replace(c, i, fmt::format("{0} * {0}", c.word(i))));
}

/// A term behind + in a value.
void term_left_out(const Code &c, const Add &add) {
  for (std::size_t i = 1; i + 1 < c.size(); ++i) {
    if (!c.is(i, "+") || !c.on_device(i) || c.in_subscript(i)) continue;
    const std::size_t end = c.end_of_term(i + 1);
    if (end > i + 1) add(replace(c, {i, end}, ""));
  }
}

void other_sign(const Code &c, const Add &add) {
  for (std::size_t i = 1; i + 1 < c.size(); ++i) {
    if (!c.on_device(i)) continue;
    const bool between = c.is_name(i - 1) || c.is_number(i - 1) || c.is(i - 1, ")") || c.is(i - 1, "]");
    if (c.is(i, "+") && between) add(replace(c, i, "-"));
    if (c.is(i, "-") && between) add(replace(c, i, "+"));
  }
}

void product_as_sum(const Code &c, const Add &add) {
  for (std::size_t i = 1; i + 1 < c.size(); ++i) {
    const bool between = c.is_name(i - 1) || c.is_number(i - 1) || c.is(i - 1, ")") || c.is(i - 1, "]");
    if (c.on_device(i) && c.is(i, "*") && between && !c.is(i + 1, ")") && !c.declares(i - 1))
      add(replace(c, i, "+"));
  }
}

void last_one_only(const Code &c, const Add &add) {
  for (std::size_t i = 1; i + 1 < c.size(); ++i)
    if (c.on_device(i) && c.is(i, "+=") && !in_loop_head(c, i)) add(replace(c, i, "="));
}

void one_value_for_another(const Code &c, const Add &add) {
  for (std::size_t i = 1; i + 1 < c.size(); ++i)
    if (c.on_device(i) && c.is(i, "+=") && !in_loop_head(c, i)) add(replace(c, i, "-="));
}

/// `name = ...;` of its own, without declaring it.
void statement_left_out(const Code &c, const Add &add) {
  for (std::size_t i = 1; i + 1 < c.size(); ++i) {
    const bool starts = c.is(i - 1, ";") || c.is(i - 1, "{") || c.is(i - 1, "}") || c.is(i - 1, ")");
    if (!starts || !c.on_device(i) || !c.is_name(i) || c.declares(i) || in_loop_head(c, i)) continue;
    std::size_t end = i;
    bool assigns = false;
    while (end < c.size() && !c.is(end, ";") && !c.is(end, "{")) {
      assigns = assigns || c.is(end, "=") || c.is(end, "+=") || c.is(end, "-=");
      end = c.close_of(end) < c.size() && !c.is(end, "{") ? c.close_of(end) + 1 : end + 1;
    }
    if (assigns && c.is(end, ";")) add(replace(c, {i, end}, ""));
  }
}

/// constexpr int NAME = number
std::vector<std::size_t> constants(const Code &c) {
  std::vector<std::size_t> all;
  for (std::size_t i = 2; i + 2 < c.size(); ++i)
    if (c.is(i - 1, "=") && c.is_number(i) && (c.is(i + 1, ";") || c.is(i + 1, ",")) &&
        (c.is(c.statement_start(i), "constexpr") || c.is(c.statement_start(i), "const") ||
         c.is(c.statement_start(i), "static")))
      all.push_back(i);
  return all;
}
void constant_doubled(const Code &c, const Add &add) {
  for (const std::size_t i : constants(c)) add(replace(c, i, fmt::format("(2 * {})", c.word(i))));
}
void constant_one_more(const Code &c, const Add &add) {
  for (const std::size_t i : constants(c)) add(replace(c, i, fmt::format("({} + 1)", c.word(i))));
}
void constant_halved(const Code &c, const Add &add) {
  for (const std::size_t i : constants(c))
    if (!is_zero(c, i) && !c.is(i, "1")) add(replace(c, i, fmt::format("({} / 2)", c.word(i))));
}

void narrower_type(const Code &c, const Add &add) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> narrower = {
      {{"int64_t", "int32_t"},
       {"size_t", "uint32_t"},
       {"double", "float"},
       {"long", "int"},
       {"uint64_t", "uint32_t"},
       {"unsigned", "unsigned short"}}};
  for (std::size_t i = 1; i + 1 < c.size(); ++i)
    for (const auto &[from, to] : narrower)
      if (c.is(i, from) && c.in_function(i)) add(replace(c, i, std::string(to)));
}

void short_integer(const Code &c, const Add &add) {
  for (std::size_t i = 1; i + 2 < c.size(); ++i)
    if (c.is(i, "int") && c.on_device(i) && c.is_name(i + 1) && c.is(i + 2, "=") && !c.is(i - 1, "constexpr"))
      add(replace(c, i, "signed char"));
}

void sum_of_integers(const Code &c, const Add &add) {
  for (std::size_t i = 1; i + 2 < c.size(); ++i)
    if (c.is(i, "float") && c.on_device(i) && c.is_name(i + 1) && c.is(i + 2, "=") &&
        !c.is(i - 1, "__shared__") && !c.is(i - 1, "const"))
      add(replace(c, i, "int"));
}

}  // namespace

const std::vector<Kind> value_kinds = {
    {"initial value: one", starts_at_one},
    {"initial value: never set", never_set},
    {"factor: forgotten", factor_forgotten},
    {"factor: twice", factor_twice},
    {"term: left out", term_left_out},
    {"sign: the other", other_sign},
    {"factor: a sum for a product", product_as_sum},
    {"sum: the last term only", last_one_only},
    {"sum: subtracted", one_value_for_another},
    {"statement: left out", statement_left_out},
    {"constant: doubled", constant_doubled},
    {"constant: one more", constant_one_more},
    {"constant: halved", constant_halved},
    {"type: narrower", narrower_type},
    {"type: a short integer", short_integer},
    {"type: a sum in integers", sum_of_integers},
};

}  // namespace warpgrade::mutants
