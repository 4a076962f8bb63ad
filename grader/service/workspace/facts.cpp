#include "service/workspace/facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/text.hpp"
#include "grading/record_json.hpp"
#include "judge/verdict.hpp"
#include "report/explain.hpp"
#include "report/text.hpp"

namespace warpgrade::service {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

Submission as_submission(const Trial &trial, const std::string &variant) {
  Submission s;
  s.variant = variant;
  s.student = trial.person, s.assignment = trial.assignment;
  s.received = trial.asked;
  Part part;
  part.step = trial.step;
  part.state = State::done;
  part.record = trial.record;
  s.parts.push_back(std::move(part));
  return s;
}

std::string_view word_of(TrialState state) {
  return state == TrialState::queued ? "queued" : state == TrialState::running ? "running" : "done";
}

Json list_of(const std::vector<report::Fault> &faults) {
  Json list = Json::array();
  for (const report::Fault &f : faults)
    list.push_back({{"file", f.file},
                    {"line", f.line},
                    {"level", report::name_of(f.level)},
                    {"rule", f.rule},
                    {"text", for_json(f.text)}});
  return list;
}

std::string margin_of(const explain::Line &line) {
  const simt::LineCounters &c = line.counts;
  std::vector<std::string> parts;
  if (line.share >= 0.005) parts.push_back(fmt::format("{:.0f} %", 100 * line.share));
  if (const std::string global = report::per_request(c.sectors(), c.ideal_sectors(), c.global_requests());
      !global.empty())
    parts.push_back(global + " sectors");
  if (const std::string shared =
          report::per_request(c.wavefronts(), c.wavefronts() - c.conflicts(), c.shared_requests());
      !shared.empty())
    parts.push_back(shared + " wavefronts");
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

Rendered rendered_trial(const ServedCourse &served, const std::string &variant, const Trial &trial,
                        const std::string &device) {
  return {served, as_submission(trial, variant), device, false, {}};
}

std::string verdict_in_words(const Trial &trial) {
  if (trial.state != TrialState::done) return std::string(word_of(trial.state));
  if (trial.record.empty()) return "";
  return std::string(judge::in_words(grading::step_record_of(trial.record).verdict));
}

fs::path handout_file(const ServedCourse &served) {
  const std::string name = served.assignment.name + ".html";
  for (const fs::path &folder : {served.root / "handouts", served.root / "build/handouts"})
    if (fs::is_regular_file(folder / name)) return folder / name;
  return {};
}

void WorkspaceFacts::read_record(const ServedCourse &served, const std::string &variant,
                                 const std::string &file, const std::string &device) {
  const Rendered rendered = rendered_trial(served, variant, *trial, device);
  const grading::StepRecord &record = rendered.record().steps.front();
  accepted = record.verdict == judge::Verdict::accepted;
  verdict = judge::in_words(record.verdict);
  reason = record.reason;
  points = rendered.score().steps.front().points;
  faults = rendered.faults();
  // First what has to be mended: errors, before what may follow from them, before warnings.
  std::stable_sort(faults.begin(), faults.end(), [&](const report::Fault &a, const report::Fault &b) {
    const auto rank = [&](const report::Fault &f) {
      return std::tuple(f.level != report::Fault::Level::error, f.consequence, f.file != file);
    };
    return rank(a) < rank(b);
  });
  why_no_margin = record.why_no_counters;
  if (!record.counters) return;
  for (const explain::Line &line : report::explanation_of(*record.counters).lines)
    if (line.at.file == fs::path(file).filename().string())
      if (std::string figures = margin_of(line); !figures.empty())
        margin.emplace_back(line.at.line, std::move(figures));
  std::sort(margin.begin(), margin.end());
}

std::string WorkspaceFacts::trial_in_words() const {
  if (!trial) return "";
  if (trial->state == TrialState::queued)
    return ahead == 0 ? "The run is next." : fmt::format("The run waits; {} before it.", ahead);
  if (trial->state == TrialState::running)
    return fmt::format("Running: {}.", trial->phase.empty() ? "starting" : trial->phase);
  if (verdict.empty()) return trial->why.empty() ? "" : fmt::format("Nothing was run: {}.", trial->why);
  std::string text = fmt::format("{}: {}/{} points on the simulator", verdict, warpgrade::points(points),
                                 warpgrade::points(most_points));
  if (accepted) text += "; points for speed and hidden cases come with what you hand in";
  text += ".";
  if (!reason.empty()) text += fmt::format(" The problem: {}.", for_json(reason));
  if (!trial->why.empty()) text += " " + trial->why;
  if (changed_since_trial) text += " The text has changed since.";
  return text;
}

std::string WorkspaceFacts::handed_in_in_words() const {
  if (!handed_in) return "Nothing is handed in for this step yet. What you hand in counts; drafts do not.";
  std::string text =
      fmt::format("Handed in {} (submission {}): ", time_text(handed_in->received), handed_in->id);
  if (handed_in_part.state == State::done)
    text += fmt::format("{}/{} points.", warpgrade::points(handed_in_part.points),
                        warpgrade::points(most_points));
  else if (!why_handed_in_waits.empty())
    text += why_handed_in_waits;
  else if (handed_in_place)
    text += fmt::format("{} ahead of it in the queue; it starts in about {:.0f} s.", handed_in_place->ahead,
                        std::ceil(handed_in_place->wait_seconds));
  else
    text += fmt::format("{}.", handed_in_part.phase.empty() ? "it is being graded" : handed_in_part.phase);
  text += same_as_handed_in ? " The draft is the same." : " The draft has changed since.";
  return text;
}

bool WorkspaceFacts::pending() const {
  const auto open = [](const std::optional<Trial> &t) {
    return t && (t->state == TrialState::queued || t->state == TrialState::running);
  };
  return open(trial) || open(player) || open(layout) || (handed_in && handed_in_part.state != State::done);
}

Json WorkspaceFacts::to_json() const {
  Json json = {{"pending", pending()}, {"handed_in", handed_in_in_words()}};
  if (!why_waiting.empty()) json["why_waiting"] = for_json(why_waiting);
  if (handed_in) json["submission"] = fmt::format("/submissions/{}", handed_in->id);
  if (trial) {
    Json run = {{"id", trial->id},
                {"version", trial->draft},
                {"state", word_of(trial->state)},
                {"words", trial_in_words()}};
    if (trial->state == TrialState::done) {
      run["accepted"] = accepted;
      run["verdict"] = verdict;
      run["faults"] = list_of(faults);
      Json lines = Json::array();
      for (const auto &[line, figures] : margin) lines.push_back({{"line", line}, {"text", figures}});
      run["margin"] = std::move(lines);
      if (margin.empty()) run["why_no_margin"] = for_json(why_no_margin);
      if (!verdict.empty()) run["report"] = fmt::format("{}/report?trial={}", address, trial->id);
    }
    json["trial"] = std::move(run);
  }
  if (player) {
    Json run = {{"id", player->id}, {"version", player->draft}, {"state", word_of(player->state)}};
    if (player->state == TrialState::done && !player->page.empty())
      run["page"] = fmt::format("{}/player?trial={}", address, player->id);
    else if (player->state == TrialState::done)
      run["why"] = for_json(player->why.empty() ? "its recording is no longer kept" : player->why);
    json["player"] = std::move(run);
  }
  if (layout) {
    Json run = {{"id", layout->id}, {"state", word_of(layout->state)}};
    if (layout->state == TrialState::done && !layout->page.empty())
      run["text"] = layout->page;
    else if (layout->state == TrialState::done)
      run["why"] = for_json(layout->why.empty() ? "it is no longer kept" : layout->why);
    json["layout"] = std::move(run);
  }
  return json;
}

}  // namespace warpgrade::service
