#include "course/syllabus.hpp"

#include <fmt/format.h>

#include <cstring>

#include "course/assignment.hpp"
#include "course/yaml.hpp"

namespace warpgrade::course {

Syllabus read_syllabus(const Yaml &y) {
  constexpr int last_chapter = 23;
  y.expect_keys({"teaches", "chapters", "hours"});
  Syllabus s;
  s.teaches = y.at("teaches").text();
  if (s.teaches.find_first_of("|\n") != std::string::npos)
    y.at("teaches").fail("this is a cell of a table: one line without '|'");
  for (const Yaml &chapter : y.at("chapters").items()) {
    s.chapters.push_back(static_cast<int>(chapter.integer(1, last_chapter)));
    if (s.chapters.size() > 1 && s.chapters.back() <= s.chapters[s.chapters.size() - 2])
      chapter.fail("chapters must be in ascending order");
  }
  s.hours = y.at("hours").real(0.5, 100);
  return s;
}

namespace {

/// The lines of a key at the start of a line, down to the next key; empty: none is written so.
std::string block_of(std::string_view key, const std::string &text) {
  const std::string begin = fmt::format("\n{}:", key);
  const std::size_t first = text.find(begin);
  if (first == std::string::npos || text.find(begin, first + 1) != std::string::npos) return "";
  std::size_t end = text.find('\n', first + 1);
  while (end != std::string::npos && end + 1 < text.size() && std::strchr(" \n#", text[end + 1]) != nullptr)
    end = text.find('\n', end + 1);
  return text.substr(first + 1, end - first);
}

}  // namespace

std::optional<Syllabus> find_syllabus(const std::filesystem::path &folder) {
  // The rest of the file takes a hundred times as long to parse.
  if (const std::string block = block_of("course", text_of(folder / "assignment.yaml")); !block.empty()) try {
      return read_syllabus(Yaml::parse(block, "assignment.yaml").at("course"));
    } catch (const ConfigError &) {  // the whole file says in which line
    }
  const auto found = Yaml::read(folder / "assignment.yaml").find("course");
  if (!found) return std::nullopt;
  return read_syllabus(*found);
}

std::string find_driver(const std::filesystem::path &folder) {
  const std::string block = block_of("driver", text_of(folder / "assignment.yaml"));
  return block.empty() ? "" : Yaml::parse(block, "assignment.yaml").at("driver").text();
}

}  // namespace warpgrade::course
