#include "prove/scene.hpp"

#include <algorithm>
#include <stdexcept>

namespace warpgrade::prove {
namespace {

constexpr Integer most_blocks[] = {(Integer{1} << 31) - 1, 65535, 65535};
constexpr Integer most_threads[] = {1024, 1024, 64};
constexpr Integer most_bytes = Integer{1} << 46;  // of one buffer: more than any device has
constexpr Integer most_elements = (Integer{1} << 31) - 1;

/// Whether the number of the launch is in it, or a quotient of that.
bool mentions(const Polynomial &p, const Scene &scene) {
  return scene.symbols.level(p) != Level::launch;
}
bool mentions(const Disjunction &cases, const Scene &scene) {
  return scene.symbols.level(cases) != Level::launch;
}

/// A range for each symbol of a linear fact, from the ranges of the others: of P >= W and W >= 1 follows P >= 1.
void narrow_by(Scene &scene, const Atom &atom) {
  if (atom.polynomial.degree() != 1) return;
  const std::size_t symbols = atom.polynomial.terms().size() - (atom.polynomial.coefficient({}) != 0 ? 1 : 0);
  // What holds of the number of a launch, or of a part of it, ties nothing else.
  const bool of_turn = !scene.turn.constant() && mentions(atom.polynomial, scene);
  if (of_turn && (symbols > 1 || !atom.polynomial.contains(symbol_of(scene.turn)))) return;
  for (const auto &[monomial, factor] : atom.polynomial.terms()) {
    if (monomial.empty() || (factor != 1 && factor != -1)) continue;
    const Polynomial term = Polynomial::of(monomial.front()) * Polynomial(factor);
    const Range rest = scene.symbols.range(atom.polynomial - term);
    Range range = Symbols::everything;
    if (factor == 1 || atom.equality) range.low = factor == 1 ? -rest.high : rest.low;
    if (factor == -1 || atom.equality) range.high = factor == 1 ? -rest.low : rest.high;
    scene.symbols.narrow(monomial.front(), range);
  }
}

constexpr int most_narrowing = 4;  // rounds: of a longer chain of sizes, the last keep wider ranges

/// Bounds of sizes make ranges; what ties sizes holds wherever one of them occurs.
void assume(Scene &scene, const Formula &facts) {
  for (int round = 0; round < most_narrowing; ++round)
    for (const Atom &atom : facts.atoms) narrow_by(scene, atom);
  // What is said of the number of a launch is a fact of this launch only, and so none of the sizes.
  const bool has_turn = !scene.turn.constant();
  Formula of_sizes, of_turn;
  for (const Atom &atom : facts.atoms)
    (has_turn && mentions(atom.polynomial, scene) ? of_turn : of_sizes).atoms.push_back(atom);
  for (const Disjunction &clause : facts.clauses)
    (has_turn && mentions(clause, scene) ? of_turn : of_sizes).clauses.push_back(clause);
  for (const auto &[name, size] : scene.sizes) scene.symbols.define(symbol_of(size), of_sizes);
  if (has_turn) scene.symbols.define(symbol_of(scene.turn), of_turn);
}

void add_sizes(Scene &scene, const Problem &problem) {
  for (const std::string &name : problem.sizes) {
    // Two threads may be of different launches, as they may be of different blocks.
    scene.sizes[name] =
        Polynomial::of(scene.symbols.make(name, name == problem.turn ? Level::block : Level::launch,
                                          {-(Integer{1} << 31), Integer{problem.largest}}));
  }
  if (!problem.turn.empty()) scene.turn = scene.sizes.at(problem.turn);
  Formula facts;
  for (const Expression &text : problem.assumptions)
    facts.add(to_formula(parse_expression(text), scene.sizes, scene.symbols));
  assume(scene, facts);
}

Polynomial index(Scene &scene, const std::string &name, Level level, const Polynomial &count, Integer most) {
  if (const auto one = count.constant(); one && *one == 1) return Polynomial(0);
  const Integer high = std::min(most, scene.symbols.range(count).high);
  const Symbol s = scene.symbols.make(name, level, {0, high - 1});
  scene.symbols.define(s, {{less(Polynomial::of(s), count)}, {}});
  return Polynomial::of(s);
}

void add_indices(Scene &scene, const Problem &problem) {
  const char axes[] = {'x', 'y', 'z'};
  for (std::size_t d = 0; d < 3; ++d) {
    scene.grid[d] = to_polynomial(parse_expression(problem.grid[d]), scene.sizes, scene.symbols);
    scene.block[d] = to_polynomial(parse_expression(problem.block[d]), scene.sizes, scene.symbols);
    scene.block_index[d] =
        index(scene, std::string("blockIdx.") + axes[d], Level::block, scene.grid[d], most_blocks[d]);
    scene.thread_index[d] =
        index(scene, std::string("threadIdx.") + axes[d], Level::thread, scene.block[d], most_threads[d]);
  }
}

/// Threads of a block.
Integer most_threads_of(const ptx::Function &kernel) {
  return kernel.max_threads > 0 ? std::min<Integer>(kernel.max_threads, most_threads[0]) : most_threads[0];
}

/// A launch that a device refuses runs nothing, so grid and block are ones that it takes.
void limit_launch(Scene &scene) {
  const Integer threads = most_threads_of(*scene.kernel);
  for (std::size_t d = 0; d < 3; ++d)
    for (const auto &[extent, most] : {std::pair(scene.grid[d], most_blocks[d]),
                                       std::pair(scene.block[d], std::min(most_threads[d], threads))})
      for (const auto &[monomial, factor] : extent.terms())
        for (const Symbol s : monomial)
          if (scene.symbols.range(extent).high > most)
            scene.symbols.define(s, {{at_least(Polynomial(most), extent)}, {}});
}

void add_object(Scene &scene, const std::string &name, MemoryObject::Kind kind, Polynomial bytes,
                Integer aligned_to = 256) {
  const Symbol base = scene.symbols.make("&" + name, Level::launch, {Integer{1} << 10, Integer{1} << 48});
  scene.objects.push_back({name, kind, base, std::move(bytes), true, false, {}, 1, aligned_to});
}

void add_buffers(Scene &scene, const Problem &problem) {
  for (const Buffer &buffer : problem.buffers) {
    Polynomial elements(1);
    std::vector<Polynomial> shape;
    for (const Expression &extent : buffer.shape) {
      shape.push_back(to_polynomial(parse_expression(extent), scene.sizes, scene.symbols));
      elements = elements * shape.back();
    }
    const Integer most = scene.limited ? most_elements : most_bytes / buffer.element_bytes;
    // Also where the sizes imply it: this brings in their product, which other constraints are then multiplied to.
    if (shape.size() > 1 || scene.symbols.range(elements).high > most)
      assume(scene, {{at_least(Polynomial(most), elements)}, {}});
    add_object(scene, buffer.name, MemoryObject::Kind::buffer, elements * Polynomial(buffer.element_bytes));
    MemoryObject &object = scene.objects.back();
    object.sized = !buffer.shape.empty();
    object.output = buffer.output;
    object.shape = std::move(shape);
    object.element_bytes = buffer.element_bytes;
  }
}

void add_variable(Scene &scene, const Problem &problem, const ptx::Variable &variable) {
  const Integer aligned_to = variable.align, bytes = static_cast<Integer>(variable.bytes);
  switch (variable.space) {
    case ptx::Space::shared:
      if (variable.dynamic) {
        // All of them begin at one address.
        const auto other = std::find_if(scene.objects.begin(), scene.objects.end(),
                                        [](const MemoryObject &object) { return object.dynamic; });
        if (other != scene.objects.end()) {
          other->also.insert(variable.name);
          other->aligned_to = std::max(other->aligned_to, aligned_to);
          break;
        }
      }
      add_object(scene, variable.name, MemoryObject::Kind::shared,
                 variable.dynamic ? to_polynomial(parse_expression(problem.dynamic_shared_bytes), scene.sizes,
                                                  scene.symbols)
                                  : Polynomial(bytes),
                 aligned_to);
      scene.objects.back().dynamic = variable.dynamic;
      break;
    case ptx::Space::local:
      add_object(scene, variable.name, MemoryObject::Kind::local, bytes, aligned_to);
      break;
    case ptx::Space::constant:
      add_object(scene, variable.name, MemoryObject::Kind::constant, bytes, aligned_to);
      break;
    default:
      add_object(scene, variable.name, MemoryObject::Kind::buffer, bytes, aligned_to);
  }
}

Value argument_value(const Scene &scene, const Problem &problem, const Argument &argument, Symbols &symbols) {
  if (argument.kind == Argument::Kind::data) return {};
  const Polynomial value = to_polynomial(parse_expression(argument.value), scene.sizes, symbols);
  if (argument.kind == Argument::Kind::integer) return a_number(value);
  const auto buffer = std::find_if(problem.buffers.begin(), problem.buffers.end(),
                                   [&](const Buffer &one) { return one.name == argument.buffer; });
  if (buffer == problem.buffers.end())
    throw std::invalid_argument("there is no buffer '" + argument.buffer + "'");
  const Symbol base = scene.objects[static_cast<std::size_t>(buffer - problem.buffers.begin())].base;
  return a_number(Polynomial::of(base) + value * Polynomial(buffer->element_bytes));
}

}  // namespace

Scene scene_of(const Problem &problem, bool limit_buffers) {
  Scene scene;
  scene.module = problem.module;
  scene.kernel = ptx::find_function(*problem.module, problem.kernel);
  if (scene.kernel == nullptr) throw std::invalid_argument("there is no kernel '" + problem.kernel + "'");
  if (scene.kernel->parameters.size() != problem.arguments.size())
    throw std::invalid_argument("the kernel has " + std::to_string(scene.kernel->parameters.size()) +
                                " parameters");
  scene.limited = limit_buffers;
  add_sizes(scene, problem);
  add_indices(scene, problem);
  limit_launch(scene);
  add_buffers(scene, problem);
  for (const ptx::Variable &variable : scene.kernel->variables) add_variable(scene, problem, variable);
  for (const ptx::Variable &variable : problem.module->variables) add_variable(scene, problem, variable);
  for (const Argument &argument : problem.arguments)
    scene.arguments.push_back(argument_value(scene, problem, argument, scene.symbols));
  return scene;
}

std::string why_no_launch(const Problem &problem, Decider &decider) {
  using Extents = decltype(Problem::grid);
  const auto never = [&](const Scene &scene, const Conjunction &wanted) {
    std::vector<Polynomial> sizes;
    for (const auto &[name, size] : scene.sizes) sizes.push_back(size);
    return decider.is_empty(scene.symbols.complete({wanted, {}}, sizes));
  };
  Problem part = problem;  // what a scene knows of its sizes includes that its grid and block are taken
  const Extents one{"1", "1", "1"};
  part.grid = part.block = one;
  if (never(scene_of(part, false), {})) return "no sizes satisfy the assumptions";
  for (std::size_t d = 0; d < 3; ++d) {
    part.grid[d] = problem.grid[d];
    const Scene with_grid = scene_of(part, false);
    if (never(with_grid, {at_least(with_grid.grid[d], 1), at_least(most_blocks[d], with_grid.grid[d])}))
      return "a grid has no blocks, or more than a device takes";
    part.grid = one;
    part.block[d] = problem.block[d];
    const Scene with_block = scene_of(part, false);
    if (never(with_block, {at_least(with_block.block[d], 1), at_least(most_threads[d], with_block.block[d])}))
      return "a block has no threads, or more than a device takes";
    part.block = one;
  }
  const Scene scene = scene_of(problem, false);
  const Integer most = most_threads_of(*scene.kernel);
  if (!never(scene, {at_least(most, scene.block[0] * scene.block[1] * scene.block[2])})) return "";
  return "a block has more threads than the " + std::to_string(static_cast<std::int64_t>(most)) + " that " +
         (most < most_threads[0] ? "__launch_bounds__ of the kernel allows" : "a device takes");
}

Place place_of(const Scene &scene, const Polynomial &address) {
  Place place;
  for (std::size_t i = 0; i < scene.objects.size(); ++i) {
    const Symbol base = scene.objects[i].base;
    if (!address.contains(base)) continue;
    const Polynomial offset = address - Polynomial::of(base);
    if (place.object >= 0 || offset.contains(base)) return {};
    place = {static_cast<int>(i), offset};
  }
  return place;
}

}  // namespace warpgrade::prove
