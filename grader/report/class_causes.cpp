#include <algorithm>
#include <cctype>
#include <set>

#include "base/text.hpp"
#include "report/class.hpp"
#include "report/fixes.hpp"

namespace warpgrade::report {

namespace {

constexpr std::size_t most_of_quoted_line = 120;  // bytes

bool in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Without the thread and the place in data, which are of one submission: "write after read on shared memory
/// As, element 0: no barrier (thread ...)" is "no barrier".
std::string without_place(const std::string &code, const std::string &message) {
  const std::string sentence = message.substr(0, message.find(" (thread "));
  const std::size_t colon = sentence.find(": ");
  return code != "race" || colon == std::string::npos ? sentence : sentence.substr(colon + 2);
}

/// What a wrong result comes from, as far as it is known: the cause that was recognised, or the question at
/// the end of the reason.
std::string cause_of_result(const grading::StepRecord &record) {
  for (const judge::CaseVerdict &c : record.cases)
    if (c.comparison && !c.comparison->cause.empty()) return c.comparison->cause;
  if (!record.reason.ends_with('?')) return "";
  const std::size_t mark = std::max(record.reason.rfind(": ") + 2, record.reason.rfind("; ") + 2);
  return mark < record.reason.size() ? record.reason.substr(mark) : record.reason;
}

}  // namespace

std::string quoted_line(const std::string &source, int number) {
  std::size_t at = 0;
  for (int n = 1; n < number; ++n) {
    at = source.find('\n', at);
    if (at == std::string::npos) return {};
    ++at;
  }
  return cut_to(
      trimmed(std::string_view(source).substr(at, std::min(source.find('\n', at), source.size()) - at)),
      most_of_quoted_line);
}

std::string gist(std::string_view words) {
  // Names that students chose follow these.
  static const std::set<std::string, std::less<>> before_names = {"of", "memory", "in", "on", "to", "from"};
  std::string text, last;
  for (std::size_t at = 0; at < words.size();) {
    if (words[at] == '\'') {  // a quoted name
      const std::size_t end = words.find('\'', at + 1);
      if (end != std::string_view::npos && end - at < 100) {
        text += "''";
        at = end + 1;
        continue;
      }
    }
    if (!in_word(words[at])) {
      text += words[at++];
      continue;
    }
    std::size_t end = at;
    while (end < words.size() && in_word(words[end])) ++end;
    const std::string_view word = words.substr(at, end - at);
    const bool number = std::isdigit(static_cast<unsigned char>(word[0])) != 0;
    text += number                                                                            ? "#"
            : before_names.contains(last) && word != "memory" && word != "the" && word != "a" ? "*"
                                                                                              : word;
    last = word;
    at = end;
  }
  return text;
}

std::vector<ClassDiagnostic> diagnostics_of(const grading::StepRecord &record, const std::string *source) {
  std::vector<ClassDiagnostic> all;
  std::set<std::pair<std::string, std::string>> seen;
  const std::string verdict(judge::name_of(record.verdict));
  bool said = false;
  for (const judge::Finding &f : record.findings) {
    if (f.severity != "error" || f.follows) continue;
    said |= f.code == verdict;
    std::string cause = without_place(f.code, f.message);
    if (!seen.insert({f.code, gist(cause)}).second) continue;
    const bool own = f.line > 0 && f.file == record.file && source != nullptr;
    all.push_back(
        {record.id, f.code, f.file, f.line, own ? quoted_line(*source, f.line) : "", std::move(cause)});
  }
  if (!said && badge_of(record.verdict) == "FAIL") {
    const bool of_result = record.verdict == judge::Verdict::wrong_answer;
    all.push_back(
        {record.id, verdict, record.file, 0, "", of_result ? cause_of_result(record) : record.reason});
  }
  return all;
}

}  // namespace warpgrade::report
