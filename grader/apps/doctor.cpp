// ./grade doctor: is this machine set up, and what to do where it is not?
#include <fmt/format.h>

#include "apps/command_line.hpp"
#include "apps/commands.hpp"

namespace warpgrade::apps {

namespace {
void line(bool good, const std::string &what, const std::string &details) {
  fmt::print("  {:<4} {:<10} {}\n", good ? "ok" : "--", what, details);
}
}  // namespace

int doctor(const std::vector<std::string> &words) {
  CLI::App app("Looks at compiler, sandbox, GPU and cache, and says what to do about what is missing.",
               "grade doctor");
  if (const auto status = parse(app, words)) return *status;
  bool good = true;

  const sandbox::Sandbox sandbox = sandbox::Sandbox::detect();
  try {
    const Tools tools;
    line(true, "compiler",
         fmt::format("{} ({})", find_front_end(sandbox, tools, {})->name(), find_nvcc()->string()));
  } catch (const std::exception &e) {
    line(false, "compiler", e.what());
    good = false;
  }
  line(sandbox.mode() != sandbox::Sandbox::Mode::none, "sandbox", sandbox.describe());

  const gpu::DeviceQuery query = gpu::query_devices();
  if (query.devices.empty()) line(false, "GPU", query.why_none + "; the simulator grades all but speed");
  for (const gpu::DeviceInfo &d : query.devices) {
    line(true, "GPU",
         fmt::format("{} (number {}), sm_{}{}, driver {}", d.name, d.index, d.major, d.minor,
                     d.driver_version));
    if (d.reads_host_memory)
      line(false, "",
           "kernels can read this machine's ordinary memory (HMM or ATS): use it for grading only where no "
           "secrets lie in the grader's memory");
  }
  const std::filesystem::path cache = cache_folder();
  line(!cache.empty(), "cache",
       cache.empty() ? "none: no writable home folder; every build starts afresh" : cache.string());
  return good ? full_score : below;
}

}  // namespace warpgrade::apps
