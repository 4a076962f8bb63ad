#include "service/disputes/forms.hpp"

#include <fmt/format.h>

#include <charconv>

#include "base/text.hpp"

namespace warpgrade::service {

using report::PageField;

std::int64_t id_in(const std::string &text) {
  return std::max<std::int64_t>(0, whole_number(text).value_or(0));
}

std::string written(const std::string &given, const char *what) {
  std::string text;
  for (const char c : given)
    if (c != '\r') text += c;
  text = trimmed(text);
  if (text.empty())
    throw ApiError{400, "bad_request", fmt::format("There is no {}. Nothing was saved.", what)};
  if (!is_utf8(text) || text.find('\0') != std::string::npos)
    throw ApiError{400, "not_text", fmt::format("The {} is not text in UTF-8. Nothing was saved.", what)};
  std::size_t characters = 0;
  for (const char c : text) characters += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  if (characters > longest_comment)
    throw ApiError{
        413, "too_long",
        fmt::format("The {} has {} characters, and at most {} are taken. Nothing was saved: go back, and "
                    "shorten it.",
                    what, characters, longest_comment)};
  return text;
}

std::string text_of(const ApiRequest &request, const char *name, const char *what) {
  return written(request.field(name), what);
}

std::string in_one_line(const std::string &text) {
  std::string words;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n' || c == '\r' || c == '\t';
    if (!blank)
      words += c;
    else if (!words.empty() && words.back() != ' ')
      words += ' ';
  }
  return trimmed(words);
}

std::string reach_in_words(const std::string &rule) {
  return fmt::format(
      "The grader recognised no cause here, so this reaches every {} without a recognised cause.", rule);
}

PageField text_field(const std::string &name, const std::string &label) {
  PageField field{PageField::Kind::area, name, label, ""};
  field.most = longest_comment;
  return field;
}

ApiError somebody_was_faster() {
  return {409, "changed",
          "Somebody wrote in this dispute after your page was made. Nothing was saved: go back, copy your "
          "text, and "
          "open the page again."};
}

void need_staff(const Person &person) {
  if (person.role == Role::student)
    throw ApiError{403, "role", "This is for the course staff; you are 'student'."};
}

void note_as_read(Shared &shared, Disputes &disputes, const Dispute &d) {
  try {
    const std::lock_guard writing(shared.writing);
    disputes.read(d);
  } catch (const batch::StoreError &) {  // a page is read even when nothing can be written
  }
}

}  // namespace warpgrade::service
