// Writes the pages that a browser tests and that docs/pictures shows: page_samples DIR
#include <fstream>
#include <iostream>

#include "report/html.hpp"
#include "tests/report/alike_sample.hpp"
#include "tests/report/class_sample.hpp"

int main(int argc, char **argv) {
  using namespace warpgrade::report;
  if (argc != 2) {
    std::cerr << "usage: page_samples DIR\n";
    return 2;
  }
  const std::string folder = argv[1];
  const auto write = [&](const char *name, const std::string &text) {
    std::ofstream file(folder + "/" + name, std::ios::binary);
    file << text;
    return static_cast<bool>(file.flush());
  };
  const GpuSample sample;
  const AlikeSample alike;
  const Class many = class_sample(sample, 500);
  Class counted = many;
  for (ClassStudent &student : counted.students)
    for (ClassStep &step : student.steps) step.rate.reset();
  const bool written =
      write("gpu.html", to_html(sample.report(),
                                {sample.sources, sample.bench, Roof{"Example GPU", 66900, 4800, true}})) &&
      write("alike.html",
            to_html(alike.report(), {alike.sources, {}, Roof{"Example GPU", 66900, 4800, false}})) &&
      write("class.html", class_to_html(many)) && write("leaderboard.html", leaderboard_to_html(many)) &&
      write("counted.html", leaderboard_to_html(counted));
  if (!written) std::cerr << "page_samples: cannot write to " << folder << "\n";
  return written ? 0 : 1;
}
