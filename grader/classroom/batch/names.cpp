#include "batch/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "base/text.hpp"

namespace warpgrade::batch {

namespace {

/// The longest first, since ".tar.gz" ends with ".gz". What is not read here is listed too: it is still an
/// archive, and is refused with a sentence of its own.
constexpr std::array<std::string_view, 13> archive_endings = {
    ".tar.bz2", ".tar.zst", ".tar.gz", ".tar.xz", ".tbz2", ".tgz", ".txz",
    ".zip",     ".rar",     ".tar",    ".7z",     ".tbz",  ".tzst"};

std::size_t archive_ending(std::string_view name) {
  const std::string small = folded(name);
  for (const std::string_view ending : archive_endings)
    if (small.size() > ending.size() && small.ends_with(ending)) return ending.size();
  return 0;
}

}  // namespace

std::vector<std::string> parts_of(std::string_view path) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find_first_of("/\\"), path.size());
    if (const std::string_view part = path.substr(0, end); !part.empty() && part != ".")
      parts.emplace_back(part);
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return parts;
}

std::string_view last_part(std::string_view path) {
  const std::size_t slash = path.find_last_of("/\\");
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string hazard_in(std::string_view path, std::uint64_t most_bytes) {
  if (path.empty()) return "has no name";
  if (path.size() > most_bytes) return fmt::format("has a name of more than {} bytes", most_bytes);
  for (std::size_t at = 0; at < path.size();) {
    const auto c = code_point(path, at);
    // What a library puts in the place of bytes that it cannot read.
    if (!c || c->first == 0xfffd) return "has a name that is not valid UTF-8";
    if (c->first < 0x20 || (c->first >= 0x7f && c->first < 0xa0))
      return "has a control character in its name";
    at += c->second;
  }
  if (path.front() == '/' || path.front() == '\\') return "has an absolute name";
  const std::vector<std::string> parts = parts_of(path);
  if (!parts.empty() && parts[0].size() >= 2 && parts[0][1] == ':' &&
      folded(parts[0]).find_first_of("abcdefghijklmnopqrstuvwxyz") == 0)
    return "has an absolute name";
  for (const std::string &part : parts) {
    if (part == "..") return "has '..' in its name, which leads out of the archive";
    if (part.front() == '-') return "has a name that begins with '-' and could pass for an option";
  }
  return "";
}

bool is_clutter(const std::vector<std::string> &parts) {
  static constexpr std::array<std::string_view, 6> folders = {
      "__MACOSX", ".Spotlight-V100", ".Trashes", ".fseventsd", ".TemporaryItems", "$RECYCLE.BIN"};
  static constexpr std::array<std::string_view, 6> files = {".ds_store", "thumbs.db",   "desktop.ini",
                                                            "icon\r",    "ehthumbs.db", ".localized"};
  if (parts.empty()) return true;
  for (const std::string &part : parts)
    if (std::find(folders.begin(), folders.end(), part) != folders.end()) return true;
  return parts.back().starts_with("._") ||
         std::find(files.begin(), files.end(), folded(parts.back())) != files.end();
}

bool is_analysis(std::string_view name) {
  if (name == "report.md") return true;
  const bool ours = name.starts_with("benchmark") || name.starts_with("roofline") || name == "curve.svg" ||
                    name == "sweep.svg";
  return ours && (name.ends_with(".txt") || name.ends_with(".csv") || name.ends_with(".svg"));
}

std::string shown(std::string_view name) {
  constexpr std::size_t most = 120;
  if (name.size() <= most) return "'" + for_terminal(name) + "'";
  std::size_t cut = most;
  while (cut > most - 4 && (static_cast<unsigned char>(name[cut]) & 0xc0) == 0x80) --cut;
  return "'" + for_terminal(name.substr(0, cut)) + "...'";
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  constexpr std::size_t longest = 255;
  if (a.size() > longest || b.size() > longest) return longest + 1;
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
    }
  }
  return row.back();
}

std::string without_archive_ending(std::string_view name) {
  return std::string(name.substr(0, name.size() - archive_ending(name)));
}

bool is_archive_name(std::string_view name) {
  return archive_ending(name) != 0;
}

Numbered without_number(std::string_view name) {
  const std::size_t archive = archive_ending(name), dot = name.rfind('.');
  const std::size_t stem_size = archive != 0                                ? name.size() - archive
                                : dot == std::string_view::npos || dot == 0 ? name.size()
                                                                            : dot;
  const std::string_view stem = name.substr(0, stem_size), ending = name.substr(stem_size);
  const auto split = [&](std::string_view before, std::string_view after) -> Numbered {
    if (!stem.ends_with(after)) return {};
    const std::string_view inner = stem.substr(0, stem.size() - after.size());
    const std::size_t last = inner.find_last_not_of("0123456789");
    if (last == std::string_view::npos) return {};
    const std::string_view digits = inner.substr(last + 1), head = inner.substr(0, last + 1);
    // Not more than browsers and platforms count to: 6 digits and more are ids and dates.
    if (digits.empty() || digits.size() > 3 || head.size() <= before.size() || !head.ends_with(before))
      return {};
    return {std::string(head.substr(0, head.size() - before.size())) + std::string(ending),
            std::stoll(std::string(digits))};
  };
  for (const Numbered &found : {split("-", ""), split(" (", ")"), split("(", ")")})
    if (!found.name.empty()) return found;
  return {std::string(name), 0};
}

}  // namespace warpgrade::batch
