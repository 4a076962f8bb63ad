#include "course/syllabus.hpp"

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

std::optional<Syllabus> find_syllabus(const std::filesystem::path &folder) {
  const auto found = Yaml::read(folder / "assignment.yaml").find("course");
  if (!found) return std::nullopt;
  return read_syllabus(*found);
}

}  // namespace warpgrade::course
