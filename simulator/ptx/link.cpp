// Modules that were compiled separately, joined into one.
#include <iterator>
#include <set>

#include "ptx/parser.hpp"

namespace warpgrade::ptx {
namespace {

using Names = std::map<std::string, std::string>;

void rename(Operand &operand, const Names &names) {
  if (operand.kind == Operand::Kind::symbol || operand.kind == Operand::Kind::memory)
    if (const auto found = names.find(operand.name); found != names.end()) operand.name = found->second;
  for (Operand &element : operand.elements) rename(element, names);
}

class Linker {
 public:
  explicit Linker(Module first) : whole_(std::move(first)) {
    for (const Variable &variable : whole_.variables) taken_.insert(variable.name);
    for (const Function &function : whole_.functions) taken_.insert(function.name);
    for (std::size_t i = 0; i < whole_.variables.size(); ++i) variables_.emplace(whole_.variables[i].name, i);
    for (std::size_t i = 0; i < whole_.functions.size(); ++i) functions_.emplace(whole_.functions[i].name, i);
  }

  void add(Module part) {
    keep_internal_names_apart(part);
    move_locations(part);
    for (Variable &variable : part.variables)
      meet(whole_.variables, variables_, std::move(variable), [](const Variable &v) { return !v.external; });
    for (Function &function : part.functions)
      meet(whole_.functions, functions_, std::move(function), [](const Function &f) { return f.defined; });
  }

  Module finish() {
    collect_kernels(whole_);
    return std::move(whole_);
  }

 private:
  void keep_internal_names_apart(Module &part) {
    Names names;
    const auto look_at = [&](const std::string &name, bool internal) {
      if (taken_.insert(name).second || !internal) return;
      int suffix = 2;
      while (!taken_.insert(name + "." + std::to_string(suffix)).second) ++suffix;
      names[name] = name + "." + std::to_string(suffix);
    };
    for (const Variable &variable : part.variables) look_at(variable.name, variable.internal);
    for (const Function &function : part.functions) look_at(function.name, function.internal);
    if (!names.empty()) ptx::rename(part, names);
  }

  /// Numbers of files and indices of locations go on from those of the parts before.
  void move_locations(Module &part) {
    const auto files = static_cast<std::int32_t>(whole_.files.size());
    const auto locations = static_cast<std::int32_t>(whole_.locations.size());
    for (Location &location : part.locations) {
      location.file += files;
      if (location.inlined_at >= 0) location.inlined_at += locations;
    }
    for (Function &function : part.functions)
      for (Instruction &instruction : function.instructions)
        if (instruction.location >= 0) instruction.location += locations;
    std::move(part.files.begin(), part.files.end(), std::back_inserter(whole_.files));
    std::move(part.locations.begin(), part.locations.end(), std::back_inserter(whole_.locations));
  }

  /// Adds what has a new name; a definition takes the place of a declaration.
  template <class Thing, class IsDefinition>
  static void meet(std::vector<Thing> &all, std::map<std::string, std::size_t> &index, Thing thing,
                   const IsDefinition &is_definition) {
    const auto [known, is_new] = index.emplace(thing.name, all.size());
    if (is_new)
      all.push_back(std::move(thing));
    else if (Thing &before = all[known->second]; is_definition(thing) && !is_definition(before))
      before = std::move(thing);
  }

  Module whole_;
  std::set<std::string> taken_;
  std::map<std::string, std::size_t> variables_, functions_;
};

}  // namespace

void rename(Module &module, const Names &names) {
  const auto change = [&](std::string &name) {
    if (const auto found = names.find(name); found != names.end()) name = found->second;
  };
  for (KernelFacts &kernel : module.kernels) change(kernel.name);
  for (Variable &variable : module.variables) {
    change(variable.name);
    for (Variable::Relocation &relocation : variable.relocations) change(relocation.symbol);
  }
  for (Function &function : module.functions) {
    change(function.name);
    for (Instruction &instruction : function.instructions)
      for (Operand &operand : instruction.operands) rename(operand, names);
  }
}

Module link(std::vector<Module> parts) {
  Linker linker(std::move(parts.front()));
  for (auto part = parts.begin() + 1; part != parts.end(); ++part) linker.add(std::move(*part));
  return linker.finish();
}

}  // namespace warpgrade::ptx
