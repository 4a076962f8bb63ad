#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "base/did_you_mean.hpp"
#include "course/assignment.hpp"
#include "course/gpu.hpp"
#include "course/read_case.hpp"
#include "course/yaml.hpp"

namespace warpgrade::course {

namespace {

/// "3000", "0.25 cublas" or "0.5 bandwidth"; the last one as a rate. The library is that of the step's
/// problem. bandwidth: of the file's GPU, in GB/s
Threshold read_threshold(const Yaml &y, const Step &step, const std::optional<double> &bandwidth) {
  const std::string_view unit = step.problem->rate_unit();
  const std::string_view library = problem::word_of(step.problem->library());
  const bool moves = unit == "GB/s";
  const std::string wanted =
      fmt::format("{} such as 3000{}{}", unit,
                  library.empty() ? "" : fmt::format(", or a share such as 0.25 {}", library),
                  moves && bandwidth ? ", or a share such as 0.5 bandwidth" : "");
  const std::string text = y.text();
  Threshold t;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), t.value);
  const std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const std::string_view word = rest.starts_with(' ') ? rest.substr(1) : std::string_view();
  const bool of_bandwidth = word == "bandwidth" && moves;
  t.of_library = problem::is_library(word);
  if (error != std::errc() || (!rest.empty() && !t.of_library && !of_bandwidth) || !(t.value > 0) ||
      t.value > 1e9)
    y.fail(fmt::format("'{}' is not a threshold; accepted: {}", text, wanted));
  if (t.of_library && word != library)
    y.fail(fmt::format("{} is not compared with '{}', so there is no share of it; accepted: {}",
                       step.problem->name(), word, wanted));
  if (of_bandwidth && !bandwidth)
    y.fail(fmt::format("no memory bandwidth is known for this GPU, so there is no share of it; accepted: {}",
                       wanted));
  if (of_bandwidth) t.value *= *bandwidth;
  return t;
}

[[noreturn]] void fail_unknown_step(const Yaml &y, const std::string &id, const Assignment &a) {
  std::vector<std::string> ids;
  for (const Step &s : a.steps) ids.push_back(s.id);
  y.fail_at_key(fmt::format("there is no step '{}'{} (there are: {})", id, did_you_mean(id, ids),
                            fmt::join(ids, ", ")));
}

void check_steps(const Yaml &steps, const Thresholds &t, const Assignment &a) {
  for (const Step &s : a.steps)
    if (s.points.fast > 0 && !t.find(s.id))
      steps.fail(fmt::format("step '{}' gives {:g} points for speed and has no threshold here", s.id,
                             s.points.fast));
}

/// Finds a name that two patterns match: `*` stands for any characters, `?` for one.
class CommonName {
 public:
  CommonName(std::string_view a, std::string_view b) : a_(a), b_(b) {}
  std::optional<std::string> find() { return from(0, 0); }

 private:
  std::optional<std::string> from(std::size_t i, std::size_t k) {
    if (i == a_.size() && k == b_.size()) return "";
    if (tried_.contains({i, k})) return std::nullopt;
    auto found = through_star(a_, i, b_, k, i, k, false);
    if (!found) found = through_star(b_, k, a_, i, i, k, true);
    if (!found && i < a_.size() && k < b_.size() && a_[i] != '*' && b_[k] != '*' &&
        (a_[i] == b_[k] || a_[i] == '?' || b_[k] == '?'))
      found = after(a_[i] == '?' ? b_[k] : a_[i], i + 1, k + 1);
    if (!found) tried_.insert({i, k});
    return found;
  }
  /// `one` has a star at `at`: it stands for nothing, or also for the next character of the other.
  std::optional<std::string> through_star(std::string_view one, std::size_t at, std::string_view other,
                                          std::size_t next, std::size_t i, std::size_t k, bool swapped) {
    if (at == one.size() || one[at] != '*') return std::nullopt;
    if (auto rest = swapped ? from(i, k + 1) : from(i + 1, k)) return rest;
    if (next == other.size() || other[next] == '*') return std::nullopt;
    return after(other[next], swapped ? i + 1 : i, swapped ? k : k + 1);
  }
  std::optional<std::string> after(char c, std::size_t i, std::size_t k) {
    auto rest = from(i, k);
    return rest ? std::optional((c == '?' ? '0' : c) + *rest) : std::nullopt;
  }

  std::string_view a_, b_;
  std::set<std::pair<std::size_t, std::size_t>> tried_;  // in vain
};

void check_pattern(const Yaml &match) {
  constexpr std::size_t longest = 100;
  const std::string text = match.text();
  if (text.find_first_of("[]\\") != std::string::npos || text.size() > longest)
    match.fail(
        fmt::format("'{}' is not a pattern for a GPU's name; accepted: at most {} characters, where * "
                    "matches any characters and ? matches one; [, ] and \\ have no meaning",
                    text, longest));
}

/// How a file of thresholds says which GPUs it is for.
struct Match {
  std::string file, pattern;
  int line = 0;
};

/// Which of two files counts must not depend on their names.
void check_overlap(const std::vector<Match> &all, const std::filesystem::path &folder) {
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (const auto name = CommonName(all[k].pattern, all[i].pattern).find())
        throw ConfigError(
            fmt::format("{}:{}: 'match' is '{}', and {} has '{}' in line {}: both match a GPU called '{}'. "
                        "Write patterns "
                        "that no GPU's name fits twice, or one file for both",
                        (folder / all[i].file).string(), all[i].line, all[i].pattern, all[k].file,
                        all[k].pattern, all[k].line, *name));
}

void use(const Gpu &gpu, const Assignment &a, Thresholds &t) {
  const bool on_tensor_cores = std::any_of(a.steps.begin(), a.steps.end(), [](const Step &step) {
    return step.problem != nullptr && step.problem->on_tensor_cores();
  });
  t.gpu = gpu.name;
  t.gpu_id = gpu.id;
  t.peak_gflops = on_tensor_cores ? gpu.tensor_gflops : gpu.peak_gflops;
  t.memory_gb_per_s = gpu.memory_gb_per_s;
}

/// The id of a GPU, or {match: "NVIDIA X*"} with the figures of one that has no file.
void read_gpu(const Yaml &y, const std::vector<Gpu> &gpus, const Assignment &a, Thresholds &t) {
  if (y.is_map()) {
    y.expect_keys({"match", "peak_gflops", "memory_gb_per_s"});
    check_pattern(y.at("match"));
    t.match = t.gpu = y.at("match").text();
    std::erase(t.gpu, '*');
    if (const auto peak = y.find("peak_gflops")) t.peak_gflops = peak->real(1, 1e9);
    if (const auto memory = y.find("memory_gb_per_s")) t.memory_gb_per_s = memory->real(1, 1e9);
    return;
  }
  const std::string id = y.text();
  const auto found = std::find_if(gpus.begin(), gpus.end(), [&](const Gpu &gpu) { return gpu.id == id; });
  if (found == gpus.end()) {
    std::vector<std::string> ids;
    for (const Gpu &gpu : gpus) ids.push_back(gpu.id);
    y.fail(fmt::format(
        "no GPU has the file assignments/gpus/{}.yaml{}; accepted: {}, or {{match: \"NVIDIA X*\"}}", id,
        did_you_mean(id, ids), fmt::join(ids, ", ")));
  }
  t.match = found->match;
  use(*found, a, t);
}

/// `source` and, of predicted thresholds, `model`.
void read_source(const Yaml &y, Thresholds &t) {
  const auto source = y.find("source");
  if (source) {
    const std::string text = source->text();
    if (text != "measured" && text != "predicted")
      source->fail(fmt::format("'{}' is not a source of thresholds; accepted: measured, predicted", text));
    t.source = text == "measured" ? Thresholds::Source::measured : Thresholds::Source::predicted;
  }
  const auto model = y.find("model");
  if (model && !t.predicted()) model->fail("only predicted thresholds have a model");
  if (t.predicted()) t.model = y.at("model").text();
}

/// The rates between which a step's solution was predicted: [996, 2093].
std::optional<std::pair<double, double>> read_interval(const Yaml &step, const Thresholds &t) {
  const auto y = step.find("predicted");
  if (!y) return std::nullopt;
  if (!t.predicted()) y->fail("only thresholds of `source: predicted` have it");
  const std::vector<Yaml> ends = y->items();
  if (ends.size() != 2) y->fail("write the lowest and the highest rate, such as [996, 2093]");
  const double low = ends[0].real(0, 1e9), high = ends[1].real(0, 1e9);
  if (!(low < high)) y->fail("the first rate must be lower than the second");
  return std::pair(low, high);
}

Thresholds read_one(const std::filesystem::path &file, const Assignment &a, const std::vector<Gpu> &gpus,
                    std::vector<Match> &matches) {
  const Yaml y = Yaml::read(file);
  y.expect_keys({"gpu", "source", "model", "steps"});
  Thresholds t;
  t.file = file.filename().string();
  const Yaml gpu = y.at("gpu");
  read_gpu(gpu, gpus, a, t);
  matches.push_back({t.file, t.match, gpu.is_map() ? gpu.at("match").line() : gpu.line()});
  read_source(y, t);
  const Yaml steps = y.at("steps");
  for (const auto &[id, entry] : steps.entries()) {
    const Step *step = a.find_step(id);
    if (!step) fail_unknown_step(entry, id, a);
    entry.expect_keys({"size", "pass", "full", "predicted"});
    StepThresholds s{id, read_size(entry.at("size"), *step->problem, step->with),
                     read_threshold(entry.at("pass"), *step, t.memory_gb_per_s),
                     read_threshold(entry.at("full"), *step, t.memory_gb_per_s), read_interval(entry, t)};
    if (s.pass.of_library != s.full.of_library)
      entry.at("full").fail(fmt::format("'pass' and 'full' must both be {} or both be shares of {}",
                                        step->problem->rate_unit(),
                                        problem::word_of(step->problem->library())));
    if (!(s.pass.value < s.full.value)) entry.at("full").fail("'full' must be more than 'pass'");
    const std::string_view unit = step->problem->rate_unit();
    const int devices = step->problem->devices(s.size);
    if (const auto most = t.highest_rate(unit); most && !s.full.of_library && s.full.value > *most * devices)
      entry.at("full").fail(fmt::format(
          "{:g} {} cannot be reached: {} peaks at {:g} {}{}", s.full.value, unit,
          t.gpu.empty() ? "this GPU" : t.gpu, *t.peak(unit), unit,
          devices > 1 ? fmt::format(", and the timed size is for {} of them", devices) : std::string()));
    t.steps.push_back(std::move(s));
  }
  check_steps(steps, t, a);
  return t;
}

}  // namespace

const StepThresholds *Thresholds::find(const std::string &step) const {
  for (const StepThresholds &s : steps)
    if (s.step == step) return &s;
  return nullptr;
}

std::optional<double> Thresholds::peak(std::string_view unit) const {
  if (unit == "GFLOPS") return peak_gflops;
  return unit == "GB/s" ? memory_gb_per_s : std::nullopt;
}

std::optional<double> Thresholds::highest_rate(std::string_view unit) const {
  constexpr double faster_than_its_data_sheet = 1.25;
  const std::optional<double> most = peak(unit);
  return most && match == "*" ? *most * faster_than_its_data_sheet : most;
}

std::vector<Thresholds> read_all_thresholds(const std::filesystem::path &folder, const Assignment &a) {
  const std::filesystem::path fallback = folder / "thresholds" / "default.yaml";
  std::vector<std::filesystem::path> files;
  if (std::filesystem::is_directory(folder / "thresholds"))
    for (const auto &entry : std::filesystem::directory_iterator(folder / "thresholds"))
      if (entry.path().extension() == ".yaml" && entry.path() != fallback) files.push_back(entry.path());
  std::sort(files.begin(), files.end(), [&](const auto &x, const auto &y) {
    const auto rank = [&](const auto &file) { return std::pair(file.stem() != a.predict_for, file); };
    return rank(x) < rank(y);
  });
  const std::vector<Gpu> gpus = read_gpus((folder / "..").lexically_normal());
  std::vector<Thresholds> all;
  std::vector<Match> matches;
  for (const std::filesystem::path &file : files) all.push_back(read_one(file, a, gpus, matches));
  check_overlap(matches, folder / "thresholds");
  all.push_back(read_one(fallback, a, gpus, matches));
  return all;
}

Thresholds read_thresholds(const std::filesystem::path &folder, const Assignment &a,
                           const std::string &gpu_name) {
  return choose_thresholds(read_all_thresholds(folder, a), folder, a, gpu_name);
}

Thresholds choose_thresholds(const std::vector<Thresholds> &all, const std::filesystem::path &folder,
                             const Assignment &a, const std::string &gpu_name) {
  for (const Thresholds &t : all)
    if (gpu_name == no_gpu && a.without_gpu == WithoutGpu::predicted && t.file == a.predict_for + ".yaml")
      return t;
  for (const Thresholds &t : all)
    if (t.match != "*" && fnmatch(t.match.c_str(), gpu_name.c_str(), 0) == 0) return t;
  Thresholds any = all.back();
  const std::vector<Gpu> gpus = read_gpus((folder / "..").lexically_normal());
  if (const Gpu *gpu = find_gpu(gpus, gpu_name)) use(*gpu, a, any);
  return any;
}

}  // namespace warpgrade::course
