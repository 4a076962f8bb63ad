#include "judge/hunt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>

#include "base/did_you_mean.hpp"
#include "base/source_text.hpp"
#include "base/text.hpp"

namespace warpgrade::judge {

namespace {

constexpr std::size_t most_shown = 40;

bool is_blank(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}
bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::string quoted(std::string_view text) {
  return fmt::format("\"{}{}\"", text.substr(0, most_shown), text.size() > most_shown ? "..." : "");
}

/// "line: 31" of "// answer line: 31": what follows the mark; nothing of any other line.
std::optional<std::string> after_mark(std::string line) {
  line = trimmed(line);
  if (!line.starts_with("//")) return std::nullopt;
  line = trimmed(line.substr(2));
  if (!line.starts_with(answer_mark) || line.size() == answer_mark.size() ||
      !is_blank(line[answer_mark.size()]))
    return std::nullopt;
  return trimmed(line.substr(answer_mark.size()));
}

/// The answers of a file by name; those that are given twice, and names that nobody asked for.
struct Answers {
  std::map<std::string, std::string> given;
  std::vector<std::string> twice, unknown;
};
Answers answers_in(std::string_view source) {
  Answers all;
  for (const std::string &line : lines_of(std::string(source))) {
    const auto answer = after_mark(line);
    if (!answer) continue;
    const std::size_t colon = std::min(answer->find(':'), answer->size());
    std::string name(trimmed(answer->substr(0, colon)));
    const std::string value = colon < answer->size() ? trimmed(answer->substr(colon + 1)) : "";
    if (colon == answer->size() || (name != "line" && name != "cause"))
      all.unknown.emplace_back(*answer);
    else if (!all.given.emplace(name, value).second)
      all.twice.push_back(std::move(name));
  }
  return all;
}

CaseVerdict verdict(const char *name, Verdict v, std::string reason = "") {
  CaseVerdict made;
  made.name = name;
  made.verdict = v;
  made.reason = std::move(reason);
  return made;
}

/// What is wrong before the answer itself is looked at; nothing where it can be judged.
std::optional<CaseVerdict> mistake_in_form(const char *name, const Answers &answers,
                                           const std::string &file) {
  const auto given = answers.given.find(name);
  if (given == answers.given.end()) {
    std::string reason = fmt::format("{} has no line \"// answer {}:\"", file, name);
    if (!answers.unknown.empty())
      reason += fmt::format("; it has \"// answer {}\"", answers.unknown.front().substr(0, most_shown));
    return verdict(name, Verdict::wrong_answer, reason + "; the file as you got it has one: put it back");
  }
  if (std::find(answers.twice.begin(), answers.twice.end(), name) != answers.twice.end())
    return verdict(
        name, Verdict::wrong_answer,
        fmt::format("{} has the line \"// answer {}:\" more than once; leave one of them", file, name));
  if (given->second.empty())
    return verdict(name, Verdict::not_implemented,
                   fmt::format("\"// answer {}:\" in {} is empty", name, file));
  return std::nullopt;
}

CaseVerdict left_to_course(const char *name) {
  CaseVerdict made = verdict(name, Verdict::grader_error);
  made.left_to_course = true;
  return made;
}

CaseVerdict judge_line(const course::Step &step, const Answers &answers, std::size_t lines) {
  if (const auto mistake = mistake_in_form("line", answers, step.file)) return *mistake;
  if (lines == 0) return verdict("line", Verdict::grader_error, step.file + " is missing from the starter");
  const std::string_view text = answers.given.at("line");
  std::int64_t line = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), line);
  if (read.ec == std::errc::invalid_argument || read.ptr != text.data() + text.size())
    return verdict(
        "line", Verdict::wrong_answer,
        fmt::format("{} is not the number of a line; write one whole number, such as 31", quoted(text)));
  if (read.ec != std::errc{} || line < 1 || static_cast<std::uint64_t>(line) > lines)
    return verdict("line", Verdict::wrong_answer,
                   fmt::format("{} as you got it has lines 1 to {}, and no line {}", step.file, lines,
                               text.substr(0, most_shown)));
  if (!step.hunt->known()) return left_to_course("line");
  if (line >= step.hunt->first_line && line <= step.hunt->last_line)
    return verdict("line", Verdict::accepted);
  return verdict("line", Verdict::wrong_answer,
                 fmt::format("the fault is not in line {} of {} as you got it", line, step.file));
}

CaseVerdict judge_cause(const course::Step &step, const Answers &answers) {
  if (const auto mistake = mistake_in_form("cause", answers, step.file)) return *mistake;
  const std::string_view text = answers.given.at("cause");
  const std::string cause = course::cause_of(text);
  if (cause.empty()) {
    std::vector<std::string> known;
    for (const course::Cause &c : course::hunt_causes()) known.emplace_back(c.name);
    return verdict("cause", Verdict::wrong_answer,
                   fmt::format("{} is not one of the causes{} (they are: {})", quoted(text),
                               did_you_mean(text, known), fmt::join(known, ", ")));
  }
  if (!step.hunt->known()) return left_to_course("cause");
  const std::vector<std::string> &right = step.hunt->causes;
  if (std::find(right.begin(), right.end(), cause) != right.end()) return verdict("cause", Verdict::accepted);
  return verdict("cause", Verdict::wrong_answer, fmt::format("the cause is not \"{}\"", cause));
}

// --- changes -----------------------------------------------------------------------------------------------------------

/// Where a string or a character that begins at `at` ends.
std::size_t end_of_literal(std::string_view text, std::size_t at) {
  const char quote = text[at];
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == quote || text[i] == '\n')
      return i + 1;
  }
  return text.size();
}

bool is_head(std::string_view statement) {
  for (const char *word : {"if(", "if constexpr(", "for(", "while(", "switch("})
    if (statement.starts_with(word)) return true;
  return false;
}

/// A text as statements without layout. Braces end one and belong to none.
class Statements {
 public:
  explicit Statements(std::string_view text) : text_(text) {
    while (at_ < text_.size()) step();
    end();
  }
  std::vector<std::string> all;

 private:
  void step() {
    const char c = text_[at_];
    if (c == '#' && now_.empty()) return directive();
    if (c == '"' || c == '\'') {
      const std::size_t past = end_of_literal(text_, at_);
      now_ += text_.substr(at_, past - at_);
      at_ = past;
      return;
    }
    ++at_;
    if (is_blank(c)) {
      blank_ = true;
      return;
    }
    depth_ += c == '(' || c == '[' ? 1 : 0;
    depth_ -= (c == ')' || c == ']') && depth_ > 0 ? 1 : 0;
    if (depth_ == 0 && (c == '{' || c == '}')) return end();
    // `else` and `do` are statements with a brace behind them, so they are without one too.
    if ((now_ == "else" || now_ == "do") && (blank_ || !is_word(c))) end();
    if (blank_ && !now_.empty() && is_word(now_.back()) && is_word(c)) now_ += ' ';
    blank_ = false;
    now_ += c;
    if (depth_ == 0 && (c == ';' || (c == ')' && is_head(now_)))) end();
  }
  void directive() {
    std::size_t past = at_;
    do past = std::min(text_.find('\n', past), text_.size() - 1) + 1;
    while (past >= 2 && past < text_.size() && text_[past - 2] == '\\');
    bool blank = false;
    for (const char c : text_.substr(at_, past - at_)) {
      if (blank && !is_blank(c)) now_ += ' ';
      if (!is_blank(c)) now_ += c;
      blank = is_blank(c);
    }
    at_ = past;
    end();
  }
  void end() {
    if (!now_.empty()) all.push_back(std::move(now_));
    now_.clear();
    blank_ = false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool blank_ = false;
  std::string now_;
};

/// Of the longest common part of each pair of ends: row by row.
std::vector<std::vector<std::uint32_t>> common_lengths(const std::vector<std::string> &a,
                                                       const std::vector<std::string> &b) {
  std::vector<std::vector<std::uint32_t>> common(a.size() + 1, std::vector<std::uint32_t>(b.size() + 1, 0));
  for (std::size_t i = a.size(); i-- > 0;)
    for (std::size_t j = b.size(); j-- > 0;)
      common[i][j] = a[i] == b[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
  return common;
}

}  // namespace

std::vector<CaseVerdict> judge_hunt(const course::Step &step, std::string_view source,
                                    std::string_view starter) {
  const Answers answers = answers_in(source);
  return {judge_line(step, answers, lines_of(std::string(starter)).size()), judge_cause(step, answers)};
}

std::size_t changed_statements(std::string_view before, std::string_view after, std::size_t enough) {
  const std::vector<std::string> a = Statements(without_comments(std::string(before))).all,
                                 b = Statements(without_comments(std::string(after))).all;
  const std::size_t apart = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  if (apart > enough) return apart;
  const auto common = common_lengths(a, b);
  std::size_t changes = 0, gone = 0, come = 0, i = 0, j = 0;
  const auto close = [&] {
    changes += std::max(gone, come);
    gone = come = 0;
  };
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      close();
      ++i, ++j;
    } else if (j == b.size() || (i < a.size() && common[i + 1][j] >= common[i][j + 1])) {
      ++gone, ++i;
    } else {
      ++come, ++j;
    }
  }
  close();
  return changes;
}

std::string too_many_changes(const course::Step &step, std::string_view source, std::string_view starter) {
  const std::size_t most = step.hunt->most_changes;
  const std::size_t changes = changed_statements(starter, source, most);
  if (changes <= most) return "";
  return fmt::format(
      "the fix changes {} or more statements of {}; at most {} may change: undo whatever is not part of the "
      "fix "
      "(layout, comments and braces do not count)",
      changes, step.file, most);
}

}  // namespace warpgrade::judge
