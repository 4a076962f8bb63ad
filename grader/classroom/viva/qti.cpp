// QTI 2.1 in a content package: a test for each student, and a file for each question.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "base/zip.hpp"
#include "batch/content.hpp"
#include "viva/sheets.hpp"

namespace warpgrade::viva {

namespace {

constexpr std::string_view head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
constexpr std::string_view namespaces =
    "xmlns=\"http://www.imsglobal.org/xsd/imsqti_v2p1\" "
    "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
    "xsi:schemaLocation=\"http://www.imsglobal.org/xsd/imsqti_v2p1 "
    "http://www.imsglobal.org/xsd/qti/qtiv2p1/imsqti_v2p1.xsd\"";

/// The same for the same content, so that a second import changes a question and does not repeat it.
std::string identifier(std::string_view kind, const std::string &content) {
  return fmt::format("{}_{}", kind, batch::hash_of(content).substr(0, 24));
}

/// White space in attributes is read as spaces.
std::string attribute(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\t' || c == '\r'; }, ' ');
  return for_xml(text);
}

/// What a response leads to. Canvas knows comments on choices by these names.
std::string condition(std::size_t choice, bool right, bool first) {
  const std::string_view name = first ? "responseIf" : "responseElseIf";
  return fmt::format(
      "<{0}>\n<match><variable identifier=\"RESPONSE\"/><baseValue "
      "baseType=\"identifier\">RESPONSE_{1}</baseValue></match>\n"
      "<setOutcomeValue identifier=\"SCORE\"><baseValue "
      "baseType=\"float\">{2}</baseValue></setOutcomeValue>\n"
      "<setOutcomeValue identifier=\"FEEDBACK\"><baseValue "
      "baseType=\"identifier\">feedback_{1}_fb</baseValue></setOutcomeValue>\n</{0}>\n",
      name, choice + 1, right ? 1 : 0);
}

std::string comment(std::string_view outcome, const std::string &id, const std::string &text) {
  return fmt::format(
      "<modalFeedback outcomeIdentifier=\"{}\" identifier=\"{}\" "
      "showHide=\"show\"><p>{}</p></modalFeedback>\n",
      outcome, id, for_xml(text));
}

std::string body_of(const Asked &one) {
  const quiz::Question &q = one.question;
  std::string text = fmt::format("<itemBody>\n<div>\n<p>{}</p>\n", for_xml(heading(one)));
  if (q.line > 0) text += fmt::format("<pre>{}</pre>\n", for_xml(place(one)));
  text += "</div>\n<choiceInteraction responseIdentifier=\"RESPONSE\" shuffle=\"false\" maxChoices=\"1\">\n";
  for (std::size_t c = 0; c < q.choices.size(); ++c)
    text += fmt::format("<simpleChoice identifier=\"RESPONSE_{}\">{}</simpleChoice>\n", c + 1,
                        for_xml(q.choices[c]));
  return text + "</choiceInteraction>\n</itemBody>\n";
}

std::string item(const Asked &one, const std::string &id, const std::string &title) {
  const quiz::Question &q = one.question;
  std::string text = fmt::format(
      "{}<assessmentItem {} identifier=\"{}\" title=\"{}\" adaptive=\"false\" timeDependent=\"false\">\n"
      "<responseDeclaration identifier=\"RESPONSE\" cardinality=\"single\" baseType=\"identifier\">\n"
      "<correctResponse><value>RESPONSE_{}</value></correctResponse>\n</responseDeclaration>\n"
      "<outcomeDeclaration identifier=\"SCORE\" cardinality=\"single\" baseType=\"float\" "
      "normalMaximum=\"1\">\n"
      "<defaultValue><value>0</value></defaultValue>\n</outcomeDeclaration>\n"
      "<outcomeDeclaration identifier=\"FEEDBACK\" cardinality=\"single\" baseType=\"identifier\"/>\n"
      "<outcomeDeclaration identifier=\"WHY\" cardinality=\"single\" baseType=\"identifier\"/>\n",
      head, namespaces, id, attribute(title), q.answer + 1);
  text += body_of(one) + "<responseProcessing>\n<responseCondition>\n";
  for (std::size_t c = 0; c < q.choices.size(); ++c) text += condition(c, c == q.answer, c == 0);
  text +=
      "</responseCondition>\n<setOutcomeValue identifier=\"WHY\"><baseValue "
      "baseType=\"identifier\">general_fb</baseValue></setOutcomeValue>\n</responseProcessing>\n";
  for (std::size_t c = 0; c < q.choices.size(); ++c)
    if (c != q.answer) text += comment("FEEDBACK", fmt::format("feedback_{}_fb", c + 1), q.mistakes[c]);
  return text + comment("WHY", "general_fb", q.why) + "</assessmentItem>\n";
}

struct Items {
  std::vector<std::string> ids;  ///< of a student's questions, in order
  std::string resources;         ///< of the manifest
};

std::string test(const std::string &title, const std::string &id, const Sheet &s, const Items &items) {
  std::string text = fmt::format(
      "{}<assessmentTest {} identifier=\"{}\" title=\"{}\">\n"
      "<outcomeDeclaration identifier=\"SCORE\" cardinality=\"single\" baseType=\"float\"/>\n"
      "<testPart identifier=\"BaseTestPart\" navigationMode=\"nonlinear\" submissionMode=\"simultaneous\">\n"
      "<assessmentSection identifier=\"Questions\" title=\"{}\" visible=\"false\">\n",
      head, namespaces, id, attribute(fmt::format("{}: {}", title, s.student)), attribute(s.student));
  for (const std::string &item : items.ids)
    text += fmt::format("<assessmentItemRef identifier=\"{0}\" href=\"../items/{0}.xml\"/>\n", item);
  return text +
         "</assessmentSection>\n</testPart>\n<outcomeProcessing>\n<setOutcomeValue "
         "identifier=\"SCORE\"><sum><testVariables "
         "variableIdentifier=\"SCORE\"/></sum></setOutcomeValue>\n</outcomeProcessing>\n</assessmentTest>\n";
}

std::string resource(const std::string &id, std::string_view type, const std::string &path,
                     const std::string &dependencies) {
  return fmt::format(
      "<resource identifier=\"{0}\" type=\"{1}\" href=\"{2}\">\n<file href=\"{2}\"/>\n{3}</resource>\n", id,
      type, path, dependencies);
}

}  // namespace

std::string to_qti(const std::string &title, const std::vector<Sheet> &sheets) {
  std::vector<ZipEntry> files;
  std::string resources;
  for (const Sheet &s : sheets) {
    if (s.questions.empty()) continue;
    Items items;
    std::string dependencies, all;
    for (std::size_t i = 0; i < s.questions.size(); ++i) {
      const std::string name = fmt::format("{} {}", s.student, i + 1);
      const std::string id =
          identifier("item", fmt::format("{}\n{}\n{}", title, name, body_of(s.questions[i])));
      const std::string path = fmt::format("items/{}.xml", id);
      files.push_back({path, item(s.questions[i], id, name)});
      items.ids.push_back(id);
      items.resources += resource("res_" + id, "imsqti_item_xmlv2p1", path, "");
      dependencies += fmt::format("<dependency identifierref=\"res_{}\"/>\n", id);
      all += id;
    }
    const std::string id = identifier("test", fmt::format("{}\n{}\n{}", title, s.student, all));
    const std::string path = fmt::format("tests/{}.xml", id);
    files.push_back({path, test(title, id, s, items)});
    resources += items.resources + resource("res_" + id, "imsqti_test_xmlv2p1", path, dependencies);
  }
  const std::string manifest = fmt::format(
      "{}<manifest xmlns=\"http://www.imsglobal.org/xsd/imscp_v1p1\" "
      "xmlns:imsqti=\"http://www.imsglobal.org/xsd/imsqti_v2p1\" identifier=\"{}\">\n"
      "<metadata>\n<schema>QTIv2.1 Package</schema>\n<schemaversion>1.0.0</schemaversion>\n</metadata>\n"
      "<organizations/>\n<resources>\n{}</resources>\n</manifest>\n",
      head, identifier("package", resources), resources);
  files.insert(files.begin(), {"imsmanifest.xml", manifest});
  return zip(files);
}

}  // namespace warpgrade::viva
