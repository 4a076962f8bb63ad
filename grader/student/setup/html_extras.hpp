// What an HTML report shows besides the report: the student's files, a roof, speed over size.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "report/html.hpp"
#include "setup/course_root.hpp"

namespace warpgrade {

/// The text of each step's file, where it is a regular one of at most a megabyte.
std::map<std::string, std::string> sources_of(const std::vector<const course::Step *> &,
                                              const std::filesystem::path &submission);

/// That of the GPU that measured; where there is none, of the first one whose thresholds file knows its peak
/// and bandwidth.
std::optional<report::Roof> roof_of(const std::filesystem::path &assignment_folder,
                                    const course::Assignment &, const course::Thresholds &,
                                    const grading::DeviceRecord &);

}  // namespace warpgrade
