#include <fmt/format.h>

#include "variants/variants.hpp"

namespace warpgrade::variants {

namespace {

constexpr std::string_view begins = " ==== variant: ", ends = " ====\n";
constexpr std::string_view before_other = "It is right for another variant of this assignment: ";

std::string choices_that_differ(const Variants &all, const Variant &of, const Variant &from) {
  std::string choices;
  for (std::size_t i = 0; i < of.size(); ++i)
    if (of[i] != from[i])
      choices += fmt::format("{}{}={}", choices.empty() ? "" : " ", all.parameters[i].name,
                             all.parameters[i].values[of[i]].name);
  return choices;
}

}  // namespace

std::string marked(std::string content, std::string_view file_name, std::string_view variant) {
  const char *const comment = file_name.ends_with(".yaml") ? "#" : "//";
  return fmt::format("{}\n{}{}{}{}", content, comment, begins, variant, ends);
}

std::string without_a_mark(std::string content, std::string_view file_name) {
  return content.ends_with(ends) ? marked(std::move(content), file_name, "") : content;
}

Unmarked unmarked(std::string_view content) {
  // Ours is the last line, whatever a student has written before it.
  const std::size_t line = content.empty() ? std::string_view::npos : content.rfind('\n', content.size() - 2);
  if (line == std::string_view::npos || !content.ends_with(ends)) return {std::string(content), ""};
  std::string_view mark = content.substr(line + 1);
  for (const std::string_view comment : {"//", "#"})
    if (mark.starts_with(comment)) mark.remove_prefix(comment.size());
  // The two share a space: a line of a student may be too short for both.
  if (!mark.starts_with(begins) || mark.size() < begins.size() + ends.size())
    return {std::string(content), ""};
  mark.remove_prefix(begins.size());
  mark.remove_suffix(ends.size());
  return {std::string(content.substr(0, line)), std::string(mark)};
}

std::string right_for_another(const Variants &all, const Variant &own, const Variant &other) {
  return fmt::format("{}{}, not {}.", before_other, choices_that_differ(all, other, own),
                     choices_that_differ(all, own, other));
}

std::string other_variant_in(std::string_view reason) {
  const std::size_t at = reason.find(before_other);
  if (at == std::string_view::npos) return "";
  const std::string_view rest = reason.substr(at + before_other.size());
  return std::string(rest.substr(0, rest.find(", not ")));
}

}  // namespace warpgrade::variants
