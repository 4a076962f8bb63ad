// The command line of `simt`: options, their help, and what they start.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "runtime/journal/journal.hpp"
#include "trace/recording.hpp"

namespace warpgrade::program {

/// What a program around the simulator adds; an option is offered where its function is given.
struct Extras {
  /// --gpu NAME: sets the device that the program sees. Throws UsageError when there is none of that name.
  std::function<void(const std::string &name, cuda::Options &)> choose_gpu;
  /// --debug FILE: writes the recording of a program as a page.
  std::function<void(std::optional<simt::Recording>, const std::string &file, const std::string &program)>
      write_page;
};

/// Gives the exit status; messages go to standard error.
int command_line(int argc, char **argv, const Extras & = {});

}  // namespace warpgrade::program
