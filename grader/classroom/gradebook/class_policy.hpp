// `without_gpu` of a class: that of assignment.yaml when it was begun, until somebody says otherwise.
#pragma once

#include <string>

#include "batch/store.hpp"
#include "gradebook/class_run.hpp"

namespace warpgrade::gradebook {

/// The course counts as the class does, whatever assignment.yaml says now. For commands that only read.
void count_as_before(const batch::Store &, ClassCourse &);

/// The course counts as assignment.yaml says. Throws UsageError where the class counts otherwise and `said`,
/// the word after --without-gpu, does not confirm the change, and where it is another word than the YAML's.
/// True: the class has to be changed, all of it.
bool settle_policy(const batch::Store &, ClassCourse &, const std::string &said);

/// Throws UsageError where predicted and measured rates would meet in one class and nobody confirmed, with
/// `said`, that all of it is to be graded again.
void demand_one_kind_of_speed(const course::Assignment &, const grading::DeviceRecord &before,
                              const grading::DeviceRecord &now, const std::string &said);

/// A sentence where the class counts otherwise than assignment.yaml says now; else empty.
std::string remark_on_policy(const batch::Store &, const ClassCourse &);

}  // namespace warpgrade::gradebook
