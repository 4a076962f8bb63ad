// The calls that the backend accepts without effect or refuses, as calls.inc says. They take no parameters
// here, because none of them looks at any and some differ between toolkits; the linker goes by names, and the
// calling conventions of Linux let the caller pass what it likes.
#include "runtime/refusals.hpp"

#define DEFINE_answers(name, reason)
#define DEFINE_accepts(name, reason)            \
  int name() {                                  \
    return warpgrade::cuda::accept_call(#name); \
  }
#define DEFINE_refuses(name, reason)                                             \
  int name() {                                                                   \
    return warpgrade::cuda::refuse_call(#name, warpgrade::cuda::Reason::reason); \
  }
#define ALIAS_answers(name, suffix)
#define ALIAS_accepts(name, suffix) extern decltype(name) name##_##suffix __attribute__((alias(#name)));
#define ALIAS_refuses(name, suffix) ALIAS_accepts(name, suffix)
#define ALSO_none(name, does)
#define ALSO_ptds(name, does) ALIAS_##does(name, ptds)
#define ALSO_ptsz(name, does) ALIAS_##does(name, ptsz)

#ifdef WARPGRADE_RECORDER
#define CALL(name, suffix, reason, recorder, simulator) \
  DEFINE_##recorder(name, reason) ALSO_##suffix(name, recorder)
#else
#define CALL(name, suffix, reason, recorder, simulator) \
  DEFINE_##simulator(name, reason) ALSO_##suffix(name, simulator)
#endif

extern "C" {
#include "runtime/calls.inc"
}
