#include "launches/plans.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <stdexcept>

namespace warpgrade::launches {
namespace {

constexpr std::size_t most_turns = 64, most_shares = 24;  // of a loop of launches

/// Ends the search for formulas.
struct NoFormula {
  std::string why;
};

/// Bytes of an argument as a signed number.
std::optional<std::int64_t> integer_at(const plan::Launch &launch, const ptx::Parameter &p) {
  if (p.offset + p.size > launch.arguments.size()) return std::nullopt;
  const std::byte *at = launch.arguments.data() + p.offset;
  const auto as = [at](auto value) -> std::int64_t {
    std::memcpy(&value, at, sizeof value);
    return value;
  };
  switch (p.size) {
    case 1:
      return as(std::int8_t{});
    case 2:
      return as(std::int16_t{});
    case 4:
      return as(std::int32_t{});
    case 8:
      return as(std::int64_t{});
    default:
      return std::nullopt;
  }
}

class FromPlans {
 public:
  FromPlans(const std::vector<std::string> &names, const std::vector<Recorded> &fitted,
            const std::vector<Recorded> &checked, const ptx::Module &module,
            const std::set<std::int64_t> &preferred, const std::vector<Formula> &known = {})
      : names_(names), module_(module), preferred_(preferred), known_(known), fitted_(fitted.size()) {
    for (const auto *some : {&fitted, &checked})
      for (const Recorded &one : *some) {
        all_.push_back(&one);
        launches_.push_back(launches_of(one.plan));
      }
  }

  Launches find() const {
    Launches made;
    if (all_.empty() || launches_.front().empty()) throw NoFormula{"nothing is launched"};
    const std::size_t count = launches_.front().size();
    for (const auto &some : launches_)
      if (some.size() != count) return loop();
    for (std::size_t l = 0; l < count; ++l) made.launches.push_back(launch(l));
    made.scratch = scratch();
    return made;
  }

 private:
  /// A launcher that launches one kernel in a loop, such as for so many rows at a time.
  Launches loop() const {
    const std::string &kernel = launches_.front().front()->kernel;
    std::set<std::int64_t> shares_of_turns;
    std::vector<Recorded> fitted, checked;
    for (std::size_t r = 0; r < all_.size(); ++r) {
      if (launches_[r].empty() || launches_[r].size() > most_turns)
        throw NoFormula{"the number of launches depends on the sizes"};
      for (std::size_t turn = 0; turn < launches_[r].size(); ++turn) {
        const plan::Launch &launch = *launches_[r][turn];
        if (launch.kernel != kernel) throw NoFormula{"which kernels are launched depends on the sizes"};
        Recorded one{all_[r]->sizes, all_[r]->reals, {all_[r]->plan.buffers, {launch}}};
        one.sizes.push_back(static_cast<std::int64_t>(turn));
        (r < fitted_ ? fitted : checked).push_back(std::move(one));
        if (turn == 0 && launches_[r].size() > 1) add_integers(launch, shares_of_turns);
      }
    }
    std::vector<std::string> names = names_;
    names.emplace_back(turn_name);
    std::vector<Formula> known;
    for (const std::int64_t share : shares_of_turns)
      for (Formula &one : shares(names, names_.size(), share)) known.push_back(std::move(one));
    Launches made = FromPlans(names, fitted, checked, module_, preferred_, known).find();
    made.launches.at(0).turns = turns(shares_of_turns);
    return made;
  }

  std::string turns(const std::set<std::int64_t> &likely) const {
    std::vector<Observation> seen;
    for (std::size_t r = 0; r < all_.size(); ++r)
      seen.push_back({all_[r]->sizes, static_cast<std::int64_t>(launches_[r].size())});
    const auto found = fit(names_, seen, likely);
    if (!found) throw NoFormula{"the number of launches follows no known formula of the sizes"};
    return found->text;
  }

  /// Arguments that may be how much a turn takes.
  void add_integers(const plan::Launch &launch, std::set<std::int64_t> &to) const {
    const ptx::KernelFacts *facts = ptx::find_kernel(module_, launch.kernel);
    if (!facts) return;
    for (const ptx::Parameter &p : facts->parameters)
      if (const auto value = integer_at(launch, p);
          value && *value > 1 && *value < std::int64_t{1} << 31 && to.size() < most_shares)
        to.insert(*value);
  }

  /// throws NoFormula: "the grid's x of k(int) has no known formula"
  template <typename Value>
  std::string formula(const std::string &what, const Value &value) const {
    const auto found = formula_or_none(value);
    if (!found) throw NoFormula{fmt::format("{} follows no known formula of the sizes", what)};
    return *found;
  }

  template <typename Value>
  std::optional<std::string> formula_or_none(const Value &value) const {
    std::vector<Observation> seen;
    for (std::size_t r = 0; r < all_.size(); ++r) {
      const std::optional<std::int64_t> one = value(r);
      if (!one) return std::nullopt;
      seen.push_back({all_[r]->sizes, *one});
    }
    const auto found =
        fit(names_, {seen.begin(), seen.begin() + static_cast<std::ptrdiff_t>(fitted_)}, preferred_, known_);
    if (!found ||
        !std::all_of(seen.begin(), seen.end(), [&](const Observation &o) { return found->gives(o); }))
      return std::nullopt;
    return found->text;
  }

  Launch launch(std::size_t l) const {
    Launch made;
    made.kernel = launches_.front()[l]->kernel;
    for (const auto &some : launches_)
      if (some[l]->kernel != made.kernel) throw NoFormula{"which kernels are launched depends on the sizes"};
    const std::string name = ptx::demangle(made.kernel);
    const auto of = [&](std::uint32_t plan::Dim3::*side, plan::Dim3 plan::Launch::*which) {
      return [this, l, side, which](std::size_t r) -> std::optional<std::int64_t> {
        return (launches_[r][l]->*which).*side;
      };
    };
    constexpr std::uint32_t plan::Dim3::*sides[] = {&plan::Dim3::x, &plan::Dim3::y, &plan::Dim3::z};
    for (std::size_t side = 0; side < 3; ++side) {
      made.grid[side] =
          formula(fmt::format("grid.{} of {}", "xyz"[side], name), of(sides[side], &plan::Launch::grid));
      made.block[side] =
          formula(fmt::format("block.{} of {}", "xyz"[side], name), of(sides[side], &plan::Launch::block));
    }
    made.dynamic_shared_bytes = formula(
        "the dynamic shared memory of " + name,
        [&](std::size_t r) -> std::optional<std::int64_t> { return launches_[r][l]->dynamic_shared_bytes; });
    const ptx::KernelFacts *facts = ptx::find_kernel(module_, made.kernel);
    if (!facts) throw NoFormula{"the device code does not contain " + name};
    for (const ptx::Parameter &p : facts->parameters) made.arguments.push_back(argument(l, p));
    return made;
  }

  /// A parameter that is no pointer, no factor, and follows no formula may be anything.
  Argument argument(std::size_t l, const ptx::Parameter &p) const {
    if (const auto to = pointer(l, p, 0)) {
      Argument made{Argument::Kind::pointer, "0", all_[0]->plan.buffers.at(to->buffer).name};
      const auto offset = formula_or_none([&](std::size_t r) -> std::optional<std::int64_t> {
        const auto other = pointer(l, p, r);
        if (!other || all_[r]->plan.buffers.at(other->buffer).name != made.buffer) return std::nullopt;
        return other->offset;
      });
      if (!offset) return {};
      made.value = *offset;
      return made;
    }
    if (is_factor(l, p) || holds_pointer(l, p)) return {};
    const auto value = formula_or_none([&](std::size_t r) { return integer_at(*launches_[r][l], p); });
    return value ? Argument{Argument::Kind::integer, *value, ""} : Argument{};
  }

  std::optional<plan::Place> pointer(std::size_t l, const ptx::Parameter &p, std::size_t r) const {
    if (p.size != 8) return std::nullopt;
    for (const plan::PointerArgument &one : launches_[r][l]->pointers)
      if (one.at == p.offset) return one.to;
    return std::nullopt;
  }

  bool holds_pointer(std::size_t l, const ptx::Parameter &p) const {
    const plan::Launch &launch = *launches_.front()[l];
    const auto inside = [&](std::uint32_t at) { return at >= p.offset && at < p.offset + p.size; };
    return std::any_of(launch.pointers.begin(), launch.pointers.end(),
                       [&](const auto &one) { return inside(one.at); }) ||
           std::any_of(launch.tensor_maps.begin(), launch.tensor_maps.end(),
                       [&](const auto &one) { return inside(one.at); });
  }

  /// Whether it is one of the case's factors in every plan.
  bool is_factor(std::size_t l, const ptx::Parameter &p) const {
    for (std::size_t f = 0; f < all_.front()->reals.size(); ++f) {
      bool same = true;
      for (std::size_t r = 0; r < all_.size() && same; ++r) {
        const double real = all_[r]->reals.at(f);
        const auto single = static_cast<float>(real);
        const plan::Launch &launch = *launches_[r][l];
        if (p.offset + p.size > launch.arguments.size()) return false;
        const std::byte *at = launch.arguments.data() + p.offset;
        same = (p.size == sizeof single && std::memcmp(at, &single, sizeof single) == 0) ||
               (p.size == sizeof real && std::memcmp(at, &real, sizeof real) == 0);
      }
      if (same) return true;
    }
    return false;
  }

  std::vector<Scratch> scratch() const {
    std::vector<Scratch> made;
    const std::vector<plan::Buffer> &buffers = all_.front()->plan.buffers;
    for (std::size_t b = 0; b < buffers.size(); ++b) {
      if (buffers[b].owner == plan::Owner::judge) continue;
      const auto bytes = formula_or_none([&](std::size_t r) -> std::optional<std::int64_t> {
        const std::vector<plan::Buffer> &others = all_[r]->plan.buffers;
        if (b >= others.size() || others[b].name != buffers[b].name) return std::nullopt;
        return static_cast<std::int64_t>(others[b].bytes);
      });
      if (bytes) made.push_back({buffers[b].name, *bytes});
    }
    return made;
  }

  const std::vector<std::string> &names_;
  const ptx::Module &module_;
  const std::set<std::int64_t> &preferred_;
  const std::vector<Formula> known_;
  const std::size_t fitted_;  // the first ones of all
  std::vector<const Recorded *> all_;
  std::vector<std::vector<const plan::Launch *>> launches_;  // by plan
};

}  // namespace

std::vector<const plan::Launch *> launches_of(const plan::LaunchPlan &plan) {
  std::vector<const plan::Launch *> all;
  for (const plan::Operation &o : plan.operations)
    if (const auto *launch = std::get_if<plan::Launch>(&o)) all.push_back(launch);
  return all;
}

Launches fit_launches(const std::vector<std::string> &names, const std::vector<Recorded> &fitted,
                      const std::vector<Recorded> &checked, const ptx::Module &module,
                      const std::set<std::int64_t> &preferred) {
  try {
    return FromPlans(names, fitted, checked, module, preferred).find();
  } catch (const NoFormula &none) {
    Launches made;
    made.why_not = none.why;
    return made;
  }
}

}  // namespace warpgrade::launches
