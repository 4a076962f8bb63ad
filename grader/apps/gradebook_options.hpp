// Options of every command that grades a class.
#pragma once

#include "apps/command_line.hpp"
#include "gradebook/class_run.hpp"

namespace warpgrade::apps {

void add_grading_options(CLI::App &, gradebook::GradingWords &);
/// --without-gpu, of commands that may change the points of a whole class.
void add_policy_option(CLI::App &, std::string &word);

}  // namespace warpgrade::apps
