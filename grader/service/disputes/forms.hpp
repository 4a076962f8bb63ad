// What the pages of disputes share: fields of forms, and reading them. Internal to disputes.
#pragma once

#include <cstdint>
#include <string>

#include "report/service_page.hpp"
#include "service/api.hpp"
#include "service/api_error.hpp"
#include "service/disputes/disputes.hpp"

namespace warpgrade::service {

inline constexpr const char *this_step = "this step", *every_step = "every step",
                            *this_dispute = "this dispute";

/// A number above 0; 0 for anything else.
std::int64_t id_in(const std::string &text);
/// What somebody wrote, with ends of lines as files have them and no blanks around. Throws ApiError for none, too many
/// characters, or no text. what: "comment"
std::string written(const std::string &given, const char *what);
/// The same of a field of a form.
std::string text_of(const ApiRequest &, const char *name, const char *what);
/// Words in one line, with one blank between them.
std::string in_one_line(const std::string &text);
/// Of a note on a finding without a recognised cause.
std::string reach_in_words(const std::string &rule);
/// An area with the limit of text_of.
report::PageField text_field(const std::string &name, const std::string &label);
/// A decision whose author has not read the last message.
ApiError somebody_was_faster();
/// Throws ApiError for students.
void need_staff(const Person &);
/// While the store is busy, it stays unread.
void note_as_read(Shared &, Disputes &, const Dispute &);

}  // namespace warpgrade::service
