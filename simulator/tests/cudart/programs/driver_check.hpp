// Ends a program at the first call of the driver API that fails, with its name and line.
#pragma once

#include <cuda.h>

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                       \
  do {                                                    \
    const CUresult result_ = (call);                      \
    if (result_ != CUDA_SUCCESS) {                        \
      const char *name = "?";                             \
      cuGetErrorName(result_, &name);                     \
      printf("line %d: %s: %s\n", __LINE__, #call, name); \
      exit(3);                                            \
    }                                                     \
  } while (0)
