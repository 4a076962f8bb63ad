#include "service/workspace/workspace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "base/text.hpp"
#include "batch/bundle.hpp"
#include "batch/content.hpp"
#include "build/files.hpp"
#include "service/answers.hpp"
#include "service/api_error.hpp"
#include "service/pages.hpp"
#include "service/render.hpp"
#include "service/upload.hpp"
#include "service/workspace/facts.hpp"
#include "service/workspace/formatting.hpp"
#include "service/workspace/page.hpp"
#include "setup/selection.hpp"
#include "variants/variants.hpp"

namespace warpgrade::service {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

constexpr int most_in_history = 200;
constexpr const char *page_type = "text/html; charset=utf-8";

/// The number of a version or of a run. If the text is not a number, returns -1, which no version and no run has.
std::int64_t number_in(const std::string &text) {
  return std::max<std::int64_t>(-1, whole_number(text).value_or(-1));
}

/// As files have it: forms send CR LF, and a page cannot give back a CR alone.
std::string with_line_feeds(const std::string &text) {
  std::string all;
  all.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] != '\r')
      all += text[i];
    else if (i + 1 == text.size() || text[i + 1] != '\n')
      all += '\n';
  return all;
}

/// A file of the step as drafts name it.
std::string file_of(const course::Step &step, const std::string &name) {
  return name == step.file ? step.path().string() : name;
}

std::string page_of(const std::string &assignment, const std::string &step) {
  return fmt::format("/workspace/{}/{}", path_part(assignment), path_part(step));
}

}  // namespace

bool Workspace::can_be_edited(const course::Step &step) {
  return step.has_kernel() && !step.hunt && !step.beyond;
}

bool Workspace::for_script(const ApiRequest &request) {
  return has(request.path) && (!request.field("script").empty() || request.path.ends_with("/state"));
}

std::optional<ApiResponse> Workspace::asset(const ApiRequest &request) {
  if (request.method != "GET" || !has(request.path)) return std::nullopt;
  const std::optional<Asset> found = asset_named(request.path.substr(std::string("/workspace").size()));
  if (!found) return std::nullopt;
  ApiResponse r{200, found->type, found->text, {}};
  // The page names the others with their hashes.
  if (found->type.starts_with("text/plain")) return r;
  r.headers.emplace_back("Cache-Control", "public, max-age=31536000, immutable");
  return r;
}

std::string Workspace::StepAt::page() const {
  return page_of(served.assignment.name, step.id);
}

std::string Workspace::StepAt::address() const {
  return file == step.path().string() ? page() : page() + "?file=" + percent_encoded(file, "-._");
}

Workspace::Opened Workspace::open(const Visit &visit, const std::string &assignment) const {
  const auto served = shared_.courses.find(assignment);
  if (served == shared_.courses.end())
    throw ApiError{404, "not_found",
                   "The workspace has no such assignment. Its first page lists those it has."};
  const Policy policy = served->second.policy();
  if (!policy.workspace)
    throw ApiError{403, "no_workspace",
                   fmt::format("The course staff have closed the workspace of {}. Edit the files on your own "
                               "machine, and upload them.",
                               assignment)};
  if (opens_later(policy, shared_.now()) && visit.person.role == Role::student)
    throw ApiError{403, "closed", why_closed(policy, shared_.now())};
  const std::string variant = served->second.variant_of(visit.person);
  return {served->second, variant, served->second.own_of(variant)};
}

Workspace::StepAt Workspace::place_at(const Visit &visit, const std::string &assignment,
                                      const std::string &id) const {
  const Opened opened = open(visit, assignment);
  const course::Step *step = (opened.own ? opened.own->assignment : opened.served.assignment).find_step(id);
  if (!step || !can_be_edited(*step))
    throw ApiError{404, "not_found", "The workspace has no such step. Its first page lists those it has."};
  std::string file = visit.request.asked("file");
  if (file.empty()) file = visit.request.field("file");
  if (file.empty()) file = step->path().string();
  if (file != step->path().string() &&
      std::find(step->headers.begin(), step->headers.end(), file) == step->headers.end())
    throw ApiError{404, "not_found",
                   fmt::format("{} has no such file. Its files: {}.", id, fmt::join(step->files(), ", "))};
  return {opened.served, opened.variant, opened.own, *step, file};
}

DraftOf Workspace::draft_of(const Visit &visit, const StepAt &place) const {
  return {visit.person.id, place.served.assignment.name, place.file};
}

std::string Workspace::starter_text(const StepAt &place, const std::string &file) const {
  return read_or_empty(
      (place.own ? place.own->starter() : place.served.root / "starter" / place.served.assignment.name) /
      file);
}

std::vector<StepText> Workspace::files_now(const Visit &visit, const StepAt &place, const std::string *text) {
  std::map<std::string, std::string> files;
  for (const std::string &name : place.step.files()) {
    const std::string file = file_of(place.step, name);
    if (text && file == place.file) {
      files[file] = *text;
      continue;
    }
    const auto draft = drafts_.current({visit.person.id, place.served.assignment.name, file});
    files[file] = draft ? draft->text : starter_text(place, file);
  }
  return steps_of_files(place.served.assignment, files);
}

std::string Workspace::bytes_now(const Visit &visit, const StepAt &place, const std::string *text) {
  std::string bytes = files_now(visit, place, text).at(0).second;
  return place.variant.empty() ? bytes : variants::marked(std::move(bytes), place.step.file, place.variant);
}

ApiResponse Workspace::answer(const Visit &visit) {
  const std::string rest = visit.request.path.substr(std::string("/workspace").size());
  if (rest.empty() || rest == "/") {
    if (visit.request.method == "POST")
      throw ApiError{405, "method_not_allowed", "This page accepts no forms."};
    return overview(visit);
  }
  // "/hw6/step3", "/hw6/step3/state"
  const std::size_t second = std::min(rest.find('/', 1), rest.size());
  const std::size_t third = std::min(rest.find('/', std::min(second + 1, rest.size())), rest.size());
  const std::string assignment = rest.substr(1, second - 1);
  if (rest.substr(second) == "/files")
    return visit.request.method == "POST" ? take_files(visit, assignment) : all_files(visit, assignment);
  const std::string step = second < rest.size() ? rest.substr(second + 1, third - second - 1) : "";
  const std::string what = rest.substr(third);
  const StepAt place = place_at(visit, assignment, step);
  if (visit.request.method == "POST") {
    if (!what.empty()) throw ApiError{405, "method_not_allowed", "This page accepts no forms."};
    return change(visit, place);
  }
  if (what.empty()) return page_now(visit, place);
  if (what == "/state") return json_response(facts(visit, place).to_json());
  if (what == "/history") return history(visit, place);
  if (what == "/file") return download(visit, place);
  if (what == "/report") return report(visit, place);
  if (what == "/player") return player(visit, place);
  if (what == "/handout") return handout(visit, place);
  throw ApiError{404, "not_found", "There is no such page."};
}

std::string Workspace::text_of_upload(const course::Assignment &a, const std::string &file,
                                      const std::string &bytes) {
  std::string text = with_line_feeds(bytes);
  const std::size_t most = a.archive_limits.source_bytes;
  if (text.size() > most)
    throw ApiError{
        413, "file_too_large",
        fmt::format("{} has {} bytes, and may have at most {}. Nothing was saved.", file, text.size(), most)};
  if (!is_utf8(text) || text.find('\0') != std::string::npos)
    throw ApiError{400, "not_text", fmt::format("{} is not text in UTF-8. Nothing was saved.", file)};
  return text;
}

ApiResponse Workspace::change(const Visit &visit, const StepAt &place) {
  const auto &form = visit.request.form;
  const std::string what = visit.request.field("what");
  const bool script = for_script(visit.request);
  const std::int64_t now = shared_.now();
  std::string text = visit.request.field("text");
  const bool run = what == "try" || what == "debug", hand_in = what == "hand_in", lay_out = what == "layout";
  SaveHow how{std::max<std::int64_t>(0, number_in(visit.request.field("based_on"))), run || hand_in,
              !visit.request.field("apart").empty(), visit.request.field("tab")};
  if (what == "restore") {
    const std::int64_t id = number_in(visit.request.field("version"));
    const auto old = drafts_.version(draft_of(visit, place), id);
    if (!old && id != 0) throw ApiError{404, "not_found", "There is no such version of yours."};
    text = old ? old->text : starter_text(place, place.file);
    const auto latest = drafts_.current(draft_of(visit, place));
    how.based_on = latest ? latest->id : 0;
    how.keep = how.apart = true;
  } else if (what == "use_layout") {
    const auto layout = trials_.find(std::max<std::int64_t>(0, number_in(visit.request.field("layout"))));
    if (!layout || layout->person != visit.person.id || layout->kind != TrialKind::layout ||
        layout->page.empty() || !drafts_.version(draft_of(visit, place), layout->draft))
      throw ApiError{404, "not_found", "That text is no longer kept. Format the file again."};
    text = layout->page;
    const auto latest = drafts_.current(draft_of(visit, place));
    how.based_on = latest ? latest->id : 0;
    how.keep = how.apart = true;
  } else if (!form.contains("text")) {
    throw ApiError{400, "bad_request", "The form has no text."};
  }
  text = text_of_upload(place.served.assignment, place.file, text);
  Saved saved;
  {
    const std::lock_guard writing(shared_.writing);
    saved = drafts_.save(draft_of(visit, place), text, how, now);
    if (how.keep && !saved.conflict)
      for (const std::string &name : place.step.files())
        if (const std::string file = file_of(place.step, name); file != place.file)
          drafts_.keep({visit.person.id, place.served.assignment.name, file});
  }
  if (saved.conflict) {
    const auto theirs = drafts_.current(draft_of(visit, place));
    const std::string remark = fmt::format(
        "This file was saved in another tab or browser at {}, after this tab had read it. Your text is kept "
        "in "
        "the history as well. {}",
        theirs ? time_text(theirs->saved) : "another time",
        script ? ""
               : "The editor has your text: save it again to go on with it, or open the page again for "
                 "the other one.");
    if (!script) return page(visit, place, text, saved.current, remark);
    return json_response({{"conflict", true},
                          {"remark", remark},
                          {"version", saved.version},
                          {"current", saved.current},
                          {"theirs", theirs ? theirs->text : ""}});
  }
  Json answer = {{"version", saved.version}, {"current", saved.current}, {"saved", time_text(now)}};
  try {
    if (run)
      answer["trial"] = run_now(visit, place, what == "debug" ? TrialKind::debug : TrialKind::grade,
                                bytes_now(visit, place, &text));
    if (lay_out)
      answer["layout"] =
          run_now(visit, place, TrialKind::layout, fs::path(place.file).filename().string() + "\n" + text);
    if (hand_in) {
      const Receipt receipt =
          submit(shared_, jobs_, place.served, visit.person, files_now(visit, place, &text));
      answer["submission"] = receipt.submission;
      answer["known"] = receipt.known;
    }
  } catch (const ApiError &e) {
    if (!script) throw;
    answer["error"] = {{"message", "Your text is saved. " + e.message}};
    return json_response(answer, e.status);
  }
  if (script) {
    answer["state"] = facts(visit, place).to_json();
    return json_response(answer);
  }
  return go_to(place.address());
}

std::int64_t Workspace::run_now(const Visit &visit, const StepAt &place, TrialKind kind,
                                const std::string &bytes) {
  const std::string file = kind == TrialKind::layout ? place.file : place.step.path().string();
  const auto main = drafts_.current({visit.person.id, place.served.assignment.name, file});
  const int minutes = place.served.policy().workspace_minutes;
  const std::lock_guard writing(shared_.writing);
  const Asked asked = trials_.ask(
      {{visit.person.id, place.served.assignment.name, place.step.id, kind}, main ? main->id : 0, bytes},
      60.0 * minutes, shared_.now());
  if (asked.retry_after > 0)
    throw ApiError{429, "time_used",
                   fmt::format("Your runs of the last hour have taken {} minutes, which is the limit. Run it "
                               "again in {} minutes, or hand it in.",
                               minutes, (asked.retry_after + 59) / 60),
                   asked.retry_after};
  return asked.trial;
}

ApiResponse Workspace::page_now(const Visit &visit, const StepAt &place) {
  const auto draft = drafts_.current(draft_of(visit, place));
  return page(visit, place, draft ? draft->text : starter_text(place, place.file), draft ? draft->id : 0,
              draft ? fmt::format("Saved {}.", time_text(draft->saved))
                    : "This is the starter's file; nothing is saved yet.");
}

WorkspaceFacts Workspace::facts(const Visit &visit, const StepAt &place) {
  const std::string &assignment = place.served.assignment.name;
  WorkspaceFacts f;
  f.address = place.page();
  f.trial = trials_.latest({visit.person.id, assignment, place.step.id, TrialKind::grade});
  f.player = trials_.latest({visit.person.id, assignment, place.step.id, TrialKind::debug});
  f.layout = trials_.latest({visit.person.id, assignment, place.step.id, TrialKind::layout});
  if (f.layout && !drafts_.version(draft_of(visit, place), f.layout->draft))
    f.layout.reset();  // of another file
  const auto runner = trials_.runner(assignment);
  if (f.trial) f.ahead = trials_.ahead_of(*f.trial);
  constexpr std::int64_t alive_seconds = 120;  // the process says more often that it is there
  if (!runner || !runner->ready || runner->seen < shared_.now() - alive_seconds)
    f.why_waiting = runner && !runner->ready ? "Runs wait: " + runner->detail
                                             : "Runs wait: the process that runs them has not started yet.";
  if (f.trial && f.trial->state == TrialState::done && !f.trial->record.empty())
    f.read_record(place.served, place.variant, place.file, runner ? runner->device : "");
  const std::string bytes_hash = batch::hash_of(bytes_now(visit, place, nullptr));
  f.changed_since_trial = f.trial && f.trial->file != bytes_hash;
  // What was handed in last for this step.
  for (const auto &[part, received] : jobs_.parts_of(visit.person.id, assignment)) {
    if (part.step != place.step.id) continue;
    f.handed_in = jobs_.submission(part.submission);
    f.handed_in_part = part;
    if (f.handed_in)
      for (const Part &same : f.handed_in->parts)
        if (same.id == part.id) f.handed_in_part.phase = same.phase;
    f.same_as_handed_in = part.file == bytes_hash;
    if (part.state == State::done) break;
    const auto order = shared_.queue(jobs_);
    const auto queued = std::find_if(order->begin(), order->end(),
                                     [&id = part.id](const Place &one) { return one.part == id; });
    if (queued != order->end()) f.handed_in_place = *queued;
    f.why_handed_in_waits = f.handed_in ? jobs_.why_waiting(*f.handed_in) : jobs_.why_waiting(assignment);
    break;
  }
  f.most_points = place.step.points.total();
  return f;
}

ApiResponse Workspace::page(const Visit &visit, const StepAt &place, const std::string &text,
                            std::int64_t based_on, const std::string &remark) {
  const course::Assignment &a = place.served.assignment;
  WorkspacePage p;
  p.frame = visit.frame;
  p.frame.title = fmt::format("{} {}: {}", a.name, place.step.id, place.step.title);
  p.nonce = fmt::format("{:016x}{:016x}", fresh_seed(), fresh_seed());
  p.address = place.page();
  p.file = place.file;
  p.text = text;
  p.based_on = based_on;
  p.remark = remark;
  p.closed = why_closed(place.served.policy(), shared_.now());
  if (visit.person.role != Role::student) p.closed.clear();
  for (const course::Step &step : (place.own ? place.own->assignment : a).steps)
    if (can_be_edited(step))
      p.steps.push_back(
          {fmt::format("{} {}", step.id, step.title), page_of(a.name, step.id), step.id == place.step.id});
  for (const std::string &name : place.step.files())
    p.files.push_back({name, StepAt{place.served, place.variant, place.own, place.step, name}.address(),
                       name == place.file});
  const fs::path starter = place.served.root / "starter" / a.name;
  for (const fs::path &file : build::support_files(starter))
    if (file.filename() != "Makefile" && std::find(place.step.headers.begin(), place.step.headers.end(),
                                                   file.string()) == place.step.headers.end())
      p.beside.emplace_back(file.string(), starter_text(place, file.string()));
  p.handout = !handout_file(place.served).empty();
  p.can_lay_out = !formatter().empty();
  p.facts = facts(visit, place);
  return {200, page_type, to_html(p), {}};
}

Trial Workspace::own_trial(const Visit &visit, const StepAt &place, TrialKind kind) {
  const std::string asked = visit.request.asked("trial");
  const std::optional<Trial> trial =
      asked.empty() ? trials_.latest({visit.person.id, place.served.assignment.name, place.step.id, kind})
                    : trials_.find(std::max<std::int64_t>(0, number_in(asked)));
  if (!trial || trial->person != visit.person.id || trial->assignment != place.served.assignment.name ||
      trial->step != place.step.id || trial->kind != kind)
    throw ApiError{404, "not_found", "There is no such run of yours."};
  return *trial;
}

ApiResponse Workspace::report(const Visit &visit, const StepAt &place) {
  const Trial trial = own_trial(visit, place, TrialKind::grade);
  if (trial.state != TrialState::done || trial.record.empty()) return go_to(place.address());
  const auto runner = trials_.runner(trial.assignment);
  const auto draft =
      drafts_.version({visit.person.id, trial.assignment, place.step.path().string()}, trial.draft);
  const Rendered rendered = rendered_trial(place.served, place.variant, trial, runner ? runner->device : "");
  ApiResponse r{200, page_type, rendered.as("html", {}, {{place.step.id, draft ? draft->text : ""}}), {}};
  r.framed = true;
  return r;
}

ApiResponse Workspace::player(const Visit &visit, const StepAt &place) {
  const Trial trial = own_trial(visit, place, TrialKind::debug);
  if (trial.page.empty()) return go_to(place.address());
  ApiResponse r{200, page_type, trial.page, {}};
  r.framed = true;
  return r;
}

ApiResponse Workspace::handout(const Visit &, const StepAt &place) {
  const fs::path file = handout_file(place.served);
  if (file.empty()) throw ApiError{404, "not_found", "This service has no handout of this assignment."};
  std::string html = read_or_empty(file);
  if (place.own) html = place.served.variants->handout(place.variant, std::move(html));
  ApiResponse r{200, page_type, std::move(html), {}};
  r.framed = true;
  return r;
}

ApiResponse Workspace::download(const Visit &visit, const StepAt &place) {
  const auto draft = drafts_.current(draft_of(visit, place));
  ApiResponse r{200, "text/plain; charset=utf-8", draft ? draft->text : starter_text(place, place.file), {}};
  r.headers.emplace_back("Content-Disposition",
                         fmt::format("attachment; filename=\"{}\"", percent_encoded(place.file, "-._")));
  return r;
}

ApiResponse Workspace::history(const Visit &visit, const StepAt &place) {
  const DraftOf of = draft_of(visit, place);
  report::ServicePage p = visit.frame;
  p.title = fmt::format("{} {}: history of {}", place.served.assignment.name, place.step.id, place.file);
  const std::string address = place.address(), base = place.page();
  const report::PageField file{report::PageField::Kind::hidden, "file", "", place.file};
  const auto back_to = [&](std::int64_t id) {
    return report::PageForm{base,
                            "Go back to this version",
                            {{report::PageField::Kind::hidden, "what", "", "restore"},
                             {report::PageField::Kind::hidden, "version", "", std::to_string(id)},
                             file}};
  };
  if (const std::string asked = visit.request.asked("version"); !asked.empty()) {
    const std::int64_t id = number_in(asked);
    const auto version = id > 0 ? drafts_.version(of, id) : std::nullopt;
    if (!version && id != 0) throw ApiError{404, "not_found", "There is no such version of yours."};
    p.sections.push_back({version ? fmt::format("Saved {}", time_text(version->saved)) : "The starter's file",
                          {"The present version stays in the history."},
                          {},
                          "",
                          version ? version->text : starter_text(place, place.file),
                          {back_to(id)}});
    p.menu.insert(p.menu.begin(), {"Back to the editor", address});
    return page_response(p);
  }
  report::PageTable table{
      "Versions, the newest first", {{"Saved"}, {"Lines", "", true}, {"Run"}, {"Remark"}}, {}, ""};
  const std::string parameter =
      fmt::format("{}/history?file={}&version=", base, percent_encoded(place.file, "-._"));
  const auto current = drafts_.current(of);
  for (const Draft &d : drafts_.history(of, most_in_history)) {
    const auto trial = d.kept ? trials_.of_version(d.id) : std::nullopt;
    table.rows.push_back({{time_text(d.saved), parameter + std::to_string(d.id)},
                          {std::to_string(d.lines), "", true},
                          {trial ? verdict_in_words(*trial) : ""},
                          {current && current->id == d.id ? "the present version"
                           : d.aside                      ? "saved in a second tab, and put aside"
                                                          : ""}});
  }
  table.rows.push_back({{"The starter's file", parameter + "0"}, {}, {}, {}});
  p.sections.push_back(
      {"",
       {fmt::format(
           "What you type is saved all the time; what was typed within {} s is one version. Of what is only "
           "typed, the latest {} versions are kept.",
           Drafts::merged_seconds, Drafts::most_versions)},
       std::move(table)});
  p.menu.insert(p.menu.begin(), {"Back to the editor", address});
  return page_response(p);
}

ApiResponse Workspace::overview(const Visit &visit, const std::string &remark) {
  report::ServicePage p = visit.frame;
  p.title = "Workspace";
  if (!remark.empty()) p.sections.push_back({"", {remark}, {}});
  bool any = false;
  for (const auto &[name, served] : shared_.courses) {
    const Policy policy = served.policy();
    if (!policy.workspace || (opens_later(policy, shared_.now()) && visit.person.role == Role::student))
      continue;
    report::PageTable table{"Steps", {{"Step"}, {"Your file"}, {"Latest run"}, {"Handed in"}}, {}, ""};
    std::map<std::string, std::string> handed_in;
    for (const auto &[part, received] : jobs_.parts_of(visit.person.id, name))
      handed_in.emplace(part.step,
                        part.state == State::done ? points(part.points) + " points" : "in the queue");
    std::shared_ptr<const OwnCourse> own;
    try {
      own = served.own_of(served.variant_of(visit.person));
    } catch (const ApiError &e) {  // other assignments are there all the same
      p.sections.push_back({name + ": " + served.assignment.title, {e.message}, {}});
      any = true;
      continue;
    }
    for (const course::Step &step : (own ? own->assignment : served.assignment).steps) {
      if (!can_be_edited(step)) continue;
      const auto draft = drafts_.current({visit.person.id, name, step.path().string()});
      const auto trial = trials_.latest({visit.person.id, name, step.id, TrialKind::grade});
      table.rows.push_back({{fmt::format("{} {}", step.id, step.title), page_of(name, step.id)},
                            {draft ? "saved " + time_text(draft->saved) : "the starter's"},
                            {trial ? verdict_in_words(*trial) : ""},
                            {handed_in.contains(step.id) ? handed_in.at(step.id) : ""}});
    }
    if (table.rows.empty()) continue;
    p.sections.push_back({name + ": " + served.assignment.title,
                          {"Edit, run on the simulator and hand in here. Nothing needs to be installed."},
                          std::move(table)});
    const std::string files = fmt::format("/workspace/{}/files", path_part(name));
    p.sections.push_back(
        {"All files of " + name,
         {"To go on with them on another machine, and to bring them back. What is there now stays in the "
          "history."},
         report::PageTable{"Download", {{"File"}}, {{{name + ".zip", files}}}, ""},
         "",
         "",
         {{files, "Take these files", {{report::PageField::Kind::file, "files", "Files of " + name, ""}}}}});
    any = true;
  }
  if (!any) p.sections.push_back({"", {"There is nothing to edit in the workspace now."}, {}});
  return page_response(p);
}

}  // namespace warpgrade::service
