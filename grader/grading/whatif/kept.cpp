#include "whatif/kept.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>

#include "base/files.hpp"
#include "base/text.hpp"

namespace warpgrade::whatif {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// FNV-1a: tells versions and places apart, and protects nothing.
std::string short_hash(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

/// A line, as it is found again in another version: by its text, wherever it has moved to.
std::string text_of(const simt::SourceLine &at, const std::string &file,
                    const std::vector<std::string> &lines) {
  const bool here = at.file == file && at.line > 0 && static_cast<std::size_t>(at.line) <= lines.size();
  return here ? trimmed(lines[static_cast<std::size_t>(at.line) - 1])
              : fmt::format("{}:{}", at.file, at.line);
}

Json version_of(const predict::StepPrediction &p, const std::string &source) {
  const std::vector<std::string> lines = lines_of(source);
  Json promises = Json::array();
  for (const predict::Promise &one : p.prediction.promises) {
    Json texts = Json::array();
    for (const simt::SourceLine &at : one.lines) texts.push_back(for_json(text_of(at, p.file, lines)));
    promises.push_back({{"what", for_json(in_words(one, p.file))},
                        {"cure", one.cure},
                        {"texts", texts},
                        {"rate", p.rate(one.seconds)}});
  }
  return {{"source", short_hash(source)},
          {"gpu", p.gpu_id},
          {"size", p.problem->case_name(p.size)},
          {"rate", p.rate(p.prediction.seconds)},
          {"promises", promises}};
}

bool is_version(const Json &j) {
  return j.is_object() && j.contains("source") && j.contains("promises") && j.at("promises").is_array();
}

/// Whether a line with this text still has this waste.
bool still(const Json &version, const Json &promise) {
  for (const Json &p : version.at("promises"))
    if (p.at("texts").size() == 1 && p.at("cure") == promise.at("cure") &&
        p.at("texts") == promise.at("texts"))
      return true;
  return false;
}

std::vector<predict::KeptPromise> cured(const Json &before, const Json &now) {
  if (before.at("gpu") != now.at("gpu") || before.at("size") != now.at("size")) return {};
  std::vector<predict::KeptPromise> all;
  std::size_t single = 0;
  // A line that was only written in another way still has its waste: a cure leaves fewer lines that need it.
  const auto lines_with = [](const Json &version, const Json &cure) {
    return std::count_if(version.at("promises").begin(), version.at("promises").end(),
                         [&](const Json &p) { return p.at("texts").size() == 1 && p.at("cure") == cure; });
  };
  const auto add = [&](const Json &p) {
    all.push_back(
        {p.at("what").get<std::string>(), before.at("rate").get<double>(), p.at("rate").get<double>()});
  };
  for (const Json &p : before.at("promises")) {
    if (p.at("texts").size() > 1) continue;
    ++single;
    if (!still(now, p) && lines_with(now, p.at("cure")) < lines_with(before, p.at("cure"))) add(p);
  }
  // Whoever cured all of them was promised more than for any of them.
  const Json &last = before.at("promises").empty() ? Json() : before.at("promises").back();
  if (single > 1 && all.size() == single && last.at("texts").size() > 1) all.clear(), add(last);
  return all;
}

}  // namespace

std::string in_words(const predict::Promise &p, const std::string &file) {
  std::string lines;
  for (std::size_t i = 0; i < p.lines.size(); ++i) {
    const simt::SourceLine &at = p.lines[i];
    lines += i == 0 ? "" : i + 1 == p.lines.size() ? " and " : ", ";
    lines += (at.file == file || at.file.empty() ? "" : at.file + ":") + std::to_string(at.line);
  }
  return fmt::format("line{} {} {}", p.lines.size() == 1 ? "" : "s", lines, p.cure);
}

void remember(const fs::path &folder, const fs::path &submission, const std::string &assignment,
              const std::string &source, predict::StepPrediction &p) {
  if (folder.empty() || !p.prediction.why_not.empty()) return;
  std::error_code error;
  fs::create_directories(folder, error);
  const std::string place =
      fs::weakly_canonical(submission, error).string() + "\n" + assignment + "\n" + p.step;
  const fs::path file = folder / (short_hash(place) + ".json");
  try {
    const Json now = version_of(p, source);
    const Json known = Json::parse(read_or_empty(file), nullptr, false);
    Json before = known.is_object() && known.contains("now") ? known.at("now") : Json();
    const bool same = is_version(before) && before.at("source") == now.at("source");
    if (same) before = known.value("before", Json());
    if (is_version(before)) p.kept = cured(before, now);
    write_whole(file, Json{{"before", before}, {"now", now}}.dump());
  } catch (const std::exception &) {  // of another version of this program, or a full disk
    fs::remove(file, error);
  }
}

}  // namespace warpgrade::whatif
