// ./grade doctor: is this machine set up, and what to do where it is not?
#include "doctor/doctor.hpp"

#include "apps/command_line.hpp"
#include "apps/commands.hpp"

namespace warpgrade::apps {

int doctor(const std::vector<std::string> &words) {
  CLI::App app("Checks compiler, disk, sandbox, driver and GPU, and says how to fix what is wrong.",
               "grade doctor");
  if (const auto status = parse(app, words)) return *status;
  return doctor::examine();
}

}  // namespace warpgrade::apps
