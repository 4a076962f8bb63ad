#include "report/html_page.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "report/fixes.hpp"
#include "report/text.hpp"

#define WARPGRADE_EMBEDDED(name)                                         \
  extern "C" const char warpgrade_html_##name##_begin[];                 \
  extern "C" const char warpgrade_html_##name##_end[];                   \
  static std::string_view name##_text() {                                \
    return {warpgrade_html_##name##_begin, warpgrade_html_##name##_end}; \
  }
WARPGRADE_EMBEDDED(page)
WARPGRADE_EMBEDDED(style)
WARPGRADE_EMBEDDED(submission_body)
WARPGRADE_EMBEDDED(class_body)
WARPGRADE_EMBEDDED(leaderboard_body)
WARPGRADE_EMBEDDED(service_body)
WARPGRADE_EMBEDDED(chart_library)
WARPGRADE_EMBEDDED(charts)
WARPGRADE_EMBEDDED(submission)
WARPGRADE_EMBEDDED(class_page)
WARPGRADE_EMBEDDED(live)
WARPGRADE_EMBEDDED(debug_body)
WARPGRADE_EMBEDDED(player_body)
WARPGRADE_EMBEDDED(debug)

namespace warpgrade::report {

namespace {

struct Embedded {
  std::string_view text, sha256;  ///< the hash in hexadecimal, as the build computed it of the same file
};

Embedded embedded(Script script) {
  switch (script) {
    case Script::chart_library:
      return {chart_library_text(), WARPGRADE_SHA256_CHART_LIBRARY};
    case Script::charts:
      return {charts_text(), WARPGRADE_SHA256_CHARTS};
    case Script::submission:
      return {submission_text(), WARPGRADE_SHA256_SUBMISSION};
    case Script::class_page:
      return {class_page_text(), WARPGRADE_SHA256_CLASS};
    case Script::debug:
      return {debug_text(), WARPGRADE_SHA256_DEBUG};
    case Script::live:
      return {live_text(), WARPGRADE_SHA256_LIVE};
  }
  return {};
}

std::string base64_of_hex(std::string_view hex) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto value = [](char c) { return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10); };
  std::string text;
  for (std::size_t at = 0; at + 1 < hex.size(); at += 6) {
    unsigned bits = 0;
    const std::size_t digits_here = std::min<std::size_t>(6, hex.size() - at);
    for (std::size_t i = 0; i < 6; ++i) bits = bits << 4 | (i < digits_here ? value(hex[at + i]) : 0);
    for (std::size_t i = 0; i < 4; ++i)
      text += i <= digits_here / 2 ? digits[bits >> (18 - 6 * i) & 63] : '=';
  }
  return text;
}

std::string source_of(std::string_view sha256) {
  return fmt::format("'sha256-{}'", base64_of_hex(sha256));
}

/// JSON that cannot end the element it stands in, nor begin a comment there.
std::string for_script_element(const Json &data) {
  std::string safe;
  for (const char c : data.dump(-1, ' ', true, Json::error_handler_t::replace))
    if (c == '<' || c == '>' || c == '&')
      safe += fmt::format("\\u{:04x}", static_cast<int>(c));
    else
      safe += c;
  return safe;
}

}  // namespace

Fields text_or_nothing(const std::string &text) {
  return text.empty() ? Fields(false) : Fields(text);
}

std::string fill(std::string_view page_template, const Fields &fields) {
  kainjow::mustache::mustache engine{std::string(page_template)};
  if (!engine.is_valid())
    throw std::logic_error("a template of a report is broken: " + engine.error_message());
  engine.set_custom_escape([](const std::string &s) { return for_xml(s); });
  return engine.render(fields);
}

std::string script_source(Script script) {
  return source_of(embedded(script).sha256);
}
std::string script_element(Script script) {
  return fmt::format("<script>{}</script>", embedded(script).text);
}
std::string data_element(const Json &data) {
  return fmt::format("<script type=\"application/json\" id=\"data\">{}</script>", for_script_element(data));
}

std::string_view page_style() {
  return style_text();
}

std::string player_style() {
  const std::string_view all = style_text();
  const std::size_t begin = all.find("/* The player of a recording. */"), end = all.find("\nfooter {");
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin)
    throw std::logic_error("the style has no part for players");
  return std::string(all.substr(begin, end - begin));
}

std::string html_page(const std::string &title, const std::string &body, const Json &data,
                      const std::vector<Script> &scripts, Forms forms, Requests requests) {
  std::string sources;
  Fields list(Fields::type::list);
  for (const Script script : scripts) {
    const Embedded e = embedded(script);
    sources += " " + source_of(e.sha256);
    list << Fields("text", std::string(e.text));
  }
  Fields page;
  page.set("policy",
           fmt::format("default-src 'none'; script-src{}; style-src {}; base-uri 'none'; form-action {}{}",
                       sources.empty() ? " 'none'" : sources, source_of(WARPGRADE_SHA256_STYLE),
                       forms == Forms::nowhere ? "'none'" : "'self'",
                       requests == Requests::none ? "" : "; connect-src 'self'"));
  page.set("title", title);
  page.set("style", std::string(style_text()));
  page.set("body", body);
  page.set("data", for_script_element(data));
  page.set("scripts", list);
  return fill(page_text(), page);
}

std::string_view submission_template() {
  return submission_body_text();
}
std::string_view debug_template() {
  return debug_body_text();
}
std::string_view player_template() {
  return player_body_text();
}
std::string_view class_template() {
  return class_body_text();
}
std::string_view leaderboard_template() {
  return leaderboard_body_text();
}
std::string_view service_template() {
  return service_body_text();
}

std::string unit_of(const course::Assignment &a) {
  for (const course::Step &s : a.steps)
    if (s.has_kernel()) return std::string(s.problem->rate_unit());
  return {};
}

std::string library_of(const course::Assignment &a) {
  auto library = problem::Library::none;
  for (const course::Step &s : a.steps)
    if (library == problem::Library::none && s.has_kernel()) library = s.problem->library();
  return std::string(problem::name_of(library));
}

std::string_view sign_of(std::string_view badge) {
  return badge == "PASS"                      ? "\u2713"
         : badge == "FAIL"                    ? "\u2717"
         : badge == "OPEN" || badge == "WAIT" ? "\u2026"
                                              : "!";
}
std::string_view sign_of(judge::Verdict v) {
  return sign_of(badge_of(v));
}

}  // namespace warpgrade::report
