// The archive that a student hands in: what it is called and what it holds besides the steps.
#pragma once

#include <string>
#include <string_view>

namespace warpgrade::apps {

/// What is wrong with a student's ID as a part of a file name; empty when nothing is.
std::string wrong_with_id(std::string_view id);

/// "20261234_HW6.zip", as `gradebook run` expects it.
std::string archive_name(std::string_view id, std::string_view assignment);

}  // namespace warpgrade::apps
