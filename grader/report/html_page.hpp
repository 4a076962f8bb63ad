// One HTML file that is complete in itself: template, style, scripts and data, and the policy that lets a
// browser run these scripts and ask for nothing. Internal to report.
#pragma once

#include <kainjow/mustache.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "report/json.hpp"

namespace warpgrade::report {

using Fields = kainjow::mustache::data;

/// A text for a template, or false where it is empty: then its section is left out. Templates look up what a
/// part does not have in the parts around it, so every part sets all of its fields.
Fields text_or_nothing(const std::string &);

/// Fills in a template. What stands in two braces is escaped (for_xml: markup, controls, bidi, broken UTF-8);
/// what stands in three is markup of our own. Throws std::logic_error when the template is broken.
std::string fill(std::string_view page_template, const Fields &);

enum class Script { chart_library, charts, submission, class_page };

/// title   untrusted
/// body    markup
/// data    read by the scripts; strings in it are for_json() already
std::string html_page(const std::string &title, const std::string &body, const Json &data,
                      const std::vector<Script> &scripts);

/// The templates of a page's body.
std::string_view submission_template();
std::string_view class_template();
std::string_view leaderboard_template();

/// In what the assignment's speed is given: that of its first step.
std::string unit_of(const course::Assignment &);

/// A badge (badge_of) as one character, for readers who scan.
std::string_view sign_of(std::string_view badge);
std::string_view sign_of(judge::Verdict);

}  // namespace warpgrade::report
