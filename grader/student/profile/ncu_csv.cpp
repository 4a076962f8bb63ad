#include "profile/ncu_csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/csv.hpp"
#include "base/statistics.hpp"

namespace warpgrade::profile {

namespace {

using Fields = std::vector<std::string>;

constexpr const char *time_metric = "gpu__time_duration.sum", *l2_metric = "lts__t_bytes.sum",
                     *read_metric = "dram__bytes_read.sum", *write_metric = "dram__bytes_write.sum";

/// One line of CSV.
Fields fields_of(const std::string &line) {
  try {
    return CsvTable(line, {.delimiters = ","}).cells(0);
  } catch (const CsvError &) {
    throw ProfilerError(fmt::format("the profiler wrote a line without an end: {}", line));
  }
}

/// Seconds or bytes in one of a unit, as ncu spells units; prefixes are powers of ten.
double unit_factor(const std::string &unit) {
  static const std::map<std::string, double> known = {
      {"byte", 1},       {"Kbyte", 1e3}, {"Mbyte", 1e6},    {"Gbyte", 1e9}, {"Tbyte", 1e12},   {"B", 1},
      {"KB", 1e3},       {"MB", 1e6},    {"GB", 1e9},       {"TB", 1e12},   {"nsecond", 1e-9}, {"ns", 1e-9},
      {"usecond", 1e-6}, {"us", 1e-6},   {"msecond", 1e-3}, {"ms", 1e-3},   {"second", 1},     {"s", 1}};
  const auto found = known.find(unit);
  if (found == known.end())
    throw ProfilerError(fmt::format("the profiler counts in '{}', which is not a unit known here", unit));
  return found->second;
}

/// "1,234,567.5": digits in groups.
double value_of(const std::string &text) {
  std::string digits;
  std::copy_if(text.begin(), text.end(), std::back_inserter(digits), [](char c) { return c != ','; });
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size() || !(value >= 0))
    throw ProfilerError(
        fmt::format("the profiler gave '{}' where a number was expected: this GPU may not count that", text));
  return value;
}

class Columns {
 public:
  Columns(const Fields &names, const Fields &units) : names_(names), units_(units) {}

  std::size_t place(const std::string &name) const {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found == names_.end()) throw ProfilerError(fmt::format("the profiler gave no {}", name));
    return static_cast<std::size_t>(found - names_.begin());
  }
  const std::string &text(const Fields &row, const std::string &name) const { return row[place(name)]; }
  double value(const Fields &row, const std::string &name) const {
    return value_of(text(row, name)) * unit_factor(units_[place(name)]);
  }

 private:
  const Fields &names_, &units_;
};

/// What ncu said instead of figures.
std::string complaint(const std::string &log) {
  if (log.find("ERR_NVGPUCTRPERM") != std::string::npos)
    return "the profiler is not allowed to read this GPU's counters (ERR_NVGPUCTRPERM): the machine's "
           "administrator can "
           "allow it to all users with the driver's option NVreg_RestrictProfilingToAdminUsers=0";
  std::istringstream lines(log);
  for (const std::string_view mark : {"==ERROR==", "==WARNING=="}) {
    lines.clear();
    lines.seekg(0);
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with(mark)) return "the profiler gave no figures: " + line.substr(mark.size() + 1);
  }
  return "the profiler gave no figures";
}

}  // namespace

std::string profiler_metrics() {
  return fmt::format("{},{},{},{}", time_metric, read_metric, write_metric, l2_metric);
}

std::vector<ProfiledKernel> parse_ncu_log(const std::string &log) {
  std::vector<Fields> rows;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.starts_with('"')) rows.push_back(fields_of(line));
  }
  constexpr std::size_t head = 2;  // a row of names, a row of units
  if (rows.size() <= head) throw ProfilerError(complaint(log));
  const Columns columns(rows[0], rows[1]);
  std::vector<ProfiledKernel> kernels;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const Fields &row = rows[i];
    if (row.size() != rows[0].size())
      throw ProfilerError(
          fmt::format("the profiler wrote {} fields in a row under {} names", row.size(), rows[0].size()));
    if (i == 1) continue;
    kernels.push_back({columns.text(row, "Kernel Name"), columns.value(row, time_metric),
                       columns.value(row, read_metric) + columns.value(row, write_metric),
                       columns.value(row, l2_metric)});
  }
  return kernels;
}

Profile summarise(const std::vector<ProfiledKernel> &kernels, std::size_t launches, std::size_t runs) {
  if (kernels.empty() || kernels.size() != launches * runs)
    throw ProfilerError(
        fmt::format("the profiler saw {} kernels where {} were launched", kernels.size(), launches * runs));
  std::array<std::vector<double>, 3> sums;
  for (std::size_t r = 0; r < runs; ++r) {
    ProfiledKernel sum;
    for (std::size_t i = 0; i < launches; ++i) {
      const ProfiledKernel &k = kernels[r * launches + i];
      sum.seconds += k.seconds, sum.dram_bytes += k.dram_bytes, sum.l2_bytes += k.l2_bytes;
    }
    sums[0].push_back(sum.seconds), sums[1].push_back(sum.dram_bytes), sums[2].push_back(sum.l2_bytes);
  }
  const auto median = [](std::vector<double> &values) { return quantile(std::move(values), 0.5); };
  return {median(sums[0]), median(sums[1]), median(sums[2])};
}

}  // namespace warpgrade::profile
