// Looking at the machine for ./grade doctor.
#pragma once

#include "apps/diagnosis.hpp"

namespace warpgrade::apps {

/// Takes a few seconds: compiles a small file, asks the driver. Throws nothing because of the machine.
MachineFacts look_around();

}  // namespace warpgrade::apps
