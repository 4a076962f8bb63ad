#include "prove/family.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace warpgrade::prove {
namespace {

/// start + step * index, for `count` values of the index.
struct Steps {
  Monomial monomial;
  Integer step = 0;
  std::size_t count = 1;
};

using Index = std::vector<std::size_t>;  // of a store in its family, by Steps

/// Numbers as sums of regular steps, the smallest step first: 0, 1, 8, 9 as 2 of 1 and 2 of 8.
bool split(std::vector<Integer> values, const Monomial &monomial, std::vector<Steps> &into) {
  while (values.size() > 1) {
    Steps one{monomial, values[1] - values[0], 2};
    while (one.count < values.size() && values[one.count] - values[one.count - 1] == one.step) ++one.count;
    if (values.size() % one.count != 0) return false;
    std::vector<Integer> starts;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::size_t within = i % one.count;
      if (within == 0) starts.push_back(values[i]);
      if (values[i] != starts.back() + static_cast<Integer>(within) * one.step) return false;
    }
    into.push_back(one);
    values = std::move(starts);
  }
  return true;
}

class Lifting {
 public:
  explicit Lifting(std::vector<const Access *> members, const Scene &scene) : members_(std::move(members)) {
    for (const Access *one : members_) shared_.push_back(scene.symbols.shared_part(one->offset));
  }

  /// Finds the steps by which the stores differ, and the place of each. False: they make no grid.
  bool has_steps() {
    std::map<Monomial, std::set<Integer>> values;
    for (const Polynomial &p : shared_)
      for (const auto &[monomial, factor] : p.terms()) values[monomial];
    for (auto &[monomial, seen] : values) {
      for (const Polynomial &p : shared_) seen.insert(p.coefficient(monomial));
      if (!split({seen.begin(), seen.end()}, monomial, steps_)) return false;
      least_[monomial] = *seen.begin();
    }
    std::size_t places = 1;
    for (const Steps &one : steps_) places *= one.count;
    if (places != members_.size()) return false;
    for (std::size_t i = 0; i < members_.size(); ++i)
      if (!places_.emplace(place_of_member(i), i).second) return false;
    return true;
  }

  /// The first store, with an index for each of the steps; nothing if the conditions of the stores do not differ by
  /// the same steps.
  std::optional<Access> lifted(Scene &scene, std::set<Symbol> &exact) {
    indices_.clear();
    for (const Steps &one : steps_)
      indices_.push_back(
          scene.symbols.make("index", Level::thread, {0, static_cast<Integer>(one.count) - 1}));
    Access made = *members_[places_.at(Index(steps_.size()))];
    const auto offset = lift([&](const Access &a) { return a.offset; });
    if (!offset) return std::nullopt;
    made.offset = *offset;
    for (std::size_t d = 0; d < made.at.path.size(); ++d)
      if (!lift_decision(made, d)) return std::nullopt;
    for (const Symbol s : indices_) {
      made.at.iterations.push_back(s);
      exact.insert(s);
    }
    return made;
  }

 private:
  Index place_of_member(std::size_t member) const {
    Index place(steps_.size());
    std::map<Monomial, Integer> rest;
    for (const auto &[monomial, least] : least_)
      rest[monomial] = shared_[member].coefficient(monomial) - least;
    for (std::size_t s = steps_.size(); s-- > 0;) {  // the largest step of a monomial is its last
      Integer &left = rest[steps_[s].monomial];
      place[s] = static_cast<std::size_t>(left / steps_[s].step);
      left -= static_cast<Integer>(place[s]) * steps_[s].step;
    }
    return place;
  }

  /// A polynomial that every store has, as one of the indices.
  template <typename Of>
  std::optional<Polynomial> lift(const Of &of) const {
    const Polynomial first = of(*members_[places_.at(Index(steps_.size()))]);
    std::vector<Polynomial> rise;
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      Index unit(steps_.size());
      unit[s] = 1;
      rise.push_back(of(*members_[places_.at(unit)]) - first);
    }
    for (const auto &[place, member] : places_) {
      Polynomial expected = first;
      for (std::size_t s = 0; s < steps_.size(); ++s)
        expected = expected + rise[s] * Polynomial(static_cast<Integer>(place[s]));
      if (expected != of(*members_[member])) return std::nullopt;
    }
    Polynomial result = first;
    for (std::size_t s = 0; s < steps_.size(); ++s) result = result + rise[s] * Polynomial::of(indices_[s]);
    return result;
  }

  bool lift_decision(Access &made, std::size_t d) const {
    Decision &to = made.at.path[d];
    const auto alike = [&](const Access *one) {
      const std::vector<Decision> &path = one->at.path;
      if (path.size() != made.at.path.size() || path[d].known != to.known || path[d].fact != to.fact)
        return false;
      return std::equal(path[d].cases.begin(), path[d].cases.end(), to.cases.begin(), to.cases.end(),
                        [](const Conjunction &a, const Conjunction &b) {
                          return std::equal(
                              a.begin(), a.end(), b.begin(), b.end(),
                              [](const Atom &x, const Atom &y) { return x.equality == y.equality; });
                        });
    };
    if (!std::all_of(members_.begin(), members_.end(), alike)) return false;
    for (std::size_t c = 0; c < to.cases.size(); ++c)
      for (std::size_t a = 0; a < to.cases[c].size(); ++a) {
        const auto polynomial =
            lift([&](const Access &one) { return one.at.path[d].cases[c][a].polynomial; });
        if (!polynomial) return false;
        to.cases[c][a].polynomial = *polynomial;
      }
    return true;
  }

  std::vector<const Access *> members_;
  std::vector<Polynomial> shared_;  // by member
  std::vector<Steps> steps_;
  std::map<Monomial, Integer> least_;
  std::map<Index, std::size_t> places_;  // members
  std::vector<Symbol> indices_;          // by step
};

/// A store of several elements, as one of each.
Access by_element(Scene &scene, Access store, std::set<Symbol> &exact) {
  const Integer bytes = scene.objects[static_cast<std::size_t>(store.object)].element_bytes;
  const Integer elements = static_cast<Integer>(store.bytes) / bytes;
  if (elements < 2 || static_cast<Integer>(store.bytes) % bytes != 0) return store;
  const Symbol element = scene.symbols.make("index", Level::thread, {0, elements - 1});
  store.offset = store.offset + Polynomial::of(element) * Polynomial(bytes);
  store.bytes = static_cast<std::uint32_t>(bytes);
  store.at.iterations.push_back(element);
  exact.insert(element);
  return store;
}

/// What the accesses of a family have in common.
struct CommonPart {
  int object;
  Access::Kind kind;
  Polynomial own;  // of the address
  std::uint32_t bytes, update_bytes;
  bool of_block;
  std::vector<Symbol> iterations;
  Polynomial interval;
  bool operator==(const CommonPart &) const = default;
};

/// The conditions on the way to an access, without what all threads have in common.
std::vector<Disjunction> own_conditions(const Scene &scene, const Access &access) {
  std::vector<Disjunction> result;
  for (const Decision &one : access.at.path) {
    result.push_back(one.cases);
    for (Conjunction &conjunction : result.back())
      for (Atom &atom : conjunction)
        atom.polynomial = atom.polynomial - scene.symbols.shared_part(atom.polynomial);
  }
  return result;
}

template <typename Key, typename Of>
std::vector<std::vector<const Access *>> grouped(const std::vector<const Access *> &all, const Of &key_of) {
  std::vector<std::pair<Key, std::vector<const Access *>>> groups;
  for (const Access *one : all) {
    Key key = key_of(*one);
    auto found = std::find_if(groups.begin(), groups.end(), [&](const auto &g) { return g.first == key; });
    if (found == groups.end()) found = groups.insert(groups.end(), {std::move(key), {}});
    found->second.push_back(one);
  }
  std::vector<std::vector<const Access *>> result;
  for (auto &[key, members] : groups) result.push_back(std::move(members));
  return result;
}

std::optional<Family> family_of(Scene &scene, const std::vector<const Access *> &members,
                                std::set<Symbol> &exact) {
  if (members.size() == 1) return Family{*members.front(), members};
  Lifting lifting(members, scene);
  if (!lifting.has_steps()) return std::nullopt;
  auto whole = lifting.lifted(scene, exact);
  if (!whole) return std::nullopt;
  return Family{std::move(*whole), members};
}

}  // namespace

std::vector<Family> families_of(Scene &scene, const std::vector<const Access *> &accesses,
                                std::set<Symbol> &exact, bool same_interval) {
  std::vector<Family> result;
  const auto common = [&](const Access &a) {
    return CommonPart{
        a.object,   a.kind,          a.offset - scene.symbols.shared_part(a.offset), a.bytes, a.update_bytes,
        a.of_block, a.at.iterations, same_interval ? a.at.interval : Polynomial()};
  };
  for (const auto &alike : grouped<CommonPart>(accesses, common)) {
    if (auto whole = family_of(scene, alike, exact)) {
      result.push_back(std::move(*whole));
      continue;
    }
    // Perhaps they come by different ways, each of which has its steps.
    const auto way = [&](const Access &a) { return own_conditions(scene, a); };
    for (const auto &members : grouped<std::vector<Disjunction>>(alike, way)) {
      if (auto part = family_of(scene, members, exact))
        result.push_back(std::move(*part));
      else
        for (const Access *one : members) result.push_back({*one, {one}});
    }
  }
  return result;
}

std::vector<Access> as_families(Scene &scene, const std::vector<const Access *> &stores,
                                std::set<Symbol> &exact) {
  std::vector<Access> result;
  for (Family &one : families_of(scene, stores, exact, false))
    result.push_back(by_element(scene, std::move(one.whole), exact));
  return result;
}

}  // namespace warpgrade::prove
