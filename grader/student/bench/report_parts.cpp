#include "bench/report_parts.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "bench/roofline_point.hpp"
#include "judge/speed.hpp"
#include "report/plot.hpp"
#include "report/roofline.hpp"
#include "setup/files.hpp"
#include "setup/sizes.hpp"

namespace warpgrade::bench {

namespace {

using report::Mark;
using simt::per;

const std::map<std::string, std::vector<std::string>> &known_marks() {
  static const std::map<std::string, std::vector<std::string>> known = {
      {"options", {"step"}},
      {"peaks", {"step", "sizes", "sim"}},
      {"compare", {"step", "with", "sizes", "sim"}},
      {"sweep", {"step", "sizes", "sim", "geometry"}},
      {"curve", {"step", "sizes", "sim", "tiles"}},
      {"roofline", {"step", "size", "counted", "peak", "bandwidth"}}};
  return known;
}

[[noreturn]] void fail(const Mark &mark, const std::string &why) {
  throw UsageError(fmt::format("the mark '{}' in line {}: {}", mark.name, mark.line, why));
}

const std::string &value_of(const Mark &mark, const char *key) {
  const auto found = mark.wanted.find(key);
  if (found == mark.wanted.end()) fail(mark, fmt::format("{}= is missing", key));
  return found->second;
}

double number_of(const Mark &mark, const char *key, std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !(number > 0))
    fail(mark, fmt::format("{}={} is not a number above 0", key, text));
  return number;
}

/// "320GiB" or "320GB", a second, in GB (1e9 bytes).
double bandwidth_of(const Mark &mark) {
  std::string text = value_of(mark, "bandwidth");
  double unit = 1;
  if (text.ends_with("GiB")) unit = 1.073741824, text.resize(text.size() - 3);
  if (text.ends_with("GB")) text.resize(text.size() - 2);
  return unit * number_of(mark, "bandwidth", text);
}

std::vector<std::string> parts_of(const std::string &text, char at) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == at)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

std::vector<tune::Setting> geometries_of(const Mark &mark) {
  std::vector<tune::Setting> settings;
  for (const std::string &part : parts_of(value_of(mark, "geometry"), ';'))
    if (part.find_first_not_of(' ') != std::string::npos) settings.push_back(tune::parse_setting(part));
  if (settings.empty()) fail(mark, "geometry= names nothing");
  return settings;
}

/// The launch that counts: that with the most threads.
const plan::Launch *largest_launch(const plan::LaunchPlan &plan) {
  const auto threads = [](const plan::Launch &l) {
    return static_cast<double>(l.grid.x) * l.grid.y * l.grid.z * l.block.x * l.block.y * l.block.z;
  };
  const plan::Launch *largest = nullptr;
  for (const plan::Operation &o : plan.operations)
    if (const auto *launch = std::get_if<plan::Launch>(&o);
        launch && (!largest || threads(*launch) > threads(*largest)))
      largest = launch;
  return largest;
}

/// Flops that the product needs, over those that were computed: what padding leaves of the arithmetic.
double useful(const course::Step &step, const grading::BenchPoint &p) {
  return step.problem->flops(p.size) / static_cast<double>(p.counters->counts.fp32_flops());
}

std::string rate(const std::optional<double> &gflops) {
  return gflops ? fmt::format("{:.0f}", *gflops) : "-";
}

std::optional<double> library_of(const course::Step &step, const grading::BenchPoint &p) {
  if (!p.performance || p.performance->library_seconds.empty()) return std::nullopt;
  return judge::rate_of(step.problem->work(p.size), p.performance->library_seconds).median;
}

std::string bytes_per_flop(const grading::BenchPoint &p) {
  if (!p.counters) return for_terminal(p.why_not);
  return fmt::format("{:.4f}", per(p.counters->counts.requested_bytes(), p.counters->counts.fp32_flops()));
}

}  // namespace

ReportParts::ReportParts(const Common &common, const Course &course, const Machine &machine,
                         std::filesystem::path pictures)
    : course_(course),
      machine_(machine),
      options_(grading_options(common, course.assignment)),
      pictures_(std::move(pictures)) {
  options_.measure = false;  // grading checks variants; what is timed says so itself
  grader_ = std::make_unique<grading::Grader>(course.assignment, machine.environment, options_);
}

void ReportParts::check(const Mark &mark) const {
  const auto known = known_marks().find(mark.name);
  if (known == known_marks().end()) {
    std::vector<std::string> names;
    for (const auto &[name, keys] : known_marks()) names.push_back(name);
    fail(mark, fmt::format("there is no such name (there are: {})", fmt::join(names, ", ")));
  }
  for (const auto &[key, value] : mark.wanted)
    if (std::find(known->second.begin(), known->second.end(), key) == known->second.end())
      fail(mark,
           fmt::format("{}= is not a value of it (there are: {})", key, fmt::join(known->second, ", ")));
  for (const std::string &key : known->second) value_of(mark, key.c_str());
  const course::Step &step = step_of(mark);
  if (mark.wanted.contains("with")) step_of(mark, "with");
  if (mark.wanted.contains("sizes")) sizes_of(mark);
  if (mark.name == "roofline") number_of(mark, "peak", value_of(mark, "peak")), bandwidth_of(mark);
  if (mark.name == "sweep")
    for (const tune::Setting &setting : geometries_of(mark))
      for (const auto &[name, value] : setting) tunable(step).expect(name);
}

std::string ReportParts::measure(const Mark &mark) {
  if (isatty(STDERR_FILENO)) fmt::print(stderr, "{} (line {})\n", mark.name, mark.line);
  if (mark.name == "options") return options(mark);
  if (mark.name == "peaks") return peaks(mark);
  if (mark.name == "compare") return compare(mark);
  if (mark.name == "sweep") return sweep(mark);
  if (mark.name == "curve") return curve(mark);
  return roofline(mark);
}

const course::Step &ReportParts::step_of(const Mark &mark, const char *key) const {
  return find_kernel(course_.assignment, value_of(mark, key));
}

std::vector<std::int64_t> ReportParts::sizes_of(const Mark &mark) const {
  const std::string &text = value_of(mark, gpu() ? "sizes" : "sim");
  return warpgrade::sizes_of(parts_of(text, ','));
}

tune::Tunable ReportParts::tunable(const course::Step &step) const {
  return {step, course_.submission, course_.root / "starter" / course_.assignment.name};
}

const build::Build &ReportParts::build_of(const course::Step &step) {
  const auto [at, fresh] = builds_.try_emplace(step.file);
  if (fresh) at->second = grader_->build(step, course_.submission);
  if (!at->second.ok)
    throw UsageError(fmt::format("{}: {}; './grade {}' says more", step.file, at->second.message, step.id));
  return at->second;
}

const grading::BenchPoint &ReportParts::point(const course::Step &step, std::int64_t size) {
  const auto key = std::pair(step.file, size);
  if (const auto known = points_.find(key); known != points_.end()) return known->second;
  const problem::Case c = case_of(step, problem::all_sizes(*step.problem, size));
  return points_.emplace(key, grader_->bench(step, build_of(step), c)).first->second;
}

std::string ReportParts::picture(const std::string &name, const std::string &title, const std::string &svg) {
  std::filesystem::create_directories(pictures_);
  write_whole(pictures_ / (name + ".svg"), svg);
  return fmt::format("![{}]({}/{}.svg)\n", title, pictures_.filename().string(), name);
}

std::string ReportParts::without_times(const char *what) const {
  return gpu() ? ""
               : fmt::format("\nCounted on the simulator, which has no times: {} wait for a GPU.\n", what);
}

std::string ReportParts::options(const Mark &mark) {
  std::vector<std::vector<std::string>> rows;
  for (const auto &[name, value] : tunable(step_of(mark)).constants())
    rows.push_back({"`" + name + "`", value});
  return report::markdown_table({"constant", "value"}, rows);
}

std::string ReportParts::peaks(const Mark &mark) {
  const course::Step &step = step_of(mark);
  std::vector<std::vector<std::string>> rows;
  for (const std::int64_t n : sizes_of(mark)) {
    const grading::BenchPoint &p = point(step, n);
    std::vector<std::string> row = {std::to_string(n)};
    if (gpu()) {
      const auto gflops = tune::rate_of(step, p), library = library_of(step, p);
      row.push_back(gflops ? rate(gflops) : for_terminal(p.why_not));
      row.push_back(gflops && library ? fmt::format("{:.0f} %", 100 * *gflops / *library) : "-");
    } else {
      row.push_back(bytes_per_flop(p));
    }
    const plan::LaunchPlan plan = grader_->plan(step, build_of(step), p.size);
    const plan::Launch *launch = largest_launch(plan);
    row.push_back(launch ? fmt::format("{} × {}", launch->grid.x, launch->grid.y) : "-");
    row.push_back(launch ? fmt::format("{} × {}", launch->block.x, launch->block.y) : "-");
    rows.push_back(std::move(row));
  }
  std::vector<std::string> head = {"N", "bytes a flop", "grid", "block"};
  if (gpu())
    head = {"N", std::string(step.problem->rate_unit()),
            fmt::format("of {}", problem::name_of(step.problem->library())), "grid", "block"};
  return report::markdown_table(head, rows) + without_times("peaks");
}

std::string ReportParts::compare(const Mark &mark) {
  const course::Step &step = step_of(mark), &with = step_of(mark, "with");
  std::vector<std::vector<std::string>> rows;
  for (const std::int64_t n : sizes_of(mark)) {
    const grading::BenchPoint &mine = point(step, n), &other = point(with, n);
    if (gpu()) {
      const auto a = tune::rate_of(step, mine), b = tune::rate_of(with, other);
      rows.push_back({std::to_string(n), rate(b), rate(a), a && b ? fmt::format("× {:.1f}", *a / *b) : "-"});
    } else if (mine.counters && other.counters) {
      const double fewer = static_cast<double>(other.counters->counts.requested_bytes()) /
                           static_cast<double>(mine.counters->counts.requested_bytes());
      rows.push_back(
          {std::to_string(n), bytes_per_flop(other), bytes_per_flop(mine), fmt::format("{:.1f}", fewer)});
    } else {
      rows.push_back({std::to_string(n), bytes_per_flop(other), bytes_per_flop(mine), "-"});
    }
  }
  std::vector<std::string> head = {"N", with.id + ", bytes a flop", step.id + ", bytes a flop",
                                   "fewer bytes, times"};
  if (gpu()) head = {"N", with.id + ", GFLOPS", step.id + ", GFLOPS", "as fast"};
  return report::markdown_table(head, rows) + without_times("rates");
}

std::string ReportParts::sweep(const Mark &mark) {
  const course::Step &step = step_of(mark);
  std::vector<tune::Variant> variants;
  for (tune::Setting &setting : geometries_of(mark)) variants.push_back({std::move(setting)});
  const std::vector<std::int64_t> sizes = sizes_of(mark);
  std::vector<problem::Case> cases;
  for (const std::int64_t n : sizes) cases.push_back(case_of(step, problem::all_sizes(*step.problem, n)));
  tune::measure_variants(variants, *grader_, step, tunable(step), cases, options_.threads);

  std::vector<std::string> head = {"geometry"};
  for (const std::int64_t n : sizes) head.push_back(fmt::format("N = {}", n));
  std::vector<std::vector<std::string>> rows;
  report::Plot plot{fmt::format("{} with other geometries", step.id), "N", "GFLOPS", {}, true};
  std::string impossible;
  for (const tune::Variant &v : variants) {
    const std::string name = tune::name_of(v.setting);
    if (!v.why_not.empty()) {
      impossible += fmt::format("- {}: {}\n", name, for_terminal(v.why_not));
      continue;
    }
    rows.push_back({name});
    report::Line line{name, {}};
    for (std::size_t s = 0; s < sizes.size(); ++s) {
      const auto gflops = tune::rate_of(step, v.points[s]);
      const std::string cell = gpu() ? rate(gflops) : bytes_per_flop(v.points[s]);
      rows.back().push_back(tune::best_of(variants, step, s) == &v ? "**" + cell + "**" : cell);
      if (gflops) line.points.emplace_back(static_cast<double>(sizes[s]), *gflops);
    }
    plot.lines.push_back(std::move(line));
  }
  std::string text = report::markdown_table(head, rows);
  text += gpu() ? "\nGFLOPS; the best of a size in bold.\n" : "\nBytes per flop that threads request.\n";
  if (!impossible.empty()) text += "\nNot possible:\n\n" + impossible;
  if (gpu()) {
    // The constants are the same in all of them: their values alone tell the lines apart.
    std::vector<std::string> names;
    for (const auto &[name, value] : variants.front().setting) names.push_back(name);
    plot.title += fmt::format(": {}", fmt::join(names, ", "));
    for (report::Line &line : plot.lines) {
      std::string values;
      for (const auto &[name, value] : tune::parse_setting(line.label))
        values += (values.empty() ? "" : ", ") + value;
      line.label = values;
    }
    text += "\n" + picture("sweep", "GFLOPS over N, a line for each geometry", report::plot_to_svg(plot));
  }
  return text + without_times("rates, and which geometry is best,");
}

std::string ReportParts::curve(const Mark &mark) {
  const course::Step &step = step_of(mark);
  const tune::Setting constants = tunable(step).constants();
  std::vector<std::pair<std::string, std::int64_t>> tiles;
  for (const std::string &name : parts_of(value_of(mark, "tiles"), ',')) {
    const auto found =
        std::find_if(constants.begin(), constants.end(), [&](const auto &c) { return c.first == name; });
    if (found == constants.end()) fail(mark, fmt::format("no constant is named {}", name));
    tiles.emplace_back(name, std::max<std::int64_t>(1, std::stoll(found->second)));
  }
  const std::vector<std::int64_t> sizes = sizes_of(mark);
  std::vector<double> mine;
  report::Line ours{step.id, {}}, beside{std::string(problem::name_of(step.problem->library())), {}};
  for (const std::int64_t n : sizes) {
    const grading::BenchPoint &p = point(step, n);
    const auto gflops = tune::rate_of(step, p), library = library_of(step, p);
    mine.push_back(gpu() ? gflops.value_or(0) : p.counters ? 100 * useful(step, p) : 0);
    ours.points.emplace_back(static_cast<double>(n), mine.back());
    if (library) beside.points.emplace_back(static_cast<double>(n), *library);
  }
  // A size that both neighbours stay below is a peak, one that both exceed a dip.
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 1; i + 1 < sizes.size(); ++i) {
    const bool peak = mine[i] > mine[i - 1] && mine[i] > mine[i + 1];
    if (!peak && !(mine[i] < mine[i - 1] && mine[i] < mine[i + 1])) continue;
    std::vector<std::string> row = {std::to_string(sizes[i]), peak ? "peak" : "dip",
                                    fmt::format("{:.0f}{}", mine[i], gpu() ? "" : " %")};
    for (const auto &[name, tile] : tiles) row.push_back(std::to_string(sizes[i] % tile));
    rows.push_back(std::move(row));
  }
  std::vector<std::string> head = {"N", "", gpu() ? "GFLOPS" : "useful arithmetic"};
  for (const auto &[name, tile] : tiles) head.push_back(fmt::format("N mod {} ({})", name, tile));
  report::Plot plot{
      fmt::format("{} over N", step.id), "N", gpu() ? "GFLOPS" : "useful arithmetic, %", {ours}};
  if (!beside.points.empty()) plot.lines.push_back(std::move(beside));
  std::string text = picture("curve", plot.up + " over N", report::plot_to_svg(plot)) + "\n";
  text += rows.empty() ? "No size stands out between its neighbours.\n" : report::markdown_table(head, rows);
  if (!gpu())
    text +=
        "\nUseful is what the product needs of the flops that were computed: the rest fills tiles that leave "
        "the matrix.\n";
  return text + without_times("rates and those of the library");
}

std::string ReportParts::roofline(const Mark &mark) {
  const course::Step &step = step_of(mark);
  const auto size = static_cast<std::int64_t>(number_of(mark, "size", value_of(mark, "size"))),
             counted = static_cast<std::int64_t>(number_of(mark, "counted", value_of(mark, "counted")));
  const double bandwidth = bandwidth_of(mark);
  report::Roofline roof;
  roof.peak_gflops = number_of(mark, "peak", value_of(mark, "peak"));
  roof.bandwidths = {bandwidth};
  roof.gpu = fmt::format("{:g} GFLOPS and {}/s", roof.peak_gflops, value_of(mark, "bandwidth"));
  roof.title = fmt::format("{} at N = {}", step.id, counted);
  profile::Profiling nobody(false, machine_, *grader_, course_.assignment, options_.seed);
  report::RooflinePoint p =
      roofline_point(*grader_, step, build_of(step),
                     case_of(step, problem::all_sizes(*step.problem, counted)), false, nobody);
  if (!p.why_not.empty()) return fmt::format("Not drawn: {}.\n", p.why_not);
  if (gpu()) {
    p.gflops = tune::rate_of(step, point(step, size));
    roof.title += fmt::format(", rate at {}", size);
  }
  roof.points.push_back(p);
  std::vector<std::vector<std::string>> rows = {
      {"ridge", fmt::format("{:.2f}", report::ridge(roof.peak_gflops, bandwidth)),
       fmt::format("{:.0f}", roof.peak_gflops)},
      {"requested", fmt::format("{:.2f}", p.requested),
       fmt::format("{:.0f}", report::attainable(roof.peak_gflops, bandwidth, p.requested))},
      {"compulsory", fmt::format("{:.2f}", p.compulsory),
       fmt::format("{:.0f}", report::attainable(roof.peak_gflops, bandwidth, p.compulsory))}};
  if (p.gflops)
    rows.push_back({"least q for the measured rate", fmt::format("{:.2f}", *p.gflops / bandwidth),
                    fmt::format("{:.0f}", *p.gflops)});
  return picture("roofline-" + value_of(mark, "bandwidth"), "Roofline at " + roof.gpu,
                 report::roofline_to_svg(roof)) +
         "\n" + report::markdown_table({"", "q, flops a byte", "GFLOPS under this roof"}, rows) +
         "\nA word of 4 bytes has four times as many flops.\n" + without_times("rates");
}

}  // namespace warpgrade::bench
