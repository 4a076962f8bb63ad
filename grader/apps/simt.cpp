// ./simt: the simulator's program, with the GPUs of a course and pages to go through a mistake.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/usage.hpp"
#include "course/gpu.hpp"
#include "program/command_line.hpp"
#include "report/program_page.hpp"

namespace warpgrade::apps {
namespace {

/// A GPU of assignments/gpus, by the name of its file or as CUDA names it.
void choose_gpu(const std::string &name, cuda::Options &to) {
  const std::vector<course::Gpu> all = course::read_gpus("assignments");
  const course::Gpu *const found = course::find_gpu(all, name);
  if (!found) {
    std::vector<std::string> known;
    for (const course::Gpu &one : all) known.push_back(one.id);
    throw UsageError(fmt::format("no GPU is called {}; known are {}", name, fmt::join(known, ", ")));
  }
  to.gpu = found->name;
  to.multiprocessors = found->multiprocessors;
  to.clock_khz = static_cast<int>(found->clock_mhz * 1000);
  const std::string &cc = found->compute_capability;
  const std::size_t dot = cc.find('.');
  to.capability = 10 * std::stoi(cc) + (dot == std::string::npos ? 0 : std::stoi(cc.substr(dot + 1)));
}

}  // namespace
}  // namespace warpgrade::apps

int main(int argc, char **argv) {
  return warpgrade::program::command_line(
      argc, argv, {warpgrade::apps::choose_gpu, warpgrade::report::write_program_page});
}
