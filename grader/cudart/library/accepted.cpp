// Calls that tune, prefetch or profile: accepted without effect. They take no parameters here, because none
// of them looks at any and some differ between toolkits; the linker goes by names, and the calling
// conventions of Linux let the caller pass what it likes.
namespace warpgrade::cudart {
int accept(const char *call);
}

// clang-format off
#define WARPGRADE_ACCEPTED(name) int name() { return warpgrade::cudart::accept(#name); }
#define WARPGRADE_ACCEPTED_PTSZ(name) WARPGRADE_ACCEPTED(name) int name##_ptsz() { return name(); }

extern "C" {

WARPGRADE_ACCEPTED(cudaSetValidDevices)
WARPGRADE_ACCEPTED(cudaSetDeviceFlags)
WARPGRADE_ACCEPTED(cudaFuncSetCacheConfig)
WARPGRADE_ACCEPTED(cudaFuncSetSharedMemConfig)
WARPGRADE_ACCEPTED(cudaDeviceSetCacheConfig)
WARPGRADE_ACCEPTED(cudaDeviceSetSharedMemConfig)
WARPGRADE_ACCEPTED(cudaCtxResetPersistingL2Cache)
WARPGRADE_ACCEPTED(cudaDeviceSetMemPool)
WARPGRADE_ACCEPTED(cudaMemPoolSetAttribute)
WARPGRADE_ACCEPTED(cudaMemPoolSetAccess)
WARPGRADE_ACCEPTED(cudaMemPoolTrimTo)
WARPGRADE_ACCEPTED(cudaMemPoolDestroy)
WARPGRADE_ACCEPTED(cudaMemAdvise)
WARPGRADE_ACCEPTED(cudaMemAdvise_v2)
WARPGRADE_ACCEPTED_PTSZ(cudaMemPrefetchAsync)
WARPGRADE_ACCEPTED_PTSZ(cudaMemPrefetchAsync_v2)
WARPGRADE_ACCEPTED_PTSZ(cudaMemPrefetchBatchAsync)
WARPGRADE_ACCEPTED_PTSZ(cudaStreamAttachMemAsync)
WARPGRADE_ACCEPTED_PTSZ(cudaStreamSetAttribute)
WARPGRADE_ACCEPTED_PTSZ(cudaStreamCopyAttributes)
WARPGRADE_ACCEPTED(cudaProfilerStart)
WARPGRADE_ACCEPTED(cudaProfilerStop)
WARPGRADE_ACCEPTED(cudaProfilerInitialize)

}  // extern "C"
