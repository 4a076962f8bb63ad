// The rest of the runtime's functions: calls that have no meaning in a plan. Each returns an error and marks
// the plan refused, with its own name and the rule. They take no parameters here, because none of them looks
// at any; the linker goes by names, and the calling conventions of Linux let the caller pass what it likes.
#include <string>

#include "record/runtime/worker.hpp"

namespace {

int refuse(const char *call, const char *rule) {
  constexpr int not_supported = 801;  // cudaErrorNotSupported
  warpgrade::record::worker().refuse(call, rule);
  return warpgrade::record::worker().last_error = not_supported;
}

constexpr const char *graphs = "a plan cannot hold graphs or captured streams; launch the kernels directly";
constexpr const char *cooperative =
    "a plan cannot hold cooperative launches: blocks may not wait for each other";
constexpr const char *clusters = "thread block clusters are not supported";
constexpr const char *callbacks = "host functions cannot be part of a plan";
constexpr const char *managed =
    "managed memory is shared with the host; a launcher may only start work, so use cudaMalloc";
constexpr const char *mapped =
    "host memory mapped into the device is not supported; use cudaMalloc and cudaMemcpy";
constexpr const char *textures = "textures, surfaces and arrays are not supported; use plain device memory";
constexpr const char *threed = "three-dimensional copies are not supported; use cudaMemcpy2D or cudaMemset2D";
constexpr const char *peers = "there is one device";
constexpr const char *interop = "memory shared with other programs or APIs is not there";
constexpr const char *loading = "device code comes from the compiled file only";
constexpr const char *reset = "it would free the memory of the caller";
constexpr const char *other = "a plan cannot hold this call";

}  // namespace

#define WARPGRADE_REFUSED(name, rule) \
  int name() {                        \
    return refuse(#name, rule);       \
  }
#define WARPGRADE_REFUSED_PTDS(name, rule) \
  WARPGRADE_REFUSED(name, rule)            \
  int name##_ptds() {                      \
    return refuse(#name, rule);            \
  }
#define WARPGRADE_REFUSED_PTSZ(name, rule) \
  WARPGRADE_REFUSED(name, rule)            \
  int name##_ptsz() {                      \
    return refuse(#name, rule);            \
  }

// clang-format off
extern "C" {

WARPGRADE_REFUSED_PTSZ(cudaStreamBeginCapture, graphs)
WARPGRADE_REFUSED_PTSZ(cudaStreamBeginCaptureToGraph, graphs)
WARPGRADE_REFUSED(cudaThreadExchangeStreamCaptureMode, graphs)
WARPGRADE_REFUSED_PTSZ(cudaStreamEndCapture, graphs)
WARPGRADE_REFUSED_PTSZ(cudaStreamGetCaptureInfo, graphs)
WARPGRADE_REFUSED_PTSZ(cudaStreamUpdateCaptureDependencies, graphs)
WARPGRADE_REFUSED(cudaGraphCreate, graphs)
WARPGRADE_REFUSED(cudaGraphAddKernelNode, graphs)
WARPGRADE_REFUSED(cudaGraphKernelNodeGetParams, graphs)
WARPGRADE_REFUSED(cudaGraphKernelNodeSetParams, graphs)
WARPGRADE_REFUSED(cudaGraphKernelNodeCopyAttributes, graphs)
WARPGRADE_REFUSED(cudaGraphKernelNodeGetAttribute, graphs)
WARPGRADE_REFUSED(cudaGraphKernelNodeSetAttribute, graphs)
WARPGRADE_REFUSED(cudaGraphAddMemcpyNode, graphs)
WARPGRADE_REFUSED(cudaGraphAddMemcpyNodeToSymbol, graphs)
WARPGRADE_REFUSED(cudaGraphAddMemcpyNodeFromSymbol, graphs)
WARPGRADE_REFUSED(cudaGraphAddMemcpyNode1D, graphs)
WARPGRADE_REFUSED(cudaGraphMemcpyNodeGetParams, graphs)
WARPGRADE_REFUSED(cudaGraphMemcpyNodeSetParams, graphs)
WARPGRADE_REFUSED(cudaGraphMemcpyNodeSetParamsToSymbol, graphs)
WARPGRADE_REFUSED(cudaGraphMemcpyNodeSetParamsFromSymbol, graphs)
WARPGRADE_REFUSED(cudaGraphMemcpyNodeSetParams1D, graphs)
WARPGRADE_REFUSED(cudaGraphAddMemsetNode, graphs)
WARPGRADE_REFUSED(cudaGraphMemsetNodeGetParams, graphs)
WARPGRADE_REFUSED(cudaGraphMemsetNodeSetParams, graphs)
WARPGRADE_REFUSED(cudaGraphAddHostNode, graphs)
WARPGRADE_REFUSED(cudaGraphHostNodeGetParams, graphs)
WARPGRADE_REFUSED(cudaGraphHostNodeSetParams, graphs)
WARPGRADE_REFUSED(cudaGraphAddChildGraphNode, graphs)
WARPGRADE_REFUSED(cudaGraphChildGraphNodeGetGraph, graphs)
WARPGRADE_REFUSED(cudaGraphAddEmptyNode, graphs)
WARPGRADE_REFUSED(cudaGraphAddEventRecordNode, graphs)
WARPGRADE_REFUSED(cudaGraphEventRecordNodeGetEvent, graphs)
WARPGRADE_REFUSED(cudaGraphEventRecordNodeSetEvent, graphs)
WARPGRADE_REFUSED(cudaGraphAddEventWaitNode, graphs)
WARPGRADE_REFUSED(cudaGraphEventWaitNodeGetEvent, graphs)
WARPGRADE_REFUSED(cudaGraphEventWaitNodeSetEvent, graphs)
WARPGRADE_REFUSED(cudaGraphAddExternalSemaphoresSignalNode, graphs)
WARPGRADE_REFUSED(cudaGraphExternalSemaphoresSignalNodeGetParams, graphs)
WARPGRADE_REFUSED(cudaGraphExternalSemaphoresSignalNodeSetParams, graphs)
WARPGRADE_REFUSED(cudaGraphAddExternalSemaphoresWaitNode, graphs)
WARPGRADE_REFUSED(cudaGraphExternalSemaphoresWaitNodeGetParams, graphs)
WARPGRADE_REFUSED(cudaGraphExternalSemaphoresWaitNodeSetParams, graphs)
WARPGRADE_REFUSED(cudaGraphAddMemAllocNode, graphs)
WARPGRADE_REFUSED(cudaGraphMemAllocNodeGetParams, graphs)
WARPGRADE_REFUSED(cudaGraphAddMemFreeNode, graphs)
WARPGRADE_REFUSED(cudaGraphMemFreeNodeGetParams, graphs)
WARPGRADE_REFUSED(cudaDeviceGraphMemTrim, graphs)
WARPGRADE_REFUSED(cudaDeviceGetGraphMemAttribute, graphs)
WARPGRADE_REFUSED(cudaDeviceSetGraphMemAttribute, graphs)
WARPGRADE_REFUSED(cudaGraphClone, graphs)
WARPGRADE_REFUSED(cudaGraphNodeFindInClone, graphs)
WARPGRADE_REFUSED(cudaGraphNodeGetType, graphs)
WARPGRADE_REFUSED(cudaGraphGetNodes, graphs)
WARPGRADE_REFUSED(cudaGraphGetRootNodes, graphs)
WARPGRADE_REFUSED(cudaGraphGetEdges, graphs)
WARPGRADE_REFUSED(cudaGraphNodeGetDependencies, graphs)
WARPGRADE_REFUSED(cudaGraphNodeGetDependentNodes, graphs)
WARPGRADE_REFUSED(cudaGraphAddDependencies, graphs)
WARPGRADE_REFUSED(cudaGraphRemoveDependencies, graphs)
WARPGRADE_REFUSED(cudaGraphDestroyNode, graphs)
WARPGRADE_REFUSED(cudaGraphInstantiate, graphs)
WARPGRADE_REFUSED(cudaGraphInstantiateWithFlags, graphs)
WARPGRADE_REFUSED_PTSZ(cudaGraphInstantiateWithParams, graphs)
WARPGRADE_REFUSED(cudaGraphExecGetFlags, graphs)
WARPGRADE_REFUSED(cudaGraphExecKernelNodeSetParams, graphs)
WARPGRADE_REFUSED(cudaGraphExecMemcpyNodeSetParams, graphs)
WARPGRADE_REFUSED(cudaGraphExecMemcpyNodeSetParamsToSymbol, graphs)
WARPGRADE_REFUSED(cudaGraphExecMemcpyNodeSetParamsFromSymbol, graphs)
WARPGRADE_REFUSED(cudaGraphExecMemcpyNodeSetParams1D, graphs)
WARPGRADE_REFUSED(cudaGraphExecMemsetNodeSetParams, graphs)
WARPGRADE_REFUSED(cudaGraphExecHostNodeSetParams, graphs)
WARPGRADE_REFUSED(cudaGraphExecChildGraphNodeSetParams, graphs)
WARPGRADE_REFUSED(cudaGraphExecEventRecordNodeSetEvent, graphs)
WARPGRADE_REFUSED(cudaGraphExecEventWaitNodeSetEvent, graphs)
WARPGRADE_REFUSED(cudaGraphExecExternalSemaphoresSignalNodeSetParams, graphs)
WARPGRADE_REFUSED(cudaGraphExecExternalSemaphoresWaitNodeSetParams, graphs)
WARPGRADE_REFUSED(cudaGraphNodeSetEnabled, graphs)
WARPGRADE_REFUSED(cudaGraphNodeGetEnabled, graphs)
WARPGRADE_REFUSED(cudaGraphExecUpdate, graphs)
WARPGRADE_REFUSED_PTSZ(cudaGraphUpload, graphs)
WARPGRADE_REFUSED_PTSZ(cudaGraphLaunch, graphs)
WARPGRADE_REFUSED(cudaGraphExecDestroy, graphs)
WARPGRADE_REFUSED(cudaGraphDestroy, graphs)
WARPGRADE_REFUSED(cudaGraphDebugDotPrint, graphs)
WARPGRADE_REFUSED(cudaUserObjectCreate, graphs)
WARPGRADE_REFUSED(cudaUserObjectRetain, graphs)
WARPGRADE_REFUSED(cudaUserObjectRelease, graphs)
WARPGRADE_REFUSED(cudaGraphRetainUserObject, graphs)
WARPGRADE_REFUSED(cudaGraphReleaseUserObject, graphs)
WARPGRADE_REFUSED(cudaGraphAddNode, graphs)
WARPGRADE_REFUSED(cudaGraphNodeSetParams, graphs)
WARPGRADE_REFUSED(cudaGraphExecNodeSetParams, graphs)
WARPGRADE_REFUSED(cudaGraphConditionalHandleCreate, graphs)
WARPGRADE_REFUSED(cudaStreamGetCaptureInfo_v2, graphs)
WARPGRADE_REFUSED(cudaStreamGetCaptureInfo_v3, graphs)
WARPGRADE_REFUSED(cudaStreamUpdateCaptureDependencies_v2, graphs)
WARPGRADE_REFUSED(cudaGraphAddDependencies_v2, graphs)
WARPGRADE_REFUSED(cudaGraphRemoveDependencies_v2, graphs)
WARPGRADE_REFUSED(cudaGraphGetEdges_v2, graphs)
WARPGRADE_REFUSED(cudaGraphNodeGetDependencies_v2, graphs)
WARPGRADE_REFUSED(cudaGraphNodeGetDependentNodes_v2, graphs)
WARPGRADE_REFUSED(cudaGraphAddNode_v2, graphs)

WARPGRADE_REFUSED_PTSZ(cudaLaunchCooperativeKernel, cooperative)

WARPGRADE_REFUSED(cudaOccupancyMaxPotentialClusterSize, clusters)
WARPGRADE_REFUSED(cudaOccupancyMaxActiveClusters, clusters)

WARPGRADE_REFUSED(cudaDeviceRegisterAsyncNotification, callbacks)
WARPGRADE_REFUSED(cudaDeviceUnregisterAsyncNotification, callbacks)
WARPGRADE_REFUSED_PTSZ(cudaStreamAddCallback, callbacks)
WARPGRADE_REFUSED_PTSZ(cudaLaunchHostFunc, callbacks)
WARPGRADE_REFUSED(cudaLogsRegisterCallback, callbacks)
WARPGRADE_REFUSED(cudaLogsUnregisterCallback, callbacks)
WARPGRADE_REFUSED(cudaLogsCurrent, callbacks)
WARPGRADE_REFUSED(cudaLogsDumpToFile, callbacks)
WARPGRADE_REFUSED(cudaLogsDumpToMemory, callbacks)

WARPGRADE_REFUSED_PTSZ(cudaStreamAttachMemAsync, managed)
WARPGRADE_REFUSED(cudaMallocManaged, managed)
WARPGRADE_REFUSED_PTSZ(cudaMemPrefetchAsync, managed)
WARPGRADE_REFUSED_PTSZ(cudaMemPrefetchBatchAsync, managed)
WARPGRADE_REFUSED_PTSZ(cudaMemDiscardBatchAsync, managed)
WARPGRADE_REFUSED_PTSZ(cudaMemDiscardAndPrefetchBatchAsync, managed)
WARPGRADE_REFUSED(cudaMemAdvise, managed)
WARPGRADE_REFUSED(cudaMemRangeGetAttribute, managed)
WARPGRADE_REFUSED(cudaMemRangeGetAttributes, managed)
WARPGRADE_REFUSED(cudaLibraryGetManaged, managed)
WARPGRADE_REFUSED(cudaMemAdvise_v2, managed)
WARPGRADE_REFUSED(cudaMemPrefetchAsync_v2, managed)

WARPGRADE_REFUSED(cudaHostGetDevicePointer, mapped)

WARPGRADE_REFUSED(cudaDeviceGetTexture1DLinearMaxWidth, textures)
WARPGRADE_REFUSED(cudaMallocArray, textures)
WARPGRADE_REFUSED(cudaFreeArray, textures)
WARPGRADE_REFUSED(cudaFreeMipmappedArray, textures)
WARPGRADE_REFUSED(cudaMalloc3DArray, textures)
WARPGRADE_REFUSED(cudaMallocMipmappedArray, textures)
WARPGRADE_REFUSED(cudaGetMipmappedArrayLevel, textures)
WARPGRADE_REFUSED(cudaArrayGetInfo, textures)
WARPGRADE_REFUSED(cudaArrayGetPlane, textures)
WARPGRADE_REFUSED(cudaArrayGetMemoryRequirements, textures)
WARPGRADE_REFUSED(cudaMipmappedArrayGetMemoryRequirements, textures)
WARPGRADE_REFUSED(cudaArrayGetSparseProperties, textures)
WARPGRADE_REFUSED(cudaMipmappedArrayGetSparseProperties, textures)
WARPGRADE_REFUSED_PTDS(cudaMemcpy2DToArray, textures)
WARPGRADE_REFUSED_PTDS(cudaMemcpy2DFromArray, textures)
WARPGRADE_REFUSED_PTDS(cudaMemcpy2DArrayToArray, textures)
WARPGRADE_REFUSED_PTSZ(cudaMemcpy2DToArrayAsync, textures)
WARPGRADE_REFUSED_PTSZ(cudaMemcpy2DFromArrayAsync, textures)
WARPGRADE_REFUSED_PTDS(cudaMemcpyToArray, textures)
WARPGRADE_REFUSED_PTDS(cudaMemcpyFromArray, textures)
WARPGRADE_REFUSED_PTDS(cudaMemcpyArrayToArray, textures)
WARPGRADE_REFUSED_PTSZ(cudaMemcpyToArrayAsync, textures)
WARPGRADE_REFUSED_PTSZ(cudaMemcpyFromArrayAsync, textures)
WARPGRADE_REFUSED(cudaGetChannelDesc, textures)
WARPGRADE_REFUSED(cudaCreateChannelDesc, textures)
WARPGRADE_REFUSED(cudaCreateTextureObject, textures)
WARPGRADE_REFUSED(cudaDestroyTextureObject, textures)
WARPGRADE_REFUSED(cudaGetTextureObjectResourceDesc, textures)
WARPGRADE_REFUSED(cudaGetTextureObjectTextureDesc, textures)
WARPGRADE_REFUSED(cudaGetTextureObjectResourceViewDesc, textures)
WARPGRADE_REFUSED(cudaCreateSurfaceObject, textures)
WARPGRADE_REFUSED(cudaDestroySurfaceObject, textures)
WARPGRADE_REFUSED(cudaGetSurfaceObjectResourceDesc, textures)
WARPGRADE_REFUSED(cudaGetTextureObjectTextureDesc_v2, textures)
WARPGRADE_REFUSED(cudaCreateTextureObject_v2, textures)
WARPGRADE_REFUSED(cudaBindTexture, textures)
WARPGRADE_REFUSED(cudaBindTexture2D, textures)
WARPGRADE_REFUSED(cudaBindTextureToArray, textures)
WARPGRADE_REFUSED(cudaUnbindTexture, textures)
WARPGRADE_REFUSED(cudaGetTextureReference, textures)
WARPGRADE_REFUSED(cudaBindSurfaceToArray, textures)
WARPGRADE_REFUSED(cudaGetSurfaceReference, textures)

WARPGRADE_REFUSED(cudaMalloc3D, threed)
WARPGRADE_REFUSED_PTDS(cudaMemcpy3D, threed)
WARPGRADE_REFUSED_PTSZ(cudaMemcpy3DAsync, threed)
WARPGRADE_REFUSED_PTSZ(cudaMemcpy3DBatchAsync, threed)
WARPGRADE_REFUSED_PTDS(cudaMemset3D, threed)
WARPGRADE_REFUSED_PTSZ(cudaMemset3DAsync, threed)

WARPGRADE_REFUSED(cudaDeviceGetP2PAttribute, peers)
WARPGRADE_REFUSED(cudaDeviceGetP2PAtomicCapabilities, peers)
WARPGRADE_REFUSED_PTDS(cudaMemcpy3DPeer, peers)
WARPGRADE_REFUSED_PTSZ(cudaMemcpy3DPeerAsync, peers)
WARPGRADE_REFUSED(cudaMemcpyPeer, peers)
WARPGRADE_REFUSED(cudaMemcpyPeerAsync, peers)
WARPGRADE_REFUSED(cudaDeviceEnablePeerAccess, peers)
WARPGRADE_REFUSED(cudaDeviceDisablePeerAccess, peers)

WARPGRADE_REFUSED(cudaIpcGetEventHandle, interop)
WARPGRADE_REFUSED(cudaIpcOpenEventHandle, interop)
WARPGRADE_REFUSED(cudaIpcGetMemHandle, interop)
WARPGRADE_REFUSED(cudaIpcOpenMemHandle, interop)
WARPGRADE_REFUSED(cudaIpcCloseMemHandle, interop)
WARPGRADE_REFUSED(cudaImportExternalMemory, interop)
WARPGRADE_REFUSED(cudaExternalMemoryGetMappedBuffer, interop)
WARPGRADE_REFUSED(cudaExternalMemoryGetMappedMipmappedArray, interop)
WARPGRADE_REFUSED(cudaDestroyExternalMemory, interop)
WARPGRADE_REFUSED(cudaImportExternalSemaphore, interop)
WARPGRADE_REFUSED_PTSZ(cudaSignalExternalSemaphoresAsync, interop)
WARPGRADE_REFUSED_PTSZ(cudaWaitExternalSemaphoresAsync, interop)
WARPGRADE_REFUSED(cudaDestroyExternalSemaphore, interop)
WARPGRADE_REFUSED(cudaMemPoolExportToShareableHandle, interop)
WARPGRADE_REFUSED(cudaMemPoolImportFromShareableHandle, interop)
WARPGRADE_REFUSED(cudaMemPoolExportPointer, interop)
WARPGRADE_REFUSED(cudaMemPoolImportPointer, interop)
WARPGRADE_REFUSED(cudaGraphicsUnregisterResource, interop)
WARPGRADE_REFUSED(cudaGraphicsResourceSetMapFlags, interop)
WARPGRADE_REFUSED(cudaGraphicsMapResources, interop)
WARPGRADE_REFUSED(cudaGraphicsUnmapResources, interop)
WARPGRADE_REFUSED(cudaGraphicsResourceGetMappedPointer, interop)
WARPGRADE_REFUSED(cudaGraphicsSubResourceGetMappedArray, interop)
WARPGRADE_REFUSED(cudaGraphicsResourceGetMappedMipmappedArray, interop)

WARPGRADE_REFUSED_PTSZ(cudaGetDriverEntryPoint, loading)
WARPGRADE_REFUSED_PTSZ(cudaGetDriverEntryPointByVersion, loading)
WARPGRADE_REFUSED(cudaLibraryLoadData, loading)
WARPGRADE_REFUSED(cudaLibraryLoadFromFile, loading)
WARPGRADE_REFUSED(cudaLibraryUnload, loading)
WARPGRADE_REFUSED(cudaLibraryGetKernel, loading)
WARPGRADE_REFUSED(cudaLibraryGetGlobal, loading)
WARPGRADE_REFUSED(cudaLibraryGetUnifiedFunction, loading)
WARPGRADE_REFUSED(cudaLibraryGetKernelCount, loading)
WARPGRADE_REFUSED(cudaLibraryEnumerateKernels, loading)
WARPGRADE_REFUSED(cudaKernelSetAttributeForDevice, loading)
WARPGRADE_REFUSED(cudaGetExportTable, loading)
WARPGRADE_REFUSED(cudaGetFuncBySymbol, loading)

WARPGRADE_REFUSED(cudaDeviceReset, reset)
WARPGRADE_REFUSED(cudaThreadExit, reset)

WARPGRADE_REFUSED(cudaDeviceGetByPCIBusId, other)
WARPGRADE_REFUSED(cudaDeviceGetPCIBusId, other)
WARPGRADE_REFUSED(cudaDeviceFlushGPUDirectRDMAWrites, other)
WARPGRADE_REFUSED(cudaDeviceGetHostAtomicCapabilities, other)
WARPGRADE_REFUSED(cudaDeviceSetMemPool, other)
WARPGRADE_REFUSED(cudaDeviceGetNvSciSyncAttributes, other)
WARPGRADE_REFUSED_PTSZ(cudaStreamGetDevice, other)
WARPGRADE_REFUSED(cudaFuncGetParamInfo, other)
WARPGRADE_REFUSED_PTSZ(cudaMemcpyBatchAsync, other)
WARPGRADE_REFUSED(cudaMemPoolGetAttribute, other)
WARPGRADE_REFUSED(cudaMemPoolSetAccess, other)
WARPGRADE_REFUSED(cudaMemPoolGetAccess, other)
WARPGRADE_REFUSED(cudaMemPoolCreate, other)
WARPGRADE_REFUSED(cudaMemPoolDestroy, other)
WARPGRADE_REFUSED(cudaMemGetDefaultMemPool, other)
WARPGRADE_REFUSED(cudaMemGetMemPool, other)
WARPGRADE_REFUSED(cudaMemSetMemPool, other)
WARPGRADE_REFUSED(cudaThreadSynchronize, other)

}  // extern "C"
