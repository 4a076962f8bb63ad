// Statements and operands inside a function.
#include <algorithm>
#include <string>
#include <unordered_map>

#include "ptx/parser.hpp"

namespace warpgrade::ptx {
namespace {

constexpr std::size_t max_instructions = 4'000'000;
constexpr std::size_t max_registers = 1u << 20;
constexpr std::size_t max_scopes = 64;
constexpr std::size_t max_operands = 256;

bool is_directive(std::string_view name) {
  return name.starts_with(".");
}

/// Of the bytes or halves of a word, as video instructions take them: "b0", "h10", "b7654".
bool is_selector(std::string_view name) {
  constexpr std::size_t most = 5;
  if (name.size() < 2 || name.size() > most || (name[0] != 'b' && name[0] != 'h')) return false;
  return std::all_of(name.begin() + 1, name.end(), [](char c) { return c >= '0' && c <= '7'; });
}

bool is_special(std::string_view name) {
  static constexpr std::string_view names[] = {"%tid",
                                               "%ntid",
                                               "%laneid",
                                               "%warpid",
                                               "%nwarpid",
                                               "%ctaid",
                                               "%nctaid",
                                               "%smid",
                                               "%nsmid",
                                               "%gridid",
                                               "%lanemask_eq",
                                               "%lanemask_le",
                                               "%lanemask_lt",
                                               "%lanemask_ge",
                                               "%lanemask_gt",
                                               "%clock",
                                               "%clock_hi",
                                               "%clock64",
                                               "%globaltimer",
                                               "%globaltimer_lo",
                                               "%globaltimer_hi",
                                               "%total_smem_size",
                                               "%dynamic_smem_size",
                                               "%aggr_smem_size",
                                               "%current_graph_exec"};
  const std::string_view stem = name.substr(0, name.find('.'));
  return std::find(std::begin(names), std::end(names), stem) != std::end(names) ||
         stem.starts_with("%cluster") || stem.starts_with("%ncluster") ||
         stem.starts_with("%is_explicit_cluster") || stem.starts_with("%pm") || stem.starts_with("%envreg") ||
         stem.starts_with("%reserved_smem_offset");
}

}  // namespace

void Parser::body() {
  current_->defined = true;
  const int first = peek().line;
  expect('{');
  scopes_.clear();
  scopes_.emplace_back();
  scoped_labels_.clear();
  while (!scopes_.empty()) {
    if (peek().kind == Token::Kind::end) throw ParseError(first, "'{' is never closed");
    statement();
  }
}

void Parser::statement() {
  if (accept('{')) {
    if (scopes_.size() >= max_scopes) fail("scopes are nested too deeply");
    scopes_.emplace_back();
    scopes_.back().first_label = current_->labels.size();
    scopes_.back().first_instruction = current_->instructions.size();
    return;
  }
  if (accept('}')) return close_scope();
  if (accept(';')) return;
  if (peek().is('@')) return instruction();
  if (peek().kind != Token::Kind::word) fail("expected an instruction");
  if (is_directive(peek().text)) return directive(take().text);
  instruction();
}

void Parser::directive(std::string_view name) {
  if (name == ".reg") return register_declaration();
  if (name == ".local") return variable(Space::local, false, current_);
  if (name == ".shared") return variable(Space::shared, false, current_);
  if (name == ".param") return variable(Space::param, false, current_);
  if (name == ".global") return variable(Space::global, false, nullptr);
  if (name == ".const") return variable(Space::constant, false, nullptr);
  if (name == ".loc") return location();
  if (name == ".file") return file_directive();
  if (name == ".extern") {
    if (word("'.shared'") != ".shared") fail("expected '.shared'");
    return variable(Space::shared, true, current_);
  }
  if (name == ".pragma" || name == ".callprototype" || name == ".calltargets") return skip_to_semicolon();
  fail("unknown directive '" + std::string(name.substr(0, 40)) + "'");
}

/// .reg .f32 %f<62>;   .reg .b64 %SP;   .reg .pred p, q;
void Parser::register_declaration() {
  if (peek().kind == Token::Kind::word && (peek().text == ".v2" || peek().text == ".v4"))
    fail("vector registers are not supported");
  const auto type = type_named(word("a register type"));
  if (!type) fail("unknown register type");
  Scope &scope = scopes_.back();
  do {
    const std::string_view name = word("a register name");
    if (accept('<')) {
      const std::int64_t count = integer("a register count");
      expect('>');
      if (count < 0 || count > static_cast<std::int64_t>(max_registers)) fail("too many registers");
      scope.ranges[name] = {static_cast<std::uint32_t>(count), *type};
    } else {
      make_register(name, *type, scope);
    }
  } while (accept(','));
  expect(';');
}

std::int32_t Parser::make_register(std::string_view name, Type type, Scope &scope) {
  if (current_->registers.size() >= max_registers) fail("too many registers");
  const auto index = static_cast<std::int32_t>(current_->registers.size());
  current_->registers.push_back({std::string(name), type});
  scope.registers[name] = index;
  return index;
}

/// The index of a register that is declared, by name or by range, in the innermost scope that knows it; else
/// -1.
std::int32_t Parser::lookup_register(std::string_view name) {
  std::size_t digits = name.size();
  while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') --digits;
  const std::string_view stem = name.substr(0, digits);
  std::uint64_t number = 0;
  const bool numbered = digits < name.size() && name.size() - digits < 9;
  if (numbered)
    for (const char c : name.substr(digits)) number = number * 10 + static_cast<std::uint64_t>(c - '0');
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (const auto found = scope->registers.find(name); found != scope->registers.end()) return found->second;
    if (!numbered) continue;
    if (const auto found = scope->ranges.find(stem);
        found != scope->ranges.end() && number < found->second.count)
      return make_register(name, found->second.type, *scope);
  }
  return -1;
}

/// .loc file line column [, function_name label, inlined_at file line column]
void Parser::location() {
  const auto triple = [this] {
    const std::int64_t file = integer("a file number"), line = integer("a line"),
                       column = integer("a column");
    if (file < 0 || line < 0 || column < 0 || file > INT32_MAX || line > INT32_MAX || column > INT32_MAX)
      fail("bad location");
    return std::tuple(static_cast<int>(file), static_cast<int>(line), static_cast<int>(column));
  };
  const auto here = triple();
  std::int32_t inlined_at = -1;
  const auto add = [this](std::tuple<int, int, int> at, std::int32_t outer) {
    module_.locations.push_back({std::get<0>(at), std::get<1>(at), std::get<2>(at), outer});
    return static_cast<std::int32_t>(module_.locations.size()) - 1;
  };
  while (accept(',')) {
    const std::string_view name = word("a location attribute");
    if (name == "function_name") {
      word("a label");
      signed_offset();
    } else if (name == "inlined_at") {
      const auto call = triple();
      const auto known = last_location_.find(call);
      inlined_at = known != last_location_.end() ? known->second : add(call, -1);
    } else {
      fail("unknown location attribute");
    }
  }
  // Line 0 means that the compiler knows none: the line before is the better answer.
  if (std::get<1>(here) == 0 && location_ >= 0) return;
  location_ = add(here, inlined_at);
  last_location_[here] = location_;
}

void Parser::branch_targets(std::string_view name) {
  std::vector<std::string> targets;
  do targets.emplace_back(word("a label"));
  while (accept(','));
  expect(';');
  current_->branch_target_names.emplace_back(name);
  current_->branch_targets.push_back(std::move(targets));
}

void Parser::label(const Token &name) {
  if (peek().kind == Token::Kind::word && peek().text == ".branchtargets") {
    take();
    return branch_targets(name.text);
  }
  if (peek().kind == Token::Kind::word && (peek().text == ".callprototype" || peek().text == ".calltargets"))
    return skip_to_semicolon();
  current_->labels.push_back(
      {std::string(name.text), static_cast<std::uint32_t>(current_->instructions.size())});
}

// Inline assembly that a loop or a macro repeats has the same labels in every pair of braces. Those of all
// but the first become unique, so that the function knows each label by its name.
void Parser::close_scope() {
  const Scope &scope = scopes_.back();
  std::unordered_map<std::string, std::string> unique;
  for (std::size_t i = scope.first_label; scopes_.size() > 1 && i < current_->labels.size(); ++i) {
    std::string &name = current_->labels[i].name;
    if (name.find('@') != std::string::npos || scoped_labels_.insert(name).second) continue;
    name = unique.emplace(name, name + "@" + std::to_string(i)).first->second;
  }
  if (!unique.empty())
    for (std::size_t i = scope.first_instruction; i < current_->instructions.size(); ++i)
      for (Operand &operand : current_->instructions[i].operands)
        if (const auto found = unique.find(operand.name);
            operand.kind == Operand::Kind::symbol && found != unique.end())
          operand.name = found->second;
  scopes_.pop_back();
}

void Parser::instruction() {
  Instruction made;
  made.text_line = peek().line;
  made.location = location_;
  if (accept('@')) {
    made.guard_negated = accept('!');
    made.guard = lookup_register(word("a predicate"));
    if (made.guard < 0) fail("the guard is not a declared register");
    if (current_->registers[static_cast<std::size_t>(made.guard)].type != Type::pred)
      fail("the guard is not a predicate");
  }
  const Token opcode = peek();
  made.opcode = word("an opcode");
  if (made.guard < 0 && accept(':')) return label(opcode);
  if (made.opcode.size() > 200) fail("bad opcode");
  if (++instructions_ > max_instructions) fail("too many instructions");
  if (!accept(';')) {
    do {
      if (made.operands.size() >= max_operands) fail("too many operands");
      made.operands.push_back(operand());
    } while (accept(','));
    expect(';');
  }
  current_->instructions.push_back(std::move(made));
}

void Parser::elements(Operand &into, char close, int depth) {
  if (depth > 1) fail("operands are nested too deeply");
  if (accept(close)) return;
  do {
    if (into.elements.size() >= max_operands) fail("too many operands");
    into.elements.push_back(operand(depth + 1));
  } while (accept(','));
  expect(close);
}

Operand Parser::number_operand(bool negative) {
  const Token token = take();
  Operand made;
  made.kind = Operand::Kind::immediate;
  made.type = token.type;
  made.value = token.value;
  if (negative && token.kind == Token::Kind::integer)
    made.value = static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(made.value));
  if (negative && token.kind == Token::Kind::real)
    made.value ^= token.type == Type::f32 ? std::int64_t{0x80000000} : INT64_MIN;
  return made;
}

Operand Parser::operand(int depth) {
  Operand made;
  if (accept('[')) return memory_operand();
  if (accept('{')) {
    made.kind = Operand::Kind::vector;
    elements(made, '}', depth);
    return made;
  }
  if (accept('(')) {
    made.kind = Operand::Kind::list;
    elements(made, ')', depth);
    return made;
  }
  const bool negated = accept('!');
  const bool negative = !negated && accept('-');
  if (peek().kind == Token::Kind::integer || peek().kind == Token::Kind::real)
    return number_operand(negative);
  if (peek().kind == Token::Kind::string) {
    take();
    return made;
  }
  return word_operand(negated || negative);  // "-%r1" of vmad
}

Operand Parser::word_operand(bool negated) {
  Operand made;
  made.negated = negated;
  const std::string_view name = word("an operand");
  if (name == "_") {
    if (accept('|')) {
      made.second = lookup_register(word("a register"));
      if (made.second < 0) fail("undeclared register");
    }
    return made;
  }
  made.reg = lookup_register(name);
  if (const std::size_t dot = name.rfind('.');
      made.reg < 0 && dot != std::string_view::npos && dot > 0 && is_selector(name.substr(dot + 1))) {
    made.reg = lookup_register(name.substr(0, dot));
    if (made.reg >= 0) made.name = name.substr(dot);
  }
  if (made.reg >= 0) {
    made.kind = Operand::Kind::reg;
    if (accept('|')) {
      const std::string_view other = word("a register");
      if (other != "_" && (made.second = lookup_register(other)) < 0) fail("undeclared register");
    }
    return made;
  }
  if (is_special(name)) {
    made.kind = Operand::Kind::special;
    made.name = name;
    return made;
  }
  if (name == "WARP_SZ") {
    made.kind = Operand::Kind::immediate;
    made.value = 32;
    return made;
  }
  // "%r7.x" and the like, or a register nobody declared
  if (name.starts_with("%")) fail("undeclared register '" + std::string(name.substr(0, 40)) + "'");
  made.kind = Operand::Kind::symbol;
  made.name = name;
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    if (const auto found = scope->renamed.find(name); found != scope->renamed.end()) {
      made.name = found->second;
      break;
    }
  made.value = signed_offset();
  return made;
}

Operand Parser::memory_operand() {
  Operand made = operand(1);
  if (made.kind == Operand::Kind::immediate || made.kind == Operand::Kind::symbol ||
      made.kind == Operand::Kind::reg) {
    if (made.kind == Operand::Kind::reg) made.value = signed_offset();
    made.kind = Operand::Kind::memory;
  } else {
    fail("expected an address");
  }
  while (accept(',')) {  // textures and bulk copies: coordinates behind the address
    if (made.elements.size() >= max_operands) fail("too many operands");
    made.elements.push_back(operand(1));
  }
  expect(']');
  return made;
}

}  // namespace warpgrade::ptx
