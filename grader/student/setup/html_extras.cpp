#include "setup/html_extras.hpp"

#include "setup/files.hpp"

namespace warpgrade {

namespace fs = std::filesystem;

namespace {

constexpr std::uintmax_t most_bytes = 1 << 20;

std::optional<report::Roof> roof_of(const course::Thresholds &t, std::string gpu, bool here) {
  if (!t.peak_gflops || !t.memory_gb_per_s) return std::nullopt;
  return report::Roof{std::move(gpu), *t.peak_gflops, *t.memory_gb_per_s, here};
}

}  // namespace

std::map<std::string, std::string> sources_of(const std::vector<const course::Step *> &steps,
                                              const fs::path &submission) {
  std::map<std::string, std::string> sources;
  for (const course::Step *step : steps) {
    const fs::path file = step->source_in(submission);
    std::error_code error;
    if (!fs::is_regular_file(fs::symlink_status(file, error)) || fs::file_size(file, error) > most_bytes)
      continue;
    sources[step->id] = read_whole(file);
  }
  return sources;
}

std::optional<report::Roof> roof_of(const fs::path &assignment_folder, const course::Assignment &a,
                                    const course::Thresholds &thresholds,
                                    const grading::DeviceRecord &device) {
  if (device.gpu) return roof_of(thresholds, device.name, true);
  for (const course::Thresholds &t : course::read_all_thresholds(assignment_folder, a))
    if (const auto roof = t.predicted() ? std::nullopt : roof_of(t, t.gpu, false)) return roof;
  return std::nullopt;
}

}  // namespace warpgrade
