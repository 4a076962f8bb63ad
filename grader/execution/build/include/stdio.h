// The C library's, and what of it threads may call.
#pragma once
#include_next <stdio.h>

#include "warpgrade/qualifiers.h"

#if defined(__CUDA__)
extern "C" __device__ int printf(const char *format, ...);
#endif
