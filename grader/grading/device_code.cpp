#include "grading/device_code.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <map>

namespace warpgrade::grading {

namespace {

class CodeHash {
 public:
  void add(std::string_view text) {
    for (const char c : text) mix(static_cast<unsigned char>(c));
    mix(0x100);
  }
  void add(std::uint64_t number) { add(std::to_string(number)); }
  std::string text() const { return fmt::format("{:016x}", hash_); }

 private:
  void mix(std::uint64_t value) { hash_ = (hash_ ^ value) * 0x100000001b3; }  // FNV-1a
  std::uint64_t hash_ = 0xcbf29ce484222325;
};

class NumberedNames {
 public:
  explicit NumberedNames(const ptx::Module &m) {
    for (const ptx::Function &f : m.functions)
      if (!f.defined) numbers_[f.name] = f.name;  // of the toolkit
  }
  const std::string &operator()(const std::string &name) {
    const auto [found, fresh] = numbers_.try_emplace(name);
    if (fresh) found->second = fmt::format("#{}", numbers_.size());
    return found->second;
  }

 private:
  std::map<std::string, std::string> numbers_;
};

void add_to(CodeHash &hash, NumberedNames &numbered, const ptx::Variable &v) {
  hash.add(numbered(v.name));
  for (const std::uint64_t figure : {std::uint64_t(v.space), v.bytes, std::uint64_t(v.align)})
    hash.add(figure);
  for (const std::byte b : v.initial) hash.add(std::to_integer<std::uint64_t>(b));
  for (const auto &r : v.relocations)
    hash.add(r.offset), hash.add(numbered(r.symbol)), hash.add(static_cast<std::uint64_t>(r.addend));
}

void add_to(CodeHash &hash, NumberedNames &numbered, const ptx::Operand &o) {
  hash.add(fmt::format("{}.{}.{}.{}.{}.{}", static_cast<int>(o.kind), static_cast<int>(o.type), o.reg,
                       o.second, o.value, o.negated));
  hash.add(o.name.empty() || o.kind == ptx::Operand::Kind::special ? o.name : numbered(o.name));
  for (const ptx::Operand &element : o.elements) add_to(hash, numbered, element);
}

void add_to(CodeHash &hash, NumberedNames &numbered, const ptx::Function &f) {
  hash.add(numbered(f.name));
  for (const ptx::Parameter &p : f.parameters) hash.add(numbered(p.name)), hash.add(p.size);
  for (const ptx::Variable &v : f.variables) add_to(hash, numbered, v);
  for (const ptx::Label &l : f.labels) hash.add(numbered(l.name)), hash.add(l.instruction);
  for (const auto &targets : f.branch_targets)
    for (const std::string &target : targets) hash.add(numbered(target));
  for (const ptx::Instruction &i : f.instructions) {
    hash.add(fmt::format("{} {} {}", i.opcode, i.guard, i.guard_negated));
    for (const ptx::Operand &o : i.operands) add_to(hash, numbered, o);
  }
}

}  // namespace

std::string hash_without_names(const ptx::Module &m) {
  CodeHash hash;
  NumberedNames numbered(m);
  for (const ptx::Function &f : m.functions) add_to(hash, numbered, f);
  for (const ptx::Variable &v : m.variables) add_to(hash, numbered, v);
  return hash.text();
}

}  // namespace warpgrade::grading
