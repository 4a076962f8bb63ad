#include "report/service_page.hpp"

#include <fmt/format.h>

#include <array>

#include "report/html_page.hpp"

namespace warpgrade::report {

namespace {

Fields cell_fields(const PageCell &cell, const std::string &label) {
  Fields one;
  one.set("text", cell.text);
  one.set("link", text_or_nothing(cell.link));
  one.set("right", cell.number);
  one.set("label", label);
  return one;
}

Fields table_fields(const PageTable &table) {
  Fields f, columns(Fields::type::list), rows(Fields::type::list);
  for (const PageCell &column : table.columns) columns << cell_fields(column, "");
  for (const std::vector<PageCell> &cells : table.rows) {
    Fields row, rest(Fields::type::list);
    for (std::size_t i = 1; i < cells.size(); ++i)
      rest << cell_fields(cells[i], i < table.columns.size() ? table.columns[i].text : "");
    row.set("first", cell_fields(cells.at(0), ""));
    row.set("rest", rest);
    rows << row;
  }
  f.set("caption", table.caption);
  f.set("columns", columns);
  f.set("rows", rows);
  f.set("any", !table.rows.empty());
  f.set("when_empty", table.when_empty);
  return f;
}

/// `id` is unique on the page.
Fields form_field(const PageField &field, const std::string &id) {
  using Kind = PageField::Kind;
  constexpr std::array kinds = {std::pair{Kind::text, "text"}, std::pair{Kind::password, "password"},
                                std::pair{Kind::number, "number"}, std::pair{Kind::file, "file"},
                                std::pair{Kind::hidden, "hidden"}};
  Fields f, choices(Fields::type::list);
  char letter = 'A';
  for (const std::string &choice : field.choices) {
    Fields one("choice", choice);
    one.set("of", field.name);
    one.set("letter", std::string(1, letter));
    one.set("checked", field.value == std::string(1, letter++));
    one.set("chosen", field.value == choice);
    choices << one;
  }
  std::string type;
  for (const auto &[kind, word] : kinds)
    if (kind == field.kind) type = word;
  f.set("id", id);
  f.set("name", field.name);
  f.set("label", field.label);
  f.set("value", field.value);
  f.set("hidden", field.kind == Kind::hidden);
  f.set("area", field.kind == Kind::area);
  f.set("choice_of", field.kind == Kind::choice);
  f.set("one_of", field.kind == Kind::one_of);
  f.set("line", text_or_nothing(field.code));
  f.set("file", field.kind == Kind::file);
  f.set("mark", field.kind == Kind::mark);
  f.set("input", field.kind != Kind::hidden && field.kind != Kind::area && field.kind != Kind::choice &&
                     field.kind != Kind::one_of && field.kind != Kind::file && field.kind != Kind::mark);
  f.set("type", type);
  f.set("number", field.kind == Kind::number);
  f.set("choices", choices);
  f.set("required", field.required);
  f.set("rows", std::to_string(field.rows));
  f.set("most", text_or_nothing(field.most > 0 ? std::to_string(field.most) : ""));
  f.set("code", field.rows > 3);
  return f;
}

Fields form_fields(const PageForm &form, const std::string &csrf, const std::string &id) {
  Fields f, fields(Fields::type::list);
  bool files = false;
  int number = 0;
  for (const PageField &field : form.fields) {
    fields << form_field(field, fmt::format("{}-{}", id, ++number));
    files |= field.kind == PageField::Kind::file;
  }
  f.set("action", form.action);
  f.set("button", form.button);
  f.set("other", text_or_nothing(form.other_button));
  f.set("csrf", text_or_nothing(csrf));
  f.set("with_files", files);
  f.set("fields", fields);
  return f;
}

}  // namespace

std::string to_html(const ServicePage &page) {
  Fields f, menu(Fields::type::list), announcements(Fields::type::list), sections(Fields::type::list);
  for (const PageCell &cell : page.menu) menu << cell_fields(cell, "");
  for (const std::string &text : page.announcements) announcements << Fields("announcement", text);
  int number = 0;
  for (const PageSection &section : page.sections) {
    const std::string id = fmt::format("s{}", ++number);
    Fields s, sentences(Fields::type::list), forms(Fields::type::list);
    for (const std::string &sentence : section.sentences) sentences << Fields("sentence", sentence);
    int forms_here = 0;
    for (const PageForm &form : section.forms)
      forms << form_fields(form, page.csrf, fmt::format("{}f{}", id, ++forms_here));
    s.set("anchor", text_or_nothing(section.anchor));
    s.set("heading", text_or_nothing(section.heading));
    s.set("sentences", sentences);
    s.set("drawing", text_or_nothing(section.drawing));
    s.set("plain", text_or_nothing(section.text));
    s.set("table", section.table ? table_fields(*section.table) : Fields(false));
    s.set("forms", forms);
    sections << s;
  }
  f.set("title", page.title);
  f.set("person", text_or_nothing(page.person));
  f.set("menu", menu);
  f.set("announcements", announcements);
  f.set("sections", sections);
  f.set("logout", page.csrf.empty() ? Fields(false) : Fields(page.csrf));
  return html_page(page.title, fill(service_template(), f), Json::object(), {}, Forms::to_this_server);
}

}  // namespace warpgrade::report
