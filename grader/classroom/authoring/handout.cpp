#include "report/handout.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <future>
#include <semaphore>

#include "authoring/authoring.hpp"
#include "explain/explain.hpp"
#include "grading/debugging.hpp"
#include "report/explain.hpp"
#include "report/report.hpp"
#include "score/score.hpp"
#include "setup/files.hpp"
#include "setup/fixtures.hpp"
#include "setup/selection.hpp"
#include "steps/debug.hpp"

namespace warpgrade::authoring {

namespace {

namespace fs = std::filesystem;

/// All that is compiled for a handout, several files at a time.
class Builds {
 public:
  Builds(const grading::Grader &grader, int at_once) : grader_(grader), slots_(at_once) {}

  void start(const course::Step &step, const fs::path &folder) {
    auto &one = builds_[folder.string() + "/" + step.id];
    if (one.valid()) return;
    one = std::async(std::launch::async, [this, &step, folder] {
            slots_.acquire();
            struct Release {
              std::counting_semaphore<> &slots;
              ~Release() { slots.release(); }
            } release{slots_};
            return grader_.build(step, folder);
          }).share();
  }
  const build::Build &get(const course::Step &step, const fs::path &folder) {
    start(step, folder);
    return builds_.at(folder.string() + "/" + step.id).get();
  }

 private:
  const grading::Grader &grader_;
  std::counting_semaphore<> slots_;
  std::map<std::string, std::shared_future<build::Build>> builds_;
};

struct Work {
  const Course &course;
  const course::Handout &handout;
  const Machine &machine;
  const grading::Options &options;
  const grading::Grader &grader;
  Builds &builds;
  WholeFixtures &fixtures;

  fs::path solutions() const { return course.root / "solutions" / course.assignment.name; }
  fs::path fixture(const std::string &folder) const try {
    return fixtures.whole(course.root / "grader/tests/submissions" / course.assignment.name / folder);
  } catch (const EditError &e) {
    throw report::HandoutError(e.what());
  }
  fs::path fixture(const course::Mistake &m) const { return fixture(m.fixture); }
  /// What a figure shows.
  fs::path drawn(const course::Figure &f) const {
    return f.fixture.empty() ? solutions() : fixture(f.fixture);
  }
};

/// A place in the head of a handout.
[[noreturn]] void fail(const Work &w, int line, const std::string &what) {
  throw report::HandoutError(fmt::format("{}:{}: {}", w.handout.file, line, what));
}

const course::Step &step_in(const Work &w, const course::Mistake &m) {
  const course::Step &step = find_step(w.course.assignment, m.step);
  if (!fs::exists(w.fixture(m) / step.file))
    fail(w, m.line, fmt::format("{} has no {}", m.fixture, step.file));
  return step;
}

report::Drawing draw(const Work &w, const course::Figure &f) try {
  const course::Assignment &a = w.course.assignment;
  const course::Step &step = find_step(a, f.step);
  if (f.kind == course::Figure::Kind::devices) return report::draw_devices(f, step.title, *step.problem);
  report::TracedCall call{f, step.title, step.problem->case_name(f.at), {}, {}};
  const std::vector<plan::Buffer> buffers = step.problem->buffers(f.at);
  const std::vector<problem::Extent> extents = step.problem->extents(f.at);
  for (std::size_t i = 0; i < buffers.size(); ++i) call.buffers.emplace_back(buffers[i].name, extents[i]);
  call.trace = w.grader.trace(step, w.builds.get(step, w.drawn(f)), f.at, f.block);
  if (call.trace.empty()) throw std::runtime_error(fmt::format("block {} makes no request", f.block));
  return report::draw(call);
} catch (const report::HandoutError &) {
  throw;
} catch (const std::exception &e) {
  fail(w, f.line, fmt::format("figure '{}': {}", f.name, e.what()));
}

/// Those steps that were measured, at the counters that the simulator gives.
report::Drawing draw_roofline(const Work &w, const course::Figure &f, const report::HandoutFacts &facts) {
  const course::Assignment &a = w.course.assignment;
  const auto roof =
      std::find_if(facts.thresholds.begin(), facts.thresholds.end(), [&](const course::Thresholds &t) {
        return fs::path(t.file).stem() == f.gpu && t.peak_gflops && t.memory_gb_per_s;
      });
  if (roof == facts.thresholds.end())
    fail(w, f.line, fmt::format("no thresholds file '{}' with peak_gflops and memory_gb_per_s", f.gpu));
  const auto is_of_it = [&](const std::optional<report::Measured> &m) {
    return m && ::fnmatch(roof->match.c_str(), m->gpu.c_str(), 0) == 0;
  };
  const auto &measured = is_of_it(facts.measured) ? facts.measured : facts.compared;
  if (!is_of_it(measured))
    fail(w, f.line, fmt::format("a roofline of {} needs `measured:` or `compared:` of that GPU", f.gpu));
  report::Roofline r{a.name, measured->gpu, *roof->peak_gflops, {*roof->memory_gb_per_s}, {}, {}, {}};
  for (const auto &[step, counted] : facts.counted) {
    const report::MeasuredPoint *m = measured->find(step);
    const double flops = static_cast<double>(counted.counts.fp32_flops());
    if (!m || flops == 0 || find_step(a, step).extra_credit) continue;
    report::RooflinePoint p;
    p.step = step;
    p.requested = flops / static_cast<double>(counted.counts.requested_bytes());
    p.compulsory = flops / static_cast<double>(counted.counts.compulsory_bytes());
    p.gflops = m->gflops;
    r.points.push_back(p);
  }
  return report::draw_roofline(f.name, r, *roof, *measured);
}

/// What the counters of a fixture say, for one that is right but slow.
report::MistakeShown explain(const Work &w, const course::Mistake &m, const course::Step &step) {
  const grading::CounterRecord counters =
      w.grader.count(step, w.builds.get(step, w.fixture(m)), step.counters_on);
  for (const explain::Line &line : report::explanation_of(counters).lines)
    if (!line.advice.empty())
      return {m.name, step.id, step.file, "accepted", "", line.advice.front().sentence, line.at.line, {}};
  fail(w, m.line, fmt::format("there is no advice for {}", m.fixture));
}

/// What the compiler says first, without its place in the course's headers.
std::string compiler_error(const std::string &log) {
  for (const std::string &line : lines_of(log))
    if (const std::size_t at = line.find("error: "); at != std::string::npos) return line.substr(at + 7);
  return {};
}

report::MistakeShown show(const Work &w, const course::Mistake &m) {
  const course::Step &step = step_in(w, m);
  if (!m.on) return explain(w, m, step);
  const std::string want = m.fixture.substr(0, m.fixture.find('/'));
  grading::Options options = w.options;
  const std::string case_name = step.problem->case_name(*m.on);
  options.only[step.id] = {case_name, *m.on, course::Visibility::open, false};
  grading::Grader grader(w.course.assignment, w.machine.environment, options);
  const grading::StepRecord r = grader.grade(step, w.builds.get(step, w.fixture(m)), w.fixture(m));
  if (judge::name_of(r.verdict) != want)
    fail(w, m.line,
         fmt::format("{} at {} is judged {}: {}", m.fixture, case_name, judge::name_of(r.verdict), r.reason));
  report::MistakeShown shown{m.name, step.id, step.file, want, case_name, r.reason, 0, {}};
  if (const std::string error = compiler_error(r.build.log);
      r.verdict == judge::Verdict::build_error && !error.empty())
    shown.says = error;
  for (const judge::Finding &finding : r.findings)
    if (finding.code == want || shown.line == 0)
      if (finding.severity == "error" && finding.line > 0) {
        shown.says = finding.message.substr(0, finding.message.find(" (thread ("));
        shown.line = finding.line;
        if (finding.code == want) break;
      }
  const grading::SubmissionRecord record{w.course.assignment.name, ".", options.seed, grader.device(), {r}};
  const score::Score score = score::score(w.course.assignment, w.machine.thresholds, record);
  shown.report =
      report::to_terminal({w.course.assignment, w.machine.thresholds, record, score, "./grade {step}"}, {});
  // How long a build took differs from time to time, and says nothing here.
  if (const std::size_t build = shown.report.find("\n  build "); build != std::string::npos)
    shown.report.erase(build, shown.report.find('\n', build + 1) - build);
  while (shown.report.ends_with('\n')) shown.report.pop_back();
  return shown;
}

/// Runs an example of the handouts' own as if it were that step. Its answers are wrong, which is no matter.
report::TourShown record(const Work &w, const course::Tour &t) try {
  const course::Step &step = find_step(w.course.assignment, t.step);
  const fs::path example = fs::path(w.handout.file).parent_path() / t.example;
  report::TourShown shown{example.filename().string(), read_whole(example), {}};
  if (!t.without.empty()) shown.source = replaced_once(shown.source, t.without, "");
  const Scratch folder;
  write_whole(folder.path() / step.file, shown.source);
  grading::DebugWish first_warp;
  if (t.without.empty()) first_warp.warp = 0;
  grading::Debugging made = w.grader.debug(step, w.grader.build(step, folder.path()), t.at, first_warp);
  if (!made.recording || made.recording->events.empty()) throw std::runtime_error("nothing was recorded");
  for (simt::SourceLine &line : made.recording->lines)
    if (line.file == step.file) line.file = shown.file;
  made.word.reset();
  made.summary.clear();
  shown.playback = steps::playback_of(step, std::move(made), shown.source);
  const bool found = shown.playback.marked < shown.playback.recording.events.size();
  if (found == t.without.empty())
    throw std::runtime_error(found ? "its kernel has a mistake" : "nothing is wrong without that text");
  return shown;
} catch (const report::HandoutError &) {
  throw;
} catch (const std::exception &e) {
  fail(w, t.line, fmt::format("recording '{}': {}", t.name, e.what()));
}

std::optional<report::Measured> read_figures(const Work &w, const std::string &name) {
  if (name.empty()) return std::nullopt;
  const fs::path file = fs::path(w.handout.file).parent_path() / name;
  try {
    return report::read_measured(read_whole(file), w.course.assignment);
  } catch (const std::runtime_error &e) {
    throw report::HandoutError(fmt::format("{}: {}", file.string(), e.what()));
  }
}

report::HandoutFacts gather(const Work &w) {
  const course::Assignment &a = w.course.assignment;
  report::HandoutFacts facts{
      a,  course::read_all_thresholds(fs::relative(w.course.root / "assignments" / a.name), a),
      {}, {},
      {}, {},
      {}, {},
      {}};
  for (const course::Step &s : a.steps) {
    if (s.beyond) continue;
    if (s.has_kernel()) w.builds.start(s, w.solutions());
    facts.starters[s.id] = read_whole(w.course.root / "starter" / a.name / s.file);
    for (const std::string &header : s.headers)
      facts.headers[header] = read_whole(w.course.root / "starter" / a.name / header);
  }
  for (const course::Mistake &m : w.handout.mistakes) w.builds.start(step_in(w, m), w.fixture(m));
  facts.measured = read_figures(w, w.handout.measured);
  facts.compared = read_figures(w, w.handout.compared);
  for (const course::Step &s : a.steps)
    if (!s.beyond && s.has_kernel())
      facts.counted[s.id] = w.grader.count(s, w.builds.get(s, w.solutions()), s.counters_on);
  for (const course::Figure &f : w.handout.figures)
    facts.drawings[f.name] = f.kind == course::Figure::Kind::roofline   ? draw_roofline(w, f, facts)
                             : f.kind == course::Figure::Kind::fragment ? report::draw_fragment(f)
                             : f.kind == course::Figure::Kind::ring     ? report::draw_ring(f)
                                                                        : draw(w, f);
  for (const course::Mistake &m : w.handout.mistakes) facts.mistakes.push_back(show(w, m));
  for (const course::Tour &t : w.handout.recordings) facts.recordings.emplace(t.name, record(w, t));
  return facts;
}

struct Filled {
  std::string text;
  std::map<std::string, report::Drawing> drawings;
};

Filled fill_in(const fs::path &root, const std::string &name, bool no_sandbox) {
  const fs::path file = fs::relative(root / "handouts" / (name + ".md"));
  const std::string assignment = course::assignment_of_handout(name);
  Course course{root, root / "solutions" / assignment,
                course::read_assignment(fs::relative(root / "assignments" / assignment))};
  const course::Handout handout = course::read_handout(file, course.assignment);
  const auto machine = look_at_machine(root, course.assignment, DeviceChoice::simulator, !no_sandbox);
  const grading::Options options = grading_options({}, course.assignment);
  const grading::Grader grader(course.assignment, machine->environment, options);
  Builds builds(grader, options.threads);
  WholeFixtures fixtures(root);
  const report::HandoutFacts facts = gather({course, handout, *machine, options, grader, builds, fixtures});
  return {report::expand_handout(handout, facts), facts.drawings};
}

void write_handout(const fs::path &root, const std::string &name, const fs::path &out, bool no_sandbox) {
  const Filled filled = fill_in(root, name, no_sandbox);
  fs::create_directories(out / name);
  for (const auto &[figure, drawing] : filled.drawings)
    write_whole(out / name / (figure + ".svg"), drawing.svg);
  write_whole(out / (name + ".md"), filled.text);
}

}  // namespace

std::vector<std::string> mistakes_in_whole_handout(const fs::path &root, const std::string &name) try {
  fill_in(root, name, false);
  return {};
} catch (const report::HandoutError &e) {
  return {e.what()};
}

int fill_in_handouts(HandoutOptions w) {
  const fs::path root = find_root();
  if (w.names.empty())
    for (const std::string &name : assignment_names(root))
      if (const fs::path file = root / "handouts" / (name + ".md"); fs::exists(file)) {
        w.names.push_back(name);
        for (const fs::path &other : course::translations_of(file)) w.names.push_back(other.stem().string());
      }
  bool wrong = false;
  for (const std::string &name : w.names) {
    try {
      write_handout(root, name, w.out, w.no_sandbox);
      fmt::print("{}\n", (fs::path(w.out) / (name + ".md")).string());
    } catch (const report::HandoutError &e) {
      fmt::print(stderr, "{}\n", e.what());
      wrong = true;
    }
  }
  return wrong ? usage : full_score;
}

}  // namespace warpgrade::authoring
