#include "setup/nearest_step.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>

#include "base/did_you_mean.hpp"

namespace warpgrade {

namespace {

using Fits = std::function<bool(const course::Step &)>;

/// The only step that fits, of the course if there is one, else beyond it.
std::string only_step(const course::Assignment &a, const Fits &fits) {
  for (const bool beyond : {false, true}) {
    std::vector<std::string> found;
    for (const course::Step &s : a.steps)
      if (s.beyond == beyond && fits(s)) found.push_back(s.id);
    if (found.size() == 1) return found.front();
    if (!found.empty()) return "";
  }
  return "";
}

std::string stem_of(const course::Step &step) {
  return std::filesystem::path(step.file).stem().string();
}

bool is_number(const std::string &word) {
  return !word.empty() &&
         std::all_of(word.begin(), word.end(), [](unsigned char c) { return c >= '0' && c <= '9'; });
}

/// "3" of "step3"; empty where an id does not end in digits.
std::string number_of(const std::string &id) {
  const std::size_t last = id.find_last_not_of("0123456789");
  return last == std::string::npos ? id : id.substr(last + 1);
}

/// "w3" of "w3_stride"
std::string first_word(const std::string &stem) {
  return stem.substr(0, stem.find('_'));
}

/// Whether a file's name has this word between its underscores: "blocktile" of "step3_blocktile".
bool has_word(const std::string &stem, const std::string &word) {
  for (std::size_t at = 0; at <= stem.size();) {
    const std::size_t end = std::min(stem.find('_', at), stem.size());
    if (plain_name(stem.substr(at, end - at)) == word) return true;
    at = end + 1;
  }
  return false;
}

}  // namespace

std::string nearest_step(const std::string &word, const course::Assignment &a) {
  const std::filesystem::path name = std::filesystem::path(word).filename();
  const std::string plain = plain_name(name.stem().string());
  if (plain.empty()) return "";
  const Fits ways[] = {
      [&](const course::Step &s) { return name == s.file; },
      [&](const course::Step &s) { return plain_name(s.id) == plain; },
      [&](const course::Step &s) { return plain_name(stem_of(s)) == plain; },
      [&](const course::Step &s) {
        return is_number(plain) && (number_of(s.id) == plain || number_of(first_word(stem_of(s))) == plain);
      },
      [&](const course::Step &s) { return has_word(stem_of(s), plain); },
  };
  for (const Fits &fits : ways)
    if (const std::string found = only_step(a, fits); !found.empty()) return found;
  std::vector<std::string> ids, stems;
  for (const course::Step &s : a.steps) {
    ids.push_back(s.id);
    stems.push_back(stem_of(s));
  }
  if (const std::string near = nearest(word, ids); !near.empty()) return near;
  const std::string near = nearest(plain, stems);
  const auto step = std::find(stems.begin(), stems.end(), near);
  return near.empty() ? "" : ids[static_cast<std::size_t>(step - stems.begin())];
}

}  // namespace warpgrade
