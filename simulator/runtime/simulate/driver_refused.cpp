// The rest of the driver API: what the simulator does not have, each by its own name, so that a program that
// refers to one can be loaded. As in calls.cpp they take no parameters.
#include "runtime/refusals.hpp"

// REFUSE(reason, names...) defines each of the names, up to 81 of them.
#define WARPGRADE_NEXT ()
#define WARPGRADE_SCAN1(...) __VA_ARGS__
#define WARPGRADE_SCAN3(...) WARPGRADE_SCAN1(WARPGRADE_SCAN1(WARPGRADE_SCAN1(__VA_ARGS__)))
#define WARPGRADE_SCAN9(...) WARPGRADE_SCAN3(WARPGRADE_SCAN3(WARPGRADE_SCAN3(__VA_ARGS__)))
#define WARPGRADE_SCAN27(...) WARPGRADE_SCAN9(WARPGRADE_SCAN9(WARPGRADE_SCAN9(__VA_ARGS__)))
#define WARPGRADE_SCAN81(...) WARPGRADE_SCAN27(WARPGRADE_SCAN27(WARPGRADE_SCAN27(__VA_ARGS__)))
#define WARPGRADE_ONE(reason, name, ...)                                         \
  int name() {                                                                   \
    return warpgrade::cuda::refuse_call(#name, warpgrade::cuda::Reason::reason); \
  }                                                                              \
  __VA_OPT__(WARPGRADE_MORE WARPGRADE_NEXT(reason, __VA_ARGS__))
#define WARPGRADE_MORE() WARPGRADE_ONE
#define REFUSE(reason, ...) WARPGRADE_SCAN81(WARPGRADE_ONE(reason, __VA_ARGS__))

// clang-format off
extern "C" {

REFUSE(driver_graphs, cuGraphAddBatchMemOpNode, cuGraphAddExternalSemaphoresSignalNode,
       cuGraphAddExternalSemaphoresWaitNode, cuGraphBatchMemOpNodeGetParams, cuGraphBatchMemOpNodeSetParams,
       cuGraphExecBatchMemOpNodeSetParams, cuGraphExecExternalSemaphoresSignalNodeSetParams,
       cuGraphExecExternalSemaphoresWaitNodeSetParams, cuGraphExecNodeSetParams,
       cuGraphExternalSemaphoresSignalNodeGetParams, cuGraphExternalSemaphoresSignalNodeSetParams,
       cuGraphExternalSemaphoresWaitNodeGetParams, cuGraphExternalSemaphoresWaitNodeSetParams, cuGraphNodeSetParams,
       cuStreamBeginCaptureToGraph, cuStreamUpdateCaptureDependencies, cuStreamUpdateCaptureDependencies_v2)

REFUSE(driver_textures, cuArray3DCreate, cuArray3DGetDescriptor, cuArrayCreate, cuArrayGetDescriptor,
       cuArrayGetMemoryRequirements, cuArrayGetPlane, cuArrayGetSparseProperties, cuMemMapArrayAsync,
       cuMipmappedArrayGetMemoryRequirements, cuMipmappedArrayGetSparseProperties, cuModuleGetSurfRef,
       cuModuleGetTexRef, cuParamSetTexRef, cuSurfRefGetArray, cuSurfRefSetArray, cuTexObjectGetResourceViewDesc,
       cuTexRefCreate, cuTexRefDestroy, cuTexRefGetAddress, cuTexRefGetAddressMode, cuTexRefGetAddress_v2,
       cuTexRefGetArray, cuTexRefGetBorderColor, cuTexRefGetFilterMode, cuTexRefGetFlags, cuTexRefGetFormat,
       cuTexRefGetMaxAnisotropy, cuTexRefGetMipmapFilterMode, cuTexRefGetMipmapLevelBias, cuTexRefGetMipmapLevelClamp,
       cuTexRefGetMipmappedArray, cuTexRefSetAddress, cuTexRefSetAddress2D, cuTexRefSetAddress2D_v2,
       cuTexRefSetAddress2D_v3, cuTexRefSetAddressMode, cuTexRefSetAddress_v2, cuTexRefSetArray,
       cuTexRefSetBorderColor, cuTexRefSetFilterMode, cuTexRefSetFlags, cuTexRefSetFormat, cuTexRefSetMaxAnisotropy,
       cuTexRefSetMipmapFilterMode, cuTexRefSetMipmapLevelBias, cuTexRefSetMipmapLevelClamp,
       cuTexRefSetMipmappedArray)

REFUSE(other, cuDeviceGetP2PAtomicCapabilities, cuMemcpy3DPeer, cuMemcpy3DPeerAsync)

REFUSE(interop, cuDestroyExternalMemory, cuDestroyExternalSemaphore, cuExternalMemoryGetMappedBuffer,
       cuExternalMemoryGetMappedMipmappedArray, cuGraphicsMapResources, cuGraphicsMapResources_ptsz,
       cuGraphicsResourceGetMappedMipmappedArray, cuGraphicsResourceGetMappedPointer,
       cuGraphicsResourceGetMappedPointer_v2, cuGraphicsResourceSetMapFlags, cuGraphicsResourceSetMapFlags_v2,
       cuGraphicsSubResourceGetMappedArray, cuGraphicsUnmapResources, cuGraphicsUnmapResources_ptsz,
       cuGraphicsUnregisterResource, cuImportExternalMemory, cuImportExternalSemaphore, cuIpcCloseMemHandle,
       cuIpcGetEventHandle, cuIpcGetMemHandle, cuIpcOpenEventHandle, cuIpcOpenMemHandle, cuIpcOpenMemHandle_v2,
       cuSignalExternalSemaphoresAsync, cuWaitExternalSemaphoresAsync)

REFUSE(tensor_maps, cuTensorMapEncodeIm2col, cuTensorMapEncodeIm2colWide)

REFUSE(other, cuCheckpointProcessCheckpoint, cuCheckpointProcessGetRestoreThreadId, cuCheckpointProcessGetState,
       cuCheckpointProcessLock, cuCheckpointProcessRestore, cuCheckpointProcessUnlock, cuCoredumpGetAttribute,
       cuCoredumpGetAttributeGlobal, cuCoredumpSetAttribute, cuCoredumpSetAttributeGlobal, cuCtxAttach, cuCtxCreate,
       cuCtxDestroy, cuCtxDetach, cuCtxFromGreenCtx, cuCtxGetDevResource, cuCtxGetDevice_v2, cuCtxGetExecAffinity,
       cuCtxGetSharedMemConfig, cuCtxPopCurrent, cuCtxPushCurrent, cuCtxRecordEvent, cuCtxResetPersistingL2Cache,
       cuCtxSetFlags, cuCtxSetSharedMemConfig, cuCtxSynchronize_v2, cuCtxWaitEvent, cuDevResourceGenerateDesc,
       cuDevSmResourceSplitByCount, cuDeviceGetDevResource, cuDeviceGetExecAffinitySupport,
       cuDeviceGetHostAtomicCapabilities, cuDeviceGetLuid, cuDeviceGetNvSciSyncAttributes, cuDeviceGetProperties,
       cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxReset, cuDevicePrimaryCtxSetFlags,
       cuDeviceRegisterAsyncNotification, cuDeviceTotalMem, cuDeviceUnregisterAsyncNotification, cuEventDestroy,
       cuFlushGPUDirectRDMAWrites, cuFuncGetParamInfo, cuFuncIsLoaded, cuFuncLoad, cuFuncSetBlockShape,
       cuFuncSetSharedSize, cuGetProcAddress, cuGreenCtxCreate, cuGreenCtxDestroy, cuGreenCtxGetDevResource,
       cuGreenCtxGetId, cuGreenCtxRecordEvent, cuGreenCtxStreamCreate, cuGreenCtxWaitEvent, cuKernelGetLibrary,
       cuKernelGetParamInfo)

REFUSE(other, cuLaunch, cuLaunchCooperativeKernelMultiDevice, cuLaunchGrid, cuLaunchGridAsync,
       cuLibraryEnumerateKernels, cuLibraryGetKernelCount, cuLibraryGetManaged, cuLibraryGetUnifiedFunction,
       cuLinkAddData, cuLinkAddFile, cuLinkCreate, cuLogsCurrent, cuLogsDumpToFile, cuLogsDumpToMemory,
       cuLogsRegisterCallback, cuLogsUnregisterCallback, cuMemAlloc, cuMemAllocHost, cuMemAllocPitch,
       cuMemBatchDecompressAsync, cuMemDiscardAndPrefetchBatchAsync, cuMemDiscardBatchAsync,
       cuMemExportToShareableHandle, cuMemFree, cuMemGetAddressRange, cuMemGetDefaultMemPool,
       cuMemGetHandleForAddressRange, cuMemGetInfo, cuMemGetMemPool, cuMemHostGetDevicePointer, cuMemHostRegister,
       cuMemImportFromShareableHandle, cuMemPoolExportPointer, cuMemPoolExportToShareableHandle,
       cuMemPoolImportFromShareableHandle, cuMemPoolImportPointer, cuMemPrefetchBatchAsync, cuMemSetMemPool,
       cuMemcpy2D, cuMemcpy2DAsync, cuMemcpy2DUnaligned, cuMemcpy3D, cuMemcpy3DAsync)

REFUSE(other, cuMemcpy3DBatchAsync, cuMemcpy3DBatchAsync_v2, cuMemcpyAtoA, cuMemcpyAtoD, cuMemcpyAtoH,
       cuMemcpyAtoHAsync, cuMemcpyBatchAsync, cuMemcpyBatchAsync_v2, cuMemcpyDtoA, cuMemcpyDtoD, cuMemcpyDtoDAsync,
       cuMemcpyDtoH, cuMemcpyDtoHAsync, cuMemcpyHtoA, cuMemcpyHtoAAsync, cuMemcpyHtoD, cuMemcpyHtoDAsync, cuMemsetD16,
       cuMemsetD2D16, cuMemsetD2D32, cuMemsetD2D8, cuMemsetD32, cuMemsetD8, cuModuleEnumerateFunctions,
       cuModuleGetGlobal, cuMulticastAddDevice, cuMulticastBindAddr, cuMulticastBindMem, cuMulticastCreate,
       cuMulticastGetGranularity, cuMulticastUnbind, cuParamSetSize, cuParamSetf, cuParamSeti, cuParamSetv,
       cuPointerSetAttribute, cuProfilerInitialize, cuStreamBatchMemOp, cuStreamBatchMemOp_v2, cuStreamDestroy,
       cuStreamGetAttribute, cuStreamGetGreenCtx)

REFUSE(other, cuStreamSetAttribute, cuStreamWaitValue32, cuStreamWaitValue32_v2, cuStreamWaitValue64,
       cuStreamWaitValue64_v2, cuStreamWriteValue32, cuStreamWriteValue32_v2, cuStreamWriteValue64,
       cuStreamWriteValue64_v2)

REFUSE(per_thread, cuEventRecordWithFlags_ptsz, cuEventRecord_ptsz, cuGraphInstantiateWithParams_ptsz,
       cuGraphLaunch_ptsz, cuGraphUpload_ptsz, cuLaunchCooperativeKernel_ptsz, cuLaunchHostFunc_ptsz,
       cuLaunchKernelEx_ptsz, cuLaunchKernel_ptsz, cuMemAllocAsync_ptsz, cuMemAllocFromPoolAsync_ptsz,
       cuMemBatchDecompressAsync_ptsz, cuMemDiscardAndPrefetchBatchAsync_ptsz, cuMemDiscardBatchAsync_ptsz,
       cuMemFreeAsync_ptsz, cuMemMapArrayAsync_ptsz, cuMemPrefetchAsync_ptsz, cuMemPrefetchAsync_v2_ptsz,
       cuMemPrefetchBatchAsync_ptsz, cuMemcpy2DAsync_v2_ptsz, cuMemcpy2DUnaligned_v2_ptds, cuMemcpy2D_v2_ptds,
       cuMemcpy3DAsync_v2_ptsz, cuMemcpy3DBatchAsync_ptsz, cuMemcpy3DBatchAsync_v2_ptsz, cuMemcpy3DPeerAsync_ptsz,
       cuMemcpy3DPeer_ptds, cuMemcpy3D_v2_ptds, cuMemcpyAsync_ptsz, cuMemcpyAtoA_v2_ptds, cuMemcpyAtoD_v2_ptds,
       cuMemcpyAtoHAsync_v2_ptsz, cuMemcpyAtoH_v2_ptds, cuMemcpyBatchAsync_ptsz, cuMemcpyBatchAsync_v2_ptsz,
       cuMemcpyDtoA_v2_ptds, cuMemcpyDtoDAsync_v2_ptsz, cuMemcpyDtoD_v2_ptds, cuMemcpyDtoHAsync_v2_ptsz,
       cuMemcpyDtoH_v2_ptds, cuMemcpyHtoAAsync_v2_ptsz, cuMemcpyHtoA_v2_ptds, cuMemcpyHtoDAsync_v2_ptsz,
       cuMemcpyHtoD_v2_ptds, cuMemcpyPeerAsync_ptsz, cuMemcpyPeer_ptds, cuMemcpy_ptds, cuMemsetD16Async_ptsz,
       cuMemsetD16_v2_ptds, cuMemsetD2D16Async_ptsz, cuMemsetD2D16_v2_ptds, cuMemsetD2D32Async_ptsz,
       cuMemsetD2D32_v2_ptds, cuMemsetD2D8Async_ptsz, cuMemsetD2D8_v2_ptds, cuMemsetD32Async_ptsz,
       cuMemsetD32_v2_ptds, cuMemsetD8Async_ptsz, cuMemsetD8_v2_ptds, cuSignalExternalSemaphoresAsync_ptsz,
       cuStreamAddCallback_ptsz, cuStreamAttachMemAsync_ptsz, cuStreamBatchMemOp_ptsz, cuStreamBatchMemOp_v2_ptsz,
       cuStreamBeginCaptureToGraph_ptsz, cuStreamBeginCapture_ptsz, cuStreamBeginCapture_v2_ptsz,
       cuStreamCopyAttributes_ptsz)

REFUSE(per_thread, cuStreamEndCapture_ptsz, cuStreamGetAttribute_ptsz, cuStreamGetCaptureInfo_ptsz,
       cuStreamGetCaptureInfo_v2_ptsz, cuStreamGetCaptureInfo_v3_ptsz, cuStreamGetCtx_ptsz, cuStreamGetCtx_v2_ptsz,
       cuStreamGetDevice_ptsz, cuStreamGetFlags_ptsz, cuStreamGetId_ptsz, cuStreamGetPriority_ptsz,
       cuStreamIsCapturing_ptsz, cuStreamQuery_ptsz, cuStreamSetAttribute_ptsz, cuStreamSynchronize_ptsz,
       cuStreamUpdateCaptureDependencies_ptsz, cuStreamUpdateCaptureDependencies_v2_ptsz, cuStreamWaitEvent_ptsz,
       cuStreamWaitValue32_ptsz, cuStreamWaitValue32_v2_ptsz, cuStreamWaitValue64_ptsz, cuStreamWaitValue64_v2_ptsz,
       cuStreamWriteValue32_ptsz, cuStreamWriteValue32_v2_ptsz, cuStreamWriteValue64_ptsz,
       cuStreamWriteValue64_v2_ptsz, cuWaitExternalSemaphoresAsync_ptsz)

}  // extern "C"
