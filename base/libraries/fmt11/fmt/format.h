// From release 11 on, fmt::join is in a header of its own; before, it was in this one.
#pragma once
#include_next <fmt/format.h>
#include <fmt/ranges.h>
