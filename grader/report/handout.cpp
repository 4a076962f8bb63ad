#include "report/handout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <kainjow/mustache.hpp>
#include <regex>
#include <set>

#include "report/handout_facts.hpp"
#include "report/handout_tour.hpp"
#include "report/json.hpp"
#include "report/text.hpp"

namespace warpgrade::report {

namespace {

/// A line of the body with its number in the file, and what kind of text it is.
struct Line {
  int number = 0;
  std::string text;  ///< placeholders replaced by blanks of the same length
  bool code = false;
};

std::string without_placeholders(const std::string &body) {
  std::string text = body;
  std::size_t at = 0;
  while ((at = text.find("{{", at)) != std::string::npos) {
    std::size_t end = text.find("}}", at);
    if (end == std::string::npos) break;
    end += text.compare(end, 3, "}}}") == 0 ? 3 : 2;
    for (; at < end; ++at)
      if (text[at] != '\n') text[at] = ' ';
  }
  return text;
}

std::vector<Line> lines_of(const course::Handout &h) {
  std::vector<Line> lines;
  const std::string text = without_placeholders(h.body);
  bool fenced = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    Line line{h.body_line + static_cast<int>(lines.size()), text.substr(at, end - at), false};
    const bool fence = line.text.rfind("```", 0) == 0;
    line.code = fenced || fence || line.text.rfind("    ", 0) == 0;
    if (fence) fenced = !fenced;
    lines.push_back(std::move(line));
    at = end + 1;
  }
  return lines;
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// Numbers that stand for themselves. Not those of list items and TODO(n), of names such as step3 and 2D, nor
/// 0 and 1 in code.
void find_numbers(const Line &line, const std::string &file, std::vector<std::string> &found) {
  static const std::regex list_item("^\\s*\\d+\\. "), todo("TODO\\(\\d+\\)");
  std::string text = std::regex_replace(line.text, todo, "");
  text = std::regex_replace(text, list_item, "");
  bool code = line.code;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '`') code = line.code || !code;
    if (!is_word(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string word = text.substr(at, end - at);
    at = end;
    if (!std::isdigit(static_cast<unsigned char>(word.front()))) continue;
    const bool dimension = word == "1D" || word == "2D" || word == "3D";
    if (dimension || (code && (word == "0" || word == "1" || word == "0f" || word == "1f"))) continue;
    found.push_back(
        fmt::format("{}:{}: the number {} is typed; say where it comes from with a placeholder "
                    "(docs/handouts.md lists them)",
                    file, line.number, word));
  }
}

std::set<int> todos_in(const std::string &text) {
  static const std::regex todo("TODO\\((\\d+)\\)");
  std::set<int> all;
  for (std::sregex_iterator i(text.begin(), text.end(), todo), end; i != end; ++i)
    all.insert(std::stoi((*i)[1]));
  return all;
}

/// What the text under a heading with a starter's file in it speaks of.
struct Section {
  int line = 0;
  std::set<int> todos;
};

void compare_todos(const course::Handout &h, const HandoutFacts &facts, std::vector<std::string> &found) {
  std::map<std::string, std::set<int>> wanted;  // by file, which steps may share
  for (const course::Step &s : facts.assignment.steps)
    if (const auto text = facts.starters.find(s.id); text != facts.starters.end())
      wanted[s.file] = todos_in(text->second);
  for (const auto &[name, text] : facts.headers) wanted[name] = todos_in(text);
  std::map<std::string, Section> sections;  // by file
  const std::string *current = nullptr;
  int number = h.body_line - 1;
  std::istringstream body(h.body);  // with its placeholders: a heading may name the file by one
  for (std::string line; std::getline(body, line);) {
    ++number;
    if (line.rfind('#', 0) == 0) {
      current = nullptr;
      for (const auto &[name, text] : facts.headers)
        if (line.find(name) != std::string::npos) {
          current = &name;
          sections.try_emplace(name, Section{number, {}});
        }
      for (const course::Step &s : facts.assignment.steps)
        if (!current && wanted.contains(s.file) &&
            (line.find(s.file) != std::string::npos ||
             line.find("step." + s.id + ".file") != std::string::npos)) {
          current = &s.file;
          sections.try_emplace(s.file, Section{number, {}});
        }
    }
    for (const int n : todos_in(line)) {
      if (!current)
        found.push_back(fmt::format("{}:{}: TODO({}) is under no heading that names a file of the starter",
                                    h.file, number, n));
      else if (sections[*current].todos.insert(n); !wanted[*current].contains(n))
        found.push_back(fmt::format("{}:{}: {} of the starter has no TODO({})", h.file, number, *current, n));
    }
  }
  for (const auto &[file, todos] : wanted) {
    const auto section = sections.find(file);
    if (section == sections.end()) {
      found.push_back(fmt::format("{}:{}: no heading names {}; its requirements belong under one", h.file,
                                  h.body_line, file));
      continue;
    }
    for (const int n : todos)
      if (!section->second.todos.contains(n))
        found.push_back(fmt::format("{}:{}: TODO({}) of {} is not mentioned here", h.file,
                                    section->second.line, n, file));
  }
}

/// Notes what was asked for, and what of it there is.
class Asked final : public kainjow::mustache::context<std::string> {
 public:
  using context::context;
  const kainjow::mustache::data *get(const std::string &name) const override {
    const auto *found = context::get(name);
    (found ? used : unknown).insert(name);
    return found;
  }
  mutable std::set<std::string> used, unknown;
};

int line_of(const course::Handout &h, const std::string &placeholder) {
  const std::regex tag("\\{\\{[{#^/&]?\\s*" + std::regex_replace(placeholder, std::regex("[.]"), "\\.") +
                       "\\s*\\}");
  std::smatch where;
  if (!std::regex_search(h.body, where, tag)) return h.body_line;
  return h.body_line + static_cast<int>(std::count(h.body.begin(), h.body.begin() + where.position(), '\n'));
}

/// For running text: characters that Markdown reads as markup stand for themselves.
std::string for_markdown(const std::string &text) {
  std::string safe;
  for (const char c : for_json(text)) {
    if (std::string_view("\\`*_{}[]<>#|~^$@&").find(c) != std::string_view::npos) safe += '\\';
    safe += c;
  }
  return safe;
}

}  // namespace

std::vector<std::string> mistakes_in(const course::Handout &h, const HandoutFacts &facts) {
  std::vector<std::string> found;
  for (const Line &line : lines_of(h)) find_numbers(line, h.file, found);
  compare_todos(h, facts, found);
  return found;
}

std::string expand_handout(const course::Handout &h, const HandoutFacts &facts) {
  std::vector<std::string> wrong = mistakes_in(h, facts);
  kainjow::mustache::mustache page(h.body);
  if (!page.is_valid())
    throw HandoutError(fmt::format("{}:{}: {}", h.file, h.body_line, page.error_message()));
  page.set_custom_escape(for_markdown);
  const Phrases say(h);
  const Fields fields = handout_fields(facts, say, h.language);
  Asked asked(&fields);
  const std::string text = page.render(asked);
  for (const std::string &name : asked.unknown)
    wrong.push_back(fmt::format("{}:{}: unknown placeholder '{}' (docs/handouts.md lists all)", h.file,
                                line_of(h, name), name));
  for (const course::Figure &f : h.figures)
    if (!asked.used.contains("figure." + f.name))
      wrong.push_back(fmt::format("{}:{}: figure '{}' is not shown: {{{{{{figure.{}}}}}}}", h.file, f.line,
                                  f.name, f.name));
  for (const course::Mistake &m : h.mistakes)
    if (std::none_of(asked.used.begin(), asked.used.end(),
                     [&](const std::string &name) { return name.rfind("mistake." + m.name + ".", 0) == 0; }))
      wrong.push_back(fmt::format("{}:{}: mistake '{}' is not mentioned", h.file, m.line, m.name));
  for (const course::Tour &t : h.recordings)
    if (!asked.used.contains("recording." + t.name))
      wrong.push_back(fmt::format("{}:{}: recording '{}' is not shown: {{{{{{recording.{}}}}}}}", h.file,
                                  t.line, t.name, t.name));
  const course::Assignment &as = facts.assignment;
  const std::string title = say(as.title);
  const std::string head = fmt::format(
      "---\nlang: {}\ntitle: {}\npagetitle: {}\ncourse: {}\nskip: {}\ncontents: {}\nsideways: {}\n{}---\n",
      h.language, Json(title).dump(), Json(as.name + ": " + title).dump(),
      Json(say("Assignment") + " " + as.name).dump(), Json(say("Skip to the content")).dump(),
      Json(say("Contents")).dump(), Json(say("Move the picture sideways to see all of it")).dump(),
      h.recordings.empty() ? "" : fmt::format("script: {}\n", Json(player_policy()).dump()));
  for (const std::string &mistake : say.mistakes()) wrong.push_back(fmt::format("{}:1: {}", h.file, mistake));
  if (!wrong.empty()) throw HandoutError(fmt::format("{}", fmt::join(wrong, "\n")));
  return head + text + (h.recordings.empty() ? "" : player_in_markdown(facts));
}

}  // namespace warpgrade::report
