// Launchers: grids, blocks and arguments.
#include <fmt/format.h>

#include "mutants/code.hpp"

namespace warpgrade::mutants {

namespace {

/// dim3(a, b) and dim3 name(a, b), also with braces' arguments written in parentheses.
std::vector<Call> shapes(const Code &c) {
  std::vector<Call> all;
  for (const Call &call : c.calls("dim3"))
    if (c.in_function(call.name)) all.push_back(call);
  return all;
}

void shape_turned(const Code &c, const Add &add) {
  for (const Call &call : shapes(c))
    if (call.arguments.size() >= 2 && !call.arguments[0].empty() &&
        c.text(call.arguments[0]) != c.text(call.arguments[1]))
      add(swap(c, call.arguments[0], call.arguments[1]));
}

/// The arguments of shapes, and launches that take numbers.
std::vector<Range> extents(const Code &c) {
  std::vector<Range> all;
  for (const Call &call : shapes(c))
    for (const Range &one : call.arguments)
      if (!one.empty()) all.push_back(one);
  for (const Code::Launch &launch : c.launches())
    for (std::size_t g = 0; g < launch.geometry.size() && g < 2; ++g)
      if (!launch.geometry[g].empty() && !c.is(launch.geometry[g].first, "dim3"))
        all.push_back(launch.geometry[g]);
  return all;
}

void one_fewer(const Code &c, const Add &add) {
  for (const Range &r : extents(c)) add(replace(c, r, fmt::format("({0}) - (({0}) > 1)", c.text(r))));
}
void halved(const Code &c, const Add &add) {
  for (const Range &r : extents(c)) add(replace(c, r, fmt::format("(({}) + 1) / 2", c.text(r))));
}
void one_more(const Code &c, const Add &add) {
  for (const Range &r : extents(c)) add(replace(c, r, fmt::format("({}) + 1", c.text(r))));
}

void arguments_exchanged(const Code &c, const Add &add) {
  for (const Code::Launch &launch : c.launches())
    for (std::size_t a = 0; a + 1 < launch.arguments.size(); ++a)
      if (!launch.arguments[a].empty() && !launch.arguments[a + 1].empty())
        add(swap(c, launch.arguments[a], launch.arguments[a + 1]));
}

void grid_and_block_exchanged(const Code &c, const Add &add) {
  for (const Code::Launch &launch : c.launches())
    if (launch.geometry.size() >= 2 && !launch.geometry[0].empty() && !launch.geometry[1].empty())
      add(swap(c, launch.geometry[0], launch.geometry[1]));
}

void too_few_dynamic_bytes(const Code &c, const Add &add) {
  for (const Code::Launch &launch : c.launches())
    if (launch.geometry.size() >= 3 && !launch.geometry[2].empty())
      add(replace(c, launch.geometry[2], fmt::format("({}) / 2", c.text(launch.geometry[2]))));
}

}  // namespace

const std::vector<Kind> launch_kinds = {
    {"launch: x and y exchanged", shape_turned},
    {"launch: one block or thread fewer", one_fewer},
    {"launch: half of it", halved},
    {"launch: one block or thread more", one_more},
    {"launch: arguments exchanged", arguments_exchanged},
    {"launch: grid and block exchanged", grid_and_block_exchanged},
    {"launch: half the shared bytes", too_few_dynamic_bytes},
};

}  // namespace warpgrade::mutants
