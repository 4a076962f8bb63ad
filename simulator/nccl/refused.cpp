// The functions of nccl.h that the simulator lacks: each is there, and refused by name. Their parameters do not matter,
// and versions of the header differ in which of them there are, so they are declared here.
#include "nccl/services.hpp"

extern "C" {

#define WARPGRADE_REFUSED(name)                             \
  int name() {                                              \
    warpgrade::nccl::services().refuse(#name, "this call"); \
    return 5; /* ncclInvalidUsage */                        \
  }                                                         \
  int p##name() __attribute__((alias(#name)))

WARPGRADE_REFUSED(ncclCommGrow);
WARPGRADE_REFUSED(ncclCommRevoke);
WARPGRADE_REFUSED(ncclCommShrink);
WARPGRADE_REFUSED(ncclCommWindowDeregister);
WARPGRADE_REFUSED(ncclCommWindowRegister);
WARPGRADE_REFUSED(ncclDevCommCreate);
WARPGRADE_REFUSED(ncclDevCommDestroy);
WARPGRADE_REFUSED(ncclGroupSimulateEnd);
WARPGRADE_REFUSED(ncclResetDebugInit);

}  // extern "C"
