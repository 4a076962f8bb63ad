// Looking at the machine for ./grade doctor.
#pragma once

#include "doctor/diagnosis.hpp"

namespace warpgrade::doctor {

/// Takes a few seconds: compiles a small file, asks the driver. Throws nothing because of the machine.
MachineFacts look_around();

}  // namespace warpgrade::doctor
