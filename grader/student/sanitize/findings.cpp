#include "sanitize/findings.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/text.hpp"

namespace warpgrade::sanitize {
namespace {

constexpr std::string_view mark = "=========";

std::string_view bare(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// Without "0x7fec72800190" and the word before it: " at 0x...", "to 0x...".
std::string without_addresses(std::string text) {
  for (std::size_t at; (at = text.find("0x")) != std::string::npos;) {
    const std::size_t end = std::min(text.find_first_not_of("0123456789abcdefABCDEF", at + 2), text.size());
    const std::size_t word = at >= 2 ? text.rfind(' ', at - 2) : std::string::npos;
    const std::size_t begin = word == std::string::npos ? 0 : word;
    text.erase(begin, end - begin);
  }
  return std::string(bare(text));
}

/// "tile" of "void tile<(int)16>(float *)+0xb0": up to the bracket of its arguments, without template arguments.
std::string name_in(std::string_view function) {
  function = function.substr(0, function.rfind("+0x"));
  std::string name;
  int depth = 0;
  for (std::size_t i = 0; i < function.size(); ++i) {
    const char c = function[i];
    if (depth == 0 && c == '(' && !function.substr(i).starts_with("(anonymous namespace)")) break;
    if (c == '>') --depth;
    if (depth == 0 && c != '>') name += c == '<' ? std::string() : std::string(1, c);
    if (c == '<') ++depth;
    if (depth == 0 && c == '(') {  // of an unnamed namespace
      name.pop_back();
      i = function.find(')', i) + 2;
    }
  }
  const std::size_t result = name.rfind(' ');  // of a template, its type comes first
  return std::string(bare(result == std::string::npos ? name : name.substr(result + 1)));
}

/// "tile(float *)+0xb0 in x.cu:3", or of older releases "0xb0 in /path/x.cu:3:tile(float *)".
struct Place {
  std::string kernel, file;
  int line = 0;
};
Place place_in(std::string_view text) {
  Place place;
  const std::size_t in = text.rfind(" in ");
  std::string_view function = text.substr(0, in);
  if (in != std::string_view::npos) {
    std::string_view where = bare(text.substr(in + 4));
    const std::size_t slash = where.find_last_of('/', where.find(':'));
    if (slash != std::string_view::npos) where.remove_prefix(slash + 1);
    const std::size_t colon = where.find(':');
    if (colon != std::string_view::npos) {
      place.file = where.substr(0, colon);
      const char *const end = where.data() + where.size();
      const auto number = std::from_chars(where.data() + colon + 1, end, place.line);
      if (number.ptr != end && *number.ptr == ':')
        function = where.substr(static_cast<std::size_t>(number.ptr - where.data()) + 1);
    }
  }
  place.kernel = name_in(function);
  return place;
}

/// "(100,0,0)" behind a word; empty if there is none.
std::string behind(std::string_view text, std::string_view word) {
  const std::size_t at = text.find(word);
  if (at == std::string_view::npos) return {};
  const std::size_t open = text.find('(', at), close = text.find(')', at);
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
  return std::string(text.substr(open, close - open + 1));
}

/// One paragraph of the log: what is said first, and the lines below it.
struct Paragraph {
  std::string first;
  std::vector<std::string> rest;
};

Finding race_in(const Paragraph &p) {
  Finding made;
  made.warning = p.first.starts_with("Warning");
  const std::string_view first = p.first;
  const std::size_t between = first.find("between "), at = first.find(" at ");
  const Place here = at == std::string_view::npos ? Place{} : place_in(first.substr(at + 4));
  made.kernel = here.kernel, made.file = here.file, made.line = here.line;
  std::string one(between == std::string_view::npos ? "access"
                                                    : bare(first.substr(between + 8, at - between - 8)));
  made.what = "Race between " + one;
  made.times = 0;
  for (const std::string &line : p.rest) {
    const std::string_view other = line;
    const std::size_t there = other.find(" at ");
    if (!other.starts_with("and ") || there == std::string_view::npos) continue;
    const std::size_t hazards = other.ends_with(" hazards]") || other.ends_with(" hazard]")
                                    ? other.rfind('[')
                                    : std::string_view::npos;
    if (made.other_line == 0) {
      made.other_line =
          place_in(bare(other.substr(there + 4,
                                     hazards == std::string_view::npos ? hazards : hazards - there - 4)))
              .line;
      made.what += " and " + std::string(bare(other.substr(4, there - 4)));
    }
    std::uint64_t count = 1;
    if (hazards != std::string_view::npos)
      std::from_chars(other.data() + hazards + 1, other.data() + other.size(), count);
    made.times += count;
  }
  made.times = std::max<std::uint64_t>(made.times, 1);
  return made;
}

std::optional<Finding> finding_in(const Paragraph &p) {
  if (p.first.find("Race reported between") != std::string::npos) return race_in(p);
  Finding made;
  made.what = without_addresses(p.first);
  bool placed = false;
  for (const std::string &line : p.rest) {
    if (line.starts_with("at ") && !placed) {
      const Place place = place_in(std::string_view(line).substr(3));
      made.kernel = place.kernel, made.file = place.file, made.line = place.line;
      placed = true;
    } else if (line.starts_with("by thread")) {
      made.thread = behind(line, "thread"), made.block = behind(line, "block");
    } else if (line.starts_with("Access") || line.starts_with("Address 0x") || line.starts_with("and is ") ||
               line.starts_with("Barrier")) {
      std::string said = without_addresses(line);
      for (const std::string_view word : {"Access ", "Address ", "and ", "is "})
        if (said.starts_with(word)) said.erase(0, word.size());
      made.detail += (made.detail.empty() ? "" : ", ") + said;
    }
  }
  if (!placed) return std::nullopt;
  return made;
}

bool is_same(const Finding &a, const Finding &b) {
  return a.what == b.what && a.kernel == b.kernel && a.file == b.file && a.line == b.line &&
         a.other_line == b.other_line;
}

}  // namespace

std::string_view name_of(Tool tool) {
  switch (tool) {
    case Tool::memcheck:
      return "memcheck";
    case Tool::racecheck:
      return "racecheck";
    case Tool::initcheck:
      return "initcheck";
    case Tool::synccheck:
      return "synccheck";
  }
  return "";
}

Log parse_sanitizer_log(std::string_view text) {
  Log log;
  Paragraph now;
  const auto close = [&] {
    if (!now.first.empty()) {
      if (auto made = finding_in(now)) {
        const auto known = std::find_if(log.findings.begin(), log.findings.end(),
                                        [&](const Finding &one) { return is_same(one, *made); });
        if (known == log.findings.end())
          log.findings.push_back(*std::move(made));
        else
          known->times += made->times;
      } else if (log.complaint.empty()) {
        log.complaint = now.first;
      }
    }
    now = {};
  };
  for (const std::string &line : lines_of(std::string(text))) {
    if (!line.starts_with(mark)) continue;
    const std::string_view said = std::string_view(line).substr(mark.size());
    const std::string_view words = bare(said);
    const bool continues = said.starts_with("  ");
    if (continues && !words.empty()) {
      now.rest.emplace_back(words);
      continue;
    }
    close();
    if (const std::size_t summary = words.find("SUMMARY:"); summary != std::string_view::npos) {
      log.complete = true;
      if (words.find("not printed") != std::string_view::npos) {
        const std::string_view number = bare(words.substr(summary + 8));
        std::from_chars(number.data(), number.data() + number.size(), log.unprinted);
      }
    } else if (!words.empty() && words != "COMPUTE-SANITIZER") {
      now.first = words;
    }
  }
  close();
  return log;
}

}  // namespace warpgrade::sanitize
