// One self-contained HTML file: template, style, scripts and data, and the policy that lets a browser run
// only these scripts and request nothing. Internal to report.
#pragma once

#include <kainjow/mustache.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "report/json.hpp"

namespace warpgrade::report {

using Fields = kainjow::mustache::data;

/// A text for a template, or false if it is empty: then its section is left out. Templates look up missing
/// fields in the enclosing parts, so every part sets all of its fields.
Fields text_or_nothing(const std::string &);

/// Fills in a template. Text in two braces is escaped (for_xml: markup, controls, bidi, broken UTF-8); text
/// in three is our own markup. Throws std::logic_error if the template is broken.
std::string fill(std::string_view page_template, const Fields &);

enum class Script { chart_library, charts, submission, class_page, live, debug };

/// Where a page's forms may be sent.
enum class Forms { nowhere, to_this_server };

/// What a page's scripts may request.
enum class Requests { none, to_this_server };

/// title   untrusted
/// body    markup
/// data    read by the scripts; strings in it are for_json() already
std::string html_page(const std::string &title, const std::string &body, const Json &data,
                      const std::vector<Script> &scripts, Forms forms = Forms::nowhere,
                      Requests requests = Requests::none);

// Parts of such a page, for one that another program makes: a handout.
/// How a policy names a script: "'sha256-...'".
std::string script_source(Script);
std::string script_element(Script);
std::string data_element(const Json &);
/// The style of all pages.
std::string_view page_style();
/// The part of the style that players of recordings need.
std::string player_style();

/// The templates of a page's body.
std::string_view submission_template();
std::string_view debug_template();
std::string_view player_template();
std::string_view class_template();
std::string_view leaderboard_template();
std::string_view service_template();

/// The unit of the assignment's speed: that of its first step.
std::string unit_of(const course::Assignment &);
/// "CUB": of the first step that is compared with one; "a library" if none is.
std::string library_of(const course::Assignment &);

/// A badge (badge_of) as one character, for quick scanning.
std::string_view sign_of(std::string_view badge);
std::string_view sign_of(judge::Verdict);

}  // namespace warpgrade::report
