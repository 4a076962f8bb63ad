// Autolab: files named by address and version. Nothing behind the version is of a student's choice.
#include "platforms/platform.hpp"

namespace warpgrade::platforms {

const Platform autolab = {
    .name = "autolab",
    .title = "Autolab",
    // fstudent@example.edu_3_handin.zip
    .names = {.pattern = "(?<student>.+)_(?<attempt>[0-9]{1,18})_[^_]*handin(?:\\..*)?",
              .one_reading = [](std::string_view) { return true; }},
};

}  // namespace warpgrade::platforms
