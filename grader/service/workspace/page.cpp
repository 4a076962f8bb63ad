#include "service/workspace/page.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "batch/content.hpp"
#include "report/html_page.hpp"

#define WARPGRADE_WORKSPACE_PART(name)                                             \
  extern "C" const char warpgrade_workspace_##name##_begin[];                      \
  extern "C" const char warpgrade_workspace_##name##_end[];                        \
  static std::string_view workspace_##name() {                                     \
    return {warpgrade_workspace_##name##_begin, warpgrade_workspace_##name##_end}; \
  }
WARPGRADE_WORKSPACE_PART(body)
WARPGRADE_WORKSPACE_PART(style)
WARPGRADE_WORKSPACE_PART(script)
WARPGRADE_WORKSPACE_PART(editor)
WARPGRADE_WORKSPACE_PART(licences)

namespace warpgrade::service {

using report::Fields;
using report::text_or_nothing;

namespace {

std::string whole_style() {
  return fmt::format("{}\n{}", report::page_style(), workspace_style());
}

/// Changes with the text, so that a browser can keep the file for good.
std::string mark_of(std::string_view text) {
  return batch::hash_of(text).substr(0, 16);
}

/// Every character as it is: what a page shows is what its next save contains.
std::string in_text_area(const std::string &text) {
  std::string escaped;
  for (const char c : text)
    if (c == '&')
      escaped += "&amp;";
    else if (c == '<')
      escaped += "&lt;";
    else if (c == '>')
      escaped += "&gt;";
    else
      escaped += c;
  return escaped;
}

Fields tabs(const std::vector<Tab> &all) {
  Fields list(Fields::type::list);
  for (const Tab &one : all) {
    Fields f;
    f.set("text", one.text);
    f.set("link", one.link);
    f.set("here", one.here);
    list << f;
  }
  return list;
}

Fields fault_fields(const report::Fault &fault) {
  Fields f;
  f.set("where", fault.line > 0 ? fmt::format("{}, line {}", fault.file, fault.line) : fault.file);
  f.set("line", std::to_string(fault.line));
  f.set("level", std::string(report::name_of(fault.level)));
  f.set("words", fault.text);
  return f;
}

}  // namespace

std::optional<Asset> asset_named(const std::string &name) {
  static const std::string style = whole_style();
  if (name == "/style.css") return Asset{"text/css; charset=utf-8", style};
  if (name == "/workspace.js")
    return Asset{"text/javascript; charset=utf-8", std::string(workspace_script())};
  if (name == "/editor.js" && !workspace_editor().empty())
    return Asset{"text/javascript; charset=utf-8", std::string(workspace_editor())};
  if (name == "/licences.txt" && !workspace_editor().empty())
    return Asset{"text/plain; charset=utf-8", std::string(workspace_licences())};
  return std::nullopt;
}

std::string to_html(const WorkspacePage &p) {
  static const std::string style_mark = mark_of(whole_style()), script_mark = mark_of(workspace_script()),
                           editor_mark = mark_of(workspace_editor());
  Fields f, menu(Fields::type::list), announcements(Fields::type::list), beside(Fields::type::list),
      faults(Fields::type::list);
  for (const std::string &text : p.frame.announcements) announcements << Fields("announcement", text);
  for (const report::PageCell &cell : p.frame.menu) {
    Fields one;
    one.set("text", cell.text);
    one.set("link", cell.link);
    menu << one;
  }
  for (const auto &[name, text] : p.beside) {
    Fields one;
    one.set("name", name);
    one.set("text", text);
    beside << one;
  }
  for (const report::Fault &fault : p.facts.faults) faults << fault_fields(fault);
  f.set("title", p.frame.title);
  f.set("person", p.frame.person);
  f.set("csrf", p.frame.csrf);
  f.set("nonce", p.nonce);
  f.set("address", p.address);
  f.set("file", p.file);
  f.set("text", in_text_area(p.text));
  f.set("remark", p.remark);
  f.set("based_on", std::to_string(p.based_on));
  f.set("closed", text_or_nothing(p.closed));
  f.set("menu", menu);
  f.set("announcements", announcements);
  f.set("steps", tabs(p.steps));
  f.set("several_files", p.files.size() > 1);
  f.set("files", tabs(p.files));
  f.set("beside", beside);
  f.set("handout", p.handout);
  f.set("can_lay_out", p.can_lay_out);
  const std::optional<Trial> &layout = p.facts.layout;
  const bool laid_out = layout && layout->state == TrialState::done;
  f.set("laid_out", text_or_nothing(laid_out && !layout->page.empty() && layout->page != p.text
                                        ? std::to_string(layout->id)
                                        : ""));
  f.set("why_not_laid_out", text_or_nothing(laid_out && layout->page.empty() ? layout->why : ""));
  f.set("trial_words", p.facts.trial_in_words());
  f.set("waiting", text_or_nothing(p.facts.why_waiting));
  f.set("handed_in", p.facts.handed_in_in_words());
  f.set("handed_in_link",
        text_or_nothing(p.facts.handed_in ? fmt::format("/submissions/{}", p.facts.handed_in->id) : ""));
  f.set("faults_there", !p.facts.faults.empty());
  f.set("faults", faults);
  const bool done = p.facts.trial && p.facts.trial->state == TrialState::done && !p.facts.verdict.empty();
  f.set("report",
        text_or_nothing(done ? fmt::format("{}/report?trial={}", p.address, p.facts.trial->id) : ""));
  f.set("player", text_or_nothing(p.facts.player && !p.facts.player->page.empty()
                                      ? fmt::format("{}/player?trial={}", p.address, p.facts.player->id)
                                      : ""));
  f.set("pending", p.facts.pending());
  f.set("style_mark", style_mark);
  f.set("script_mark", script_mark);
  f.set("editor_mark", text_or_nothing(workspace_editor().empty() ? "" : editor_mark));
  report::Json data;
  data["address"] = p.address;
  data["person"] = for_json(p.frame.person);
  data["file"] = for_json(p.file);
  data["csrf"] = p.frame.csrf;
  data["based_on"] = p.based_on;
  data["nonce"] = p.nonce;
  data["state"] =
      report::Json::parse(p.facts.to_json().dump(-1, ' ', false, report::Json::error_handler_t::replace));
  report::Json words = report::Json::array();
  for (const auto &[name, text] : p.beside) words.push_back(for_json(text));
  data["contract"] = std::move(words);
  f.set("data", report::data_element(data));
  return report::fill(workspace_body(), f);
}

}  // namespace warpgrade::service
