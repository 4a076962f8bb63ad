// Recursive descent over PTX. Internal: module.hpp is the public interface.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ptx/lexer.hpp"

namespace warpgrade::ptx {

std::optional<Type> type_named(std::string_view directive);  // ".f32"

/// Fills in Module::kernels from the functions.
void collect_kernels(Module &);

class Parser {
 public:
  explicit Parser(std::string_view text) : lexer_(text) {}
  Module parse();

 private:
  struct Range {
    std::uint32_t count;
    Type type;
  };
  /// Names in one pair of braces; inner scopes hide outer names, which inline assembly relies on.
  struct Scope {
    std::unordered_map<std::string_view, Range> ranges;            // "%r" of "%r<62>"
    std::unordered_map<std::string_view, std::int32_t> registers;  // "%SP"
    std::unordered_map<std::string_view, std::string> renamed;     // variables made unique
    std::size_t first_label = 0, first_instruction = 0;            // where it begins in the function
  };

  // parser.cpp: the module
  void module_statement();
  void file_directive();
  void variable(Space space, bool external, Function *function);
  void initialiser(Variable &variable, Type type);
  void initial_element(Variable &variable, Type type, int depth);
  void function(bool entry);
  void header_directives();
  std::vector<Parameter> parameter_list();
  Parameter parameter();

  // parser_body.cpp: inside a function
  void body();
  void statement();
  void directive(std::string_view name);
  void register_declaration();
  void location();
  void branch_targets(std::string_view name);
  void label(const Token &name);
  void close_scope();
  void instruction();
  Operand operand(int depth = 0);
  Operand word_operand(bool negated);
  Operand memory_operand();
  Operand number_operand(bool negative);
  void elements(Operand &into, char close, int depth);
  std::int32_t make_register(std::string_view name, Type type, Scope &scope);
  std::int32_t lookup_register(std::string_view name);

  // small steps
  const Token &peek() const { return lexer_.peek(); }
  Token take() { return lexer_.take(); }
  bool accept(char c);
  void expect(char c);
  std::string_view word(const char *what);
  std::int64_t integer(const char *what);
  std::int64_t signed_offset();
  [[noreturn]] void fail(const std::string &what) const;
  void skip_to_semicolon();

  Lexer lexer_;
  Module module_;
  Function *current_ = nullptr;
  std::unordered_set<std::string> scoped_labels_;  ///< of the function's inner scopes that are closed
  std::vector<Scope> scopes_;
  std::int32_t location_ = -1;
  std::map<std::tuple<int, int, int>, std::int32_t> last_location_;
  std::size_t instructions_ = 0;
  int unique_ = 0;
};

}  // namespace warpgrade::ptx
