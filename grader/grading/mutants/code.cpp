#include "mutants/code.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/source_text.hpp"

namespace warpgrade::mutants {

namespace {

bool begins_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool in_name(char c) {
  return begins_name(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
}

constexpr std::array<std::string_view, 25> long_signs = {
    "<<<", ">>>", "<<=", ">>=", "...", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=",
    "*=",  "/=",  "%=",  "&=",  "|=",  "^=", "++", "--", "->", "::", "<<", ">>"};

std::size_t sign_length(std::string_view text) {
  for (const std::string_view sign : long_signs)
    if (text.starts_with(sign)) return sign.size();
  return 1;
}

/// Signs that bind less than a term of a sum, and so end one.
bool ends_term(std::string_view sign) {
  constexpr std::array<std::string_view, 25> ends = {
      "+", "-", ";",  ",",  "<",  ">",  "<=", ">=", "==", "!=", "&&", "||", "?",
      ":", "=", "+=", "-=", "*=", "/=", ")",  "]",  "}",  "{",  "<<", ">>"};
  return std::find(ends.begin(), ends.end(), sign) != ends.end();
}

constexpr std::array<std::string_view, 18> type_words = {
    "const", "constexpr", "static", "unsigned", "int",  "float",      "double", "auto",   "bool",
    "char",  "short",     "long",   "size_t",   "dim3", "__shared__", "extern", "float4", "half"};

}  // namespace

Code::Code(const std::string &source) : source_(source) {
  read_tokens();
  match_brackets();
  find_functions();
  find_statements();
}

std::string_view Code::word(std::size_t i) const {
  if (i >= tokens_.size()) return {};
  return std::string_view(source_).substr(tokens_[i].at, tokens_[i].length);
}

std::string Code::text(Range r) const {
  if (r.empty()) return "";
  const Token &last = tokens_[r.last - 1];
  return source_.substr(tokens_[r.first].at, last.at + last.length - tokens_[r.first].at);
}

void Code::read_tokens() {
  const std::string code = without_comments(source_);
  int line = 1;
  bool line_starts = true;
  for (std::size_t i = 0; i < code.size();) {
    const char c = code[i];
    if (c == '\n') ++line, line_starts = true;
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++i;
      continue;
    }
    if (c == '#' && line_starts) {  // a line for the preprocessor
      while (i < code.size() && code[i] != '\n') {
        if (code[i] == '\\' && i + 1 < code.size() && code[i + 1] == '\n') ++line, ++i;
        ++i;
      }
      continue;
    }
    line_starts = false;
    Token t{Token::Kind::sign, i, 1, line};
    if (begins_name(c)) {
      t.kind = Token::Kind::name;
      while (i + t.length < code.size() && in_name(code[i + t.length])) ++t.length;
    } else if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      t.kind = Token::Kind::number;
      while (i + t.length < code.size()) {
        const char next = code[i + t.length], before = code[i + t.length - 1];
        const bool exponent = (next == '-' || next == '+') && (before == 'e' || before == 'E') &&
                              !code.substr(i, 2).starts_with("0x");
        if (!in_name(next) && next != '.' && next != '\'' && !exponent) break;
        ++t.length;
      }
    } else if (c == '"' || c == '\'') {
      t.kind = Token::Kind::text;
      while (i + t.length < code.size() && code[i + t.length] != c && code[i + t.length] != '\n')
        t.length += code[i + t.length] == '\\' ? 2 : 1;
      t.length = std::min(t.length + 1, code.size() - i);
    } else {
      t.length = sign_length(std::string_view(code).substr(i));
    }
    i += t.length;
    tokens_.push_back(t);
  }
}

void Code::match_brackets() {
  closes_.assign(size(), size());
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < size(); ++i) {
    const std::string_view w = word(i);
    if (w == "(" || w == "[" || w == "{") open.push_back(i);
    if ((w == ")" || w == "]" || w == "}") && !open.empty()) {
      closes_[open.back()] = i;
      if (w == "]") subscripts_.push_back({open.back() + 1, i});
      open.pop_back();
    }
  }
}

void Code::find_functions() {
  for (std::size_t i = 0; i + 1 < size(); ++i) {
    if (!is_name(i) || !is(i + 1, "(") || close_of(i + 1) >= size()) continue;
    const std::size_t close = close_of(i + 1);
    if (!is(close + 1, "{") || close_of(close + 1) >= size() || in_function(i)) continue;
    if (is(i, "if") || is(i, "for") || is(i, "while") || is(i, "switch")) continue;
    bool device = false;
    for (std::size_t b = i; b-- > 0 && !is(b, ";") && !is(b, "}");)
      device = device || is(b, "__global__") || is(b, "__device__");
    bodies_.push_back({{close + 2, close_of(close + 1)}, device});
    heads_.push_back({i + 2, close});
  }
}

void Code::find_statements() {
  for (std::size_t i = 0; i + 1 < size(); ++i) {
    if (!is(i + 1, "(") || close_of(i + 1) >= size()) continue;
    const Range inside{i + 2, close_of(i + 1)};
    if (is(i, "if") || is(i, "while")) conditions_.push_back(inside);
    if (!is(i, "for")) continue;
    const std::vector<Range> parts_of_loop = parts(inside, ";");
    if (parts_of_loop.size() == 3) loops_.push_back({parts_of_loop[0], parts_of_loop[1], parts_of_loop[2]});
  }
}

std::vector<Range> Code::parts(Range r, std::string_view sign) const {
  std::vector<Range> all = {{r.first, r.first}};
  for (std::size_t i = r.first; i < r.last; ++i) {
    if (is(i, sign)) {
      all.push_back({i + 1, i + 1});
      continue;
    }
    if (close_of(i) < r.last) i = close_of(i);
    all.back().last = i + 1;
  }
  return all;
}

std::size_t Code::end_of_term(std::size_t first) const {
  std::size_t i = first;
  for (; i < size(); ++i) {
    if (close_of(i) < size() && (!is(i, "{") || is_name(i == 0 ? size() : i - 1))) {
      i = close_of(i);
      continue;
    }
    if (i > first && ends_term(word(i))) break;
    if (i == first && (is(i, ";") || is(i, ")"))) break;
  }
  return std::min(i, size());
}

bool Code::on_device(std::size_t i) const {
  return std::any_of(bodies_.begin(), bodies_.end(),
                     [&](const auto &b) { return b.second && b.first.first <= i && i < b.first.last; });
}

bool Code::in_function(std::size_t i) const {
  return std::any_of(bodies_.begin(), bodies_.end(),
                     [&](const auto &b) { return b.first.first <= i && i < b.first.last; });
}

bool Code::in_subscript(std::size_t i) const {
  return std::any_of(subscripts_.begin(), subscripts_.end(),
                     [&](const Range &r) { return r.first <= i && i < r.last; });
}

std::size_t Code::statement_start(std::size_t i) const {
  while (i > 0 && !is(i - 1, ";") && !is(i - 1, "{") && !is(i - 1, "}")) --i;
  return i;
}

bool Code::declares(std::size_t i) const {
  const std::size_t start = statement_start(i);
  if (is(start, "std") && is(start + 1, "::") && (is(start + 2, "int64_t") || is(start + 2, "size_t")))
    return true;
  return std::find(type_words.begin(), type_words.end(), word(start)) != type_words.end();
}

std::vector<Call> Code::calls(std::string_view name) const {
  std::vector<Call> all;
  for (std::size_t i = 0; i + 1 < size(); ++i) {
    if (!is(i, name)) continue;
    const std::size_t open = is_name(i + 1) ? i + 2 : i + 1;  // dim3 grid(...)
    if (!is(open, "(") || close_of(open) >= size()) continue;
    all.push_back({i, close_of(open), parts({open + 1, close_of(open)}, ",")});
  }
  return all;
}

std::vector<Code::Launch> Code::launches() const {
  std::vector<Launch> all;
  for (std::size_t i = 0; i < size(); ++i) {
    if (!is(i, "<<<")) continue;
    std::size_t end = i + 1;
    while (end < size() && !is(end, ">>>")) ++end;
    if (!is(end + 1, "(") || close_of(end + 1) >= size()) continue;
    all.push_back({parts({i + 1, end}, ","), parts({end + 2, close_of(end + 1)}, ",")});
  }
  return all;
}

std::vector<std::string> Code::parameters(const std::vector<std::string_view> &types) const {
  std::vector<std::string> names;
  for (const Range &head : heads_)
    for (const Range &one : parts(head, ",")) {
      if (one.size() < 2) continue;
      bool fits = false, pointer = false;
      for (std::size_t i = one.first; i < one.last; ++i) {
        fits = fits || std::find(types.begin(), types.end(), word(i)) != types.end();
        pointer = pointer || is(i, "*") || is(i, "&");
      }
      std::string name(word(one.last - 1));
      if (fits && !pointer && is_name(one.last - 1) &&
          std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(std::move(name));
    }
  return names;
}

Edit replace(const Code &c, Range r, std::string instead) {
  const Token &first = c.at(r.first), &last = c.at(r.last - 1);
  return {first.at, last.at + last.length - first.at, std::move(instead)};
}

Edit replace(const Code &c, std::size_t token, std::string instead) {
  return replace(c, Range{token, token + 1}, std::move(instead));
}

Edit swap(const Code &c, Range a, Range b) {
  Edit e = replace(c, {a.first, b.last}, "");
  const std::size_t end_of_a = c.at(a.last - 1).at + c.at(a.last - 1).length;
  e.instead = c.text(b) + c.source().substr(end_of_a, c.at(b.first).at - end_of_a) + c.text(a);
  return e;
}

}  // namespace warpgrade::mutants
