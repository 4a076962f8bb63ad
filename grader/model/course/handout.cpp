#include "course/handout.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/did_you_mean.hpp"
#include "course/read_case.hpp"
#include "course/yaml.hpp"

namespace warpgrade::course {

namespace {

const Step &step_of(const Yaml &y, const Assignment &a) {
  const std::string id = y.text();
  if (const Step *step = a.find_step(id)) return *step;
  std::vector<std::string> ids;
  for (const Step &s : a.steps) ids.push_back(s.id);
  y.fail(fmt::format("{} has no step '{}'{}", a.name, id, did_you_mean(id, ids)));
}

Figure::Kind kind_of(const Yaml &y) {
  const std::string word = y.one_of(
      {"threads", "sectors", "tiles", "results", "banks", "fragment", "devices", "ring", "roofline"});
  return word == "threads"    ? Figure::Kind::threads
         : word == "sectors"  ? Figure::Kind::sectors
         : word == "tiles"    ? Figure::Kind::tiles
         : word == "results"  ? Figure::Kind::results
         : word == "banks"    ? Figure::Kind::banks
         : word == "fragment" ? Figure::Kind::fragment
         : word == "devices"  ? Figure::Kind::devices
         : word == "ring"     ? Figure::Kind::ring
                              : Figure::Kind::roofline;
}

/// VERDICT/NAME
std::string read_fixture(const Yaml &y) {
  const std::string fixture = y.text();
  if (std::count(fixture.begin(), fixture.end(), '/') != 1 || fixture.find("..") != std::string::npos)
    y.fail("'fixture' should be VERDICT/NAME, a folder of the tests' submissions");
  return fixture;
}

Figure read_figure(const std::string &name, const Yaml &y, const Assignment &a) {
  Figure f;
  f.name = name;
  f.line = y.line();
  f.kind = kind_of(y.at("draws"));
  if (f.kind == Figure::Kind::roofline) {
    y.expect_keys({"draws", "gpu"});
    f.gpu = y.at("gpu").text();
    return f;
  }
  if (f.kind == Figure::Kind::fragment) {
    y.expect_keys({"draws", "lane"});
    f.lanes = {static_cast<int>(y.at("lane").integer(0, 31))};
    return f;
  }
  if (f.kind == Figure::Kind::ring) {
    y.expect_keys({"draws", "devices"});
    f.devices = static_cast<std::size_t>(y.at("devices").integer(2, plan::most_devices));
    return f;
  }
  if (f.kind == Figure::Kind::devices) y.expect_keys({"draws", "step", "at"});
  y.expect_keys({"draws", "step", "fixture", "at", "block", "warp", "lanes", "buffer", "bytes", "access"});
  if (const auto fixture = y.find("fixture")) f.fixture = read_fixture(*fixture);
  const Yaml named = y.at("step");
  const Step &step = step_of(named, a);
  f.step = step.id;
  f.at = read_values(y.at("at"), *step.problem, step.with);
  if (const auto block = y.find("block")) f.block = static_cast<std::uint64_t>(block->integer(0, 1 << 30));
  if (const auto warp = y.find("warp")) f.warp = static_cast<std::uint32_t>(warp->integer(0, 31));
  if (const auto lanes = y.find("lanes"))
    for (const Yaml &lane : lanes->items()) f.lanes.push_back(static_cast<int>(lane.integer(0, 31)));
  const std::size_t least = f.kind == Figure::Kind::threads || f.kind == Figure::Kind::results ? 1 : 0;
  const std::size_t most = f.kind == Figure::Kind::threads ? 3 : least;
  if (f.lanes.size() < least || f.lanes.size() > most)
    y.fail(fmt::format("'lanes' of figure '{}' should name {}", name,
                       most == 3   ? "one to three lanes"
                       : most == 1 ? "one lane"
                                   : "nothing: this kind of figure shows all of them"));
  if (f.kind == Figure::Kind::sectors) f.buffer = y.at("buffer").text();
  for (const char *key : {"bytes", "access"})
    if (const auto given = y.find(key); given && f.kind != Figure::Kind::banks)
      given->fail(fmt::format("'{}' is for figures of banks", key));
  if (const auto bytes = y.find("bytes"))
    f.bytes = static_cast<std::uint32_t>(std::stoi(bytes->one_of({"1", "2", "4", "8", "16"})));
  if (const auto access = y.find("access")) f.store = access->one_of({"load", "store"}) == "store";
  return f;
}

Mistake read_mistake(const std::string &name, const Yaml &y, const Assignment &a) {
  y.expect_keys({"step", "fixture", "case"});
  Mistake m;
  m.name = name;
  m.line = y.line();
  const Yaml named = y.at("step");
  const Step &step = step_of(named, a);
  m.step = step.id;
  m.fixture = read_fixture(y.at("fixture"));
  if (const auto on = y.find("case")) m.on = read_values(*on, *step.problem, step.with);
  return m;
}

Tour read_tour(const std::string &name, const Yaml &y, const Assignment &a) {
  y.expect_keys({"step", "example", "without", "at"});
  Tour t;
  t.name = name;
  t.line = y.line();
  const Yaml named = y.at("step");
  const Step &step = step_of(named, a);
  t.step = step.id;
  t.example = y.at("example").text();
  if (t.example.starts_with('/') || t.example.find("..") != std::string::npos)
    y.fail("'example' should be a file below the folder of the handouts");
  if (const auto without = y.find("without")) t.without = without->text();
  t.at = read_values(y.at("at"), *step.problem, step.with);
  return t;
}

}  // namespace

Handout parse_handout(const std::string &text, const std::string &file, const Assignment &a) {
  const std::string begin = "---\n", end = "\n---\n";
  const std::size_t stop = text.find(end, begin.size() - 1);
  if (text.rfind(begin, 0) != 0 || stop == std::string::npos)
    throw ConfigError(
        fmt::format("{}:1: a handout begins with its head: YAML between two lines '---'", file));
  Handout h;
  h.file = file;
  h.body = text.substr(stop + end.size());
  h.body_line = 1 + static_cast<int>(std::count(
                        text.begin(), text.end() - static_cast<std::ptrdiff_t>(h.body.size()), '\n'));
  const Yaml head = Yaml::parse(text.substr(0, stop + 1), file);
  if (const auto translates = head.find("translates")) {
    head.expect_keys({"translates", "language", "words"});
    h.translates = translates->text();
    if (h.translates.find('/') != std::string::npos)
      translates->fail("'translates' should name a handout in the same folder");
    h.language = head.at("language").text();
    for (const auto &[english, y] : head.at("words").entries()) h.words[english] = y.text();
    return h;
  }
  head.expect_keys({"measured", "compared", "figures", "mistakes", "recordings"});
  if (const auto measured = head.find("measured")) h.measured = measured->text();
  if (const auto compared = head.find("compared")) h.compared = compared->text();
  if (const auto figures = head.find("figures"))
    for (const auto &[name, y] : figures->entries()) h.figures.push_back(read_figure(name, y, a));
  if (const auto mistakes = head.find("mistakes"))
    for (const auto &[name, y] : mistakes->entries()) h.mistakes.push_back(read_mistake(name, y, a));
  if (const auto recordings = head.find("recordings"))
    for (const auto &[name, y] : recordings->entries()) h.recordings.push_back(read_tour(name, y, a));
  return h;
}

std::string assignment_of_handout(const std::string &stem) {
  return stem.substr(0, stem.find('.'));
}

std::vector<std::filesystem::path> translations_of(const std::filesystem::path &handout) {
  std::vector<std::filesystem::path> files;
  const std::string begins = handout.stem().string() + ".";
  std::error_code none;
  for (const auto &entry : std::filesystem::directory_iterator(handout.parent_path(), none)) {
    const std::string stem = entry.path().stem().string();
    if (entry.path().extension() == ".md" && stem.starts_with(begins)) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

Handout read_handout(const std::filesystem::path &file, const Assignment &a) {
  Handout h = parse_handout(text_of(file), file.string(), a);
  if (h.translates.empty()) return h;
  const std::filesystem::path original = file.parent_path() / h.translates;
  Handout of = parse_handout(text_of(original), original.string(), a);
  if (!of.translates.empty())
    throw ConfigError(fmt::format("{}:1: 'translates' names {}, which is a translation itself", file.string(),
                                  original.string()));
  h.measured = of.measured;
  h.compared = of.compared;
  h.figures = std::move(of.figures);
  h.mistakes = std::move(of.mistakes);
  h.recordings = std::move(of.recordings);
  // The head of this file does not name them, so messages refer to its first line.
  for (Figure &f : h.figures) f.line = 1;
  for (Mistake &m : h.mistakes) m.line = 1;
  for (Tour &t : h.recordings) t.line = 1;
  return h;
}

}  // namespace warpgrade::course
