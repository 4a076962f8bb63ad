// The rest of the runtime's functions: what the simulator does not have. Each says so once, with its own
// name, and returns cudaErrorNotSupported, so that a program that refers to one can at least be loaded. They
// take no parameters here, because none of them looks at any; the linker goes by names, and the calling
// conventions of Linux let the caller pass what it likes.
namespace warpgrade::cudart {
int refuse(const char *call, const char *why);
}

namespace {

constexpr const char *graphs = "this part of CUDA graphs";
constexpr const char *clusters = "thread block clusters";
constexpr const char *textures = "this part of textures and CUDA arrays";
constexpr const char *peers = "there is one device";
constexpr const char *interop = "memory shared with other programs or APIs";
constexpr const char *loading =
    "device code that is loaded while the program runs, and the driver's own functions";
constexpr const char *other = "this call";

}  // namespace

// clang-format off
#define WARPGRADE_REFUSED(name, why) int name() { return warpgrade::cudart::refuse(#name, why); }
#define WARPGRADE_REFUSED_PTDS(name, why) WARPGRADE_REFUSED(name, why) int name##_ptds() { return name(); }
#define WARPGRADE_REFUSED_PTSZ(name, why) WARPGRADE_REFUSED(name, why) int name##_ptsz() { return name(); }

extern "C" {

WARPGRADE_REFUSED(cudaDeviceGetGraphMemAttribute, graphs)
WARPGRADE_REFUSED(cudaDeviceGraphMemTrim, graphs)
WARPGRADE_REFUSED(cudaDeviceSetGraphMemAttribute, graphs)
WARPGRADE_REFUSED(cudaGraphAddExternalSemaphoresSignalNode, graphs)
WARPGRADE_REFUSED(cudaGraphAddExternalSemaphoresWaitNode, graphs)
WARPGRADE_REFUSED(cudaGraphConditionalHandleCreate, graphs)
WARPGRADE_REFUSED(cudaGraphDebugDotPrint, graphs)
WARPGRADE_REFUSED(cudaGraphEventRecordNodeSetEvent, graphs)
WARPGRADE_REFUSED(cudaGraphEventWaitNodeSetEvent, graphs)
WARPGRADE_REFUSED(cudaGraphExecEventWaitNodeSetEvent, graphs)
WARPGRADE_REFUSED(cudaGraphExecExternalSemaphoresSignalNodeSetParams, graphs)
WARPGRADE_REFUSED(cudaGraphExecExternalSemaphoresWaitNodeSetParams, graphs)
WARPGRADE_REFUSED(cudaGraphExternalSemaphoresSignalNodeGetParams, graphs)
WARPGRADE_REFUSED(cudaGraphExternalSemaphoresSignalNodeSetParams, graphs)
WARPGRADE_REFUSED(cudaGraphExternalSemaphoresWaitNodeGetParams, graphs)
WARPGRADE_REFUSED(cudaGraphExternalSemaphoresWaitNodeSetParams, graphs)
WARPGRADE_REFUSED(cudaGraphGetEdges_v2, graphs)
WARPGRADE_REFUSED(cudaGraphKernelNodeCopyAttributes, graphs)
WARPGRADE_REFUSED(cudaGraphKernelNodeGetAttribute, graphs)
WARPGRADE_REFUSED(cudaGraphKernelNodeSetAttribute, graphs)
WARPGRADE_REFUSED(cudaGraphMemcpyNodeSetParamsFromSymbol, graphs)
WARPGRADE_REFUSED(cudaGraphMemcpyNodeSetParamsToSymbol, graphs)
WARPGRADE_REFUSED(cudaGraphNodeGetDependencies_v2, graphs)
WARPGRADE_REFUSED(cudaGraphNodeGetDependentNodes_v2, graphs)
WARPGRADE_REFUSED(cudaGraphReleaseUserObject, graphs)
WARPGRADE_REFUSED(cudaGraphRemoveDependencies_v2, graphs)
WARPGRADE_REFUSED(cudaGraphRetainUserObject, graphs)
WARPGRADE_REFUSED(cudaStreamUpdateCaptureDependencies_v2, graphs)
WARPGRADE_REFUSED(cudaUserObjectCreate, graphs)
WARPGRADE_REFUSED(cudaUserObjectRelease, graphs)
WARPGRADE_REFUSED(cudaUserObjectRetain, graphs)

WARPGRADE_REFUSED(cudaOccupancyMaxActiveClusters, clusters)
WARPGRADE_REFUSED(cudaOccupancyMaxPotentialClusterSize, clusters)

WARPGRADE_REFUSED(cudaArrayGetMemoryRequirements, textures)
WARPGRADE_REFUSED(cudaArrayGetPlane, textures)
WARPGRADE_REFUSED(cudaArrayGetSparseProperties, textures)
WARPGRADE_REFUSED(cudaBindSurfaceToArray, textures)
WARPGRADE_REFUSED(cudaBindTexture, textures)
WARPGRADE_REFUSED(cudaBindTexture2D, textures)
WARPGRADE_REFUSED(cudaBindTextureToArray, textures)
WARPGRADE_REFUSED(cudaCreateTextureObject_v2, textures)
WARPGRADE_REFUSED(cudaExternalMemoryGetMappedMipmappedArray, textures)
WARPGRADE_REFUSED(cudaGetSurfaceReference, textures)
WARPGRADE_REFUSED(cudaGetTextureObjectTextureDesc_v2, textures)
WARPGRADE_REFUSED(cudaGetTextureReference, textures)
WARPGRADE_REFUSED(cudaGraphicsResourceGetMappedMipmappedArray, textures)
WARPGRADE_REFUSED(cudaGraphicsSubResourceGetMappedArray, textures)
WARPGRADE_REFUSED(cudaGraphicsVDPAURegisterOutputSurface, textures)
WARPGRADE_REFUSED(cudaGraphicsVDPAURegisterVideoSurface, textures)
WARPGRADE_REFUSED_PTDS(cudaMemcpyArrayToArray, textures)
WARPGRADE_REFUSED(cudaMipmappedArrayGetMemoryRequirements, textures)
WARPGRADE_REFUSED(cudaMipmappedArrayGetSparseProperties, textures)
WARPGRADE_REFUSED(cudaUnbindTexture, textures)

WARPGRADE_REFUSED(cudaDeviceDisablePeerAccess, peers)
WARPGRADE_REFUSED(cudaDeviceEnablePeerAccess, peers)
WARPGRADE_REFUSED(cudaDeviceGetP2PAtomicCapabilities, peers)
WARPGRADE_REFUSED(cudaDeviceGetP2PAttribute, peers)
WARPGRADE_REFUSED_PTDS(cudaMemcpy3DPeer, peers)
WARPGRADE_REFUSED_PTSZ(cudaMemcpy3DPeerAsync, peers)

WARPGRADE_REFUSED(cudaDestroyExternalMemory, interop)
WARPGRADE_REFUSED(cudaDestroyExternalSemaphore, interop)
WARPGRADE_REFUSED(cudaDeviceGetNvSciSyncAttributes, interop)
WARPGRADE_REFUSED(cudaEGLStreamConsumerAcquireFrame, interop)
WARPGRADE_REFUSED(cudaEGLStreamConsumerConnect, interop)
WARPGRADE_REFUSED(cudaEGLStreamConsumerConnectWithFlags, interop)
WARPGRADE_REFUSED(cudaEGLStreamConsumerDisconnect, interop)
WARPGRADE_REFUSED(cudaEGLStreamConsumerReleaseFrame, interop)
WARPGRADE_REFUSED(cudaEGLStreamProducerConnect, interop)
WARPGRADE_REFUSED(cudaEGLStreamProducerDisconnect, interop)
WARPGRADE_REFUSED(cudaEGLStreamProducerPresentFrame, interop)
WARPGRADE_REFUSED(cudaEGLStreamProducerReturnFrame, interop)
WARPGRADE_REFUSED(cudaEventCreateFromEGLSync, interop)
WARPGRADE_REFUSED(cudaExternalMemoryGetMappedBuffer, interop)
WARPGRADE_REFUSED(cudaGLGetDevices, interop)
WARPGRADE_REFUSED(cudaGLMapBufferObject, interop)
WARPGRADE_REFUSED(cudaGLMapBufferObjectAsync, interop)
WARPGRADE_REFUSED(cudaGLRegisterBufferObject, interop)
WARPGRADE_REFUSED(cudaGLSetBufferObjectMapFlags, interop)
WARPGRADE_REFUSED(cudaGLSetGLDevice, interop)
WARPGRADE_REFUSED(cudaGLUnmapBufferObject, interop)
WARPGRADE_REFUSED(cudaGLUnmapBufferObjectAsync, interop)
WARPGRADE_REFUSED(cudaGLUnregisterBufferObject, interop)
WARPGRADE_REFUSED(cudaGraphicsEGLRegisterImage, interop)
WARPGRADE_REFUSED(cudaGraphicsGLRegisterBuffer, interop)
WARPGRADE_REFUSED(cudaGraphicsGLRegisterImage, interop)
WARPGRADE_REFUSED(cudaGraphicsMapResources, interop)
WARPGRADE_REFUSED(cudaGraphicsResourceGetMappedEglFrame, interop)
WARPGRADE_REFUSED(cudaGraphicsResourceGetMappedPointer, interop)
WARPGRADE_REFUSED(cudaGraphicsResourceSetMapFlags, interop)
WARPGRADE_REFUSED(cudaGraphicsUnmapResources, interop)
WARPGRADE_REFUSED(cudaGraphicsUnregisterResource, interop)
WARPGRADE_REFUSED(cudaImportExternalMemory, interop)
WARPGRADE_REFUSED(cudaImportExternalSemaphore, interop)
WARPGRADE_REFUSED(cudaIpcCloseMemHandle, interop)
WARPGRADE_REFUSED(cudaIpcGetEventHandle, interop)
WARPGRADE_REFUSED(cudaIpcGetMemHandle, interop)
WARPGRADE_REFUSED(cudaIpcOpenEventHandle, interop)
WARPGRADE_REFUSED(cudaIpcOpenMemHandle, interop)
WARPGRADE_REFUSED(cudaMemPoolExportPointer, interop)
WARPGRADE_REFUSED(cudaMemPoolExportToShareableHandle, interop)
WARPGRADE_REFUSED(cudaMemPoolImportFromShareableHandle, interop)
WARPGRADE_REFUSED(cudaMemPoolImportPointer, interop)
WARPGRADE_REFUSED_PTSZ(cudaSignalExternalSemaphoresAsync, interop)
WARPGRADE_REFUSED(cudaVDPAUGetDevice, interop)
WARPGRADE_REFUSED(cudaVDPAUSetVDPAUDevice, interop)
WARPGRADE_REFUSED_PTSZ(cudaWaitExternalSemaphoresAsync, interop)

WARPGRADE_REFUSED(cudaGetExportTable, loading)
WARPGRADE_REFUSED(cudaGetFuncBySymbol, loading)
WARPGRADE_REFUSED(cudaKernelSetAttributeForDevice, loading)
WARPGRADE_REFUSED(cudaLibraryEnumerateKernels, loading)
WARPGRADE_REFUSED(cudaLibraryGetManaged, loading)
WARPGRADE_REFUSED(cudaLibraryGetUnifiedFunction, loading)

WARPGRADE_REFUSED(cudaDeviceFlushGPUDirectRDMAWrites, other)
WARPGRADE_REFUSED(cudaDeviceGetHostAtomicCapabilities, other)
WARPGRADE_REFUSED(cudaDeviceRegisterAsyncNotification, other)
WARPGRADE_REFUSED(cudaDeviceUnregisterAsyncNotification, other)
WARPGRADE_REFUSED(cudaLogsCurrent, other)
WARPGRADE_REFUSED(cudaLogsDumpToFile, other)
WARPGRADE_REFUSED(cudaLogsDumpToMemory, other)
WARPGRADE_REFUSED(cudaLogsRegisterCallback, other)
WARPGRADE_REFUSED(cudaLogsUnregisterCallback, other)
WARPGRADE_REFUSED_PTSZ(cudaMemDiscardAndPrefetchBatchAsync, other)
WARPGRADE_REFUSED_PTSZ(cudaMemDiscardBatchAsync, other)
WARPGRADE_REFUSED(cudaMemGetDefaultMemPool, other)
WARPGRADE_REFUSED(cudaMemGetMemPool, other)
WARPGRADE_REFUSED(cudaMemPoolGetAccess, other)
WARPGRADE_REFUSED(cudaMemRangeGetAttribute, other)
WARPGRADE_REFUSED(cudaMemRangeGetAttributes, other)
WARPGRADE_REFUSED(cudaMemSetMemPool, other)
WARPGRADE_REFUSED_PTSZ(cudaMemcpy3DBatchAsync, other)
WARPGRADE_REFUSED_PTSZ(cudaMemcpyBatchAsync, other)
WARPGRADE_REFUSED_PTSZ(cudaStreamGetAttribute, other)

}  // extern "C"
