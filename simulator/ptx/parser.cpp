#include "ptx/parser.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace warpgrade::ptx {
namespace {

constexpr std::size_t max_text = 64u << 20;
constexpr std::uint64_t max_variable_bytes = 1ull << 32;
constexpr std::uint64_t max_initial_bytes = 64u << 20;
constexpr std::int64_t max_alignment = 1 << 16;
constexpr std::uint32_t max_parameter_bytes = 32 * 1024;

std::uint32_t round_up(std::uint32_t value, std::uint32_t align) {
  return (value + align - 1) / align * align;
}

}  // namespace

std::uint32_t size_of(Type type) {
  switch (type) {
    case Type::none:
      return 0;
    case Type::pred:
    case Type::b8:
    case Type::u8:
    case Type::s8:
      return 1;
    case Type::b16:
    case Type::u16:
    case Type::s16:
    case Type::f16:
    case Type::bf16:
      return 2;
    case Type::f16x2:
    case Type::bf16x2:
    case Type::b32:
    case Type::u32:
    case Type::s32:
    case Type::f32:
      return 4;
    case Type::b64:
    case Type::u64:
    case Type::s64:
    case Type::f64:
      return 8;
    case Type::b128:
      return 16;
  }
  return 0;
}

std::optional<Type> type_named(std::string_view directive) {
  static constexpr std::pair<std::string_view, Type> names[] = {
      {".pred", Type::pred}, {".b8", Type::b8},       {".u8", Type::u8},         {".s8", Type::s8},
      {".b16", Type::b16},   {".u16", Type::u16},     {".s16", Type::s16},       {".f16", Type::f16},
      {".bf16", Type::bf16}, {".f16x2", Type::f16x2}, {".bf16x2", Type::bf16x2}, {".b32", Type::b32},
      {".u32", Type::u32},   {".s32", Type::s32},     {".f32", Type::f32},       {".b64", Type::b64},
      {".u64", Type::u64},   {".s64", Type::s64},     {".f64", Type::f64},       {".b128", Type::b128}};
  for (const auto &[name, type] : names)
    if (name == directive) return type;
  return std::nullopt;
}

void Parser::fail(const std::string &what) const {
  throw ParseError(peek().line, what);
}

bool Parser::accept(char c) {
  if (!peek().is(c)) return false;
  take();
  return true;
}

void Parser::expect(char c) {
  if (!accept(c))
    fail(std::string("expected '") + c + "' before '" + std::string(peek().text.substr(0, 40)) + "'");
}

std::string_view Parser::word(const char *what) {
  if (peek().kind != Token::Kind::word) fail(std::string("expected ") + what);
  return take().text;
}

std::int64_t Parser::integer(const char *what) {
  if (peek().kind != Token::Kind::integer) fail(std::string("expected ") + what);
  return take().value;
}

/// "+8", "+-8", "-8" or nothing
std::int64_t Parser::signed_offset() {
  bool negative = false;
  if (accept('+'))
    negative = accept('-');
  else if (accept('-'))
    negative = true;
  else
    return 0;
  const auto value = static_cast<std::uint64_t>(integer("an offset"));
  return static_cast<std::int64_t>(negative ? 0 - value : value);
}

void Parser::skip_to_semicolon() {
  while (!peek().is(';')) {
    if (peek().kind == Token::Kind::end) fail("the text ends inside a statement");
    take();
  }
  take();
}

Module Parser::parse() {
  while (peek().kind != Token::Kind::end) module_statement();
  if (module_.version_major == 0) fail("no .version: this is not PTX");
  return std::move(module_);
}

void Parser::module_statement() {
  bool external = false, internal = true;
  for (;;) {
    const Token token = peek();
    const std::string_view name = word("a directive");
    if (name == ".visible" || name == ".weak" || name == ".common" || name == ".extern") {
      internal = false;
      external |= name == ".extern";
      continue;
    }
    const std::size_t variables = module_.variables.size(), functions = module_.functions.size();
    if (name == ".version") {
      // "9.0" reads as a decimal fraction
      const std::string text(take().text);
      module_.version_major = std::atoi(text.c_str());
      const std::size_t dot = text.find('.');
      module_.version_minor = dot == std::string::npos ? 0 : std::atoi(text.c_str() + dot + 1);
    } else if (name == ".target") {
      const std::string_view target = word("a target");
      if (target.starts_with("sm_")) module_.sm = std::atoi(std::string(target.substr(3, 4)).c_str());
      while (accept(',')) word("a target option");
    } else if (name == ".address_size") {
      if (integer("an address size") != 64) fail("only 64-bit addresses are supported");
    } else if (name == ".file") {
      file_directive();
    } else if (name == ".loc") {
      location();
    } else if (name == ".section") {
      word("a section name");
      lexer_.skip_braces();
    } else if (name == ".global") {
      variable(Space::global, external, nullptr);
    } else if (name == ".const") {
      variable(Space::constant, external, nullptr);
    } else if (name == ".shared") {
      variable(Space::shared, external, nullptr);
    } else if (name == ".entry") {
      function(true);
    } else if (name == ".func") {
      function(false);
    } else if (name == ".pragma" || name == ".alias" || name == ".tex" || name == ".surf" ||
               name == ".sampler") {
      skip_to_semicolon();
    } else {
      throw ParseError(token.line, "unknown directive '" + std::string(name.substr(0, 40)) + "'");
    }
    const bool is_function = module_.functions.size() > functions;
    if (is_function) module_.functions[functions].internal = internal;
    for (std::size_t i = variables; i < module_.variables.size(); ++i)
      module_.variables[i].internal = internal || is_function;  // what a body declares is its own
    return;
  }
}

void Parser::file_directive() {
  const std::int64_t index = integer("a file number");
  if (index < 0 || index > 100'000) fail("bad file number");
  if (peek().kind != Token::Kind::string) fail("expected a file name");
  if (module_.files.size() <= static_cast<std::size_t>(index))
    module_.files.resize(static_cast<std::size_t>(index) + 1);
  module_.files[static_cast<std::size_t>(index)] = take().text;
  while (accept(',')) integer("a time stamp or size");
}

/// [.align N] [.attribute(...)] .type name[N][M] [= initialiser];
void Parser::variable(Space space, bool external, Function *function) {
  Type type = Type::none;
  std::uint64_t vector = 1;
  Variable made;
  made.space = space;
  made.external = external;
  made.writable = space != Space::constant;
  made.align = 0;
  while (peek().kind == Token::Kind::word && peek().text.starts_with(".")) {
    const std::string_view name = take().text;
    if (name == ".align") {
      const std::int64_t align = integer("an alignment");
      if (align <= 0 || align > max_alignment || (align & (align - 1))) fail("bad alignment");
      made.align = static_cast<std::uint32_t>(align);
    } else if (name == ".attribute") {
      expect('(');
      while (!accept(')')) {
        if (peek().kind == Token::Kind::end) fail("the text ends inside an attribute");
        take();
      }
    } else if (name == ".v2" || name == ".v4") {
      vector = name == ".v2" ? 2 : 4;
    } else if (const auto named = type_named(name)) {
      type = *named;
    } else {
      fail("unknown variable attribute '" + std::string(name.substr(0, 40)) + "'");
    }
  }
  if (type == Type::none || type == Type::pred) fail("a variable needs a type");
  for (;;) {
    Variable one = made;
    const std::string_view plain = word("a variable name");
    one.name = plain;
    one.bytes = size_of(type) * vector;
    if (one.align == 0) one.align = static_cast<std::uint32_t>(one.bytes);
    while (accept('[')) {
      if (accept(']')) {
        one.bytes = 0;
        one.dynamic = space == Space::shared;
        continue;
      }
      const std::int64_t count = integer("an array length");
      if (count < 0 || (one.bytes != 0 && static_cast<std::uint64_t>(count) > max_variable_bytes / one.bytes))
        fail("variable too large");
      one.bytes *= static_cast<std::uint64_t>(count);
      expect(']');
    }
    if (external && space == Space::shared) one.dynamic = one.bytes == 0;
    if (accept('=')) initialiser(one, type);
    if (function) {
      if (space == Space::param) one.name += "'" + std::to_string(++unique_);  // each call has its own param0
      scopes_.back().renamed[plain] = one.name;
      function->variables.push_back(std::move(one));
    } else {
      module_.variables.push_back(std::move(one));
    }
    if (!accept(',')) break;
  }
  expect(';');
}

void Parser::initialiser(Variable &into, Type type) {
  into.initialised = true;
  initial_element(into, type, 0);
  if (into.bytes == 0) into.bytes = into.initial.size();  // "name[] = {...}"
  if (into.initial.size() > into.bytes) fail("the initialiser is longer than '" + into.name + "'");
}

void Parser::initial_element(Variable &into, Type type, int depth) {
  if (depth > 8) fail("an initialiser is nested too deeply");
  if (accept('{')) {
    if (accept('}')) return;
    do initial_element(into, type, depth + 1);
    while (accept(','));
    expect('}');
    return;
  }
  if (into.initial.size() >= max_initial_bytes) fail("an initialiser is too long");
  const std::size_t size = size_of(type);
  std::int64_t bits = 0;
  const auto relocation = [&] {
    const bool generic = peek().text == "generic";
    if (generic) {
      take();
      expect('(');
    }
    std::string symbol(word("a symbol"));
    if (generic) expect(')');
    const std::int64_t addend = signed_offset();
    into.relocations.push_back({into.initial.size(), std::move(symbol), addend, generic});
  };
  const bool negative = accept('-');
  if (peek().kind == Token::Kind::word) {
    relocation();
    if (size != 8) fail("an address needs 8 bytes");
  } else if (peek().kind == Token::Kind::integer || peek().kind == Token::Kind::real) {
    const Token token = take();
    bits = token.value;
    if (token.is('(')) fail("bad initialiser");
    if (token.kind == Token::Kind::integer && peek().is('(')) {
      // 0xFF(symbol), 0xFF00(symbol)...: the bytes of an address, one by one; the first one stands for all
      // eight
      take();
      const std::size_t before = into.relocations.size();
      relocation();
      if (bits != 0xFF) into.relocations.resize(before);
      expect(')');
      bits = 0;
    }
    if (token.kind == Token::Kind::real && token.type == Type::f64 && type == Type::f32)
      bits = std::bit_cast<std::int32_t>(static_cast<float>(std::bit_cast<double>(bits)));
  } else {
    fail("expected an initial value");
  }
  if (negative) bits = static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(bits));
  const std::size_t at = into.initial.size();
  into.initial.resize(at + size);
  std::memcpy(into.initial.data() + at, &bits, std::min<std::size_t>(size, 8));
}

Parameter Parser::parameter() {
  if (word("'.param'") != ".param") fail("expected '.param'");
  Parameter made;
  Type type = Type::none;
  std::uint32_t align = 0;
  bool pointer = false;
  while (peek().kind == Token::Kind::word && peek().text.starts_with(".")) {
    const std::string_view name = take().text;
    if (name == ".align") {
      const std::int64_t given = integer("an alignment");
      if (given <= 0 || given > 4096 || (given & (given - 1))) fail("bad alignment");
      if (!pointer) align = static_cast<std::uint32_t>(given);  // else it is that of what is pointed to
    } else if (name == ".ptr") {
      pointer = true;
    } else if (const auto named = type_named(name)) {
      type = *named;
    } else if (name == ".texref" || name == ".samplerref" || name == ".surfref") {
      type = Type::u64;
    } else if (name != ".global" && name != ".const" && name != ".shared" && name != ".local") {
      fail("unknown parameter attribute '" + std::string(name.substr(0, 40)) + "'");
    }
  }
  if (type == Type::none || type == Type::pred) fail("a parameter needs a type");
  made.name = word("a parameter name");
  std::uint64_t size = size_of(type);
  made.align = align ? align : static_cast<std::uint32_t>(size);
  if (accept('[')) {
    if (!peek().is(']')) {
      const std::int64_t count = integer("an array length");
      if (count < 0 || static_cast<std::uint64_t>(count) > max_parameter_bytes) fail("parameter too large");
      size *= static_cast<std::uint64_t>(count);
    }
    expect(']');
  }
  if (size > max_parameter_bytes) fail("parameter too large");
  made.size = static_cast<std::uint32_t>(size);
  return made;
}

std::vector<Parameter> Parser::parameter_list() {
  std::vector<Parameter> list;
  std::uint32_t offset = 0;
  expect('(');
  if (accept(')')) return list;
  do {
    Parameter one = parameter();
    one.offset = round_up(offset, one.align);
    offset = one.offset + one.size;
    if (offset > max_parameter_bytes) fail("more than 32 KiB of parameters");
    list.push_back(std::move(one));
  } while (accept(','));
  expect(')');
  return list;
}

/// What stands between the parameters and the body.
void Parser::header_directives() {
  while (peek().kind == Token::Kind::word) {
    const std::string_view name = take().text;
    if (name == ".maxntid" || name == ".reqntid") {
      std::uint64_t product = 1;
      do
        product *=
            static_cast<std::uint64_t>(std::clamp<std::int64_t>(integer("a thread count"), 0, 1 << 20));
      while (accept(','));
      current_->max_threads = static_cast<std::uint32_t>(std::min<std::uint64_t>(product, 1u << 30));
    } else if (name == ".reqnctapercluster") {
      current_->cluster = {1, 1, 1};
      std::size_t axis = 0;
      do {
        const std::int64_t blocks = std::clamp<std::int64_t>(integer("a block count"), 0, 1 << 20);
        if (axis < current_->cluster.size())
          current_->cluster.at(axis++) = static_cast<std::uint32_t>(blocks);
      } while (accept(','));
    } else if (name == ".pragma") {
      skip_to_semicolon();
    } else if (name == ".noreturn") {
      continue;
    } else {  // .minnctapersm 2, .maxnreg 64, .maxclusterrank 8, .explicitcluster
      while (peek().kind == Token::Kind::integer || peek().is(',')) take();
    }
  }
}

void Parser::function(bool entry) {
  Function made;
  made.entry = entry;
  made.text_line = peek().line;
  if (!entry && peek().is('(')) made.results = parameter_list();
  made.name = word("a function name");
  if (peek().is('(')) made.parameters = parameter_list();
  module_.functions.push_back(std::move(made));
  current_ = &module_.functions.back();
  location_ = -1;
  header_directives();
  if (!accept(';')) body();
  current_ = nullptr;
}

}  // namespace warpgrade::ptx
