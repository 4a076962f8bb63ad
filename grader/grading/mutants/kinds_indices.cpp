// Indices: coordinates, rows and columns, strides of rows.
#include <fmt/format.h>

#include <algorithm>

#include "mutants/code.hpp"

namespace warpgrade::mutants {

namespace {

bool is_coordinate(std::string_view w) {
  return w == "threadIdx" || w == "blockIdx" || w == "blockDim" || w == "gridDim";
}

void other_coordinate(const Code &c, const Add &add) {
  for (std::size_t i = 0; i + 2 < c.size(); ++i)
    if (is_coordinate(c.word(i)) && c.is(i + 1, ".") && (c.is(i + 2, "x") || c.is(i + 2, "y")))
      add(replace(c, i + 2, c.is(i + 2, "x") ? "y" : "x"));
}

/// Subscripts that select an element, without those of declarations.
std::vector<Range> subscripts(const Code &c) {
  std::vector<Range> all;
  for (std::size_t i = 1; i < c.size(); ++i) {
    if (!c.is(i, "[") || c.close_of(i) >= c.size() || !c.in_function(i)) continue;
    const Range inside{i + 1, c.close_of(i)};
    std::size_t name = i - 1;  // of several subscripts, the array's
    while (name > 0 && c.is(name, "]")) {
      while (name > 0 && !c.is(name, "[")) --name;
      --name;
    }
    const bool declared = c.declares(i) && name > 0 &&
                          (c.is_name(name - 1) || c.is(name - 1, "*") || c.is(name - 1, ",")) &&
                          !c.is(name - 1, "return");
    const bool pointer_to_rows = c.is(i - 1, ")") && c.declares(i);
    if (!inside.empty() && !declared && !pointer_to_rows && !c.is(i - 1, "delete")) all.push_back(inside);
  }
  return all;
}

void one_on(const Code &c, const Add &add) {
  for (const Range &r : subscripts(c)) add(replace(c, r, fmt::format("{} + 1", c.text(r))));
}

void one_back(const Code &c, const Add &add) {
  for (const Range &r : subscripts(c)) add(replace(c, r, fmt::format("{} - 1", c.text(r))));
}

/// a[i][j] as a[j][i].
void subscripts_exchanged(const Code &c, const Add &add) {
  for (const Range &r : subscripts(c))
    if (c.is(r.last + 1, "[") && c.close_of(r.last + 1) < c.size() &&
        c.text(r) != c.text({r.last + 2, c.close_of(r.last + 1)}))
      add(swap(c, r, {r.last + 2, c.close_of(r.last + 1)}));
}

/// `row * N + col` as `col * N + row`, in a subscript.
void transposed(const Code &c, const Add &add) {
  for (const Range &r : subscripts(c)) {
    const std::vector<Range> terms = c.parts(r, "+");
    if (terms.size() != 2 || terms[0].empty() || terms[1].empty()) continue;
    const std::vector<Range> factors = c.parts(terms[0], "*");
    if (factors.size() == 2 && !factors[0].empty()) add(swap(c, factors[0], terms[1]));
  }
}

/// Each integer of the launcher, where device code uses it, as another one of them.
void other_size(const Code &c, const Add &add) {
  const std::vector<std::string> sizes = c.integer_parameters();
  if (sizes.size() < 2) return;
  for (std::size_t i = 1; i < c.size(); ++i) {
    if (!c.on_device(i)) continue;
    const auto found = std::find(sizes.begin(), sizes.end(), c.word(i));
    if (found == sizes.end() || c.is(i - 1, ".") || c.is(i - 1, "->")) continue;
    add(replace(c, i, found + 1 == sizes.end() ? sizes.front() : *(found + 1)));
  }
}

/// The product of a row's number with its length, alone: the column is forgotten.
void term_forgotten(const Code &c, const Add &add) {
  for (const Range &r : subscripts(c)) {
    const std::vector<Range> terms = c.parts(r, "+");
    if (terms.size() < 2) continue;
    for (std::size_t gone = 0; gone < terms.size(); ++gone) {
      std::string rest;
      for (std::size_t t = 0; t < terms.size(); ++t)
        if (t != gone && !terms[t].empty()) rest += (rest.empty() ? "" : " + ") + c.text(terms[t]);
      if (!rest.empty()) add(replace(c, r, rest));
    }
  }
}

void quotient_and_rest(const Code &c, const Add &add) {
  for (std::size_t i = 1; i + 1 < c.size(); ++i)
    if (c.on_device(i) && (c.is(i, "/") || c.is(i, "%"))) add(replace(c, i, c.is(i, "/") ? "%" : "/"));
}

}  // namespace

const std::vector<Kind> index_kinds = {
    {"index: the other coordinate", other_coordinate},
    {"index: one on", one_on},
    {"index: one back", one_back},
    {"index: subscripts exchanged", subscripts_exchanged},
    {"index: row and column exchanged", transposed},
    {"index: another size", other_size},
    {"index: a term forgotten", term_forgotten},
    {"index: quotient and rest", quotient_and_rest},
};

}  // namespace warpgrade::mutants
