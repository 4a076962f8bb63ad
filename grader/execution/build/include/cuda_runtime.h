// CUDA C++ for clang, where there is no CUDA Toolkit: qualifiers, built-in variables, vector types, the
// runtime's functions, and what threads can call. Written from the CUDA C++ Programming Guide. What is not
// here, nvcc has; see docs/front-ends.md.
#pragma once

#include "warpgrade/qualifiers.h"

// nvcc's own header brings these too, and no others: what compiles here is to compile there.
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include "cuda_runtime_api.h"
#include "device_launch_parameters.h"
#include "vector_functions.h"

#if defined(__CUDA__)
#include "warpgrade/atomics.h"
#include "warpgrade/calls.h"
#include "warpgrade/functions.h"
#include "warpgrade/integers.h"
#include "warpgrade/memory.h"
#include "warpgrade/moves.h"
#include "warpgrade/rounded.h"
#include "warpgrade/system.h"
#include "warpgrade/textures.h"
#include "warpgrade/warp.h"
#endif
