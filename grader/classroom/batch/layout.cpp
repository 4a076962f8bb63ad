#include "batch/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text.hpp"
#include "batch/names.hpp"

namespace warpgrade::batch {

namespace {

/// "20261234" of "20261234_HW6"; empty where it does not end so.
std::string id_of(std::string_view stem, const std::string &assignment) {
  const std::string ending = "_" + assignment;
  if (stem.size() <= ending.size() || !folded(stem).ends_with(ending)) return "";
  return std::string(stem.substr(0, stem.size() - ending.size()));
}

std::int64_t number(const std::string &digits) {
  std::int64_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

/// "20261234_HW6-2.zip" is "20261234_HW6", 2
Numbered stem_of(std::string_view name) {
  Numbered numbered = without_number(name);
  numbered.name = without_archive_ending(numbered.name);
  return numbered;
}

}  // namespace

std::string as_student(std::string_view bytes) {
  std::string id(bytes.substr(0, course::NamePattern::longest_name));
  while (!id.empty() && id.back() == ' ') id.pop_back();
  id.erase(0, std::min(id.find_first_not_of(' '), id.size()));
  if (!is_utf8(id))
    for (char &c : id)
      if (static_cast<unsigned char>(c) >= 0x80) c = '_';
  for (std::size_t i = 0; i < id.size(); ++i) {
    const auto c = static_cast<unsigned char>(id[i]);
    const bool c1 = c == 0xc2 && i + 1 < id.size() && static_cast<unsigned char>(id[i + 1]) < 0xa0;
    if (c1) id[i + 1] = '_';
    if (c < 0x20 || c == 0x7f || c == '/' || c == '\\' || c1) id[i] = '_';
  }
  if (!id.empty() && (id.front() == '.' || id.front() == '-')) id.front() = '_';
  return id.empty() ? "_" : id;
}

Layout::Layout(const std::string &name, const course::Assignment &assignment)
    : name_(name), assignment_(assignment.name), platform_(platforms::find(name)) {
  if (platform_ != nullptr && platform_->names.pattern != nullptr)
    pattern_.emplace(platform_->names.pattern, true);
}

Layout Layout::own(const std::string &pattern, const course::Assignment &assignment) {
  Layout layout("pattern", assignment);
  layout.pattern_.emplace(pattern, true);
  return layout;
}

Layout Layout::of(const platforms::Platform &platform, std::map<std::string, GradescopeSubmission> metadata,
                  const course::Assignment &assignment) {
  Layout layout(std::string(platform.name), assignment);
  layout.metadata_ = std::move(metadata);
  return layout;
}

Named Layout::read(std::string_view name) const {
  Named named;
  const Numbered stem = stem_of(name);
  named.attempt = stem.number;
  const auto guess = [&] {
    named.fits = false;
    const std::string id = id_of(stem.name, assignment_);
    named.owners = {{as_student(!id.empty() ? id : stem.name.empty() ? std::string(name) : stem.name), {}}};
    return named;
  };
  if (has_metadata()) {
    const auto found = metadata_.find(std::string(name));
    if (found == metadata_.end()) return guess();
    named.time = found->second.created;
    for (const auto &[person, sid, email] : found->second.submitters) {
      const std::string &best = !sid.empty() ? sid : !email.empty() ? email : person;
      if (sid.empty() && email.empty()) named.fits = false;  // people choose what they are called
      named.owners.push_back({as_student(best), {email}});
    }
    return named;
  }
  if (pattern_) {
    auto match = pattern_->match(name);
    if (!match && platform_ == nullptr) match = pattern_->match(without_archive_ending(name));
    if (!match && platform_ == nullptr) match = pattern_->match(stem.name);
    if (!match) return guess();
    named.owners = {{as_student(match->student), {}}};
    const Numbered file = without_number(match->file);
    named.file = file.name;
    if (!match->file.empty()) named.attempt = file.number;
    named.late = match->late;
    if (!match->attempt.empty()) {
      const bool of_class = platform_ != nullptr && platform_->names.class_counts_attempts;
      (of_class ? named.serial : named.attempt) = number(match->attempt);
    }
    return named;
  }
  const std::string id = id_of(stem.name, assignment_);
  if (id.empty() && name_ == "id") return guess();
  if (!id.empty()) {
    named.owners = {{as_student(id), {}}};
  } else {
    // A plain name may well end with a number that is part of it: student-2.
    named.attempt = 0;
    named.owners = {{as_student(without_archive_ending(name)), {}}};
  }
  named.file = std::string(name);
  return named;
}

std::string Layout::other_student(std::string_view name) const {
  if (!pattern_) return "";
  if (platform_ != nullptr && platform_->names.one_reading != nullptr && platform_->names.one_reading(name))
    return "";
  for (const std::string &form : {std::string(name), without_archive_ending(name), stem_of(name).name}) {
    if (pattern_->match(form)) {
      const std::string other = pattern_->other_student(form);
      return other.empty() ? "" : as_student(other);
    }
    if (platform_ != nullptr) break;
  }
  return "";
}

std::string id_in(std::string_view name, const course::Assignment &assignment) {
  return id_of(stem_of(name).name, assignment.name);
}

const platforms::Platform *without_files(std::string_view name) {
  for (const platforms::Platform *p : platforms::all())
    if (p->names.without_files != nullptr && p->names.without_files(name)) return p;
  return nullptr;
}

std::string guess_layout(const std::vector<std::string> &names, const course::Assignment &assignment) {
  std::vector<std::string> layouts;
  for (const platforms::Platform *p : platforms::all())
    if (p->names.pattern != nullptr) layouts.emplace_back(p->name);
  layouts.emplace_back("id");
  for (const std::string &layout : layouts) {
    const Layout tried(layout, assignment);
    const auto fitting =
        std::count_if(names.begin(), names.end(), [&](const std::string &n) { return tried.read(n).fits; });
    if (fitting > 0 && 2 * static_cast<std::size_t>(fitting) >= names.size()) return layout;
  }
  return "plain";
}

}  // namespace warpgrade::batch
