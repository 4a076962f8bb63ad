// A class as a dashboard shows it, made of submissions that score/ scored. All figures are made up.
#pragma once

#include "report/class.hpp"
#include "tests/report/gpu_sample.hpp"

namespace warpgrade::report {

/// `students` of them, the same in every run. Ids are "20260001" and on; hostile ones are among the first.
Class class_sample(const GpuSample &base, std::size_t students);

}  // namespace warpgrade::report
