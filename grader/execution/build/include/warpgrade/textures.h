// Reading textures and surfaces. A plan cannot hold them, so creating one is refused by name and none of this
// is reached.
#pragma once

#include "driver_types.h"
#include "warpgrade/warp.h"

#define WARPGRADE_FETCH(name)                              \
  template <class T, class... Where>                       \
  WARPGRADE_DEVICE T name(cudaTextureObject_t, Where...) { \
    __trap();                                              \
    return T();                                            \
  }
WARPGRADE_FETCH(tex1Dfetch)
WARPGRADE_FETCH(tex1D)
WARPGRADE_FETCH(tex2D)
WARPGRADE_FETCH(tex3D)
WARPGRADE_FETCH(tex1DLod)
WARPGRADE_FETCH(tex2DLod)
WARPGRADE_FETCH(tex2DLayered)
WARPGRADE_FETCH(surf1Dread)
WARPGRADE_FETCH(surf2Dread)
#undef WARPGRADE_FETCH
