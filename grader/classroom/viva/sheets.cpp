#include "viva/sheets.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace warpgrade::viva {

namespace {

constexpr std::string_view letters = "ABCD";

constexpr std::string_view style =
    R"(body { font: 11pt/1.4 sans-serif; max-width: 46em; margin: 2em auto; padding: 0 1em; }
section { break-after: page; margin-bottom: 3em; }
section:last-of-type { break-after: auto; }
article { break-inside: avoid; margin: 1.5em 0; }
code { display: block; white-space: pre-wrap; font: 9.5pt/1.4 monospace; background: #f2f2f2; padding: 0.4em 0.6em; margin: 0.4em 0; }
ol { list-style: upper-alpha; margin: 0.4em 0; }
.right { font-weight: bold; }
.note { color: #444; }
.practice ol { list-style: none; padding: 0; }
.practice input:checked + label { background: #f6d5d5; }
.practice input.right:checked + label { background: #cfe8cf; font-weight: normal; }
)";

std::string choice_as_html(const quiz::Question &q, std::size_t number, std::size_t choice, Show show) {
  const bool right = choice == q.answer;
  const std::string text = for_xml(q.choices[choice]);
  if (show == Show::questions) return fmt::format("<li>{}</li>\n", text);
  if (show == Show::answers)
    return right ? fmt::format("<li class=\"right\">{}</li>\n", text)
                 : fmt::format("<li>{} <span class=\"note\">({})</span></li>\n", text,
                               for_xml(q.mistakes[choice]));
  return fmt::format(
      "<li><input type=\"radio\" name=\"q{0}\" id=\"q{0}{1}\"{2}><label for=\"q{0}{1}\">{1}: "
      "{3}</label></li>\n",
      number, letters[choice], right ? " class=\"right\"" : "", text);
}

std::string question_as_html(const Asked &one, std::size_t number, Show show) {
  const quiz::Question &q = one.question;
  std::string text =
      fmt::format("<article>\n<p><b>{}.</b> {}: {}</p>\n", number, for_xml(one.step), for_xml(q.text));
  if (q.line > 0) text += fmt::format("<code>{}:{}: {}</code>\n", for_xml(q.file), q.line, for_xml(q.code));
  text += "<ol>\n";
  for (std::size_t c = 0; c < q.choices.size(); ++c) text += choice_as_html(q, number, c, show);
  text += "</ol>\n";
  if (show == Show::answers)
    text += fmt::format("<p class=\"note\">{}: {} Topic: {}, difficulty {}.</p>\n", letters[q.answer],
                        for_xml(q.why), for_xml(q.topic), q.difficulty);
  if (show == Show::practice)
    text += fmt::format("<details><summary>Why?</summary><p>{}: {}</p></details>\n", letters[q.answer],
                        for_xml(q.why));
  return text + "</article>\n";
}

std::string who(const Sheet &s) {
  return s.name.empty() ? s.student : fmt::format("{} ({})", s.name, s.student);
}

std::string asked_about(const Asked &one) {
  return one.question.line > 0 ? heading(one) + "\n" + place(one) : heading(one);
}

/// ~ = # { } : and \ mean something in GIFT.
std::string for_gift(const std::string &text) {
  std::string safe;
  for (const char c : for_json(text)) {
    if (std::string_view("~=#{}:\\").find(c) != std::string_view::npos) safe += '\\';
    safe += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return safe;
}

/// What begins with [ or % would name a format or points.
std::string choice_for_gift(const std::string &text) {
  return (text.starts_with('[') || text.starts_with('%') ? "[plain]" : "") + for_gift(text);
}

/// A part of the path of a category: / would begin the next part. GIFT knows no escapes in it.
std::string category(const std::string &text) {
  std::string safe;
  for (const char c : for_json(text)) {
    const bool space = c == '\n' || c == '\t' || c == '\\';
    safe += c == '/' ? std::string("//") : std::string(1, space ? ' ' : c);
  }
  return trimmed(safe);
}

}  // namespace

std::string heading(const Asked &one) {
  return one.question.line > 0 ? one.question.text : fmt::format("{}: {}", one.step, one.question.text);
}

std::string place(const Asked &one) {
  return fmt::format("{}:{}: {}", one.question.file, one.question.line, one.question.code);
}

std::string to_html(const std::string &title, const std::vector<Sheet> &sheets, Show show) {
  std::string text = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
      "'none'; style-src "
      "'unsafe-inline'\">\n<title>{}</title>\n<style>\n{}</style>\n</head>\n<body{}>\n",
      for_xml(title), style, show == Show::practice ? " class=\"practice\"" : "");
  for (const Sheet &s : sheets) {
    text += fmt::format("<section>\n<h1>{}</h1>\n<h2>{}</h2>\n", for_xml(title), for_xml(who(s)));
    if (s.questions.empty()) text += fmt::format("<p>There are no questions: {}.</p>\n", for_xml(s.why_none));
    for (std::size_t i = 0; i < s.questions.size(); ++i)
      text += question_as_html(s.questions[i], i + 1, show);
    text += "</section>\n";
  }
  return text + "</body>\n</html>\n";
}

std::string to_gift(const std::string &title, const std::vector<Sheet> &sheets) {
  std::string text;
  for (const Sheet &s : sheets) {
    if (s.questions.empty()) continue;
    text += fmt::format("$CATEGORY: {}/{}\n\n", category(title), category(s.student));
    for (std::size_t i = 0; i < s.questions.size(); ++i) {
      const quiz::Question &q = s.questions[i].question;
      text += fmt::format("::{} {}::[plain]{} {{\n", for_gift(s.student), i + 1,
                          for_gift(asked_about(s.questions[i])));
      for (std::size_t c = 0; c < q.choices.size(); ++c)
        text += fmt::format("  {}{}{}\n", c == q.answer ? '=' : '~', choice_for_gift(q.choices[c]),
                            c == q.answer ? "" : "#" + choice_for_gift(q.mistakes[c]));
      text += fmt::format("  ####{}\n}}\n\n", choice_for_gift(q.why));
    }
  }
  return text;
}

std::string to_moodle_xml(const std::string &title, const std::vector<Sheet> &sheets) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<quiz>\n";
  for (const Sheet &s : sheets) {
    if (s.questions.empty()) continue;
    text += fmt::format(
        "<question type=\"category\"><category><text>$course$/{}/{}</text></category></question>\n",
        for_xml(category(title)), for_xml(category(s.student)));
    for (std::size_t i = 0; i < s.questions.size(); ++i) {
      const quiz::Question &q = s.questions[i].question;
      text += fmt::format(
          "<question type=\"multichoice\">\n<name><text>{} {}</text></name>\n<questiontext "
          "format=\"plain_text\"><text>{}</text></questiontext>\n<generalfeedback "
          "format=\"plain_text\"><text>{}</text></generalfeedback>\n<defaultgrade>1</defaultgrade>\n"
          "<single>true</single>\n<shuffleanswers>0</shuffleanswers>\n"
          "<answernumbering>ABCD</answernumbering>\n",
          for_xml(s.student), i + 1, for_xml(asked_about(s.questions[i])), for_xml(q.why));
      for (std::size_t c = 0; c < q.choices.size(); ++c)
        text += fmt::format(
            "<answer fraction=\"{}\" format=\"plain_text\"><text>{}</text><feedback "
            "format=\"plain_text\"><text>{}</text></feedback></answer>\n",
            c == q.answer ? 100 : 0, for_xml(q.choices[c]), for_xml(q.mistakes[c]));
      text += "</question>\n";
    }
  }
  return text + "</quiz>\n";
}

std::string to_json(const std::string &assignment, const std::string &step, std::uint64_t seed,
                    const std::vector<Sheet> &sheets) {
  using Json = nlohmann::ordered_json;
  Json students = Json::array();
  for (const Sheet &s : sheets) {
    Json questions = Json::array();
    for (const Asked &one : s.questions) {
      Json choices = Json::array(), mistakes = Json::array();
      for (const std::string &c : one.question.choices) choices.push_back(for_json(c));
      for (const std::string &m : one.question.mistakes) mistakes.push_back(for_json(m));
      questions.push_back({{"step", one.step},
                           {"topic", one.question.topic},
                           {"kind", one.question.kind},
                           {"difficulty", one.question.difficulty},
                           {"file", for_json(one.question.file)},
                           {"line", one.question.line},
                           {"code", for_json(one.question.code)},
                           {"question", for_json(one.question.text)},
                           {"choices", std::move(choices)},
                           {"answer", one.question.answer},
                           {"mistakes", std::move(mistakes)},
                           {"why", for_json(one.question.why)}});
    }
    students.push_back({{"student", for_json(s.student)},
                        {"questions", std::move(questions)},
                        {"why_none", for_json(s.why_none)}});
  }
  Json whole = {{"schema", viva_schema}, {"assignment", assignment}};
  if (!step.empty()) whole["step"] = step;
  whole["seed"] = seed;
  whole["students"] = std::move(students);
  return whole.dump(2) + "\n";
}

}  // namespace warpgrade::viva
